"""Cuts: the fewest full Wires and memories that every way of a datum would have to cross.

The graph is the scheduling graph of `dtt.routing` up to the deadline, as if the machine were idle.
What is taken (a Wire in a cycle, a Node in a cycle) has capacity 1, all else is unlimited, and a
maximum flow from the copies to the target is a minimum cut (Ford and Fulkerson): it names only
what is taken, and were all of that free there would be a way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from hwdsl.hardware import Wire

from .engine import Engine
from .occupancy import FOREVER
from .routing import latency_to

LARGEST = 1 << 16
"""The most (Point, cycle) for which a cut is looked for."""


@dataclass(frozen=True)
class Full:
    """A Wire or a Node that is taken in some cycles.

    Attributes
    ----------
    wire : bool
        Whether ``index`` is that of a Wire; else it is that of a Point.
    cycles : tuple of int
        Departures for a Wire.
    """

    wire: bool
    index: int
    cycles: tuple[int, ...]


def cut(
    engine: Engine, datum: int, target: int, by: int, only: int | None = None
) -> tuple[Full, ...] | None:
    """Return what stands in every way of a datum to a Point by a cycle.

    Returns
    -------
    tuple of Full or None
        Empty if nothing does; ``None`` if the graph is too large, or an idle machine has no way.
    """
    if (by + 1) * len(engine.hardware.points) > LARGEST:
        return None
    graph = _Graph(engine, datum, target, by, only)
    while graph.levels():
        while graph.augment():
            if graph.endless:
                return ()
    if not graph.flow:
        return None
    taken: dict[tuple[bool, int], list[int]] = {}
    for wire, index, cycle in graph.crossed():
        taken.setdefault((wire, index), []).append(cycle)
    return tuple(
        Full(wire, index, tuple(sorted(set(cycles))))
        for (wire, index), cycles in sorted(taken.items())
    )


_Label = tuple[bool, int, int]
"""Whether it is a Wire, its index (else the Point's), and the cycle."""


class _Graph:
    """Residual capacities, grown by one path after the other (Dinic)."""

    def __init__(self, engine: Engine, datum: int, target: int, by: int, only: int | None):
        self._engine, self._datum, self._by = engine, datum, by
        self._size = engine.sizes[datum]
        self._far = latency_to(engine.hardware, target)
        self.heads: list[int] = []
        self.room: list[int] = []
        self.labels: list[_Label | None] = []
        self.out: dict[int, list[int]] = {}
        self.flow = 0
        self.endless = False
        self._source = -1
        self._sink = self._id(target, by) * 2 + 1
        moves = engine.moves()
        mine = moves[moves["datum"] == datum]
        self._own = set(zip(mine["wire"].tolist(), mine["cycle"].tolist(), strict=True))
        self._build(only)

    def _id(self, point: int, cycle: int) -> int:
        return point * (self._by + 1) + cycle

    def _build(self, only: int | None) -> None:
        engine, seen = self._engine, set()
        waiting = deque(self._copies(only))
        for point, cycle in waiting:
            self._join(self._source, self._id(point, cycle) * 2, FOREVER, None)
        while waiting:
            point, cycle = here = waiting.popleft()
            if here in seen or cycle + self._far[point] > self._by:
                continue
            seen.add(here)
            node = engine.hardware.points[point]
            free = not node.stores or engine.room(self._datum, point, cycle, cycle)
            index = self._id(point, cycle) * 2
            self._join(index, index + 1, *((FOREVER, None) if free else (1, (False, point, cycle))))
            if node.stores and cycle < self._by:
                self._join(index + 1, self._id(point, cycle + 1) * 2, FOREVER, None)
                waiting.append((point, cycle + 1))
            for wire in engine.hardware.outgoing[point]:
                self._depart(wire, cycle, index + 1, waiting)

    def _depart(self, wire: Wire, cycle: int, index: int, waiting: deque[tuple[int, int]]) -> None:
        """Let the datum go over a Wire, as if the machine were idle."""
        engine, datum = self._engine, self._datum
        there = engine.hardware.points[wire.target]
        last = wire.beats(self._size) - 1
        ready = cycle + wire.latency + (last if there.stores else 0)
        if there.kind == "Adder" or ready + self._far[wire.target] > self._by:
            return
        label: _Label | None = None
        if (wire.index, cycle) not in self._own:
            first = cycle + wire.latency
            if not engine.lanes_free(datum, wire, cycle):
                label = True, wire.index, cycle
            elif there.stores and not engine.room(datum, wire.target, first, ready):
                label = False, wire.target, first
        head = self._id(wire.target, ready) * 2
        self._join(index, head, FOREVER if label is None else 1, label)
        waiting.append((wire.target, ready))

    def _copies(self, only: int | None) -> Iterator[tuple[int, int]]:
        engine, datum = self._engine, self._datum
        for point in engine.places(datum):
            for stay in engine.stays_at(datum, point) if only in (None, point) else ():
                for cycle in range(stay.complete, min(stay.end, self._by) + 1):
                    yield point, cycle

    def _join(self, tail: int, head: int, room: int, label: _Label | None) -> None:
        for start, end, free, name in ((tail, head, room, label), (head, tail, 0, None)):
            self.out.setdefault(start, []).append(len(self.heads))
            self.heads.append(end)
            self.room.append(free)
            self.labels.append(name)

    def levels(self) -> bool:
        """Number what is still reached from the copies; tell whether the target is."""
        self._level = {self._source: 0}
        self._next: dict[int, int] = {}
        waiting = deque([self._source])
        while waiting:
            vertex = waiting.popleft()
            for edge in self.out.get(vertex, ()):
                head = self.heads[edge]
                if self.room[edge] and head not in self._level:
                    self._level[head] = self._level[vertex] + 1
                    waiting.append(head)
        return self._sink in self._level

    def augment(self) -> bool:
        """Send flow over one more path of rising levels, if there is one."""
        path: list[int] = []
        vertex = self._source
        while vertex != self._sink:
            edges = self.out.get(vertex, [])
            place = self._next.get(vertex, 0)
            while place < len(edges) and not self._rises(vertex, edges[place]):
                place += 1
            self._next[vertex] = place
            if place < len(edges):
                path.append(edges[place])
                vertex = self.heads[edges[place]]
            elif path:
                vertex = self.heads[path.pop() ^ 1]
                self._next[vertex] += 1
            else:
                return False
        amount = min(self.room[edge] for edge in path)
        self.endless = amount >= FOREVER // 2
        for edge in path:
            self.room[edge] -= amount
            self.room[edge ^ 1] += amount
        self.flow += amount
        return True

    def _rises(self, vertex: int, edge: int) -> bool:
        head = self.heads[edge]
        return self.room[edge] > 0 and self._level.get(head, -1) == self._level[vertex] + 1

    def crossed(self) -> Iterator[_Label]:
        """Yield what lies between what is still reached and what is not."""
        for edge, label in enumerate(self.labels):
            inside = self.heads[edge ^ 1] in self._level, self.heads[edge] in self._level
            if label is not None and inside == (True, False):
                yield label
