"""Probes: the one signal per part that shows what happens there, and its decoding to a Trace.

A probe is a row of fields, least significant first. Of a Wire: for each lane what departs (valid,
payload), then for each lane what arrives (valid, payload), then for each lane the first error. Of
an Actor: for each unit what starts (fire, code), then for each unit what it writes (valid, value),
then for each unit the first error. Values are 0 where not valid, and an idle part shows all 0.
What departs, and an error, are seen one cycle after they happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Actor, Hardware, Wire
from hwdsl.ops import WIDEST
from hwdsl.trace import CHUNK, EVENT, Kind, sort_events

ERROR_BITS = 3


@dataclass(frozen=True)
class Field:
    """One lane's or unit's events of one kind in a probe.

    Attributes
    ----------
    valid : int
        Position of the bit that says whether there is an event; -1: if the value is not 0.
    value, width : int
        Position and bits of the value.
    lag : int
        Cycles from the event to its being seen.
    """

    kind: Kind
    lane: int
    valid: int
    value: int
    width: int
    lag: int


def wire_width(wire: Wire) -> int:
    """Return the bits of a Wire's probe."""
    return wire.lanes * (2 * (1 + wire.lane) + ERROR_BITS)


def actor_width(actor: Actor) -> int:
    """Return the bits of an Actor's probe."""
    return actor.units * (1 + _code_bits(actor) + 1 + value_bits(actor) + ERROR_BITS)


def value_bits(actor: Actor) -> int:
    """Return how many bits of what a unit writes are shown: no element is wider than 64."""
    return min(actor.bits, WIDEST)


def _code_bits(actor: Actor) -> int:
    return (len(actor.ops) - 1).bit_length()


def fields_of(part: Wire | Actor) -> list[Field]:
    """Return the fields of a part's probe."""
    if isinstance(part, Wire):
        lanes = part.lanes
        groups = [(Kind.DEPART, part.lane, 1), (Kind.ARRIVE, part.lane, 0)]
    else:
        lanes = part.units
        groups = [(Kind.FIRE, _code_bits(part), 0), (Kind.RESULT, value_bits(part), 0)]
    fields, at = [], 0
    for kind, width, lag in groups:
        for lane in range(lanes):
            fields.append(Field(kind, lane, at, at + 1, width, lag))
            at += 1 + width
    for lane in range(lanes):
        fields.append(Field(Kind.ERROR, lane, -1, at, ERROR_BITS, 1))
        at += ERROR_BITS
    return fields


def probed_parts(hardware: Hardware) -> list[Wire | Actor]:
    """Return the parts that have a probe, in the order of `Hardware.parts`."""
    return [*hardware.wires, *hardware.actors]


Samples = Sequence[tuple[np.ndarray, np.ndarray]]
"""For each probed part: the cycles (int64, rising) in which its probe was not 0, and the probe in
them as rows of uint64, least significant first."""


def decode(hardware: Hardware, samples: Samples, cycles: int) -> np.ndarray:
    """Return the events of cycles ``0 .. cycles-1``; the samples must go one cycle further."""
    found = []
    for number, (part, (seen, rows)) in enumerate(
        zip(probed_parts(hardware), samples, strict=True), len(hardware.points)
    ):
        if len(seen):
            for field in fields_of(part):
                found += _events(field, part.index, number, seen, rows)
    events = np.concatenate(found) if found else np.empty(0, EVENT)
    return sort_events(events[events["cycle"] < cycles])


def _events(
    field: Field, index: int, number: int, seen: np.ndarray, rows: np.ndarray
) -> Iterator[np.ndarray]:
    position, width = (field.value, field.width) if field.valid < 0 else (field.valid, 1)
    hits = np.flatnonzero(_bits(rows, position, width))
    if field.kind is Kind.ERROR:
        hits = hits[:1]
    if not len(hits):
        return
    for chunk in range(max(1, -(-field.width // CHUNK))):
        events = np.zeros(len(hits), EVENT)
        events["cycle"] = seen[hits] - field.lag
        events["kind"] = field.kind
        events["part"] = number if field.kind is Kind.ERROR else index
        events["lane"] = field.lane
        events["chunk"] = chunk
        width = min(CHUNK, field.width - chunk * CHUNK)
        events["value"] = _bits(rows[hits], field.value + chunk * CHUNK, width)
        yield events


def _bits(rows: np.ndarray, position: int, width: int) -> np.ndarray:
    """Return ``width`` (at most 64) bits of each row from a bit position on."""
    word, shift = divmod(position, 64)
    if width == 0:
        return np.zeros(len(rows), np.uint64)
    bits = rows[:, word] >> np.uint64(shift)
    if shift + width > 64:
        bits = bits | (rows[:, word + 1] << np.uint64(64 - shift))
    return bits if width == 64 else bits & np.uint64((1 << width) - 1)


def rows_from(values: Sequence[int], width: int) -> np.ndarray:
    """Return probes of ``width`` bits, given as integers, as rows of uint64."""
    words = -(-width // 64)
    raw = b"".join(value.to_bytes(8 * words, "little") for value in values)
    return np.frombuffer(raw, "<u8").reshape(len(values), words)
