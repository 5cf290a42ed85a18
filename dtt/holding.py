"""Holding back: a slower Schedule, for a controller whose lists of pending commands are short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, sqrt

from hwdsl.errors import LimitReached
from hwdsl.waypoints import WINDOW
from hwdsl.workload import Op, Workload

from .schedule import Schedule
from .waypoints import waypoints

SLOWEST = 1 << 12
"""How many times later than without a controller an Op starts at most."""

_STEP = 8
_TRIALS = 3
"""Of factors between two that are a step apart."""


@dataclass(frozen=True)
class Held:
    """A Schedule that a controller keeps pace with.

    Attributes
    ----------
    schedule : Schedule
    cycles : int
        By how many it is longer than without a controller.
    """

    schedule: Schedule
    cycles: int


def hold_back(
    workload: Workload,
    depth: int,
    schedule: Callable[[Workload], Schedule],
    *,
    window: int = WINDOW,
) -> Held:
    """Return the fastest Schedule found that lists of ``depth`` pending commands are enough for.

    No Op starts before a multiple of the cycle in which it would start without a controller, and
    the smallest multiple that will do is looked for. Data come when their Ops need them; those
    that only requests ask for are not held back.

    Parameters
    ----------
    schedule : callable
        Schedules a Workload.
    window : int
        As for `dtt.waypoints.waypoints`.

    Raises
    ------
    LimitReached
        If no multiple is large enough; it says which depth the slowest one needs.
    """

    def needed(made: Schedule) -> int:
        return waypoints(made, window=window).depth

    first = schedule(workload)
    if needed(first) <= depth:
        return Held(first, 0)
    starts: dict[int, int] = {}
    for op, cycle in first.firings[["op", "cycle"]].tolist():
        starts[op] = min(cycle, starts.get(op, cycle))

    def slower(factor: float) -> Schedule:
        return replace(schedule(_held(workload, starts, factor)), workload=workload)

    low, high = 1.0, float(_STEP)
    found = slower(high)
    while (needs := needed(found)) > depth:
        if high >= SLOWEST:
            rule = f"lists of {depth} pending commands are too short, even if data are held back"
            raise LimitReached(f"Program: {rule}: it needs {needs}")
        low, high = high, _STEP * high
        found = slower(high)
    for _ in range(_TRIALS):
        middle = sqrt(low * high)
        trial = slower(middle)
        if needed(trial) <= depth:
            found, high = trial, middle
        else:
            low = middle
    return Held(found, found.cycles - first.cycles)


def _held(workload: Workload, starts: dict[int, int], factor: float) -> Workload:
    """Return the Workload with Ops that start no sooner than so many times later."""
    held = Workload(bits=workload.bits, reuse=workload.reuse)
    held.data, held.requests = workload.data, workload.requests
    for item in workload.items:
        if isinstance(item, Op):
            begin = ceil(factor * starts.get(item.index, 0))
            item = item._replace(not_before=max(item.not_before, begin))
            held.ops.append(item)
        held.items.append(item)
    return held
