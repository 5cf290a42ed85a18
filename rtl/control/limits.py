"""How large a controller is built: sizes that many programs share."""

from __future__ import annotations

from dataclasses import dataclass

from hwdsl.hardware import Hardware
from hwdsl.waypoints import FORM, Waypoints

WORD = 32
"""Bits of a word of program memory."""


@dataclass(frozen=True)
class Limits:
    """Sizes of a controller; all numbers of entries are powers of two.

    Attributes
    ----------
    window : int
        Cycles that a search sees.
    ring : int
        Cycles of reservations: window, longest beats and longest latency fit.
    moves : int
        Moves that a leg may have.
    beats : int
        Beats of the longest datum on the narrowest Wire.
    data, parts, rows : int
        Data; rows that a datum takes; rows of a Node that are given out at most.
    size_bits : int
        Bits of a datum's size in words.
    forms, reads, operands, launches : int
        Forms; unit-steps of reads; operands of an Op; Ops that run at a time.
    words, path_words : int
        Words of program memory for all but the paths; for the paths.
    time_bits, ahead_bits : int
        Bits of a cycle; of how far ahead of its cycle a command is sent.
    depth : int
        Commands that a port keeps.
    """

    window: int
    ring: int
    moves: int
    beats: int
    data: int
    parts: int
    rows: int
    size_bits: int
    forms: int
    reads: int
    operands: int
    launches: int
    words: int
    path_words: int
    time_bits: int
    ahead_bits: int
    depth: int


def _power(value: int, least: int = 2) -> int:
    return max(least, 1 << max(0, value - 1).bit_length())


def limits_of(
    hardware: Hardware, program: Waypoints, sizes: dict[str, int], depth: int, ahead: int
) -> Limits:
    """Return the least controller for a program, in steps.

    Parameters
    ----------
    sizes : dict of str to int
        Bytes of each section of its file.
    ahead : int
        Cycles by which commands are sent ahead at most.
    """
    bits = program.sizes()
    beats = max((w.beats(b) for w in hardware.wires for b in bits), default=1)
    latest = max((w.latency for w in hardware.wires), default=1)
    nodes = [p for p in hardware.points if p.stores]
    most = FORM.index("operands")
    return Limits(
        window=program.window,
        ring=_power(program.window + 2 * beats + latest + 2),
        moves=16,
        beats=_power(beats, 1),
        data=_power(len(bits), 8),
        parts=_power(max((p.rows_of(b) for p in nodes for b in bits), default=1), 1),
        rows=64 if max((p.rows for p in nodes), default=1) <= 64 else 1024,
        size_bits=max(4, (max(bits, default=1) // hardware.word).bit_length() + 1),
        forms=_power(len(program.forms), 4),
        reads=_power(len(program.reads), 2),
        operands=_power(max(program.forms[:, most].tolist(), default=1), 4),
        launches=_power(sum(a.units for a in hardware.actors) * 2, 4),
        words=_power(sum(s for t, s in sizes.items() if t != "PATH") // 4 + 12, 64),
        path_words=_power(sizes["PATH"] // 4 + 12, 64),
        time_bits=16 if program.cycles < 1 << 15 else 32,
        ahead_bits=ahead.bit_length() + 1,
        depth=depth,
    )
