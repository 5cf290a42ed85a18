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


@dataclass(frozen=True, eq=False)
class Records:
    """What the probes showed in cycles ``first .. end-1``, of all that was not 0.

    Attributes
    ----------
    keys : array of int64
        ``cycle * probes + probe`` of each record, rising; probes count as `probed_parts`.
    words : array of uint64
        Of one record after the other, least significant first: `probe_words` for each.
    """

    first: int
    end: int
    keys: np.ndarray
    words: np.ndarray

    def copy(self) -> Records:
        return Records(self.first, self.end, self.keys.copy(), self.words.copy())


def probe_words(hardware: Hardware) -> np.ndarray:
    """Return how many words of 64 bits each probe takes."""
    bits = [
        wire_width(part) if isinstance(part, Wire) else actor_width(part)
        for part in probed_parts(hardware)
    ]
    return -(-np.array(bits, np.int64) // 64)


def records_of(hardware: Hardware, seen: Sequence[Sequence[int]], first: int = 0) -> Records:
    """Return as records what was seen from a cycle on: for each, all probes as integers."""
    sizes = (8 * probe_words(hardware)).tolist()
    keys, raw = [], []
    for cycle, probes in enumerate(seen, first):
        for probe, value in enumerate(probes):
            if value:
                keys.append(cycle * len(sizes) + probe)
                raw.append(value.to_bytes(sizes[probe], "little"))
    words = np.frombuffer(b"".join(raw), "<u8")
    return Records(first, first + len(seen), np.array(keys, np.int64), words)


def joined(pieces: Sequence[Records]) -> Records:
    """Return as one what follows upon each other."""
    keys = np.concatenate([p.keys for p in pieces])
    words = np.concatenate([p.words for p in pieces])
    return Records(pieces[0].first, pieces[-1].end, keys, words)


class Encoder:
    """Foretells the records that events come from: the reverse of `decode`.

    Parameters
    ----------
    hardware : Hardware
    events : array of `EVENT`
        As in a Trace, and no ERROR among them.
    """

    def __init__(self, hardware: Hardware, events: np.ndarray):
        self._events = events
        self._cycle = np.ascontiguousarray(events["cycle"])
        self._parts = len(probed_parts(hardware))
        self._sizes = probe_words(hardware)
        self._wires = len(hardware.wires)
        # By kind and probe: where lane 0 begins, and how far the next lane is.
        self._layout = np.zeros((len(Kind), self._parts, 2), np.int64)
        for number, part in enumerate(probed_parts(hardware)):
            for field in fields_of(part):
                if field.lane == 0 and field.valid >= 0:
                    self._layout[field.kind, number] = field.valid, field.width + 1

    def records(self, first: int, end: int) -> Records:
        """Return what is seen in cycles ``first .. end-1``."""
        some = slice(*np.searchsorted(self._cycle, (first - 1, end)))
        events, cycle = self._events[some], self._cycle[some]
        kind = events["kind"]
        seen = cycle + (kind == Kind.DEPART)
        inside = (seen >= first) & (seen < end)
        events, kind, seen = events[inside], kind[inside], seen[inside]
        of_wire = (kind == Kind.DEPART) | (kind == Kind.ARRIVE)
        probe = np.where(of_wire, events["part"], events["part"] + self._wires)
        keys, record = np.unique(seen * self._parts + probe, return_inverse=True)
        sizes = self._sizes[keys % max(1, self._parts)]
        starts = np.cumsum(sizes) - sizes
        words = np.zeros(int(sizes.sum()), np.uint64)
        begin, step = self._layout[kind, probe].T
        at = starts[record] * 64 + begin + events["lane"] * step
        chunk, value = events["chunk"].astype(np.int64), events["value"]
        _put(words, at[chunk == 0], np.uint64(1))
        _put(words, at + 1 + chunk * CHUNK, value)
        return Records(first, end, keys, words)


def _put(words: np.ndarray, at: np.ndarray, value: np.ndarray) -> None:
    """Add values of 64 bits at bit positions where there are zeros."""
    word, shift = at >> 6, (at & 63).astype(np.uint64)
    np.add.at(words, word, value << shift)
    over = (value >> np.uint64(1)) >> (np.uint64(63) - shift)
    beyond = np.flatnonzero(over)
    np.add.at(words, word[beyond] + 1, over[beyond])


def decode(hardware: Hardware, records: Records, cycles: int) -> np.ndarray:
    """Return the events of cycles ``0 .. cycles-1``; the records must go one cycle further."""
    parts = probed_parts(hardware)
    number = records.keys % max(1, len(parts))
    sizes = probe_words(hardware)[number]
    starts = np.cumsum(sizes) - sizes
    kinds: dict[tuple[Field, ...], list[int]] = {}
    for i, part in enumerate(parts):
        kinds.setdefault(tuple(fields_of(part)), []).append(i)
    order = np.empty(len(parts), np.int64)
    for kind, alike in enumerate(kinds.values()):
        order[alike] = kind
    index = np.array([part.index for part in parts], np.int64)
    found = [np.empty(0, EVENT)]
    for kind, fields in enumerate(kinds):
        some = np.flatnonzero(order[number] == kind)
        if len(some):
            rows = records.words[starts[some][:, None] + np.arange(sizes[some[0]])]
            seen = records.keys[some] // len(parts)
            for field in fields:
                found += _events(field, seen, number[some], rows, index, len(hardware.points))
    events = np.concatenate(found)
    return sort_events(events[events["cycle"] < cycles])


def _events(
    field: Field,
    seen: np.ndarray,
    probe: np.ndarray,
    rows: np.ndarray,
    index: np.ndarray,
    first: int,
) -> Iterator[np.ndarray]:
    position, width = (field.value, field.width) if field.valid < 0 else (field.valid, 1)
    hits = np.flatnonzero(_bits(rows, position, width))
    error = field.kind is Kind.ERROR
    if error:
        hits = hits[np.unique(probe[hits], return_index=True)[1]]
    if not len(hits):
        return
    for chunk in range(max(1, -(-field.width // CHUNK))):
        events = np.zeros(len(hits), EVENT)
        events["cycle"] = seen[hits] - field.lag
        events["kind"] = field.kind
        events["part"] = first + probe[hits] if error else index[probe[hits]]
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
