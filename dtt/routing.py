"""Routing: Dijkstra on the scheduling graph, written to be read.

The vertices are (point, cycle). A datum waits along (n, t) -> (n, t+1), and moves along a Wire from
(n, t) to the cycle in which it is complete at the other end (in a Junction: in which its first beat
is there). Every copy of the datum is a source that costs nothing. This is the reference that faster
engines are held against: least energy, then fewest Moves, then earliest departures.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from hwdsl.hardware import Hardware

from .occupancy import FOREVER
from .state import Path, State

Cost = tuple[int, int, int]
"""Energy (1e-6 pJ), number of Moves, sum of the departure cycles."""

Label = tuple[int, int, frozenset[int]]
"""Point, cycle, and the Junctions passed since the last Node (empty in the relaxed search)."""


@dataclass
class _Search:
    """One search: the costs found so far, and how each label was reached."""

    state: State
    datum: int
    cost: dict[Label, Cost] = field(default_factory=dict)
    came: dict[Label, tuple[Label, int | None]] = field(default_factory=dict)

    def path(self, label: Label) -> Path:
        """Return the way to ``label``; waits show only as later departures."""
        energy = self.cost[label][0]
        moves = []
        while label in self.came:
            before, wire = self.came[label]
            if wire is not None:
                moves.append((wire, before[1]))
            label = before
        return Path((label[0], label[1]), tuple(reversed(moves)), energy)


def route(
    state: State,
    datum: int,
    target: int,
    deadline: int,
    until: int,
    only: int | None = None,
    floor: int = 0,
) -> Path | None:
    """Find the way of least cost by which a datum is at a Point in a cycle.

    Parameters
    ----------
    state : State
    datum, target : int
        Indices.
    deadline : int
        The cycle in which the datum must be complete there.
    until : int
        It stays there to this cycle at least (`FOREVER`: to the end).
    only : int, optional
        The one Point whose copies may be the source; copies in passing are then none.
    floor : int
        No Move begins to arrive at the target before this cycle.

    Returns
    -------
    Path or None
        ``None`` if there is no way.
    """
    if deadline < until and not state.room(datum, target, deadline, until):
        return None
    found = _cheapest(state, datum, target, deadline, only, floor, exact=False)
    if found is not None and _repeats_junction(state, datum, found):
        # Only a path that must be delayed gains from passing a Junction twice; then, and only
        # then, labels have to remember which Junctions they passed.
        found = _cheapest(state, datum, target, deadline, only, floor, exact=True)
    return found


def _cheapest(
    state: State,
    datum: int,
    target: int,
    deadline: int,
    only: int | None,
    floor: int,
    exact: bool,
) -> Path | None:
    search = _Search(state, datum)
    distance = latency_to(state.hardware, target)
    order = count()
    heap: list[tuple[Cost, int, Label]] = []

    def reach(label: Label, cost: Cost) -> bool:
        known = search.cost.get(label)
        if label[1] + distance[label[0]] > deadline or (known is not None and known <= cost):
            return False
        search.cost[label] = cost
        heapq.heappush(heap, (cost, next(order), label))
        return True

    for label in _sources(state, datum, deadline, only, exact):
        reach(label, (0, 0, 0))
    while heap:
        cost, _, label = heapq.heappop(heap)
        if cost != search.cost[label]:
            continue
        if label[0] == target and label[1] == deadline:
            return search.path(label)
        for step in _steps(state, datum, label, (target, floor), exact):
            energy, moves, departures = cost
            moved = step.wire is not None
            new = (energy + step.energy, moves + moved, departures + label[1] * moved)
            if reach(step.label, new):
                search.came[step.label] = (label, step.wire)
    return None


def earliest(
    state: State,
    datum: int,
    target: int,
    only: int | None = None,
    from_cycle: int = 0,
    floor: int = 0,
) -> int | None:
    """Return the first cycle, not before ``from_cycle``, in which a datum can be at a Point.

    ``only`` and ``floor`` are as in `route`.

    Returns
    -------
    int or None
        ``None`` if no path ever leads there; the datum's stay afterwards is not looked at.
    """
    complete = [s.complete for stays in state.stays[datum].values() for s in stays]
    settled = max(state.settled, from_cycle, floor, *complete)
    heap = [(label[1], label) for label in _sources(state, datum, settled, only, exact=False)]
    heapq.heapify(heap)
    seen: set[tuple[int, int]] = set()
    while heap:
        cycle, label = heapq.heappop(heap)
        if label[0] == target and cycle >= from_cycle:
            return cycle
        # Once nothing promised changes any more, a later visit to a Point opens no new way.
        visit = (label[0], min(cycle, settled + 1))
        if visit in seen:
            continue
        seen.add(visit)
        for step in _steps(state, datum, label, (target, floor), exact=False):
            heapq.heappush(heap, (step.label[1], step.label))
    return None


@dataclass(frozen=True)
class _Step:
    label: Label
    energy: int
    wire: int | None


_NONE: frozenset[int] = frozenset()


def _sources(
    state: State, datum: int, deadline: int, only: int | None, exact: bool
) -> Iterator[Label]:
    """Yield every vertex that holds a copy: paid for already, so each of them costs nothing."""
    for point, stays in state.stays[datum].items():
        if only is not None and point != only:
            continue
        for stay in stays:
            for cycle in range(stay.complete, min(stay.end, deadline) + 1):
                yield point, cycle, _NONE
    if only is None:
        for (point, cycle), passed in state.passes[datum].items():
            if cycle <= deadline:
                yield point, cycle, passed if exact else _NONE


def _steps(
    state: State, datum: int, label: Label, bar: tuple[int, int], exact: bool
) -> Iterator[_Step]:
    """Yield what the datum can do next: wait one cycle, or depart on a Wire.

    Nothing arrives at the Point of the bar before its cycle.
    """
    here, cycle, passed = label
    hardware, size = state.hardware, state.sizes[datum]
    point = hardware.points[here]
    hold = (point.hold_energy or 0) * size
    if point.stores and state.room(datum, here, cycle, cycle + 1):
        energy = 0 if state.paid(datum, here, cycle + 1) else hold
        yield _Step((here, cycle + 1, _NONE), energy, None)
    for wire in hardware.outgoing[here]:
        there = hardware.points[wire.target]
        if there.kind == "Adder" or not state.lanes_free(datum, wire, cycle):
            continue
        last = wire.beats(size) - 1
        energy = ((point.energy or 0) + (wire.energy or 0)) * size
        if point.stores and last:
            if not state.room(datum, here, cycle, cycle + last):
                continue
            if hold:
                more = range(cycle + 1, cycle + last + 1)
                energy += hold * sum(not state.paid(datum, here, t) for t in more)
        arrival = cycle + wire.latency
        if wire.target == bar[0] and arrival < bar[1]:
            continue
        if there.stores:
            ends = wire.target == bar[0] or there.transit
            if ends and state.room(datum, wire.target, arrival, arrival + last):
                yield _Step((wire.target, arrival + last, _NONE), energy, wire.index)
        elif wire.target not in passed and (wire.target, arrival) not in state.passes[datum]:
            since = passed | {wire.target} if exact else _NONE
            yield _Step((wire.target, arrival, since), energy, wire.index)


def _repeats_junction(state: State, datum: int, path: Path) -> bool:
    hardware = state.hardware
    passed = set(state.passes[datum].get(path.start, ()))
    for index, _ in path.moves:
        target = hardware.wires[index].target
        if hardware.points[target].stores:
            passed = set()
        elif target in passed:
            return True
        else:
            passed.add(target)
    return False


def latency_to(hardware: Hardware, target: int) -> list[int]:
    """Return, for each Point, the least sum of latencies to ``target`` (`FOREVER`: no path)."""
    known: dict[int, list[int]] = vars(hardware).setdefault("_latency_to", {})
    if target not in known:
        distance = [FOREVER] * len(hardware.points)
        distance[target] = 0
        heap = [(0, target)]
        while heap:
            far, point = heapq.heappop(heap)
            if far > distance[point]:
                continue
            for wire in hardware.incoming[point]:
                if far + wire.latency < distance[wire.source]:
                    distance[wire.source] = far + wire.latency
                    heapq.heappush(heap, (far + wire.latency, wire.source))
        known[target] = distance
    return known[target]
