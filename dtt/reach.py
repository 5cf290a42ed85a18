"""Reach: which Points a datum can ever come to, over memories that can hold it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Datum


class Reach:
    """Which Points a datum of some size can ever reach, over memories that can hold it.

    Sets of Points are whole numbers: bit p stands for Point p.
    """

    def __init__(self, hardware: Hardware):
        self._hardware = hardware
        self._capacities = sorted({p.rows * p.row for p in hardware.points if p.stores})
        self._passed = _bits(p.index for p in hardware.points if not p.stores or p.transit)
        self._known: dict[tuple[int, int], int] = {}
        self._ways: dict[int, list[int]] = {}
        self._names: dict[int, set[str]] = {}

    def size_class(self, size: int) -> int:
        """Return a number that is equal for sizes that fit into the same memories."""
        return bisect_left(self._capacities, size)

    def size_classes(self, sizes: np.ndarray) -> np.ndarray:
        return np.searchsorted(np.array(self._capacities, np.int64), sizes)

    def why_not(self, datum: Datum, origins: Sequence[int], targets: Sequence[int]) -> str:
        """Return why no target can be reached from any origin, or ``""``."""
        wanted = _bits(targets)
        if self._from(datum.size, origins) & wanted:
            return ""
        points = self._hardware.points
        to = _listed(points[t].name for t in targets)
        start = _listed(points[o].name for o in origins)
        if self._from(self._hardware.word, origins) & wanted:
            return (
                f"{datum.name!r} of {datum.size} bits is larger than every memory on the way "
                f"from {start} to {to}"
            )
        return f"{datum.name!r} has no path from {start} to {to}"

    def names(self, size: int, origins: Sequence[int]) -> set[str]:
        """Return the names of the Points that can be reached, but for Adders, where all ends."""
        reached = self._from(size, origins)
        if reached not in self._names:
            points = self._hardware.points
            self._names[reached] = {
                p.name for p in points if reached >> p.index & 1 and p.kind != "Adder"
            }
        return self._names[reached]

    def _from(self, size: int, origins: Sequence[int]) -> int:
        reached = 0
        for origin in origins:
            key = (self.size_class(size), origin)
            if key not in self._known:
                self._known[key] = self._spread(self._ways_of(size), origin)
            reached |= self._known[key]
        return reached

    def _spread(self, ways: list[int], origin: int) -> int:
        seen = ways[origin] | 1 << origin
        frontier = seen & self._passed & ~(1 << origin)
        while frontier:
            point = frontier.bit_length() - 1
            fresh = ways[point] & ~seen
            seen |= fresh
            frontier ^= 1 << point | fresh & self._passed
        return seen

    def _ways_of(self, size: int) -> list[int]:
        """Return to which Points data of a size can go from each Point."""
        key = self.size_class(size)
        if key not in self._ways:
            takes = [
                p.kind != "Adder" and (not p.stores or p.rows_of(size) <= p.rows)
                for p in self._hardware.points
            ]
            self._ways[key] = [
                _bits(w.target for w in wires if takes[w.target])
                for wires in self._hardware.outgoing
            ]
        return self._ways[key]


def _bits(points: Iterable[int]) -> int:
    found = 0
    for point in points:
        found |= 1 << point
    return found


def _listed(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    shown = ", ".join(f"Node {n!r}" for n in unique[:3])
    return shown + (f" or {len(unique) - 3} more" if len(unique) > 3 else "")
