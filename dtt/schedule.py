"""Schedule: all Moves and Firings, frozen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

MOVE = np.dtype([("datum", "<i4"), ("wire", "<i4"), ("cycle", "<i8")])
"""One datum over one Wire, departing in ``cycle``; indices into Workload.data, Hardware.wires."""

FIRING = np.dtype([("op", "<i4"), ("part", "<i4"), ("actor", "<i4"), ("cycle", "<i8")])
"""One Op started on one Actor. ``part`` is -1 for a whole Op, or the pair of a dot product that is
spread over the multipliers of a reduction network."""


@dataclass(frozen=True)
class Unserved:
    """A request that could not be met.

    Attributes
    ----------
    request : int
        Index into ``Workload.requests``.
    reason : str
        Which wires or memory stand in the way, and the first cycle that would work.
    earliest : int or None
        The first cycle in which the datum could be there; ``None`` if there is none.
    """

    request: int
    reason: str
    earliest: int | None


@dataclass(frozen=True, eq=False)
class Schedule:
    """What happens when; made by `dtt.schedule`.

    Attributes
    ----------
    moves : array of `MOVE`
        Sorted by cycle, wire and datum.
    firings : array of `FIRING`
        Sorted by cycle, actor, op and part.
    unserved : tuple of Unserved
    engine : str
        The routing engine that found it.
    """

    hardware: Hardware
    workload: Workload
    moves: np.ndarray
    firings: np.ndarray
    unserved: tuple[Unserved, ...]
    engine: str
