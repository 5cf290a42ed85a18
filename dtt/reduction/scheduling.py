"""Schedules of Workloads with dot products that are spread over multipliers."""

from __future__ import annotations

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from ..feasibility import candidates
from ..schedule import Schedule
from .direct import direct_feed, schedule_direct
from .placing import Spreader
from .routed import ReductionPlacer


def schedule_reductions(hardware: Hardware, workload: Workload, engine: str = "auto") -> Schedule:
    """Place and route a Workload some dot products of which are to be spread.

    Raises
    ------
    InputError, NoSchedule, LimitReached
        As `dtt.schedule`.
    """
    spreader = Spreader(hardware, workload)
    feed = direct_feed(hardware, workload, spreader)
    if feed is None:
        return ReductionPlacer(hardware, workload, spreader, engine).run()
    candidates(hardware, workload)
    return schedule_direct(hardware, workload, spreader, feed)
