"""How far up each memory a Program reaches: a model need not hold what is never addressed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hwdsl.errors import LimitReached
from hwdsl.hardware import Hardware
from hwdsl.program import OPERANDS, RESULT_COLUMNS, Program


def check_rows(hardware: Hardware, program: Program, most: int, user: str) -> None:
    """Refuse a Program that uses a row of a memory from ``most`` on.

    Rows beyond the memory itself do not count: the hardware refuses them.

    Raises
    ------
    LimitReached
    """
    for points, rows in _used(hardware, program):
        capacity = np.array([p.rows for p in hardware.points], np.int64)[points]
        beyond = np.flatnonzero((rows >= most) & (rows < capacity))
        if len(beyond):
            point, row = hardware.points[points[beyond[0]]], rows[beyond[0]]
            rule = f"{user} holds its first {most} rows, and the Program uses row {row}"
            raise LimitReached(f"{point.kind} {point.name!r}: {rule}")


def rows_to_build(hardware: Hardware, program: Program) -> int:
    """Return how many rows of a memory a Program needs at most: a power of two.

    It is 2^14 or more, but for wide rows, which take long to write down: 2^20 bits or more.
    """
    widest = max((p.row for p in hardware.points), default=1)
    most = 1 << max(6, min(14, 21 - widest.bit_length()))
    for points, rows in _used(hardware, program):
        capacity = np.array([p.rows for p in hardware.points], np.int64)[points]
        inside = rows[rows < capacity]
        if inside.size:
            most = max(most, 1 << int(inside.max()).bit_length())
    return most


def _used(hardware: Hardware, program: Program) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield points and rows, each by command or content."""
    for table in (program.contents, program.finals):
        yield table[:, 0], table[:, 1]
    wires = np.array([(w.source, w.target) for w in hardware.wires], np.int64).reshape(-1, 2)
    for table, end in ((program.sends, 0), (program.lands, 1)):
        yield wires[table[:, 1], end], table[:, 3]
    actors = np.array([(a.at, a.result_at) for a in hardware.actors], np.int64).reshape(-1, 2)
    for i in range(len(RESULT_COLUMNS), program.results.shape[1]):
        yield actors[program.results[:, 1], 1], program.results[:, i]
    yield actors[program.lists[:, 0], 0], program.lists[:, 2]
    at = actors[program.fires[:, 1], 0]
    for operand in range(OPERANDS):
        slot = program.fires[:, program.slot(operand)]
        used = slot[:, 0] > 0
        for i in range(2, slot.shape[1]):
            yield at[used], slot[used, i]
