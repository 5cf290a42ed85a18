"""What a run has left in the memories, as values of the data that are stored there."""

from __future__ import annotations

import numpy as np

from .hardware import Hardware
from .program import Program
from .trace import CHUNK, Trace
from .values import unpack
from .workload import Datum


def stored(hardware: Hardware, program: Program, trace: Trace) -> dict[str, np.ndarray]:
    """Return the value of every datum that is stored at the end, by name.

    Parameters
    ----------
    trace : Trace
        Of a run of ``program``. Where a datum is stored in several Nodes, the first one counts.

    Returns
    -------
    dict of str to array
        int64 elements in the datum's shape.
    """
    rows: dict[tuple[int, int], int] = {}
    for point, row, chunk, value in trace.finals.tolist():
        rows[point, row] = rows.get((point, row), 0) | value << (chunk * CHUNK)
    packed: dict[int, dict[int, int]] = {}
    for point, row, datum, part in program.finals.tolist():
        whole = packed.setdefault(datum, {point: 0})
        if point in whole:
            whole[point] |= rows[point, row] << (part * hardware.points[point].row)
    found = {}
    for index in sorted(packed):
        name, bits, shape = program.data[index]
        (value,) = packed[index].values()
        found[name] = unpack(value, Datum(index, name, bits, shape, None, None))
    return found
