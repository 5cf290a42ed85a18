"""What every partial sum is worth: the flow of a reduction, followed cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hwdsl.ops import wrap
from hwdsl.values import Values
from hwdsl.workload import Op

from ..schedule import Schedule

_ARRIVES, _DEPARTS = 0, 1


@dataclass(frozen=True, eq=False)
class Contents:
    """What each Move carries and each Firing makes.

    Attributes
    ----------
    moved, made : arrays of int
        The index of a datum, or beyond all data that of one of ``values``.
    values : list of (int, int)
        Bits and value of each partial sum.
    """

    moved: np.ndarray
    made: np.ndarray
    values: list[tuple[int, int]]


def partial_sums(schedule: Schedule, values: Values) -> Contents:
    """Return the value of all that Adders pass on and multipliers make.

    What arrives in an Adder in a cycle is in the sum that leaves it in that cycle.
    """
    ops, data = schedule.workload.ops, schedule.workload.data
    moved = schedule.moves["datum"].astype(np.int64)
    made = np.array([op.result.index for op in ops], np.int64)[schedule.firings["op"]]
    found: list[tuple[int, int]] = []
    sums: dict[tuple[int, int], int] = {}
    for _, kind, point, datum, move, firing in sorted(_steps(schedule)):
        bits = data[datum].bits
        if kind == _DEPARTS:
            value = int(wrap(np.int64(sums.pop((point, datum), 0)), bits))
            moved[move] = len(data) + len(found)
            found.append((bits, value))
            continue
        if move < 0:
            op, part, *_ = schedule.firings[firing].tolist()
            value = _product(ops[op], part, values)
            made[firing] = len(data) + len(found)
            found.append((bits, int(wrap(np.int64(value), bits))))
        else:
            index = int(moved[move]) - len(data)
            value = found[index][1] if index >= 0 else 0
        # Python's integers: only what leaves has to fit.
        sums[point, datum] = _folded(sums.get((point, datum), 0) + value)
    return Contents(moved, made, found)


def _steps(schedule: Schedule) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield cycle, what happens, Adder, datum, and the index of the Move or of the Firing."""
    hardware, ops = schedule.hardware, schedule.workload.ops
    adders = {p.index for p in hardware.points if p.kind == "Adder"}
    if not adders:
        return
    for i, (datum, index, cycle) in enumerate(schedule.moves.tolist()):
        wire = hardware.wires[index]
        if wire.source in adders:
            yield cycle, _DEPARTS, wire.source, datum, i, -1
        if wire.target in adders:
            yield cycle + wire.latency, _ARRIVES, wire.target, datum, i, -1
    for i, (index, _, actor, start) in enumerate(schedule.firings.tolist()):
        op, runner = ops[index], hardware.actors[actor]
        if runner.result_at in adders:
            done = start + runner.timing(op.code, 1, op.parallel).latency
            yield done, _ARRIVES, runner.result_at, op.result.index, -1, i


def _product(op: Op, pair: int, values: Values) -> int:
    a, b = (int(values[d.index].reshape(())) for d in op.operands[2 * pair : 2 * pair + 2])
    return _folded(a * b)


def _folded(value: int) -> int:
    """Return a value modulo 2^64, as int64 holds it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
