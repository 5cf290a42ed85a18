"""Wants: which items of a Workload still ask for a datum, and when the next of them comes."""

from __future__ import annotations

import numpy as np

from hwdsl.workload import Request, Workload


class Wants:
    """For each datum, the positions in program order of the items that still want it."""

    def __init__(self, workload: Workload):
        self._items: list[list[int]] = [[] for _ in workload.data]
        self.tied = [False] * len(workload.data)
        """Whether a datum must stay where it was loaded or made, for some ``reuse=False``."""
        for position, item in enumerate(workload.items):
            used = (item.datum,) if isinstance(item, Request) else dict.fromkeys(item.operands)
            for datum in used:
                self._items[datum.index].append(position)
                if not item.reuse:
                    self.tied[datum.index] = True
        self.counts = np.array([len(items) for items in self._items], np.int64)
        """For each datum, how many items still want it; a native engine takes from it directly."""
        self._taken: list[int] = []

    def left(self, datum: int) -> int:
        """Return how many items still want the datum."""
        return int(self.counts[datum])

    def next(self, datum: int) -> int:
        """Return the position of the next item that wants the datum."""
        return self._items[datum][-self.left(datum)]

    def take(self, datum: int) -> int:
        """Note that one item is served; return how many are left."""
        self.counts[datum] -= 1
        self._taken.append(datum)
        return self.left(datum)

    def mark(self) -> int:
        return len(self._taken)

    def rollback(self, mark: int) -> None:
        while len(self._taken) > mark:
            self.counts[self._taken.pop()] += 1
