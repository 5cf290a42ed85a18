"""Rules of ``source=`` and ``after=``, as far as a Schedule shows them.

A Schedule does not say which Move is made for which request or Op. What is checked is therefore
that each could have been served as it asks:

``source=``
    Some copy that arrives in time has come from that Node: one of its Moves leaves it, and each
    later one leaves where the datum had come to be by the one before.
``after=``
    A copy begins to arrive when that result is complete, or something else that need not wait so
    long asks for the datum in that Node, so that a copy may have been there before.
"""

from __future__ import annotations

import numpy as np

from .nodes import FIRING, Arrivals, Uses
from .ordering import latest, starts
from .report import Report
from .tables import Tables, nodes_by_name


def check_source(t: Tables, wanted: Uses, report: Report) -> None:
    """Check that a request that names its source can have been served from there."""
    asking: dict[int, list[int]] = {}
    node = nodes_by_name(t.hardware)
    for u in np.flatnonzero((wanted.kind > FIRING) & (wanted.arrival >= 0)).tolist():
        named = t.workload.requests[int(wanted.user[u])].source
        if named is not None and node[named] != wanted.point[u]:
            asking.setdefault(node[named], []).append(u)
    for source, users in asking.items():
        rows = np.array(users)
        moves = np.flatnonzero(np.isin(t.datum, wanted.datum[rows]))
        moves = moves[_from(t, moves, source)]
        key = t.key(t.target[moves], t.datum[moves])
        found = latest(key, t.complete[moves], wanted.key[rows], wanted.begin[rows])
        for i in report.first(found < 0):
            name, node_name = t.name(int(wanted.datum[rows[i]])), t.point(source)
            at = t.point(int(wanted.point[rows[i]]))
            sentence = f"{name!r} must come to {at} from {node_name}, but nothing brings it so"
            part = t.hardware.points[int(wanted.point[rows[i]])].name
            when = t.workload.requests[int(wanted.user[rows[i]])].by
            report.tell("source node", sentence, part, name, when)


def _from(t: Tables, moves: np.ndarray, source: int) -> np.ndarray:
    """Return which of the Moves carry what has left the Node ``source``."""
    key, leaving = t.key(t.target[moves], t.datum[moves]), t.key(t.source[moves], t.datum[moves])
    passing = ~t.stores[t.source[moves]]
    marked: np.ndarray = t.source[moves] == source
    while True:
        there = np.flatnonzero(marked)
        arrived = np.where(t.stores[t.target], t.complete, t.first)[moves[there]]
        found = latest(key[there], arrived, leaving, t.cycle[moves])
        on = found >= 0
        on[on & passing] &= arrived[found[on & passing]] == t.cycle[moves][on & passing]
        if not (on & ~marked).any():
            return marked
        marked |= on


def check_after(t: Tables, copies: Arrivals, wanted: Uses, report: Report) -> None:
    """Check that nothing is brought for a request or an Op before the result that it waits for."""
    waits = _waits(t, wanted)
    if not copies.key.size or not ((waits > 0) & (waits < _NEVER)).any():
        return
    begins = np.flatnonzero(starts(copies.key))
    last = np.maximum.reduceat(copies.first, begins)
    last[np.minimum.reduceat(copies.move, begins) < 0] = _NEVER  # loaded or made there
    keys = copies.key[begins]
    group = np.minimum(np.searchsorted(keys, wanted.key), keys.size - 1)
    there = (keys[group] == wanted.key) & (wanted.arrival >= 0)
    least = np.full(keys.size, _NEVER)
    np.minimum.at(least, group[there], waits[there])
    early = there & (least > last)[group] & (waits < _NEVER)
    for u in np.flatnonzero(early)[np.unique(group[early], return_index=True)[1]].tolist():
        user = int(wanted.user[u])
        asked = t.workload.requests if wanted.kind[u] > FIRING else t.workload.ops
        after = asked[user if wanted.kind[u] > FIRING else int(t.op[user])].after
        assert after is not None
        name, node = t.name(int(wanted.datum[u])), int(wanted.point[u])
        cycle = int(last[group[u]])
        sentence = f"{name!r} comes to {t.point(node)} in cycle {cycle}, before {after.name!r}"
        report.add("after", f"{sentence} is complete", t.hardware.points[node].name, name, cycle)


_NEVER = 1 << 62


def _waits(t: Tables, wanted: Uses) -> np.ndarray:
    """Return for each use the cycle before which nothing is brought for it.

    For a resident Op nothing is ever brought.
    """
    done = np.full(t.size.size, -1)
    done[t.result] = t.result_cycle
    requests = [-1 if r.after is None else done[r.after.index] for r in t.workload.requests]
    ops = [
        _NEVER if op.resident else -1 if op.after is None else done[op.after.index]
        for op in t.workload.ops
    ]
    waits = np.full(wanted.key.size, -1)
    asked, fired = wanted.kind > FIRING, wanted.kind == FIRING
    waits[asked] = np.array(requests, np.int64)[wanted.user[asked]]
    waits[fired] = np.array(ops, np.int64)[t.op[wanted.user[fired]]]
    return waits
