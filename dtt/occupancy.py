"""How much of something is in use over time: lanes of a Wire, rows of a Node, units of an Actor."""

from __future__ import annotations

from bisect import bisect_right

FOREVER = 1 << 60
"""A cycle later than any other: the last cycle of what never ends."""


class Occupancy:
    """A piecewise constant amount over the cycles 0, 1, 2, ...; the last piece never ends."""

    def __init__(self) -> None:
        self._starts = [0]
        self._used = [0]

    def add(self, first: int, last: int, amount: int) -> None:
        """Add ``amount`` (which may be negative) in the cycles ``first .. last``."""
        begin = self._split(first)
        end = len(self._starts) if last >= FOREVER else self._split(last + 1)
        for piece in range(begin, end):
            self._used[piece] += amount

    def peak(self, first: int, last: int) -> int:
        """Return the largest amount in the cycles ``first .. last``."""
        begin = bisect_right(self._starts, first) - 1
        end = bisect_right(self._starts, last)
        return max(self._used[begin:end])

    @property
    def settled(self) -> int:
        """The cycle from which the amount no longer changes."""
        return self._starts[-1]

    def _split(self, cycle: int) -> int:
        piece = bisect_right(self._starts, cycle)
        if self._starts[piece - 1] == cycle:
            return piece - 1
        self._starts.insert(piece, cycle)
        self._used.insert(piece, self._used[piece - 1])
        return piece
