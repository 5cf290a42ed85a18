"""Limits: the last cycle that a Schedule may use."""

from __future__ import annotations

from hwdsl.errors import LimitReached

from .schedule import Schedule

LATEST = (1 << 42) - 1
"""What is declared is below 2^40: sums with this stay far from where 64 bits end."""


def within_limits(schedule: Schedule) -> Schedule:
    """Return a Schedule that `dtt.check` can look at.

    Raises
    ------
    LimitReached
        If something starts later than in cycle `LATEST`.
    """
    for table, what in ((schedule.moves, "Move"), (schedule.firings, "Firing")):
        last = int(table["cycle"].max(initial=0))
        if last > LATEST:
            raise LimitReached(f"the last {what} would be in cycle {last}; the limit is {LATEST}")
    return schedule
