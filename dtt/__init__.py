"""Dijkstra Through Time: when everything moves, and which Actor computes what when."""

from __future__ import annotations

from dataclasses import replace

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .best_fit import Affinity, first_best_fit, operands_held
from .check import check
from .earliest_finish import earliest_finish
from .engine import chosen
from .goals import OBJECTIVES, best
from .limits import within_limits
from .ordering import Trial, in_order
from .placing import Placer
from .reduction.network import spread_ops
from .reduction.scheduling import schedule_reductions
from .schedule import Schedule
from .searching import EFFORTS, Search
from .starting import translate

__all__ = ["Schedule", "Workload", "check", "schedule"]

PLACINGS = ("in-order", "earliest-finish", "first-best-fit")


def schedule(
    hardware: Hardware,
    workload: Workload,
    *,
    strict: bool = False,
    placing: str = "in-order",
    affinity: Affinity | None = None,
    engine: str = "auto",
    objective: str = "energy",
    effort: int = 0,
    start: Schedule | None = None,
) -> Schedule:
    """Place and route a Workload on a Hardware.

    Parameters
    ----------
    hardware : Hardware
    workload : Workload
    strict : bool
        Raise a timing fault instead of listing an unmet request in ``unserved``; with
        ``placing="first-best-fit"`` the coarse starts are binding, as in the paper.
    placing : {"in-order", "earliest-finish", "first-best-fit"}
        ``"in-order"`` starts each Op in the first cycle for which its operands can be routed.
        ``"earliest-finish"`` does so on the Actor that would be done first, which is better where
        some are much slower than others (see `dtt.earliest_finish`).
        ``"first-best-fit"`` is the paper's: all Ops are placed by a coarse model first.
    affinity : callable, optional
        Scores an Actor for an Op, see `dtt.best_fit.Affinity`; the default counts the operands that
        the Actor already holds.
    engine : {"auto", "reference", "native"}
        Who routes. ``"auto"`` is the readable reference for small Workloads in one pass, whose
        ties it settles by early departure, and else the native engine where it was built;
        `Schedule.engine` names it.
    objective : {"energy", "time"}
        What to have little of: energy, then cycles; or cycles, then energy.
    effort : {0, 1, 2, 3}
        0 is one pass. The others also take the items in other orders, and then rip up and reroute
        single requests, at about 10, 100 and 1,000 times the cost (see `dtt.searching`).
    start : Schedule, optional
        A known Schedule of the Workload on this Hardware, or on one with fewer parts. It is
        improved with the same effort, and the result is never worse.

    Raises
    ------
    InputError
        If the Workload does not belong to the Hardware.
    NoSchedule
        If it is proved that none exists.
    TimingFault
        Under ``strict``, if a request cannot be met in time.
    LimitReached
        If the search found no way, though one may still exist; or if the Schedule would go beyond
        `dtt.limits.LATEST`, or costs beyond what the native engine can add up.
    """
    if placing not in PLACINGS:
        raise InputError(f"placing must be one of {', '.join(PLACINGS)}, not {placing!r}")
    if objective not in OBJECTIVES:
        raise InputError(f"objective must be one of {', '.join(OBJECTIVES)}, not {objective!r}")
    if type(effort) is not int or not 0 <= effort < len(EFFORTS):
        raise InputError(f"effort must be from 0 to {len(EFFORTS) - 1}, not {effort!r}")
    if effort == 0:
        engine = chosen(engine, hardware, workload)
    if placing == "in-order" and spread_ops(hardware, workload):
        found = schedule_reductions(hardware, workload, engine)
        if start is None:
            return within_limits(found)
        return within_limits(best((found, translate(start, hardware, workload)), objective))
    score = affinity or operands_held

    def new_placer(work: Workload = workload, affinity: Affinity = score) -> Placer:
        placer = Placer(hardware, work, affinity, strict, engine)
        if placing == "earliest-finish":
            placer.able = earliest_finish(hardware, work)
        return placer

    def once(trial: Trial) -> Schedule:
        work, bent = in_order(workload, trial.ranks), trial.affinity(score)
        coarse = first_best_fit(hardware, work, bent) if placing == "first-best-fit" else None
        found = new_placer(work, bent).run(coarse)
        return found if work is workload else replace(found, workload=workload)

    search = Search(
        hardware, workload, once, new_placer, objective=objective, effort=effort, engine=engine
    )
    return within_limits(search.run(start))
