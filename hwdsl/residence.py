"""Residence: which rows each datum has in each Node, cycle by cycle, by docs/rebuild.md."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from .errors import InputError
from .hardware import Hardware, Point
from .waypoints import FOREVER


@dataclass(eq=False)
class Presence:
    """One datum in one Node: its rows, the first cycle of its space, and the last (`FOREVER`)."""

    rows: list[int]
    begin: int
    end: int


class Residence:
    """All presences of the moment.

    Parameters
    ----------
    sizes : list of int
        Bits of each datum.
    """

    def __init__(self, hardware: Hardware, sizes: list[int]):
        self._hardware, self._sizes = hardware, sizes
        self._free = [_Rows(point) for point in hardware.points]
        self._present: dict[tuple[int, int], Presence] = {}
        self._rows: dict[tuple[int, int], list[int]] = {}
        self._ends: list[tuple[int, int, int]] = []  # end, datum, point

    def find(self, datum: int, point: int) -> Presence | None:
        return self._present.get((datum, point))

    def rows(self, datum: int, point: int) -> list[int]:
        """Return where a datum lies, or lay last; refuse one that never was there."""
        if (datum, point) not in self._rows:
            raise InputError(f"Program: {self._where(datum, point)}, but is not there")
        return self._rows[datum, point]

    def row(self, datum: int, point: int, part: int) -> int:
        """Return one of them; refuse one that it has not."""
        rows = self.rows(datum, point)
        if part >= len(rows):
            raise InputError(f"Program: {self._where(datum, point)}, but has no row {part}")
        return rows[part]

    def _where(self, datum: int, point: int) -> str:
        return f"datum {datum} is used in Node {self._hardware.points[point].name!r}"

    def come(self, datum: int, point: int, cycle: int, end: int) -> None:
        """Join what is there, or take the lowest free rows."""
        found = self.find(datum, point)
        if found is None:
            count = self._hardware.points[point].rows_of(self._sizes[datum])
            found = Presence(self._free[point].take(count), cycle, end)
            self._present[datum, point] = found
            self._rows[datum, point] = found.rows
        elif found.end != FOREVER:
            found.end = FOREVER if end == FOREVER else max(found.end, end)
        if found.end != FOREVER:
            heapq.heappush(self._ends, (found.end, datum, point))

    def hand_over(self, datum: int, heir: int, point: int, cycle: int, end: int) -> None:
        """Give the rows of a datum to another, which is there from now on."""
        rows = self.rows(datum, point)
        del self._present[datum, point]
        self._present[heir, point] = Presence(rows, cycle, end)
        self._rows[heir, point] = rows
        if end != FOREVER:
            heapq.heappush(self._ends, (end, heir, point))

    def leave(self, cycle: int) -> None:
        """Free the rows of what ended before a cycle."""
        while self._ends and self._ends[0][0] < cycle:
            end, datum, point = heapq.heappop(self._ends)
            found = self.find(datum, point)
            if found is not None and found.end == end:
                self._free[point].give(found.rows)
                del self._present[datum, point]

    def lasting(self) -> list[tuple[int, int, int, int]]:
        """Return Point, row, datum and part of all that stays to the end of time."""
        return sorted(
            (point, row, datum, part)
            for (datum, point), found in self._present.items()
            if found.end == FOREVER
            for part, row in enumerate(found.rows)
        )


class _Rows:
    """The free rows of one Node."""

    def __init__(self, node: Point):
        self._node = node
        self._fresh = 0
        self._free: list[int] = []

    def take(self, count: int) -> list[int]:
        taken = [heapq.heappop(self._free) for _ in range(min(count, len(self._free)))]
        fresh = self._fresh + count - len(taken)
        if fresh > self._node.rows:
            rule = f"its {self._node.rows} rows are not enough"
            raise InputError(f"Program: Node {self._node.name!r}: {rule}")
        taken.extend(range(self._fresh, fresh))
        self._fresh = fresh
        return taken

    def give(self, rows: list[int]) -> None:
        for row in rows:
            heapq.heappush(self._free, row)
