"""Dijkstra Through Time: when everything moves, and which Actor computes what when."""

from __future__ import annotations

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .check import check
from .earliest_finish import earliest_finish
from .placing import Affinity, Placer, first_best_fit, operands_held
from .schedule import Schedule

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
        Scores an Actor for an Op, see `dtt.placing.Affinity`; the default counts the operands that
        the Actor already holds.
    engine : {"auto", "reference", "native"}
        Who routes. ``"auto"`` is the native engine where it was built, else the readable
        reference; `Schedule.engine` names it.

    Raises
    ------
    InputError
        If the Workload does not belong to the Hardware.
    NoSchedule
        If it is proved that none exists.
    TimingFault
        Under ``strict``, if a request cannot be met in time.
    LimitReached
        If the search found no way; one may still exist.
    """
    if placing not in PLACINGS:
        raise InputError(f"placing must be one of {', '.join(PLACINGS)}, not {placing!r}")
    score = affinity or operands_held
    placer = Placer(hardware, workload, score, strict, engine)
    if placing == "earliest-finish":
        placer.able = earliest_finish(hardware, workload)
    coarse = first_best_fit(hardware, workload, score) if placing == "first-best-fit" else None
    return placer.run(coarse)
