"""Flooding: spread data step by step, each free Wire carrying what its far end wants, rarest first.

Routing one request after the other leaves Wires idle that a later request would have needed. Where
many Nodes want the same data, what counts is that no Wire idles: in every cycle, each Node's free
Wires are matched with the data that the Node wants, or that come nearer to a Node that does, so
that as many Wires as possible carry something, and what fewest Nodes hold goes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from hwdsl.hardware import Hardware, Wire
from hwdsl.workload import Request, Workload

from .engine import Engine
from .occupancy import FOREVER
from .routing import latency_to
from .state import Path

LARGEST = 1 << 26
"""The most (data x Points x Points) for which the tables stay small."""


def can_flood(hardware: Hardware, workload: Workload) -> bool:
    """Whether all that is wanted are requests that are served as soon as can be, from any copy."""
    plain = all(
        r.by is None and r.source is None and r.reuse and r.after is None for r in workload.requests
    )
    tables = len(workload.data) * len(hardware.points) ** 2
    return plain and not workload.ops and len(workload.requests) > 0 and tables <= LARGEST


def flood(engine: Engine, requests: Sequence[Request]) -> list[Request]:
    """Serve requests of `can_flood` in an engine in which the data are where they were loaded.

    Returns
    -------
    list of Request
        Those that are served; the others found no room.
    """
    state = _Flood(engine, requests)
    cycle = 0
    while state.wanted.any() and (state.coming or cycle <= engine.settled):
        state.arrive(cycle)
        for point in state.receivers:
            while state.fill(point, cycle):
                pass
        cycle += 1
    return state.served


class _Flood:
    """Which data are where, or on their way, and who still wants them."""

    def __init__(self, engine: Engine, requests: Sequence[Request]):
        self.engine = engine
        self.hardware = engine.hardware
        points, data = len(self.hardware.points), len(engine.sizes)
        self.here = np.zeros((points, data), bool)
        self.promised = np.zeros((points, data), bool)
        self.wanted = np.zeros((points, data), bool)
        self.useful = np.zeros((points, data), bool)
        self.served: list[Request] = []
        self.coming: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._far = np.array([latency_to(self.hardware, p) for p in range(points)], np.int64).T
        self._nearest = np.full((points, data), FOREVER, np.int64)
        self._asked: dict[tuple[int, int], list[Request]] = defaultdict(list)
        for request in requests:
            key = self.hardware.point(request.node).index, request.datum.index
            self.wanted[key] = True
            if request.store and engine.places(request.datum.index) == [key[0]]:
                engine.commit(request.datum.index, Path((key[0], 0), (), 0), FOREVER)
            self._asked[key].append(request)
        for datum in range(data):
            for point in engine.places(datum):
                self._promise(point, datum, engine.stays_at(datum, point)[0].complete)
        self.receivers = [
            p.index
            for p in self.hardware.points
            if p.kind == "Node" and any(self._direct(w) for w in self.hardware.incoming[p.index])
        ]

    def arrive(self, cycle: int) -> None:
        """Let what arrives in a cycle be there."""
        for point, datum in self.coming.pop(cycle, ()):
            self.here[point, datum] = True

    def fill(self, point: int, cycle: int) -> bool:
        """Let free Wires to a Point carry something; tell whether any did."""
        sent = False
        wires = [w for w in self.hardware.incoming[point] if self._direct(w)]
        for wire, datum in self._matched(wires, cycle):
            sent |= self._send(wire, datum, cycle)
        return sent

    def _direct(self, wire: Wire) -> bool:
        return self.hardware.points[wire.source].kind == "Node"

    def _matched(self, wires: Sequence[Wire], cycle: int) -> list[tuple[Wire, int]]:
        """Match Wires with data that they could carry, the Wire with the least choice first."""
        scarce = self.promised.sum(axis=0)
        choices = []
        for wire in wires:
            fresh = self.here[wire.source] & ~self.promised[wire.target]
            data = np.flatnonzero(fresh & self.useful[wire.target])
            data = data[np.lexsort((data, scarce[data], ~self.wanted[wire.target, data]))].tolist()
            free = [d for d in data if self.engine.lanes_free(d, wire, cycle)]
            if free:
                choices.append((len(free), wire, free))
        carrier: dict[int, Wire] = {}
        options = {wire.index: free for _, wire, free in choices}

        def give(wire: Wire, seen: set[int]) -> bool:
            for datum in options[wire.index]:
                if datum not in carrier:
                    carrier[datum] = wire
                    return True
            for datum in options[wire.index]:
                if datum not in seen:
                    seen.add(datum)
                    if give(carrier[datum], seen):
                        carrier[datum] = wire
                        return True
            return False

        for _, wire, _ in sorted(choices, key=lambda c: (c[0], c[1].index)):
            give(wire, set())
        return [(wire, datum) for datum, wire in carrier.items()]

    def _send(self, wire: Wire, datum: int, cycle: int) -> bool:
        """Carry a datum over a Wire if there is room for it."""
        engine, key = self.engine, (wire.target, datum)
        asked = self._asked.get(key, [])
        ready = cycle + wire.latency + wire.beats(engine.sizes[datum]) - 1
        until = FOREVER if any(r.store for r in asked) else ready
        path = engine.route(datum, wire.target, ready, until, wire.source)
        if path is None or path.moves != ((wire.index, cycle),):
            return False
        engine.commit(datum, path, until)
        self._promise(wire.target, datum, ready)
        return True

    def _promise(self, point: int, datum: int, ready: int) -> None:
        """Note that a copy will be at a Point, and who that brings the datum nearer to."""
        self.promised[point, datum] = True
        self.coming[ready].append((point, datum))
        if self.wanted[point, datum]:
            self.wanted[point, datum] = False
            self.served += self._asked[point, datum]
        self._nearest[:, datum] = np.minimum(self._nearest[:, datum], self._far[point])
        nearer = (self._far < self._nearest[:, datum]) & self.wanted[:, datum]
        self.useful[:, datum] = nearer.any(axis=1)
