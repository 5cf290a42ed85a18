"""Rules of Adders (3 of the contract): partial sums, from the multipliers to the whole result."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .ordering import order, overfull
from .report import Report
from .tables import Tables

_ARRIVES, _DEPARTS = 0, 1


@dataclass
class _Sum:
    """What is in an Adder: its first cycle, and which pairs are in it (one bit each)."""

    begin: int
    pairs: int
    came: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def check_sums(t: Tables, report: Report) -> None:
    """Follow every partial sum, cycle by cycle, and check what rule 3 says of Adders.

    A sum leaves an Adder as one, on one Wire; it enters a Node only when every pair of its dot
    product is in it; none is left behind; and at most `inputs` arrive for one result in a cycle.
    """
    there: dict[tuple[int, int], _Sum] = {}
    carried: dict[int, int] = {}
    stays: list[tuple[int, int, int, int]] = []
    for cycle, kind, point, datum, move, firing in _steps(t):
        place = (point, datum)
        if kind == _DEPARTS:
            left = there.pop(place, None)
            if left is None:
                what = "departs, but no partial sum of it is there, or it has left already"
                _tell(t, report, "partial sum", what, point, datum, cycle)
                continue
            carried[move] = left.pairs
            stays.append((point, datum, left.begin, cycle))
            _enter(t, report, move, left.pairs)
            continue
        pairs = 1 << int(t.part[firing]) if move < 0 else carried.get(move, 0)
        if not pairs:
            what = "arrives, but it is no partial sum"
            _tell(t, report, "partial sum", what, point, datum, cycle)
        held = there.setdefault(place, _Sum(cycle, 0))
        held.pairs |= pairs
        held.came[cycle] += 1
        inputs = t.hardware.points[point].inputs
        if held.came[cycle] == inputs + 1:
            what = f"arrives more than {inputs} times at once"
            _tell(t, report, "inputs", what, point, datum, cycle)
    for (point, datum), left in sorted(there.items()):
        _tell(t, report, "partial sum", "never leaves", point, datum, left.begin)
        stays.append((point, datum, left.begin, max(left.came)))
    _capacity(t, stays, report)


# Cycle, what happens, Adder, datum, and the index of the Move or of the Firing.
_Step = tuple[int, int, int, int, int, int]


def _steps(t: Tables) -> list[_Step]:
    """Return all that happens, in order."""
    into, out = np.flatnonzero(t.adder[t.target]), np.flatnonzero(t.adder[t.source])
    made = np.flatnonzero(t.adder[t.result_at])
    columns = (
        (t.first[into], _ARRIVES, t.target[into], t.datum[into], into, -1),
        (t.cycle[out], _DEPARTS, t.source[out], t.datum[out], out, -1),
        (t.result_cycle[made], _ARRIVES, t.result_at[made], t.result[made], -1, made),
    )
    tables = [np.stack(np.broadcast_arrays(*each), axis=1) for each in columns]
    every = np.concatenate(tables)
    steps: list[_Step] = every[np.lexsort(every.T[::-1])].tolist()
    return steps


def _enter(t: Tables, report: Report, move: int, pairs: int) -> None:
    """Check what a sum is that goes to another place than an Adder."""
    point, datum = int(t.target[move]), int(t.datum[move])
    cycle = int(t.first[move])
    if t.adder[point]:
        return
    if not t.stores[point]:
        _tell(t, report, "partial sum", "must not pass a Junction", point, datum, cycle)
        return
    made_by = t.workload.data[datum].made_by
    work = t.workload.ops[made_by].work if made_by is not None else 0
    if pairs != (1 << work) - 1:
        what = f"enters with {pairs.bit_count()} of its {work} pairs"
        _tell(t, report, "partial sum", what, point, datum, cycle)


def _capacity(t: Tables, stays: list[tuple[int, int, int, int]], report: Report) -> None:
    point, datum, begin, end = np.array(stays, np.int64).reshape(-1, 4).T
    rows = -(-t.size[datum] // np.maximum(t.row[point], 1))
    place, cycle, total = overfull(point, begin, end, rows, t.rows)
    for i in report.first(order(np.zeros_like(cycle), cycle)):
        p, c = int(place[i]), int(cycle[i])
        new = datum[(point == p) & (begin == c)]
        name = t.name(int(new.max()))
        sentence = (
            f"{t.point(p)} has {t.rows[p]} rows, but {total[i]} are taken from cycle {c} on, when "
            f"{name!r} comes"
        )
        report.tell("capacity", sentence, t.hardware.points[p].name, name, c)


def _tell(
    t: Tables, report: Report, rule: str, what: str, point: int, datum: int, cycle: int
) -> None:
    name = t.name(datum)
    sentence = f"{name!r} in {t.point(point)} in cycle {cycle}: it {what}"
    report.add(rule, sentence, t.hardware.points[point].name, name, cycle)
