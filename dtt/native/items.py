"""Items of a Workload as tables, for the native engine to place a run of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

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
    columns: tuple[Iterable[int], ...] = (
        (r.datum.index for r in requests),
        (points[r.node] for r in requests),
        (points[r.source] if r.source else _ANY if r.reuse else _ORIGIN for r in requests),
        (_NONE if r.by is None else r.by for r in requests),
        (r.store for r in requests),
        (_NONE if r.after is None else r.after.index for r in requests),
    )
    count = len(requests)
    return np.stack([np.fromiter(column, np.int64, count) for column in columns], axis=1)


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
