"""The rule of ``reuse=False`` (5 of the contract), as far as a Schedule shows it.

Every such request, and every operand of such an Op, that is away from where the datum was loaded
or made has an arrival of its own in its Node, in time, and the datum leaves its origin at least
once for each of them. Where all that want a datum want it so, every Move of it has an arrival of
its own too, so that each request can be traced back on its own to the origin. A request that also
names its ``source`` begins there, and not at the origin.
"""

from __future__ import annotations

import numpy as np

from .nodes import FIRING, MOVE, Arrivals, Uses
from .ordering import order, starts
from .report import Report
from .tables import Tables, nodes_by_name


def check_reuse(t: Tables, copies: Arrivals, wanted: Uses, report: Report) -> None:
    """Check that what is not to reuse copies can have been carried on its own."""
    own, sourced = _own(t, wanted)
    if not own.any():
        return
    home = np.full(t.size.size, -1)
    home[copies.datum[copies.move < 0]] = copies.point[copies.move < 0]
    own &= wanted.point != home[wanted.datum]
    free = (wanted.kind != MOVE) & ((wanted.point != home[wanted.datum]) & ~own | sourced)
    shared = np.bincount(wanted.datum[free], minlength=home.size) > 0
    claims = np.flatnonzero(own)
    going = np.flatnonzero(~shared[t.datum] & (t.source != home[t.datum]))
    asked = [
        (wanted.point[claims], wanted.datum[claims], wanted.begin[claims]),
        (t.source[going], t.datum[going], t.cycle[going]),
    ]
    point, datum, cycle = (np.concatenate(columns) for columns in zip(*asked, strict=True))
    for i in report.first(_unmatched(t, point, datum, cycle)):
        name, at = t.name(int(datum[i])), t.hardware.points[int(point[i])]
        sentence = f"{name!r} must be carried to {at.name!r} on its own, but shares a copy there"
        report.tell("reuse", sentence, at.name, name, int(cycle[i]))
    needed = np.bincount(wanted.datum[own & ~sourced], minlength=home.size)
    left = np.bincount(t.datum[t.source == home[t.datum]], minlength=home.size)
    for d in report.first(left < needed):
        name, at = t.name(d), t.hardware.points[int(home[d])]
        sentence = f"{name!r} must leave {at.name!r} {needed[d]} times, but does so {left[d]} times"
        report.tell("reuse", sentence, at.name, name)


def _own(t: Tables, wanted: Uses) -> tuple[np.ndarray, np.ndarray]:
    """Return which uses are not to reuse copies, and which are of requests with a source."""
    node = nodes_by_name(t.hardware)
    requests = t.workload.requests
    op_own = np.array([not op.reuse for op in t.workload.ops], bool)
    request_own = np.array([not r.reuse and r.source != r.node for r in requests], bool)
    request_sourced = np.array([r.source in node for r in requests], bool)
    own, sourced = np.zeros(wanted.kind.size, bool), np.zeros(wanted.kind.size, bool)
    fires, asks = wanted.kind == FIRING, wanted.kind > FIRING
    own[fires] = op_own[t.op[wanted.user[fires]]]
    own[asks] = request_own[wanted.user[asks]]
    sourced[asks] = request_sourced[wanted.user[asks]]
    return own & (wanted.arrival >= 0), sourced


def _unmatched(t: Tables, point: np.ndarray, datum: np.ndarray, cycle: np.ndarray) -> np.ndarray:
    """Return which claims find no arrival in their Point, in time, that none before them took."""
    there = np.where(t.stores[t.target], t.complete, t.first)
    key = np.concatenate((t.key(t.target, t.datum), t.key(point, datum)))
    claim = np.arange(key.size) >= there.size
    by = order(key, np.concatenate((there, cycle)), claim.astype(np.int64))
    left = np.cumsum(np.where(claim[by], -1, 1))
    opens = starts(key[by])
    before = np.append(0, left)[np.flatnonzero(opens)][np.cumsum(opens) - 1]
    return np.sort(by[claim[by] & (left < before)]) - there.size
