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
    """Return the best, the first of equals; none is kept longer than it is the best."""
    found: Schedule | None = None
    least: Key = ()
    for schedule in schedules:
        if found is None:
            found = schedule  # if it stays the only one, nobody asks for its figures
            continue
        least = least or key(found, objective)
        cost = key(schedule, objective)
        if cost < least:
            found, least = schedule, cost
    if found is None:
        raise ValueError("there is no Schedule to choose from")
    return found
