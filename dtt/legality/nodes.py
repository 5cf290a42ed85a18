"""Rules of Nodes (3 of the contract): who is there when, by what right, and in which space.

Presences are derived from use: a copy is there from the arrival of its first beat to the last use
that belongs to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .ordering import latest, order, overfull, running_max, starts
from .report import Report
from .tables import Tables, nodes_by_name

MOVE, FIRING, NEED, STORE = range(4)
"""What a use is for."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Copies that come to be in a Node, sorted by key (Node and datum) and completion.

    ``first`` and ``complete`` are cycles; ``move`` is the Move that brought the copy, or -1.
    """

    point: np.ndarray
    datum: np.ndarray
    key: np.ndarray
    first: np.ndarray
    complete: np.ndarray
    move: np.ndarray


@dataclass(frozen=True, eq=False)
class Uses:
    """What needs a datum in a Node for the cycles ``begin .. end``.

    ``kind`` says whether ``user`` is the index of a Move, a Firing or a request; ``takes`` marks
    the operand that an Op updates in place; ``arrival`` is the copy that serves, or -1.
    """

    point: np.ndarray
    datum: np.ndarray
    key: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    kind: np.ndarray
    user: np.ndarray
    takes: np.ndarray
    arrival: np.ndarray


def arrivals(t: Tables) -> Arrivals:
    """Return all copies in Nodes: loaded, brought by Moves, and made by Firings.

    What comes from an Adder is a result that is made where it arrives (see `sums`).
    """
    node = nodes_by_name(t.hardware)
    loaded = [(node[d.loaded_at], d.index) for d in t.workload.data if d.loaded_at is not None]
    at, data = np.array(loaded, np.int64).reshape(-1, 2).T
    zero = np.zeros_like(at)
    moved = np.flatnonzero(t.stores[t.target] & ~t.adder[t.target])
    made = np.flatnonzero(~t.adder[t.result_at])
    point = np.concatenate((at, t.target[moved], t.result_at[made]))
    datum = np.concatenate((data, t.datum[moved], t.result[made]))
    first = np.concatenate((zero, t.first[moved], t.space[made]))
    complete = np.concatenate((zero, t.complete[moved], t.result_cycle[made]))
    brought = np.where(t.adder[t.source[moved]], -1, moved)
    move = np.concatenate((zero - 1, brought, np.full_like(made, -1)))
    key = t.key(point, datum)
    by = order(key, complete)
    return Arrivals(point[by], datum[by], key[by], first[by], complete[by], move[by])


def uses(t: Tables, copies: Arrivals, unserved: np.ndarray) -> Uses:
    """Return all uses, each with the copy that it belongs to.

    Parameters
    ----------
    unserved : array of bool
        Which requests are listed as such; they use nothing.
    """
    leaving = np.flatnonzero(t.stores[t.source] & ~t.adder[t.source])
    firings = enumerate(zip(t.op.tolist(), t.part.tolist(), strict=True))
    reads = [(f, d) for f, (op, part) in firings for d in _operands(t, op, part)]
    firing, operand = np.array(reads, np.int64).reshape(-1, 2).T
    node = nodes_by_name(t.hardware)
    asked = [
        (node[r.node], r.datum.index, -1 if r.by is None else r.by, STORE if r.store else NEED, i)
        for i, r in enumerate(t.workload.requests)
        if not unserved[i]
    ]
    where, wanted, by, why, request = np.array(asked, np.int64).reshape(-1, 5).T
    point = np.concatenate((t.source[leaving], t.at[firing], where))
    datum = np.concatenate((t.datum[leaving], operand, wanted))
    key = t.key(point, datum)
    begin = np.concatenate((t.cycle[leaving], t.start[firing], by))
    end = begin + np.concatenate((t.beats[leaving], t.hold[firing], np.ones_like(by))) - 1
    kind = np.concatenate((np.repeat([MOVE, FIRING], [leaving.size, firing.size]), why))
    # A store lasts to the end of time; a need of no certain cycle is met by any arrival.
    ever = begin < 0
    begin[ever] = 1 + max(int(end.max(initial=0)), int(copies.complete.max(initial=0)))
    end[ever] = np.where(kind[ever] == STORE, begin[ever], -1)
    takes = np.zeros(key.size, bool)
    takes[leaving.size : leaving.size + firing.size] = t.into[firing] == operand
    arrival = latest(copies.key, copies.complete, key, begin)
    user = np.concatenate((leaving, firing, request))
    return Uses(point, datum, key, begin, end, kind, user, takes, arrival)


def _operands(t: Tables, op: int, part: int) -> list[int]:
    """Return what a Firing reads; an operand that is given twice is needed once."""
    operands = t.workload.ops[op].operands
    own = operands if part < 0 else operands[2 * part : 2 * part + 2]
    return list(dict.fromkeys(d.index for d in own))


def check_presence(t: Tables, wanted: Uses, report: Report) -> None:
    """Check that every use finds the datum, complete, in its Node."""
    for u in report.first(wanted.arrival < 0):
        name, node = t.name(int(wanted.datum[u])), t.point(int(wanted.point[u]))
        kind, user, cycle = int(wanted.kind[u]), int(wanted.user[u]), int(wanted.begin[u])
        part: str | None = t.hardware.points[int(wanted.point[u])].name
        if kind == MOVE:
            part = t.wire_name(int(t.wire[user]))
            rule, sentence = "source", f"datum {name!r} leaves {node} on Wire {part!r}"
        elif kind == FIRING:
            part = t.hardware.actors[int(t.actor[user])].name
            op = t.workload.ops[int(t.op[user])].name
            rule, sentence = "operand", f"Op {op!r} starts on Actor {part!r} with {name!r}"
        else:
            what = "store" if kind == STORE else "need"
            why = f"the {what} of {name!r} in {node} is neither met nor listed as unserved"
            when = t.workload.requests[user].by
            report.tell("request", why, part, name, when)
            continue
        where = f"in cycle {cycle}, but it is not complete in {node}"
        report.tell(rule, f"{sentence} {where}", part, name, cycle)


def check_transit(t: Tables, wanted: Uses, report: Report) -> None:
    """Check that what comes to a Node through which no path leads is wanted there."""
    ends = np.array([point.stores and not point.transit for point in t.hardware.points], bool)
    coming = np.flatnonzero(ends[t.target])
    asked = wanted.key[(wanted.kind != MOVE) & (wanted.arrival >= 0)]
    stray = ~np.isin(t.key(t.target[coming], t.datum[coming]), asked)
    for m in report.first(coming[stray]):
        name, node = t.name(int(t.datum[m])), t.point(int(t.target[m]))
        wire, cycle = t.wire_name(int(t.wire[m])), int(t.cycle[m])
        sentence = f"datum {name!r} comes on Wire {wire!r} to {node}, where nothing asks for it"
        report.tell("transit", sentence, wire, name, cycle)


def check_in_place(t: Tables, copies: Arrivals, wanted: Uses, report: Report) -> None:
    """Check that nobody else uses an operand once an Op has begun to update it in place."""
    taking = np.flatnonzero(wanted.takes & (wanted.arrival >= 0))
    if not taking.size:
        return
    others = np.flatnonzero(~wanted.takes & (wanted.arrival >= 0))
    last = np.full(copies.key.size, -1)
    np.maximum.at(last, wanted.arrival[others], wanted.end[others])
    copy, start = wanted.arrival[taking], wanted.begin[taking]
    used = running_max(copies.key, last)[copy] >= start
    # A copy that is still landing shares the rows of the one that is taken over.
    coming = -running_max(copies.key[::-1], -copies.first[::-1])[::-1]
    later = np.full(copies.key.size, np.iinfo(np.int64).max)
    same = copies.key[1:] == copies.key[:-1]
    later[:-1][same] = coming[1:][same]
    landing = (later[copy] < start) | ((later[copy] == start) & (copies.first[copy] == start))
    by = np.lexsort((start, copy))
    twice = np.zeros(taking.size, bool)
    twice[by[1:]] = copy[by[1:]] == copy[by[:-1]]
    for i in report.first(used | landing | twice):
        u = int(taking[i])
        op = t.workload.ops[int(t.op[wanted.user[u]])]
        name, node = t.name(int(wanted.datum[u])), t.point(int(wanted.point[u]))
        what = "used" if used[i] else "still arriving" if landing[i] else "updated again"
        sentence = (
            f"Op {op.name!r} updates {name!r} in place in {node} from cycle {start[i]}, "
            f"but the old value is {what} there then or later"
        )
        part = t.hardware.points[int(wanted.point[u])].name
        report.tell("in place", sentence, part, name, int(start[i]))


def check_capacity(t: Tables, copies: Arrivals, wanted: Uses, report: Report) -> None:
    """Check that the rows of all data in a Node never exceed its rows."""
    end = copies.complete.copy()
    served = wanted.arrival >= 0
    np.maximum.at(end, wanted.arrival[served & ~wanted.takes], wanted.end[served & ~wanted.takes])
    # An operand that is updated in place gives its rows to the result in that very cycle.
    taken = served & wanted.takes
    end[wanted.arrival[taken]] = wanted.begin[taken] - 1
    by = order(copies.key, copies.first)
    by = by[copies.first[by] <= end[by]]
    if not by.size:
        return
    key, first = copies.key[by], copies.first[by]
    until = running_max(key, end[by])
    begins = starts(key)
    begins[1:] |= first[1:] > until[:-1]
    opening = np.flatnonzero(begins)
    closing = np.append(opening[1:], key.size) - 1
    point, datum = copies.point[by][opening], copies.datum[by][opening]
    rows = -(-t.size[datum] // t.row[point])
    place, cycle, total = overfull(point, first[opening], until[closing], rows, t.rows)
    by_cycle = order(np.zeros_like(cycle), cycle)
    for i in report.first(by_cycle):
        p, c = int(place[i]), int(cycle[i])
        there = (point == p) & (first[opening] <= c) & (c <= until[closing])
        new = there & (first[opening] == c)
        name = t.name(int(datum[new].max()))
        sentence = (
            f"{t.point(p)} has {t.rows[p]} rows, but {total[i]} are taken by {there.sum()} data "
            f"from cycle {c} on, when {name!r} comes"
        )
        report.tell("capacity", sentence, t.hardware.points[p].name, name, c)
