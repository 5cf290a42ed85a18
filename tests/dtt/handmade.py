"""Schedules made by hand, by the names of their parts."""

import numpy as np

from dtt.schedule import FIRING, MOVE, Schedule, Unserved


def planned(hardware, work, moves=(), firings=(), unserved=()):
    """Return the Schedule of Moves (datum, wire, cycle) and Firings (op, actor, cycle), by name."""
    data = {d.name: d.index for d in work.data}
    ops = {op.name: op.index for op in work.ops}
    rows = [(data[d], hardware[w].index, c) for d, w, c in moves]
    starts = [(ops[o], -1, hardware[a].index, c) for o, a, c in firings]
    return Schedule(
        hardware,
        work,
        np.array(sorted(rows, key=lambda m: (m[2], m[1], m[0])), MOVE),
        np.array(sorted(starts, key=lambda f: (f[3], f[2], f[0])), FIRING),
        tuple(Unserved(i, "by hand", None) for i in unserved),
        "by hand",
    )
