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
from functools import lru_cache

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


BLOCK = 1 << 17
"""Words of probes that are foretold in one go."""


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where the probes of a Hardware show what, in a cycle's row of words.

    Attributes
    ----------
    sizes, starts : arrays of int64
        Words of each probe, and the first of them.
    index : array of int64
        Of each probe's Wire or Actor.
    kinds : list of (list of Field, array of int)
        Which probes show these fields.
    places : array of int64
        See `Encoder`.
    """

    sizes: np.ndarray
    starts: np.ndarray
    index: np.ndarray
    kinds: list[tuple[tuple[Field, ...], np.ndarray]]
    places: np.ndarray

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, hardware: Hardware) -> _Layout:
        parts, sizes = probed_parts(hardware), probe_words(hardware)
        starts = np.cumsum(sizes) - sizes
        places = np.zeros((len(Kind), max(1, len(parts)), 2), np.int64)
        kinds: dict[tuple[Field, ...], list[int]] = {}
        for number, (start, part) in enumerate(zip(starts.tolist(), parts, strict=True)):
            fields = fields_of(part)
            kinds.setdefault(tuple(fields), []).append(number)
            for field in fields:
                if field.lane == 0 and field.valid >= 0:
                    places[field.kind, part.index] = start * 64 + field.valid, field.width + 1
        index = np.array([part.index for part in parts], np.int64)
        return cls(sizes, starts, index, [(k, np.array(v)) for k, v in kinds.items()], places)


class Encoder:
    """Foretells what the probes show from events: the reverse of `decode`.

    Parameters
    ----------
    hardware : Hardware
    events : array of `EVENT`
        As in a Trace, and no ERROR among them.

    Attributes
    ----------
    events, cycle : arrays
        The events; the cycle of each.
    places : array of int64
        By kind and part: the bit where lane 0 begins, among all words that probes show in a
        cycle; and how far it is to the next lane.
    """

    def __init__(self, hardware: Hardware, events: np.ndarray):
        self.events = np.ascontiguousarray(events)
        self.cycle = np.ascontiguousarray(events["cycle"])
        layout = _Layout.of(hardware)
        self._sizes, self._starts = layout.sizes, layout.starts
        self._words = int(layout.sizes.sum())
        self.places = layout.places

    def rows(self, first: int, end: int) -> np.ndarray:
        """Return for each of the cycles ``first .. end-1`` the words of all probes."""
        some = slice(*np.searchsorted(self.cycle, (first - 1, end)))
        events, kind = self.events[some], self.events["kind"][some]
        seen = self.cycle[some] - first
        seen += kind == Kind.DEPART
        if len(events):  # departures of the last cycle, and all else of the one before the first
            inside = (seen >= 0) & (seen < end - first)
            if not inside.all():
                events, kind, seen = events[inside], kind[inside], seen[inside]
        begin, step = self.places[kind, events["part"]].T
        chunk, value = events["chunk"], events["value"]
        at = begin + events["lane"] * step
        at += chunk * np.int64(CHUNK)
        shift = (at & 63).astype(np.uint64)
        at >>= 6
        at += seen * self._words
        # Value and valid bit are 65 bits; of a later chunk, the lowest is the one before's.
        words = np.zeros((end - first) * self._words + 1, np.uint64)
        np.add.at(words, at, ((value << np.uint64(1)) | (chunk == 0)) << shift)
        over = value >> (np.uint64(63) - shift)
        beyond = np.flatnonzero(over)
        if len(beyond):
            np.add.at(words, at[beyond] + 1, over[beyond])
        return words[:-1].reshape(end - first, self._words)

    def records(self, first: int, end: int) -> Records:
        """Return what is seen in cycles ``first .. end-1``."""
        if not self._words:
            return Records(first, end, np.empty(0, np.int64), np.empty(0, np.uint64))
        rows = self.rows(first, end)
        hit = np.logical_or.reduceat(rows != 0, self._starts, axis=1)
        keys = np.flatnonzero(hit) + first * len(self._sizes)
        return Records(first, end, keys, rows[np.repeat(hit, self._sizes, axis=1)])

    def foretells(self, seen: Records) -> bool:
        """Return whether records are those that are foretold, and all of them."""
        parts, cycles = max(1, len(self._sizes)), max(1, BLOCK // max(1, self._words))
        number = seen.keys % parts
        ends = np.cumsum(self._sizes[number])
        for first in range(seen.first, seen.end, cycles):
            end = min(first + cycles, seen.end)
            low, high = np.searchsorted(seen.keys, (first * parts, end * parts))
            words = seen.words[ends[low - 1] if low else 0 : ends[high - 1] if high else 0]
            at = (seen.keys[low:high] // parts - first) * self._words
            at += self._starts[number[low:high]]
            if len(words) > high - low:  # the later words of a probe follow its first
                sizes = self._sizes[number[low:high]]
                begins = np.cumsum(sizes) - sizes
                at = np.repeat(at - begins, sizes) + np.arange(len(words))
            rows = self.rows(first, end).reshape(-1)
            if not np.array_equal(rows[at], words):
                return False
            if np.count_nonzero(rows) != np.count_nonzero(words):
                return False
        return True


def decode(hardware: Hardware, records: Records, cycles: int) -> np.ndarray:
    """Return the events of cycles ``0 .. cycles-1``; the records must go one cycle further."""
    layout = _Layout.of(hardware)
    parts = max(1, len(layout.sizes))
    number = records.keys % parts
    sizes = layout.sizes[number]
    starts = np.cumsum(sizes) - sizes
    order = np.empty(parts, np.int64)
    for kind, (_, alike) in enumerate(layout.kinds):
        order[alike] = kind
    found, points = [np.empty(0, EVENT)], len(hardware.points)
    for kind, (fields, _) in enumerate(layout.kinds if len(number) else []):
        some = np.flatnonzero(order[number] == kind)
        if len(some):
            rows = records.words[starts[some][:, None] + np.arange(sizes[some[0]])]
            seen = records.keys[some] // parts
            for field in fields:
                found += _events(field, seen, number[some], rows, layout.index, points)
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
