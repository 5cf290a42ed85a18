"""Serving: bringing data to where requests want them, one request after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hwdsl.errors import TimingFault
from hwdsl.workload import Request

from .book import Book
from .explain import why_late
from .occupancy import FOREVER
from .schedule import Unserved


class Serving:
    """Serves the requests of a Workload.

    Parameters
    ----------
    book : Book
    strict : bool
        Raise a timing fault for a request that cannot be met in time.
    """

    def __init__(self, book: Book, strict: bool):
        self._book = book
        self._strict = strict

    @property
    def unserved(self) -> tuple[Unserved, ...]:
        """The requests that could not be met so far; their reasons are found when they are read."""
        requests = self._book.workload.requests
        return tuple(
            Unserved(i, partial(self._why, requests[i]))
            for i in np.flatnonzero(self._book.progress.unmet).tolist()
        )

    def serve(self, request: Request) -> None:
        """Bring the datum there, making room where a request without a deadline needs it."""
        book, datum = self._book, request.datum.index
        point = book.hardware.point(request.node).index
        only = book.only(request.datum, request.reuse, request.source)
        last = FOREVER if request.store else request.by
        floor = book.floor(request.after)
        keep = {datum}
        while not self._deliver(datum, point, request.by, last, only, floor):
            if request.by is not None or not book.spill([point], keep):
                self._fail(request)
                break
        book.satisfy(datum)

    def _deliver(
        self, datum: int, point: int, by: int | None, last: int | None, only: int | None, floor: int
    ) -> bool:
        state = self._book.state
        cycles = (by,) if by is not None else self._cycles_from(datum, point, only, floor)
        for cycle in cycles:
            until = cycle if last is None else last
            path = state.route(datum, point, cycle, until, only, floor)
            if path is not None:
                state.commit(datum, path, until)
                return True
        return False

    def _cycles_from(self, datum: int, point: int, only: int | None, floor: int) -> Iterator[int]:
        """Yield the cycles in which a datum can arrive at a Point, until nothing changes."""
        cycle = self._book.state.earliest(datum, point, only, 0, floor)
        if cycle is not None:
            yield from range(cycle, max(cycle, floor, self._book.state.settled) + 2)

    def _fail(self, request: Request) -> None:
        self._book.progress.unmet[request.index] = 1
        if self._strict:
            kind = "store" if request.store else "need"
            where = f"{kind} of {request.datum.name!r} at {request.node!r}"
            raise TimingFault(f"{where}: {self._why(request)[0]}")

    def _why(self, request: Request) -> tuple[str, int | None]:
        book = self._book
        point = book.hardware.point(request.node).index
        only = book.only(request.datum, request.reuse, request.source)
        return why_late(book.state, book.workload, request.datum, point, request.by, only)
