"""Trace: what was seen on every Wire and at every Actor, cycle by cycle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class Kind(IntEnum):
    """What an event is; also its rank within a cycle, causes before effects.

    ARRIVE and DEPART: words on a lane, at the two ends of a Wire; what arrives can depart in the
    same cycle. RESULT: what a unit writes. FIRE: a unit starts; the value is the position of the
    op code in the Actor's sorted ops. ERROR: a sticky error is seen for the first time; the value
    is an `ErrorKind`.
    """

    ARRIVE = 0
    RESULT = 1
    FIRE = 2
    DEPART = 3
    ERROR = 4


WIRE_KINDS = (Kind.ARRIVE, Kind.DEPART)
"""The kinds of events whose part is a Wire."""


class ErrorKind(IntEnum):
    """Why the hardware refused a command.

    LATE: the cycle of a command had passed. UNEXPECTED: words or a result arrived for which no
    command told where they land. MISSING: a command waited for words or a result that did not
    arrive. ADDRESS: a row beyond the memory. BUSY: a unit was started within its cooldown. STEER: a
    Junction was told to pass on a lane that was empty. LOST: words reached a Junction and nobody
    took them.

    Of a controller alone, about a datum: NO_WAY: no way leads to its way-point in time. NO_ROW: no
    row is free. NO_UNIT: no unit is free. ABSENT: it is not where it leaves from, or is updated.
    """

    LATE = 1
    UNEXPECTED = 2
    MISSING = 3
    ADDRESS = 4
    BUSY = 5
    STEER = 6
    LOST = 7
    NO_WAY = 8
    NO_ROW = 9
    NO_UNIT = 10
    ABSENT = 11


EVENT = np.dtype(
    [
        ("cycle", "<i8"),
        ("kind", "u1"),
        ("part", "<i4"),
        ("lane", "<i4"),
        ("chunk", "<i4"),
        ("value", "<u8"),
    ]
)
"""One event: ``part`` is the index of a Wire (DEPART, ARRIVE) or an Actor (FIRE, RESULT), ``lane``
its lane or unit. A value wider than 64 bits takes several events, ``chunk`` 0 first. An ERROR has
``part`` the index of the part among ``Hardware.parts`` and ``lane`` the lane or unit; a controller
counts as one more part behind them, and its ``lane`` is the index of a datum."""

FINAL = np.dtype([("point", "<i4"), ("row", "<i8"), ("chunk", "<i4"), ("value", "<u8")])
"""64 bits of one address, after the last cycle."""

CHUNK = 64
"""Bits of a value in one event."""


@dataclass(frozen=True, eq=False)
class Trace:
    """What one run showed.

    Attributes
    ----------
    cycles : int
        Cycles ``0 .. cycles-1`` were seen.
    events : array of `EVENT`
        Sorted by cycle, kind, part, lane and chunk.
    finals : array of `FINAL`
        The addresses that ``Program.finals`` names, in its order.
    engine, control : str
        Who ran it, and where the commands came from; ``"expected"`` for what a Schedule foretells.
    """

    cycles: int
    events: np.ndarray
    finals: np.ndarray
    engine: str
    control: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.tobytes() == other.tobytes()

    def until(self, cycles: int) -> Trace:
        """Return the first ``cycles`` cycles, without finals."""
        events = self.events[self.events["cycle"] < cycles]
        return Trace(cycles, events, self.finals[:0], self.engine, self.control)

    def tobytes(self) -> bytes:
        """Return what was seen, byte for byte; engine and control are not in it."""
        head = self.cycles.to_bytes(8, "little")
        return head + self.events.tobytes() + self.finals.tobytes()


def sort_events(events: np.ndarray) -> np.ndarray:
    """Return `EVENT`s in the order that a Trace has."""
    names = ("cycle", "kind", "part", "lane", "chunk")
    key, most = np.zeros(len(events), np.int64), 1
    for name in names:
        size = int(events[name].max(initial=0)) + 1
        most *= size
        key = key * size + events[name]
    # Sorting by one number is several times faster, where it can hold them all.
    by = np.argsort(key) if most < 1 << 63 else np.lexsort([events[n] for n in reversed(names)])
    return np.ascontiguousarray(events[by])
