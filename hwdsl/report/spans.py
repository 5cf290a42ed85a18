"""What happens where and when: the presences, Moves and Firings of a Schedule as spans of time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..hardware import Hardware
from ..workload import Workload

KINDS = ("memories", "wires", "actors")


class Times(Protocol):
    """How each Firing runs; `dtt.presence.Times` is one."""

    @property
    def latency(self) -> np.ndarray: ...
    @property
    def cooldown(self) -> np.ndarray: ...
    @property
    def units(self) -> np.ndarray: ...


class Scheduled(Protocol):
    """What a chart reads of a Schedule; `dtt.Schedule` is one.

    Attributes
    ----------
    moves : array with fields ``datum``, ``wire``, ``cycle``
    firings : array with fields ``op``, ``part``, ``actor``, ``cycle``
    presences : array with fields ``datum``, ``point``, ``begin``, ``complete``, ``end``
        ``end`` is the last cycle; beyond `cycles` it means to the end of time.
    """

    @property
    def hardware(self) -> Hardware: ...
    @property
    def workload(self) -> Workload: ...
    @property
    def moves(self) -> np.ndarray: ...
    @property
    def firings(self) -> np.ndarray: ...
    @property
    def presences(self) -> np.ndarray: ...
    @property
    def times(self) -> Times: ...
    @property
    def cycles(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of one kind, as arrays with one element for each; cycles, ends exclusive.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    name : tuple of str
        What is written on each.
    part : array
        Index of the Point, Wire or Actor.
    begin, full, end : arrays
        It fills up, or is in full use, from ``begin`` to ``full`` and from ``full`` to ``end``: a
        datum arrives and is there; a Move occupies its Wire, an Op its units.
    tail : array
        Where its effect is complete: the datum has arrived, the result is there.
    datum : array
        Index of the datum: what is kept, moved, or made.
    amount : array
        Rows of the Node, bits of the Wire in each cycle, units of the Actor.
    """

    kind: str
    name: tuple[str, ...]
    part: np.ndarray
    begin: np.ndarray
    full: np.ndarray
    end: np.ndarray
    tail: np.ndarray
    datum: np.ndarray
    amount: np.ndarray

    def __len__(self) -> int:
        return len(self.part)

    @property
    def last(self) -> np.ndarray:
        """The first cycle in which nothing of it is left."""
        latest: np.ndarray = np.maximum(self.end, self.tail)
        return latest

    def between(self, first: int, last: int) -> Spans:
        """Return those that take part of the cycles ``first .. last - 1``."""
        found = np.nonzero((self.begin < last) & (self.last > first))[0]
        arrays = (self.part, self.begin, self.full, self.end, self.tail, self.datum, self.amount)
        names = tuple(self.name[i] for i in found.tolist())
        return Spans(self.kind, names, *(array[found] for array in arrays))


def spans(schedule: Scheduled) -> tuple[Spans, Spans, Spans]:
    """Return all spans of a Schedule, those of each kind by begin."""
    return _stays(schedule), _moves(schedule), _firings(schedule)


def names(schedule: Scheduled, kind: str) -> list[str]:
    """Return the names of the parts of a kind of span."""
    hardware = schedule.hardware
    parts: Iterable[object] = {
        "memories": hardware.points,
        "wires": hardware.wires,
        "actors": hardware.actors,
    }[kind]
    return [str(part) for part in parts]


def capacities(schedule: Scheduled, kind: str) -> np.ndarray:
    """Return how much of each part there is: rows, bits per cycle, units."""
    hardware = schedule.hardware
    amounts = {
        "memories": [point.rows or 1 for point in hardware.points],
        "wires": [wire.bandwidth for wire in hardware.wires],
        "actors": [actor.units for actor in hardware.actors],
    }
    return np.array(amounts[kind], np.int64)


def _stays(schedule: Scheduled) -> Spans:
    held = schedule.presences
    end = np.minimum(held["end"], schedule.cycles) + 1
    row = np.array([point.row or 1 for point in schedule.hardware.points], np.int64)
    rows = -(-_sizes(schedule)[held["datum"]] // row[held["point"]])
    full = np.minimum(held["complete"], end)
    return _sorted(
        schedule, "memories", held["point"], held["begin"], full, end, end, held["datum"], rows
    )


def _moves(schedule: Scheduled) -> Spans:
    moves, hardware = schedule.moves, schedule.hardware
    size = _sizes(schedule)[moves["datum"]]
    width = np.array([w.bandwidth for w in hardware.wires], np.int64)[moves["wire"]]
    latency = np.array([w.latency for w in hardware.wires], np.int64)[moves["wire"]]
    begin, beats = moves["cycle"], -(-size // width)
    tail = begin + latency + beats - 1
    share = np.minimum(size, width)
    return _sorted(
        schedule, "wires", moves["wire"], begin, begin, begin + beats, tail, moves["datum"], share
    )


def _firings(schedule: Scheduled) -> Spans:
    firings, times = schedule.firings, schedule.times
    begin, results = firings["cycle"], [op.result.index for op in schedule.workload.ops]
    datum = np.array(results, np.int64)[firings["op"]]
    end, tail = begin + times.cooldown, begin + times.latency
    actor = firings["actor"]
    return _sorted(schedule, "actors", actor, begin, begin, end, tail, datum, times.units)


def _sorted(
    schedule: Scheduled, kind: str, part: np.ndarray, begin: np.ndarray, *rest: np.ndarray
) -> Spans:
    full, end, tail, datum, amount = rest
    order = np.lexsort([datum, end, part, begin])
    order = order[end[order] > begin[order]]  # an operand may be overwritten as it arrives
    arrays = (array[order] for array in (part, begin, full, end, tail, datum, amount))
    data = schedule.workload.data
    return Spans(kind, tuple(data[i].name for i in datum[order].tolist()), *arrays)


def _sizes(schedule: Scheduled) -> np.ndarray:
    return np.array([datum.size for datum in schedule.workload.data], np.int64)
