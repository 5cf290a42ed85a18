"""Rules of Wires and Junctions (1 and 2 of the contract)."""

from __future__ import annotations

import numpy as np

from .ordering import latest, order, overfull, starts
from .report import Report
from .tables import Tables


def check_wires(t: Tables, report: Report) -> None:
    """Check that no datum departs twice at once, that lanes suffice and that Adders' data fit."""
    _twice(t, report)
    _lanes(t, report)
    split = (t.beats > 1) & (t.adder[t.source] | t.adder[t.target])
    for m in report.first(split):
        sentence = f"{_move(t, m)} in {t.beats[m]} beats, but an Adder's data fit in one"
        _tell(t, m, "adder", sentence, report)


def check_junctions(t: Tables, report: Report) -> None:
    """Check that all that arrives at a Junction leaves it then, and passes it only once."""
    into = np.flatnonzero(~t.stores[t.target])
    out = np.flatnonzero(~t.stores[t.source])
    there = (t.key(t.target[into], t.datum[into]), t.first[into])
    leaves = (t.key(t.source[out], t.datum[out]), t.cycle[out])
    by = np.lexsort(there[::-1])
    for m in report.first(np.sort(into[by][~starts(there[0][by], there[1][by])])):
        where = f"{t.point(int(t.target[m]))} in cycle {t.first[m]}"
        _tell(t, m, "junction", f"{_move(t, m)} arrives at {where}, as another copy does", report)
    cause = latest(*there, *leaves)
    matched = cause >= 0
    matched[matched] = there[1][cause[matched]] == leaves[1][matched]
    for m in report.first(out[~matched]):
        sentence = f"{_move(t, m)} leaves {t.point(int(t.source[m]))} without arriving there then"
        _tell(t, m, "junction", sentence, report)
    effect = latest(*leaves, *there)
    taken = effect >= 0
    taken[taken] = leaves[1][effect[taken]] == there[1][taken]
    for m in report.first(np.sort(into[~taken])):
        where = f"{t.point(int(t.target[m]))} in cycle {t.first[m]}"
        sentence = f"{_move(t, m)} arrives at {where} and does not leave it then"
        _tell(t, m, "junction end", sentence, report)
    parent = np.full(t.datum.size, -1)
    parent[out[matched]] = into[cause[matched]]
    _once(t, parent, report)


def _once(t: Tables, parent: np.ndarray, report: Report) -> None:
    """Walk back from all Moves at once, towards the Nodes that they come from."""
    walker = np.flatnonzero(parent >= 0)
    at = parent[walker]
    again = np.zeros(t.datum.size, bool)
    # Each step is one back in time, so the walk ends.
    while walker.size:
        met = t.source[at] == t.source[walker]
        again[walker[met]] = True
        on = ~met & (parent[at] >= 0) & ~again[at]
        walker, at = walker[on], parent[at[on]]
    for m in report.first(again):
        sentence = f"{_move(t, m)} passes {t.point(int(t.source[m]))} a second time"
        _tell(t, m, "junction twice", sentence, report)


def _twice(t: Tables, report: Report) -> None:
    for m in report.first(~starts(t.cycle, t.wire, t.datum)):  # Moves are sorted
        _tell(t, m, "twice", f"{_move(t, m)} twice", report)


def _lanes(t: Tables, report: Report) -> None:
    full = t.beats > 1
    last = t.cycle + t.beats - 1
    wire, cycle, total = overfull(
        np.concatenate((t.wire[full], t.wire)),
        np.concatenate((t.cycle[full], last)),
        np.concatenate((last[full] - 1, last)),
        np.concatenate((t.lanes[t.wire[full]], t.last_lanes)),
        t.lanes,
    )
    by_cycle = order(np.zeros_like(cycle), cycle)
    for i in report.first(by_cycle):
        w, c = int(wire[i]), int(cycle[i])
        on = np.flatnonzero((t.wire == w) & (t.cycle <= c) & (c < t.cycle + t.beats))
        names = [t.name(int(d)) for d in t.datum[on[np.lexsort((t.datum[on], t.cycle[on]))]]]
        sentence = (
            f"Wire {t.wire_name(w)!r} has {t.lanes[w]} lanes, but {total[i]} are taken in cycle {c}"
            f" by {', '.join(map(repr, names))}"
        )
        report.tell("lanes", sentence, t.wire_name(w), names[-1], c)


def _move(t: Tables, m: int) -> str:
    wire = t.wire_name(int(t.wire[m]))
    return f"datum {t.name(int(t.datum[m]))!r} on Wire {wire!r} in cycle {t.cycle[m]}"


def _tell(t: Tables, m: int, rule: str, sentence: str, report: Report) -> None:
    wire, datum = t.wire_name(int(t.wire[m])), t.name(int(t.datum[m]))
    report.tell(rule, sentence, wire, datum, int(t.cycle[m]))
