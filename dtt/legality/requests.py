"""Rules of `source` and `reuse=False` (5 of the contract), as far as a Schedule shows them.

A Schedule does not say which Move is made for which request. What is checked is therefore that
the requests could have been served as they ask:

``source=``
    Some copy that arrives in time has come from that Node: one of its Moves leaves it, and each
    later one leaves where the datum had come to be by the one before.
``reuse=False``
    Every such request, and every operand of such an Op, that is away from where the datum was
    loaded or made has an arrival of its own in its Node, in time. The datum leaves its origin at
    least once for each of them. Where all that want a datum want it so, every Move of it has an
    arrival of its own too, so that each request can be traced back on its own to the origin.
"""

from __future__ import annotations

import numpy as np

from .nodes import FIRING, MOVE, Arrivals, Uses
from .ordering import latest, order, starts
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
        arrived = _arrival(t, moves[there])
        found = latest(key[there], arrived, leaving, t.cycle[moves])
        on = found >= 0
        on[on & passing] &= arrived[found[on & passing]] == t.cycle[moves][on & passing]
        if not (on & ~marked).any():
            return marked
        marked |= on


def _arrival(t: Tables, moves: np.ndarray) -> np.ndarray:
    """Return the cycle from which what a Move brings can go on."""
    going: np.ndarray = np.where(t.stores[t.target[moves]], t.complete[moves], t.first[moves])
    return going


def check_reuse(t: Tables, copies: Arrivals, wanted: Uses, report: Report) -> None:
    """Check that what is not to reuse copies can have been carried on its own."""
    own = _own(t, wanted)
    if not own.any():
        return
    home = np.full(t.size.size, -1)
    home[copies.datum[copies.move < 0]] = copies.point[copies.move < 0]
    away = wanted.point != home[wanted.datum]
    asks = wanted.kind != MOVE
    only = np.bincount(wanted.datum[asks & ~own], minlength=home.size) == 0
    claims = np.flatnonzero(away & own)
    # Of a datum that nobody shares, each Move that goes on needs an arrival of its own as well.
    going = np.flatnonzero(only[t.datum] & (t.source != home[t.datum]))
    key = np.concatenate(
        (
            t.key(t.target, t.datum),
            wanted.key[claims],
            t.key(t.source[going], t.datum[going]),
        )
    )
    every = np.arange(t.datum.size)
    time = np.concatenate((_arrival(t, every), wanted.begin[claims], t.cycle[going]))
    claim = np.arange(key.size) >= every.size
    by = order(key, time, claim.astype(np.int64))
    balance = np.cumsum(np.where(claim[by], -1, 1))
    opening = starts(key[by])
    base = np.append(0, balance)[np.flatnonzero(opening)][np.cumsum(opening) - 1]
    for i in report.first(np.sort(by[claim[by] & (balance < base)])):
        j = i - every.size
        if j < claims.size:
            point, datum, cycle = (
                int(c[claims[j]]) for c in (wanted.point, wanted.datum, wanted.begin)
            )
        else:
            m = going[j - claims.size]
            point, datum, cycle = int(t.source[m]), int(t.datum[m]), int(t.cycle[m])
        name = t.name(datum)
        sentence = f"{name!r} in {t.point(point)} must be carried on its own (reuse=False)"
        report.tell(
            "reuse",
            f"{sentence}, but it shares a copy in cycle {cycle}",
            t.hardware.points[point].name,
            name,
            cycle,
        )
    _departures(t, wanted, own & away, home, report)


def _own(t: Tables, wanted: Uses) -> np.ndarray:
    op_own = np.array([not op.reuse for op in t.workload.ops], bool)
    request_own = np.array([not r.reuse for r in t.workload.requests], bool)
    own = np.zeros(wanted.kind.size, bool)
    fires, asks = wanted.kind == FIRING, wanted.kind > FIRING
    own[fires] = op_own[t.op[wanted.user[fires]]]
    own[asks] = request_own[wanted.user[asks]]
    return own & (wanted.arrival >= 0)


def _departures(t: Tables, wanted: Uses, own: np.ndarray, home: np.ndarray, report: Report) -> None:
    asked = np.bincount(wanted.datum[own], minlength=home.size)
    left = np.bincount(t.datum[t.source == home[t.datum]], minlength=home.size)
    for d in report.first(left < asked):
        name = t.name(d)
        sentence = (
            f"{name!r} must be carried {asked[d]} times from {t.point(int(home[d]))} "
            f"(reuse=False), but it leaves it {left[d]} times"
        )
        report.tell("reuse", sentence, t.hardware.points[int(home[d])].name, name)
