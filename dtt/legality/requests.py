"""Rules of ``source=`` and ``after=`` of a request, as far as a Schedule shows them.

A Schedule does not say which Move is made for which request. What is checked is therefore that
the request could have been served as it asks:

``source=``
    Some copy that arrives in time has come from that Node: one of its Moves leaves it, and each
    later one leaves where the datum had come to be by the one before.
``after=``
    A copy begins to arrive when that result is complete, or something else has to do with the
    datum in that Node, so that a copy may have been there before.
"""

from __future__ import annotations

import numpy as np

from .nodes import FIRING, Arrivals, Uses
from .ordering import latest
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
    """Check that nothing is brought for a request before the result that it waits for."""
    done = np.full(t.size.size, -1)
    done[t.result] = t.result_cycle
    for u in np.flatnonzero((wanted.kind > FIRING) & (wanted.arrival >= 0)).tolist():
        request = t.workload.requests[int(wanted.user[u])]
        if request.after is None:
            continue
        here = copies.key == wanted.key[u]
        in_time = copies.first[here] >= done[request.after.index]
        others = (copies.move[here] < 0).any() or np.sum(wanted.key == wanted.key[u]) > 1
        if not in_time.any() and not others:
            name, at = request.datum.name, t.point(int(wanted.point[u]))
            cycle = int(copies.first[here].max())
            sentence = f"{name!r} comes to {at} in cycle {cycle}, before {request.after.name!r}"
            report.add("after", f"{sentence} is complete", request.node, name, cycle)
