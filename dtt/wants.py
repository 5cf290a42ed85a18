"""Wants: which items of a Workload still ask for a datum, and when the next of them comes."""

from __future__ import annotations

from hwdsl.workload import Request, Workload


class Wants:
    """For each datum, the positions in program order of the items that use it and are not served."""

    def __init__(self, workload: Workload):
        self._items: list[list[int]] = [[] for _ in workload.data]
        self._served = [0] * len(workload.data)
        self.tied = [False] * len(workload.data)
        """Whether a datum must stay where it was loaded or made, for an item with ``reuse=False``."""
        for position, item in enumerate(workload.items):
            used = (item.datum,) if isinstance(item, Request) else item.operands
            for datum in dict.fromkeys(used):
                self._items[datum.index].append(position)
                self.tied[datum.index] |= not item.reuse
        self._taken: list[int] = []

    def left(self, datum: int) -> int:
        """Return how many items still want the datum."""
        return len(self._items[datum]) - self._served[datum]

    def next(self, datum: int) -> int:
        """Return the position of the next item that wants the datum."""
        return self._items[datum][self._served[datum]]

    def take(self, datum: int) -> int:
        """Note that one item is served; return how many are left."""
        self._served[datum] += 1
        self._taken.append(datum)
        return self.left(datum)

    def mark(self) -> int:
        return len(self._taken)

    def rollback(self, mark: int) -> None:
        while len(self._taken) > mark:
            self._served[self._taken.pop()] -= 1
