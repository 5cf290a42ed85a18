"""Items of a Workload as tables, for the native engine to place a run of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from operator import attrgetter
from typing import Any

import numpy as np

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Request, Workload

from ..columns import column, distinct_operands, identities, operands
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
        requests = np.fromiter(
            (isinstance(item, Request) for item in workload.items), bool, len(self._item)
        )
        self._item[requests] = -1 - self._item[requests]
        points = {point.name: point.index for point in hardware.points}
        self._requests = _requests(workload.requests, points)
        self._ops = _ops(workload, able)
        counts, self._operands = distinct_operands(workload)
        self._first = np.concatenate(([0], np.cumsum(counts)))
        single = self._ops[:, 0] >= 0
        progress.actor[single] = self._ops[single, 0]
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
        tables = (self._item, self._requests, self._ops, self._first, self._operands)
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


def _ops(workload: Workload, able: Candidates) -> np.ndarray:
    """Return the columns of `items.h`."""
    ops = workload.ops
    table = np.full((len(ops), 13), _NONE, np.int64)
    kinds, first, kind = np.unique(identities(able), return_index=True, return_inverse=True)
    ways = [_way(able[i]) for i in first.tolist()]
    table[:, :8] = np.array(ways, np.int64).reshape(len(kinds), 8)[kind]
    table[:, 8] = column(ops, "not_before")
    table[:, 9] = column(ops, "result.index")
    counts, data = operands(workload)
    updated = (form.into for form in map(attrgetter("form"), ops))
    into = np.array([_NONE if n is None else n for n in updated], np.int64)
    updates = into >= 0
    table[updates, 10] = data[(np.cumsum(counts) - counts)[updates] + into[updates]]
    table[:, 11] = np.where(column(ops, "reuse"), _ANY, _ORIGIN)
    table[column(ops, "resident") > 0, 11] = _HERE
    for op in compress(ops, map(attrgetter("after"), ops)):
        assert op.after is not None
        table[op.index, 12] = op.after.index
    return table


def _way(able: Sequence[tuple[Actor, Timing]]) -> tuple[int, ...]:
    """Return how the one Actor runs it that can; -1 if the choice is left to the caller."""
    if len(able) != 1:
        return (_NONE,) * 8
    ((actor, t),) = able
    at = (actor.index, actor.at, actor.result_at, actor.units)
    return (*at, t.units, t.cooldown, t.hold, t.latency)
