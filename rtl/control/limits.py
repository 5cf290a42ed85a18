"""How large a controller is built: sizes that many programs share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from hwdsl.errors import LimitReached
from hwdsl.hardware import Hardware
from hwdsl.launches import launches
from hwdsl.legs import carries
from hwdsl.program import LAND_COLUMNS, RESULT_COLUMNS, Program
from hwdsl.waypoints import FORM, Waypoints

WORD = 32
"""Bits of a word of program memory."""

MOST_ROWS = 1024
"""Rows of a Node that a controller gives out at most."""


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
    hardware: Hardware, program: Waypoints, rebuilt: Program, sizes: dict[str, int]
) -> Limits:
    """Return the least controller for a program, in steps.

    Parameters
    ----------
    rebuilt : Program
        What it is to rebuild.
    sizes : dict of str to int
        Bytes of each section of its file.

    Raises
    ------
    LimitReached
        If it uses more rows of a Node than a controller gives out.
    """
    bits = program.sizes()
    beats = max((w.beats(b) for w in hardware.wires for b in bits), default=1)
    latest = max((w.latency for w in hardware.wires), default=1)
    nodes = [p for p in hardware.points if p.stores]
    most = FORM.index("operands")
    return Limits(
        window=program.window,
        ring=_power(program.window + 2 * beats + latest + 2),
        moves=_power(_longest_leg(hardware, program), 8),
        beats=_power(beats, 1),
        data=_power(len(bits), 8),
        parts=_power(max((p.rows_of(b) for p in nodes for b in bits), default=1), 1),
        rows=_power(_rows(hardware, rebuilt), 16),
        size_bits=max(4, (max(bits, default=1) // hardware.word).bit_length() + 1),
        forms=_power(len(program.forms), 4),
        reads=_power(len(program.reads), 2),
        operands=_power(max(program.forms[:, most].tolist(), default=1), 4),
        launches=_power(_running(hardware, program), 4),
        words=_power(sum(s for t, s in sizes.items() if t != "PATH") // 4 + 12, 64),
        path_words=_power(sizes["PATH"] // 4 + 12, 64),
        time_bits=16 if max(program.cycles, program.lead) < 1 << 15 else 32,
        ahead_bits=-(-max(program.ahead, 1).bit_length() // 4) * 4,
        depth=_power(program.depth, 4),
    )


def _longest_leg(hardware: Hardware, program: Waypoints) -> int:
    """Return the most Moves of a leg that is searched for."""
    legs = Counter(carry.leg for carry in carries(hardware, program))
    return max(legs.values(), default=1)


def _running(hardware: Hardware, program: Waypoints) -> int:
    """Return the most Ops that run at a time, each to the cycle in which its result is there."""
    changes: Counter[int] = Counter()
    for launch in launches(hardware, program):
        changes[launch.start] += 1
        changes[launch.done + 1] -= 1
    return max(accumulate(changes[cycle] for cycle in sorted(changes)), default=1)


def _rows(hardware: Hardware, rebuilt: Program) -> int:
    """Return how many rows of a Node are in use at most."""
    targets = np.array([w.target for w in hardware.wires], np.int64)
    nodes = np.array([a.result_at for a in hardware.actors], np.int64)
    lands, results = rebuilt.lands, rebuilt.results
    used = [(rebuilt.contents[:, 0], rebuilt.contents[:, 1])]
    used.append((targets[lands[:, 1]], lands[:, LAND_COLUMNS.index("row")]))
    used += [(nodes[results[:, 1]], row) for row in results[:, len(RESULT_COLUMNS) :].T]
    points, rows = (np.concatenate(column) for column in zip(*used, strict=True))
    if not len(rows):
        return 1
    last = int(np.argmax(rows))
    if rows[last] >= MOST_ROWS:
        rule = f"a controller gives out at most {MOST_ROWS} rows of a Node, and {rows[last] + 1}"
        raise LimitReached(f"Node {hardware.points[points[last]].name!r}: {rule} are used")
    return int(rows[last]) + 1
