"""Operations: the Firings of a Schedule as records of a way-point program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hwdsl.ops import kind_of
from hwdsl.program import OPERANDS
from hwdsl.waypoints import FOREVER, FORM, OPERATION, READS
from hwdsl.workload import Op

from .presence import INFINITE, find

if TYPE_CHECKING:
    from .schedule import Schedule


def operations(
    schedule: Schedule, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the tables ``forms``, ``reads``, ``operations`` and ``operands``.

    Parameters
    ----------
    last : array of int64
        The last cycle of each presence.
    """
    hardware, workload, firings = schedule.hardware, schedule.workload, schedule.firings
    result = np.array([op.result.index for op in workload.ops], np.int64)[firings["op"]]
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)[firings["actor"]]
    done = firings["cycle"] + schedule.times.latency
    presence = find(schedule.presences, result, result_at, done)
    ends = last[presence]
    stays = np.where(ends >= INFINITE, FOREVER, ends - done).tolist()
    forms: dict[tuple[int, ...], int] = {}
    patterns = _Patterns()
    rows: list[tuple[int, ...]] = []
    operands: list[int] = []
    for i, (number, part, actor, cycle) in enumerate(firings.tolist()):
        op = workload.ops[number]
        data = op.operands if part < 0 else op.operands[2 * part : 2 * part + 2]
        elements = 1 if part >= 0 else op.work // op.depth
        code = sorted(hardware.actors[actor].ops).index(op.code)
        times = schedule.times
        form = (
            code,
            elements,
            1 if part >= 0 else op.depth,
            int(op.parallel),
            int(times.units[i]),
            int(times.latency[i]),
            int(times.cooldown[i]),
            int(times.hold[i]),
            -1 if op.into is None or part >= 0 else op.into,
            len(data),
            patterns.of(op),
        )
        rows.append((cycle, actor, forms.setdefault(form, len(forms)), int(result[i]), stays[i]))
        operands += [datum.index for datum in data]
    return (
        np.array(list(forms), np.int64).reshape(-1, len(FORM)),
        np.array(patterns.rows, np.int64).reshape(-1, len(READS)),
        np.array(rows, np.int64).reshape(-1, len(OPERATION)),
        np.array(operands, np.int64),
    )


class _Patterns:
    """Which elements the unit-steps of Ops read; equal ones are kept once."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._known: dict[tuple[object, ...], int] = {}

    def of(self, op: Op) -> int:
        """Return the first row of what an Op reads; -1 for element k in unit-step k."""
        reads = kind_of(op.code).reads
        if reads is None:
            return -1
        shapes = [d.shape for d in op.operands]
        key = (op.code, *shapes, op.result.shape, op.options)
        if key not in self._known:
            self._known[key] = len(self.rows)
            columns = [list(map(int, c)) for c in reads(shapes, op.result.shape, *op.options)]
            columns += [[-1] * op.work] * (OPERANDS - len(columns))
            self.rows += list(zip(*columns, strict=True))
        return self._known[key]
