"""Whether a whole Wire or Actor is late by the same number of cycles."""

from __future__ import annotations

import numpy as np

from .hardware import Hardware
from .trace import Kind, Trace


def delay_note(hardware: Hardware, expected: Trace, seen: Trace, kind: Kind, part: int) -> str:
    """Tell that all that arrives on a Wire, or all results of an Actor, are late or early.

    Parameters
    ----------
    kind : Kind
        ARRIVE for a Wire, RESULT for an Actor; there is nothing to tell of the others.
    part : int
        Index of the Wire or Actor.

    Returns
    -------
    str
        ``"every word on Wire 'bus1' arrives 1 cycle late"``; ``""`` where it is not evident.
    """
    if kind == Kind.ARRIVE:
        late = _wire_delay(hardware.wires[part].latency, seen, part)
        what = f"every word on Wire {hardware.wires[part].name!r} arrives"
    elif kind == Kind.RESULT:
        late = _actor_delay(expected, seen, part)
        what = f"every result of Actor {hardware.actors[part].name!r} comes"
    else:
        return ""
    cycles = f"{abs(late)} cycle{'s'[: abs(late) > 1]}"
    return f"{what} {cycles} {'late' if late > 0 else 'early'}" if late else ""


def _wire_delay(latency: int, seen: Trace, wire: int) -> int:
    """Return by how much all that is seen to depart arrives later than the latency."""
    departs = _of(seen, Kind.DEPART, wire)
    departs["cycle"] += latency
    return _shift(departs, _of(seen, Kind.ARRIVE, wire), seen.cycles, ("lane", "chunk", "value"))


def _actor_delay(expected: Trace, seen: Trace, actor: int) -> int:
    """Return by how much all results of an Actor come later, if it fires as expected."""
    if not np.array_equal(_of(expected, Kind.FIRE, actor), _of(seen, Kind.FIRE, actor)):
        return 0
    before, after = _of(expected, Kind.RESULT, actor), _of(seen, Kind.RESULT, actor)
    return _shift(before, after, seen.cycles, ("lane", "chunk"))


def _of(trace: Trace, kind: Kind, part: int) -> np.ndarray:
    events = trace.events
    found: np.ndarray = events[(events["kind"] == kind) & (events["part"] == part)]
    return found


def _shift(before: np.ndarray, after: np.ndarray, cycles: int, fields: tuple[str, ...]) -> int:
    """Return by how many cycles ``after`` is ``before`` shifted as a whole; 0 if it is not so."""
    if not before.size or not after.size:
        return 0
    late = int(after["cycle"][0]) - int(before["cycle"][0])
    in_time = before[before["cycle"] + late < cycles]
    if in_time.size != after.size or np.any(in_time["cycle"] + late != after["cycle"]):
        return 0
    same = all(np.array_equal(in_time[name], after[name]) for name in fields)
    return late if same else 0
