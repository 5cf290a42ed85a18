"""How far apart Points are in time, when nothing else is on the machine."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from hwdsl.hardware import Hardware, Wire

FAR = 1 << 50
"""More cycles than any path takes: there is none."""


class Distances:
    """Shortest times between the Points of a Hardware."""

    def __init__(self, hardware: Hardware):
        self._hardware = hardware
        self._known: dict[tuple[int, int], np.ndarray] = {}
        self._between: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
        self._bridges: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Wire, ...]] = {}

    def of(self, bits: int, start: int) -> np.ndarray:
        """Return the cycles from when a datum of ``bits`` is at ``start`` to when it is elsewhere.

        At a Node it is there when it is complete; at a Junction, when its first beat passes. So
        for ``bits=1`` these are bare latencies. `FAR` where no path leads.
        """
        key = (bits, start)
        if key not in self._known:
            self._known[key] = self._search(bits, start)
        return self._known[key]

    def between(self, bits: int, starts: tuple[int, ...]) -> np.ndarray:
        """Return `of` each of ``starts``, one row each."""
        key = (bits, starts)
        if key not in self._between:
            self._between[key] = np.stack([self.of(bits, start) for start in starts])
        return self._between[key]

    def _search(self, bits: int, start: int) -> np.ndarray:
        cycles = [FAR] * len(self._hardware.points)
        cycles[start] = 0
        frontier = [(0, start)]
        while frontier:
            now, point = heapq.heappop(frontier)
            if now > cycles[point]:
                continue
            for wire in self._hardware.outgoing[point]:
                stores = self._hardware.points[wire.target].stores
                then = now + wire.latency + (wire.beats(bits) - 1 if stores else 0)
                if then < cycles[wire.target]:
                    cycles[wire.target] = then
                    heapq.heappush(frontier, (then, wire.target))
        return np.array(cycles, np.int64)

    def bridges(self, starts: tuple[int, ...], ends: tuple[int, ...]) -> tuple[Wire, ...]:
        """Return the Wires that are on every path from any of ``starts`` to any of ``ends``."""
        key = (starts, ends)
        if key not in self._bridges:
            way = self._path(starts, ends, None) or []
            needed = (wire for wire in way if self._path(starts, ends, wire) is None)
            self._bridges[key] = tuple(needed)
        return self._bridges[key]

    def _path(
        self, starts: Sequence[int], ends: Sequence[int], without: Wire | None
    ) -> list[Wire] | None:
        """Return the Wires of some path, or None."""
        before: dict[int, Wire | None] = dict.fromkeys(starts)
        frontier = list(starts)
        for point in frontier:
            if point in ends:
                return self._back(before, point)
            for wire in self._hardware.outgoing[point]:
                if wire is not without and wire.target not in before:
                    before[wire.target] = wire
                    frontier.append(wire.target)
        return None

    @staticmethod
    def _back(before: dict[int, Wire | None], point: int) -> list[Wire]:
        way = []
        while (wire := before[point]) is not None:
            way.append(wire)
            point = wire.source
        return way
