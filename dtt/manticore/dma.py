"""DmaLoad, DmaStore and DmaWait of a cluster, as items of a Workload.

A load is a need of a datum in the cluster's local memory that takes no space there before its
buffer has room: before the Op is done that was the last to read what the buffer held. A store is a
store. DmaWait needs no item: an Op starts when its operands are complete in its Node (rule 4).
"""

from __future__ import annotations

from collections import deque

from hwdsl.hardware import Point
from hwdsl.workload import Datum, Workload


class Buffer:
    """A part of local memory that holds the latest loads, oldest out first.

    Parameters
    ----------
    rows : int
    """

    def __init__(self, rows: int):
        self._free = rows
        self._held: deque[tuple[int, Datum]] = deque()
        self._newest = 0

    def claim(self, rows: int) -> Datum | None:
        """Take rows for a load; return the result after which they are free, if they are not yet.

        What was loaded before must have been read, except by what came since (`read_for`).
        """
        after = None
        while self._free < rows and self._held:
            freed, after = self._held.popleft()
            self._free += freed
        self._free -= rows
        self._newest = rows
        return after

    def read_for(self, result: Datum) -> None:
        """Note that the newest load was read for this result."""
        if self._newest:
            self._held.append((self._newest, result))
            self._newest = 0
        else:
            self._held[-1] = (self._held[-1][0], result)


class Dma:
    """The DMA engine of one cluster.

    Parameters
    ----------
    work : Workload
    tcdm, memory : Point
        The cluster's local memory, and main memory.
    reuse : bool
        Whether loads may take copies that happen to be somewhere.
    """

    def __init__(self, work: Workload, tcdm: Point, memory: Point, reuse: bool):
        self._work, self._tcdm, self._memory, self._reuse = work, tcdm, memory, reuse

    def load(self, datum: Datum, buffer: Buffer, source: Point | None = None) -> None:
        """Bring a datum into a buffer: from ``source`` if given, else from main memory."""
        after = buffer.claim(self._tcdm.rows_of(datum.size))
        self._work.need(datum, at=self._tcdm, source=source, reuse=self._reuse, after=after)

    def room_for(self, datum: Datum, buffer: Buffer) -> Datum | None:
        """Take a buffer's rows for a datum that the Ops that read it bring themselves.

        Returns
        -------
        Datum or None
            The result after which the rows are free, see `Op.after`.
        """
        return buffer.claim(self._tcdm.rows_of(datum.size))

    def store(self, datum: Datum) -> None:
        """Bring a result to main memory."""
        self._work.store(datum, at=self._memory)
