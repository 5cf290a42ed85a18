"""Wants: which items of a Workload still ask for a datum, and when the next of them comes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from hwdsl.workload import Op, Request, Workload

from .columns import column, distinct_operands


class Wants:
    """For each datum, the positions in program order of the items that still want it."""

    def __init__(self, workload: Workload):
        self._workload = workload
        wanted = (column(workload.requests, "datum.index"), distinct_operands(workload)[1])
        self.counts = np.bincount(np.concatenate(wanted), minlength=len(workload.data))
        """For each datum, how many items still want it; a native engine takes from it directly."""
        self._taken: list[int] = []

    @cached_property
    def _items(self) -> list[list[int]]:
        items: list[list[int]] = [[] for _ in self._workload.data]
        for position, item in enumerate(self._workload.items):
            for datum in _used(item):
                items[datum].append(position)
        return items

    @cached_property
    def tied(self) -> list[bool]:
        """Whether a datum must stay where it was loaded or made, for some ``reuse=False``."""
        tied = [False] * len(self._workload.data)
        for item in self._workload.items:
            if not item.reuse:
                for datum in _used(item):
                    tied[datum] = True
        return tied

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


def _used(item: Op | Request) -> Iterable[int]:
    """Return the data that an item wants, each once."""
    if isinstance(item, Request):
        return (item.datum.index,)
    return dict.fromkeys(d.index for d in item.operands)
