"""Presences: which Node holds which datum when, derived from the Moves and Firings alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Workload

from .columns import column, data_sizes, forms, operands
from .partial_sums import in_adders, partial_sums

if TYPE_CHECKING:
    from .schedule import Unserved

INFINITE = 1 << 62
"""The ``end`` of what stays to the end of time."""


class Cause(IntEnum):
    """How a presence begins; also the order in which those of one cycle take their rows."""

    LOADED = 0
    RESULT = 1
    ARRIVAL = 2


PRESENCE = np.dtype(
    [
        ("datum", "<i4"),
        ("point", "<i4"),
        ("begin", "<i8"),
        ("complete", "<i8"),
        ("end", "<i8"),
        ("cause", "u1"),
        ("part", "<i4"),
        ("previous", "<i8"),
    ]
)
"""One presence: space is taken in ``begin .. end``, the datum is there from ``complete`` on.

``part`` is the Actor (RESULT) or the Wire (ARRIVAL) that begins it, else -1. ``previous`` is the
index of the presence whose rows an in-place result takes over, else -1; that one may be empty
(``end`` is ``begin - 1``), where the operand arrives in the cycle in which it is overwritten."""


@dataclass(frozen=True, eq=False)
class Times:
    """For each Firing, the figures of `hwdsl.hardware.Timing`, as int64 arrays."""

    latency: np.ndarray
    cooldown: np.ndarray
    hold: np.ndarray
    units: np.ndarray
    steps: np.ndarray


def firing_timing(hardware: Hardware, workload: Workload, firing: Any) -> Timing:
    """Return how one Firing runs; one pair of a spread dot product is an Op of one unit-step."""
    op = workload.ops[firing["op"]]
    work = op.work if firing["part"] < 0 else 1
    actor: Actor = hardware.actors[firing["actor"]]
    return actor.timing(op.code, work, op.parallel, op.depth, op.spans)


def firing_times(hardware: Hardware, workload: Workload, firings: np.ndarray) -> Times:
    """Return the `Times` of all Firings."""
    table, kind = timings(hardware, workload, firings)
    names = [field.name for field in fields(Times)]
    figures = np.array([[getattr(t, name) for name in names] for t in table], np.int64)
    return Times(*figures.reshape(-1, len(names))[kind].T)


def timings(
    hardware: Hardware, workload: Workload, firings: np.ndarray
) -> tuple[list[Timing], np.ndarray]:
    """Return the different `Timing` that there are, and for each Firing the number of its."""
    whole = firings["part"] < 0
    likeness = forms(workload)[firings["op"]] * len(hardware.actors) + firings["actor"]
    _, first, kind = np.unique(2 * likeness + whole, return_index=True, return_inverse=True)
    return [firing_timing(hardware, workload, firings[i]) for i in first.tolist()], kind


def beats_of(hardware: Hardware, workload: Workload, moves: np.ndarray) -> np.ndarray:
    """Return for how many cycles each Move occupies its Wire."""
    bandwidth = np.array([w.bandwidth for w in hardware.wires], np.int64)
    beats: np.ndarray = -(-data_sizes(workload)[moves["datum"]] // bandwidth[moves["wire"]])
    return beats


def wire_field(hardware: Hardware, moves: np.ndarray, name: str) -> np.ndarray:
    """Return a whole-number field of each Move's Wire."""
    values = np.array([getattr(w, name) for w in hardware.wires], np.int64)
    field: np.ndarray = values[moves["wire"]]
    return field


def storing(hardware: Hardware) -> np.ndarray:
    """Return, for each Point, whether data can stay there."""
    return np.array([point.stores for point in hardware.points], bool)


def operand_reads(
    workload: Workload, firings: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Firing, position among the Op's operands, and datum of every operand that is read."""
    counts, flat = operands(workload)
    starts = np.cumsum(counts) - counts
    firing, position = ragged(counts[firings["op"]])
    datum = flat[starts[firings["op"]][firing] + position]
    part = firings["part"][firing]
    mine = (part < 0) | (position // 2 == part)
    return firing[mine], position[mine], datum[mine]


def ragged(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return owner and place within the owner, for ``counts[i]`` things of each owner ``i``."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def find(
    presences: np.ndarray,
    datum: np.ndarray,
    point: np.ndarray,
    cycle: np.ndarray,
    *,
    field: str = "begin",
) -> np.ndarray:
    """Return the index of the latest presence that has begun (or is complete) by each ``cycle``.

    Parameters
    ----------
    presences : array
        Sorted by datum, point and ``field``.
    field : str
        ``"begin"`` or ``"complete"``.

    Returns
    -------
    array of int64
        -1 where there is none.
    """
    points = 1 + max(int(presences["point"].max(initial=0)), int(np.max(point, initial=0)))
    # A cycle is as good as the number of table entries up to it, and that is small.
    levels = np.sort(presences[field])
    base = len(levels) + 1
    have = presences["datum"].astype(np.int64) * points + presences["point"]
    want = np.asarray(datum, np.int64) * points + point
    ranks = have * base + np.searchsorted(levels, presences[field], "right")
    wanted = want * base + np.searchsorted(levels, cycle, "right")
    found: np.ndarray = np.searchsorted(ranks, wanted, "right") - 1
    found[(found >= 0) & (have[found] != want)] = -1
    return found


def derive(
    hardware: Hardware,
    workload: Workload,
    moves: np.ndarray,
    firings: np.ndarray,
    unserved: Sequence[Unserved] = (),
) -> np.ndarray:
    """Return every presence, by rule 3 of the contract.

    A store, and a need without ``by``, is served by the last arrival in its Node; every other
    use by the latest arrival that is complete when the use begins. A use that no arrival serves
    is left out: whether a Schedule is legal is for `dtt.check` to say.

    Parameters
    ----------
    moves : array of `dtt.schedule.MOVE`
    firings : array of `dtt.schedule.FIRING`
    unserved : sequence of Unserved
        Requests that use nothing.

    Returns
    -------
    array of `PRESENCE`
        Sorted by datum, point and begin.
    """
    times = firing_times(hardware, workload, firings)
    into = _into(workload)[firings["op"]]
    copies = _arrivals(hardware, workload, moves, firings, times, into >= 0)
    at = np.array([actor.at for actor in hardware.actors], np.int64)[firings["actor"]]
    _stay_for_departures(hardware, workload, moves, copies)
    firing, position, datum = operand_reads(workload, firings)
    start = firings["cycle"][firing]
    taken = position == into[firing]
    _stay(copies, datum, at[firing], start, start + np.where(taken, 0, times.hold[firing]) - 1)
    _stay_for_requests(hardware, workload, unserved, copies)
    over = find(copies, datum[taken], at[firing][taken], start[taken], field="complete")
    served = over >= 0
    np.minimum.at(copies["end"], over[served], start[taken][served] - 1)
    merged = _with_sums(hardware, workload, moves, firings, times, _merge(copies))
    here = at[firing][taken]
    result = column(workload.ops, "result.index")
    heir = find(merged, result[firings["op"][firing[taken]]], here, start[taken])
    merged["previous"][heir] = find(merged, datum[taken], here, start[taken])
    return merged


def _with_sums(
    hardware: Hardware,
    workload: Workload,
    moves: np.ndarray,
    firings: np.ndarray,
    times: Times,
    merged: np.ndarray,
) -> np.ndarray:
    """Add what is in Adders, where a presence ends with the departure and not with the last use."""
    if not in_adders(hardware).any():
        return merged
    s = partial_sums(hardware, workload, moves, firings, firings["cycle"] + times.latency)
    sums = _table(s.datum, s.point, s.begin, s.begin, Cause.ARRIVAL, s.part)
    sums["end"] = s.end
    sums["cause"][~s.moved] = Cause.RESULT
    every = np.concatenate((merged, sums))
    ordered: np.ndarray = every[np.lexsort([every[name] for name in ("begin", "point", "datum")])]
    return ordered


def _into(workload: Workload) -> np.ndarray:
    given = (form.into for form in map(attrgetter("form"), workload.ops))
    return np.fromiter((-1 if n is None else n for n in given), np.int64, len(workload.ops))


def _table(
    datum: Any, point: Any, begin: Any, complete: Any, cause: Cause, part: Any
) -> np.ndarray:
    made = np.empty(len(datum), PRESENCE)
    made["datum"], made["point"] = datum, point
    made["begin"], made["complete"], made["end"] = begin, complete, complete
    made["cause"], made["part"], made["previous"] = cause, part, -1
    return made


def _arrivals(
    hardware: Hardware,
    workload: Workload,
    moves: np.ndarray,
    firings: np.ndarray,
    times: Times,
    in_place: np.ndarray,
) -> np.ndarray:
    """Return all copies as they arrive, sorted by datum, point and complete; no two alike."""
    loaded = [d for d in workload.data if d.loaded_at is not None]
    nodes = [hardware.point(d.loaded_at).index for d in loaded if d.loaded_at is not None]
    loads = _table([d.index for d in loaded], nodes, 0, 0, Cause.LOADED, -1)
    done = firings["cycle"] + times.latency
    begin = np.where(in_place, firings["cycle"], done - times.hold + 1)
    result = column(workload.ops, "result.index")[firings["op"]]
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)[firings["actor"]]
    results = _table(result, result_at, begin, done, Cause.RESULT, firings["actor"])
    target = wire_field(hardware, moves, "target")
    first = moves["cycle"] + wire_field(hardware, moves, "latency")
    last = first + beats_of(hardware, workload, moves) - 1
    arrived = _table(moves["datum"], target, first, last, Cause.ARRIVAL, moves["wire"])
    keeps = storing(hardware) & ~in_adders(hardware)
    copies = np.concatenate([loads, results[keeps[result_at]], arrived[keeps[target]]])
    order = ("part", "cause", "begin", "complete", "point", "datum")
    copies = copies[np.lexsort([copies[name] for name in order])]
    distinct: np.ndarray = copies[_changes(copies, "datum", "point", "complete")]
    return distinct


def _changes(table: np.ndarray, *fields: str) -> np.ndarray:
    """Return where any of the fields differs from the row before."""
    change = np.zeros(len(table), bool)
    change[:1] = True
    for name in fields:
        change[1:] |= table[name][1:] != table[name][:-1]
    return change


def _stay(copies: np.ndarray, datum: Any, point: Any, first: Any, last: Any) -> None:
    """Let the copies that serve the uses ``first .. last`` stay for them."""
    serving = find(copies, datum, point, first, field="complete")
    there = serving >= 0
    np.maximum.at(copies["end"], serving[there], last[there])


def _stay_for_departures(
    hardware: Hardware, workload: Workload, moves: np.ndarray, copies: np.ndarray
) -> None:
    source = wire_field(hardware, moves, "source")
    last = moves["cycle"] + beats_of(hardware, workload, moves) - 1
    leaves = storing(hardware)[source]
    _stay(copies, moves["datum"][leaves], source[leaves], moves["cycle"][leaves], last[leaves])


def _stay_for_requests(
    hardware: Hardware, workload: Workload, unserved: Sequence[Unserved], copies: np.ndarray
) -> None:
    given_up = {u.request for u in unserved}
    uses = [
        (r.datum.index, hardware.point(r.node).index, INFINITE if r.store else r.by)
        for r in workload.requests
        if r.index not in given_up and (r.store or r.by is not None)
    ]
    datum, point, by = np.array(uses, np.int64).reshape(-1, 3).T
    _stay(copies, datum, point, by, by)


def _merge(copies: np.ndarray) -> np.ndarray:
    """Make one presence of those of a datum in a Node that share a cycle."""
    order = ("part", "cause", "begin", "point", "datum")
    copies = copies[np.lexsort([copies[name] for name in order])]
    group = np.cumsum(_changes(copies, "datum", "point"))
    # The largest end so far of the same datum and Node: ranks make the groups rise one by one.
    ends, rank = np.unique(copies["end"], return_inverse=True)
    so_far = np.maximum.accumulate(group * len(ends) + rank) - group * len(ends)
    starts = _changes(copies, "datum", "point")
    starts[1:] |= copies["begin"][1:] > ends[so_far[:-1]]
    firsts = np.flatnonzero(starts)
    merged = copies[firsts]
    if len(merged):
        merged["end"] = np.maximum.reduceat(copies["end"], firsts)
        merged["complete"] = np.minimum.reduceat(copies["complete"], firsts)
    return merged
