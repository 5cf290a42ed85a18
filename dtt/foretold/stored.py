"""The addresses of what is stored: rows are given out cycle by cycle, as rule 3 says.

Only Nodes that some request stores in are followed; nothing else is seen of an address.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Request, Workload

from ..schedule import Schedule

_LOADED, _RESULT, _ARRIVAL, _HEIR = range(4)
FOREVER = 1 << 62


@dataclass
class _Copy:
    """One arrival of a datum; ``rank`` is its turn among those that come in the same cycle."""

    first: int
    complete: int
    rank: tuple[int, int, int]
    last: int
    taken: int | None = None


@dataclass
class _Presence:
    datum: int
    first: int
    last: int
    rank: tuple[int, int, int]
    taken: int | None
    rows: list[int] = field(default_factory=list)


def stored_rows(schedule: Schedule) -> list[tuple[int, int, list[int]]]:
    """Return Node, datum and rows of every stored datum, sorted by Node and datum."""
    hardware, workload = schedule.hardware, schedule.workload
    stores = [r for r in _served(schedule) if r.store]
    stored = sorted({(hardware.point(r.node).index, r.datum.index) for r in stores})
    points = dict.fromkeys(point for point, _ in stored)
    copies = _copies(schedule, points)
    for place, first, last in _uses(schedule, points):
        _stay(copies[place], first, last)
    for place in stored:
        _stay(copies[place], FOREVER, FOREVER)
    for place, start in _taken(schedule):
        copy = _serving(copies[place], start)
        if copy is not None:
            copy.last, copy.taken = start - 1, start
    presences: dict[int, list[_Presence]] = {point: [] for point in points}
    for point, datum in sorted(copies):
        if point in presences:
            presences[point] += _merged(datum, copies[point, datum])
    rows = {}
    for point in points:
        _give_rows(hardware, workload, point, presences[point])
        rows.update({(point, p.datum): p.rows for p in presences[point] if p.last == FOREVER})
    return [(*place, rows[place]) for place in stored if place in rows]


_Place = tuple[int, int]  # a Node and a datum in it


def _served(schedule: Schedule) -> list[Request]:
    given_up = {u.request for u in schedule.unserved}
    return [r for r in schedule.workload.requests if r.index not in given_up]


def _copies(schedule: Schedule, points: dict[int, None]) -> defaultdict[_Place, list[_Copy]]:
    """Return the copies of each datum in a Node, in the order in which they are complete."""
    hardware, workload = schedule.hardware, schedule.workload
    copies: defaultdict[_Place, list[_Copy]] = defaultdict(list)
    named = {hardware.points[point].name: point for point in points}
    for d in workload.data:
        if d.loaded_at in named:
            place = named[d.loaded_at], d.index
            copies[place].append(_Copy(0, 0, (_LOADED, d.index, 0), 0))
    for index, _, actor, start in schedule.firings.tolist():
        op, runner = workload.ops[index], hardware.actors[actor]
        if runner.result_at not in points:
            continue
        t = runner.timing(op.code, op.work, op.parallel, op.depth, op.spans)
        done = start + t.latency
        if op.into is None:
            made = _Copy(done - t.hold + 1, done, (_RESULT, actor, index), done)
        else:
            made = _Copy(start, done, (_HEIR, op.operands[op.into].index, index), done)
        copies[runner.result_at, op.result.index].append(made)
    for wire in (w for point in points for w in hardware.incoming[point]):
        for datum, _, cycle in schedule.moves[schedule.moves["wire"] == wire.index].tolist():
            first = cycle + wire.latency
            complete = first + wire.beats(workload.data[datum].size) - 1
            rank = (_ARRIVAL, wire.index, datum)
            copies[wire.target, datum].append(_Copy(first, complete, rank, complete))
    for here in copies.values():
        here.sort(key=lambda c: (c.complete, c.first))
    return copies


def _uses(schedule: Schedule, points: dict[int, None]) -> Iterator[tuple[_Place, int, int]]:
    """Yield first and last cycle of all uses but stores and operands updated in place."""
    hardware, workload = schedule.hardware, schedule.workload
    for wire in (w for point in points for w in hardware.outgoing[point]):
        leaving = schedule.moves[schedule.moves["wire"] == wire.index]
        for datum, _, cycle in leaving.tolist():
            beats = wire.beats(workload.data[datum].size)
            yield (wire.source, datum), cycle, cycle + beats - 1
    for index, part, actor, start in schedule.firings.tolist():
        op, runner = workload.ops[index], hardware.actors[actor]
        hold = runner.timing(op.code, op.work, op.parallel, op.depth, op.spans).hold
        for i, d in enumerate(op.operands):
            if i != op.into and part in (-1, i // 2):
                yield (runner.at, d.index), start, start + hold - 1
    named = {hardware.points[point].name: point for point in points}
    for r in _served(schedule):
        if r.by is not None and r.node in named:
            yield (named[r.node], r.datum.index), r.by, r.by


def _taken(schedule: Schedule) -> Iterator[tuple[_Place, int]]:
    """Yield the start of every update in place."""
    for index, _, actor, start in schedule.firings.tolist():
        op = schedule.workload.ops[index]
        if op.into is not None:
            yield (schedule.hardware.actors[actor].at, op.operands[op.into].index), start


def _serving(copies: list[_Copy], cycle: int) -> _Copy | None:
    return next((c for c in reversed(copies) if c.complete <= cycle), None)


def _stay(copies: list[_Copy], first: int, last: int) -> None:
    copy = _serving(copies, first)
    if copy is not None:
        copy.last = max(copy.last, last)


def _merged(datum: int, copies: list[_Copy]) -> list[_Presence]:
    found: list[_Presence] = []
    for c in sorted(copies, key=lambda c: (c.first, c.rank)):
        if found and c.first <= found[-1].last:
            found[-1].last = max(found[-1].last, c.last)
            found[-1].taken = c.taken if c.taken is not None else found[-1].taken
        else:
            found.append(_Presence(datum, c.first, c.last, c.rank, c.taken))
    return found


def _give_rows(
    hardware: Hardware, workload: Workload, point: int, presences: list[_Presence]
) -> None:
    node = hardware.points[point]
    fresh, free, leaving = 0, list[int](), list[tuple[int, list[int]]]()
    heirs: dict[tuple[int, int], list[int]] = {}
    for p in sorted(presences, key=lambda p: (p.first if p.rank[0] else -1, p.rank)):
        while leaving and leaving[0][0] < p.first:
            for row in heapq.heappop(leaving)[1]:
                heapq.heappush(free, row)
        if p.rank[0] == _HEIR:
            p.rows = heirs.get((p.rank[1], p.first), [])
        else:
            count = node.rows_of(workload.data[p.datum].size)
            p.rows = [heapq.heappop(free) for _ in range(min(count, len(free)))]
            new = count - len(p.rows)
            p.rows += range(fresh, fresh + new)
            fresh += new
        if p.taken is None:
            heapq.heappush(leaving, (p.last, p.rows))
        else:
            heirs[p.datum, p.taken] = p.rows


def final_table(hardware: Hardware, found: list[tuple[int, int, list[int]]]) -> np.ndarray:
    """Return one row (Node, address, datum, which row of the datum), sorted by Node and address."""
    rows = [
        (point, address, datum, part)
        for point, datum, addresses in found
        for part, address in enumerate(addresses)
    ]
    table = np.array(rows, np.int64).reshape(-1, 4)
    return table[np.lexsort((table[:, 1], table[:, 0]))]
