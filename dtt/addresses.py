"""Addresses: the rows that each presence has in its Node (rule 3 of the contract)."""

from __future__ import annotations

import heapq

import numpy as np

from hwdsl.errors import IllegalSchedule
from hwdsl.hardware import Hardware, Point
from hwdsl.workload import Workload

from .columns import data_sizes


class Addresses:
    """Where each presence lies.

    Parameters
    ----------
    presences : array of `dtt.presence.PRESENCE`

    Attributes
    ----------
    counts : array of int64
        Rows of each presence.

    Raises
    ------
    IllegalSchedule
        If a Node has not rows enough for its data.
    """

    def __init__(self, hardware: Hardware, workload: Workload, presences: np.ndarray):
        self.hardware = hardware
        self.presences = presences
        size = data_sizes(workload)[presences["datum"]]
        self.row_bits = np.array([p.row or 1 for p in hardware.points], np.int64)
        self.counts = -(-size // self.row_bits[presences["point"]])
        self._starts = np.cumsum(self.counts) - self.counts
        self._rows = np.zeros(int(self.counts.sum()), np.int64)
        self._allocate()

    def row(self, presence: np.ndarray, part: np.ndarray) -> np.ndarray:
        """Return the address of row ``part`` of each presence."""
        rows: np.ndarray = self._rows[self._starts[presence] + part]
        return rows

    def of(self, presence: np.ndarray, bit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the row and the word in it of bit ``bit`` of each presence."""
        row_bits = self.row_bits[self.presences["point"][presence]]
        return self.row(presence, bit // row_bits), bit % row_bits // self.hardware.word

    def _allocate(self) -> None:
        held = self.presences
        heirs = held["previous"] >= 0
        # Within a cycle and a cause: by Actor or Wire, then by datum, which is the order of Ops and
        # of lanes. An heir takes no rows, and the operand whose rows it has may begin in its cycle.
        keys = (held["datum"], held["part"], held["cause"], heirs, held["begin"])
        order = np.lexsort(keys).tolist()
        given_away = np.zeros(len(held), bool)
        given_away[held["previous"][heirs]] = True
        kept = (~given_away).tolist()
        point, begin, end = (held[name].tolist() for name in ("point", "begin", "end"))
        previous = held["previous"].tolist()
        counts, starts = self.counts.tolist(), self._starts.tolist()
        memories: dict[int, _Rows] = {}
        for i in order:
            if point[i] not in memories:
                memories[point[i]] = _Rows(self.hardware.points[point[i]])
            memory = memories[point[i]]
            if previous[i] >= 0:
                before = starts[previous[i]]
                taken = self._rows[before : before + counts[i]].tolist()
            else:
                taken = memory.take(counts[i], begin[i])
            self._rows[starts[i] : starts[i] + counts[i]] = taken
            if kept[i]:
                memory.release(taken, end[i])


class _Rows:
    """The free rows of one Node, as the cycles go by."""

    def __init__(self, node: Point):
        self._node = node
        self._fresh = 0
        self._free: list[int] = []
        self._leaving: list[tuple[int, list[int]]] = []

    def take(self, count: int, cycle: int) -> list[int]:
        while self._leaving and self._leaving[0][0] < cycle:
            for row in heapq.heappop(self._leaving)[1]:
                heapq.heappush(self._free, row)
        taken = [heapq.heappop(self._free) for _ in range(min(count, len(self._free)))]
        rest = count - len(taken)
        if self._fresh + rest > self._node.rows:
            rule = f"Node {self._node.name!r}: its {self._node.rows} rows are not enough"
            raise IllegalSchedule(f"{rule} in cycle {cycle}")
        taken.extend(range(self._fresh, self._fresh + rest))
        self._fresh += rest
        return taken

    def release(self, rows: list[int], end: int) -> None:
        heapq.heappush(self._leaving, (end, rows))
