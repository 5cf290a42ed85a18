"""Items of a Workload as tables, for the native engine to place a run of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from operator import attrgetter
from typing import Any

import numpy as np

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Op, Request, Workload

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
        self._item = np.fromiter(
            (i.index if isinstance(i, Op) else -1 - i.index for i in workload.items),
            np.int64,
            len(workload.items),
        )
        points = {point.name: point.index for point in hardware.points}
        self._requests = _requests(workload.requests, points)
        self._ops = _table([_op(op, able[op.index]) for op in workload.ops], 13)
        operands = [tuple(dict.fromkeys(d.index for d in op.operands)) for op in workload.ops]
        counts = np.fromiter(map(len, operands), np.int64, len(operands))
        self._first = np.concatenate(([0], np.cumsum(counts)))
        self._operands = np.fromiter(chain.from_iterable(operands), np.int64, int(counts.sum()))
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


_LEFT_TO_CALLER = (_NONE,) * 13


def _op(op: Op, able: Sequence[tuple[Actor, Timing]]) -> tuple[int, ...]:
    if len(able) != 1:
        return _LEFT_TO_CALLER
    ((actor, t),) = able
    only = _HERE if op.resident else _ANY if op.reuse else _ORIGIN
    into = _NONE if op.into is None else op.operands[op.into].index
    return (
        actor.index,
        actor.at,
        actor.result_at,
        actor.units,
        t.units,
        t.cooldown,
        t.hold,
        t.latency,
        op.not_before,
        op.result.index,
        into,
        only,
        _NONE if op.after is None else op.after.index,
    )


def _table(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(-1, width)
