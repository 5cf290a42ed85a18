"""Items of a Workload as tables, for the native engine to place a run of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat
from operator import attrgetter
from typing import Any

import numpy as np

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Request, Workload

from ..columns import alike, column, distinct_operands, forms, operands, results
from ..feasibility import Candidates
from ..progress import Progress

_ANY, _ORIGIN, _HERE = -1, -2, -3
_NONE = -1


class Items:
    """The tables of `items.h`.

    Parameters
    ----------
    able : Candidates
        An Op that several Actors can run is left to the caller.
    progress : Progress
    """

    def __init__(
        self, hardware: Hardware, workload: Workload, able: Candidates, progress: Progress
    ):
        self._item = column(workload.items, "index")
        asked = map(isinstance, workload.items, repeat(Request))
        requests = np.fromiter(asked, bool, len(self._item))
        self._item[requests] = -1 - self._item[requests]
        points = {point.name: point.index for point in hardware.points}
        self._requests = _requests(workload.requests, points)
        self._kinds = np.array([_way(some) for some in able.kinds], np.int64).reshape(-1, 8)
        self._ops = _ops(workload, able.kind)
        counts, self._operands = distinct_operands(workload)
        self._first = np.concatenate(([0], np.cumsum(counts)))
        actor = self._kinds[able.kind, 0]
        single = actor >= 0
        progress.actor[single] = actor[single]
        self._progress = (
            progress.left,
            progress.origin,
            progress.complete,
            progress.start,
            progress.unmet,
        )

    @property
    def addresses(self) -> list[int]:
        """The addresses of all tables, in the order in which `dtt_place` takes them."""
        tables = (self._item, self._requests, self._kinds, self._ops, self._first, self._operands)
        return [table.ctypes.data for table in (*tables, *self._progress)]


def _requests(requests: Sequence[Request], points: dict[str, int]) -> np.ndarray:
    """Return the columns of `items.h`, each filled as a whole."""
    table = np.full((len(requests), 6), _NONE, np.int64)

    def column(name: str) -> Iterator[Any]:
        return map(attrgetter(name), requests)

    def fill(at: int, values: Iterable[int]) -> None:
        table[:, at] = np.fromiter(values, np.int64, len(requests))

    fill(0, column("datum.index"))
    fill(1, map(points.__getitem__, column("node")))
    fill(2, column("reuse"))
    table[:, 2] = np.where(table[:, 2], _ANY, _ORIGIN)
    fill(3, (_NONE if by is None else by for by in column("by")))
    fill(4, column("store"))
    for request in compress(requests, column("source")):
        assert request.source is not None
        table[request.index, 2] = points[request.source]
    for request in compress(requests, column("after")):
        assert request.after is not None
        table[request.index, 5] = request.after.index
    return table


def _ops(workload: Workload, kind: np.ndarray) -> np.ndarray:
    """Return the columns of `items.h`."""
    ops = workload.ops
    table = np.empty((len(ops), 6), np.int64)
    table[:, 0] = kind
    table[:, 1] = column(ops, "not_before")
    table[:, 2] = results(workload)
    counts, data = operands(workload)
    first, form = alike(forms(workload))
    updated = [ops[i].into for i in first.tolist()]
    into = np.array([_NONE if n is None else n for n in updated], np.int64)[form]
    updates = into >= 0
    table[:, 3] = _NONE
    table[updates, 3] = data[(np.cumsum(counts) - counts)[updates] + into[updates]]
    table[:, 4] = np.where(column(ops, "reuse"), _ANY, _ORIGIN)
    table[column(ops, "resident") > 0, 4] = _HERE
    table[:, 5] = _NONE
    for op in compress(ops, map(attrgetter("after"), ops)):
        assert op.after is not None
        table[op.index, 5] = op.after.index
    return table


def _way(able: Sequence[tuple[Actor, Timing]]) -> tuple[int, ...]:
    """Return how the one Actor runs it that can; -1 if the choice is left to the caller."""
    if len(able) != 1:
        return (_NONE,) * 8
    ((actor, t),) = able
    at = (actor.index, actor.at, actor.result_at, actor.units)
    return (*at, t.units, t.cooldown, t.hold, t.latency)
