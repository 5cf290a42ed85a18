"""Lower bounds on the cycles of any Schedule, from Hardware and Workload alone.

All of them rest on the heads and tails of `dtt.demands`.

A *resource* gives at most ``capacity`` in one cycle. Take any set of jobs that it must do, of
``amount`` in all, none before cycle ``head``, and each over at least ``tail`` cycles before the
Schedule ends in cycle T: what they take lies in the cycles ``head .. T - tail``, so
``capacity * (T - tail - head + 1) >= amount``, that is
``T >= head + ceil(amount / capacity) - 1 + tail``. The bound of a resource is the largest of these
over the sets of jobs with the latest heads, and over those with the longest tails.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Datum, Workload

from .demands import Demand, Demands
from .reduction.bounds import reduction_bounds
from .reduction.network import spread_ops

if TYPE_CHECKING:
    from .schedule import Unserved


@dataclass(frozen=True)
class Bound:
    """No Schedule has fewer ``cycles``.

    Attributes
    ----------
    name : str
        ``"critical path"``, or the kind and name of what is short: ``"Wire 'bus1'"``.
    explanation : str
        Why, in one sentence.
    """

    name: str
    cycles: int
    explanation: str


@dataclass(frozen=True)
class _Job:
    amount: int
    head: int
    tail: int


def bounds(
    hardware: Hardware, workload: Workload, unserved: Sequence[Unserved] = ()
) -> tuple[Bound, ...]:
    """Return the critical path, and a bound for every Actor, Node and Wire that has any.

    Parameters
    ----------
    unserved : sequence of Unserved
        Requests that need not be met.

    Returns
    -------
    tuple of Bound
        The largest first.
    """
    if spread_ops(hardware, workload):
        return tuple(Bound(*each) for each in reduction_bounds(hardware, workload))
    view = Demands(hardware, workload, {u.request for u in unserved})
    found = [_critical_path(view), *_compute(view), *_nodes(view), *_wires(view)]
    return tuple(sorted(found, key=lambda b: -b.cycles))


def _critical_path(view: Demands) -> Bound:
    """Return the longest chain of Moves and Ops that wait for each other."""
    ends: list[tuple[int, str, Datum]] = [
        (int(view.ends[op.result.index].min()), "", op.result) for op in view.workload.ops
    ]
    for r in view.requests:
        cycle = view.there(r.datum, view.hardware.point(r.node).index)
        ends.append((cycle, f" -> {r.node}", r.datum))
    if not ends:
        return Bound("critical path", 0, "nothing is asked for")
    cycles, way, datum = max(ends, key=lambda end: end[0])
    chain = _chain(view, datum)
    shown = chain if len(chain) <= 6 else [*chain[:3], "...", *chain[-2:]]
    return Bound(
        "critical path", cycles, f"each waits for the one before: {' -> '.join(shown)}{way}"
    )


def _chain(view: Demands, datum: Datum) -> list[str]:
    names = [datum.name]
    before: Datum | None = datum
    while before is not None and before.made_by is not None:
        before = view.because[before.made_by]
        names += [before.name] if before is not None else []
    return names[::-1]


def _least(jobs: Sequence[_Job], capacity: int) -> tuple[int, _Job]:
    """Return the bound of a resource, and the jobs that give it, as one."""
    best = (-1, _Job(0, 0, 0))
    table = np.array([(job.amount, job.head, job.tail) for job in jobs], np.int64)
    for column, other in ((1, 2), (2, 1)):
        rows = table[np.argsort(-table[:, column], kind="stable")]
        amount, least = np.cumsum(rows[:, 0]), np.minimum.accumulate(rows[:, other])
        cycles = rows[:, column] + -(-amount // capacity) - 1 + least
        i = int(np.argmax(cycles))
        if cycles[i] > best[0]:
            pair = (int(rows[i, column]), int(least[i]))
            head, tail = pair if column == 1 else pair[::-1]
            best = (int(cycles[i]), _Job(int(amount[i]), head, tail))
    return best


def _compute(view: Demands) -> Iterator[Bound]:
    """Yield a bound for each set of Actors that some Ops have to themselves.

    An Op takes its units for its cooldown, and ends with its latency: a cooldown that outlasts it
    makes the tail shorter, even negative.
    """
    groups: dict[tuple[int, ...], list[_Job]] = defaultdict(list)
    for op in view.workload.ops:
        able, finish = view.able[op.index], view.ends[op.result.index].tolist()
        after = view.tails[op.result.index]
        job = _Job(
            min(t.units * t.cooldown for _, t in able),
            min(end - t.latency for end, (_, t) in zip(finish, able, strict=True)),
            min(t.latency - t.cooldown + 1 for _, t in able) + after,
        )
        groups[tuple(actor.index for actor, _ in able)].append(job)
    everyone = tuple(sorted({actor for actors in groups for actor in actors}))
    for actors in dict.fromkeys([*groups, everyone] if groups else []):
        inside = set(actors)
        jobs = [job for some, theirs in groups.items() if inside.issuperset(some) for job in theirs]
        units = sum(view.hardware.actors[i].units for i in actors)
        names = [view.hardware.actors[i].name for i in actors]
        yield _bound(_together(names), jobs, units, "unit-cycles", "units")


def _together(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"Actor{'s'[: len(names) > 1]} {', '.join(map(repr, names[:3]))}{more}"


def _bound(name: str, jobs: Sequence[_Job], capacity: int, what: str, rate: str) -> Bound:
    cycles, jobs_as_one = _least(jobs, capacity)
    work = f"{jobs_as_one.amount} {what} at {capacity} {rate} a cycle"
    return Bound(
        name,
        cycles,
        f"{work}, none before cycle {jobs_as_one.head}, the last {jobs_as_one.tail} before the end",
    )


def _moving(view: Demands) -> Iterator[Demand]:
    """Yield the demands that no datum can serve where it is loaded or made."""
    apart: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = {}
    for demand in view.demands:
        key = (view.starts[demand.datum.index], demand.points)
        if key not in apart:
            apart[key] = {*key[0]}.isdisjoint(key[1])
        if apart[key]:
            yield demand


def _nodes(view: Demands) -> Iterator[Bound]:
    """Yield bounds for what must leave or enter each Node.

    What is loaded or made in one Node only, and wanted where it is not, leaves that Node: of its
    departures take the one whose last beat is the earliest, for all copies elsewhere come after
    it. What is wanted in one Node only, and is neither loaded nor made there, enters it, and
    its first beat comes at most the beats of the slowest Wire before the datum is complete.
    """
    out: dict[int, dict[tuple[int, int | None], _Job]] = defaultdict(dict)
    into: dict[int, dict[tuple[int, int | None], _Job]] = defaultdict(dict)
    for demand in _moving(view):
        starts = {*view.starts[demand.datum.index]}
        if len(starts) == 1:
            (node,) = starts
            tail = view.after(1, (node,), demand.points, demand.tails)
            _add(out[node], demand, view.there(demand.datum, node), tail)
        if len(demand.points) == 1:
            (node,) = demand.points
            beats = max(w.beats(demand.datum.size) for w in view.hardware.incoming[node])
            head = view.there(demand.datum, node) - beats + 1
            _add(into[node], demand, head, min(demand.tails))
    for jobs, wires, verb in (
        (out, view.hardware.outgoing, "leave"),
        (into, view.hardware.incoming, "enter"),
    ):
        for node in sorted(jobs):
            name = f"what must {verb} Node {view.hardware.points[node].name!r}"
            bandwidth = sum(wire.bandwidth for wire in wires[node])
            yield _bound(name, _listed(jobs[node]), bandwidth, "bits", "bits")


def _add(
    jobs: dict[tuple[int, int | None], _Job],
    demand: Demand,
    head: int,
    tail: int,
    amount: int | None = None,
) -> None:
    """Note a job; demands that may share a copy are one job, over in time for each of them."""
    key = (demand.datum.index, demand.own)
    known = jobs.get(key, _Job(amount or demand.datum.size, head, tail))
    jobs[key] = _Job(known.amount, head, max(known.tail, tail))


def _listed(jobs: dict[tuple[int, int | None], _Job]) -> list[_Job]:
    """Return the jobs that nothing else can do: a copy made for one demand may serve a sharer."""
    carried = {datum for datum, own in jobs if own is not None}
    return [job for (datum, own), job in jobs.items() if own is not None or datum not in carried]


def _wires(view: Demands) -> Iterator[Bound]:
    """Yield a bound for each Wire that some data cannot go round.

    As for what leaves a Node: the crossing whose last beat is the earliest counts.
    """
    jobs: dict[int, dict[tuple[int, int | None], _Job]] = defaultdict(dict)
    for demand in _moving(view):
        for wire in view.distances.bridges(view.starts[demand.datum.index], demand.points):
            head = view.there(demand.datum, wire.source)
            tail = wire.latency + view.after(1, (wire.target,), demand.points, demand.tails)
            lanes = -(-demand.datum.size // wire.lane)
            _add(jobs[wire.index], demand, head, tail, lanes * wire.lane)
    for index in sorted(jobs):
        wire = view.hardware.wires[index]
        yield _bound(f"Wire {wire.name!r}", _listed(jobs[index]), wire.bandwidth, "bits", "bits")
