"""Goals: which of two Schedules of a Workload is better."""

from __future__ import annotations

from collections.abc import Iterable

from .schedule import Schedule

OBJECTIVES = ("energy", "time")

Key = tuple[int, ...]


def key(schedule: Schedule, objective: str) -> Key:
    """Return what to compare: unserved requests, then the objective, the other figure, Moves."""
    figures = (schedule.energy.total, schedule.cycles)
    if objective == "time":
        figures = figures[::-1]
    return (len(schedule.unserved), *figures, len(schedule.moves))


def best(schedules: Iterable[Schedule], objective: str) -> Schedule:
    """Return the best, the first of equals."""
    first, *others = schedules
    if not others:
        return first  # whose figures nobody asked for
    return min((first, *others), key=lambda schedule: key(schedule, objective))
