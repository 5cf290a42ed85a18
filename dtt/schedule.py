"""Schedule: all Moves and Firings, frozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.hardware import MICRO_PJ, Hardware, Point
from hwdsl.workload import Datum, Op, Workload

from . import statistics
from .presence import Times, derive, firing_times

if TYPE_CHECKING:
    from hwdsl.program import Program

    from .bounds import Bound

MOVE = np.dtype([("datum", "<i4"), ("wire", "<i4"), ("cycle", "<i8")])
"""One datum over one Wire, departing in ``cycle``; indices into Workload.data, Hardware.wires."""

FIRING = np.dtype([("op", "<i4"), ("part", "<i4"), ("actor", "<i4"), ("cycle", "<i8")])
"""One Op started on one Actor. ``part`` is -1 for a whole Op, or the pair of a dot product that is
spread over the multipliers of a reduction network."""


class Unserved:
    """A request that could not be met.

    Parameters
    ----------
    request : int
    reason : str or callable
        A callable returns reason and earliest, and is called when one of them is read first.
    earliest : int, optional

    Attributes
    ----------
    request : int
        Index into ``Workload.requests``.
    reason : str
        Which wires or memory stand in the way, and the first cycle that would work, once all
        that the Schedule does is promised.
    earliest : int or None
        The first cycle in which the datum could be there; ``None`` if there is none.
    """

    def __init__(
        self,
        request: int,
        reason: str | Callable[[], tuple[str, int | None]],
        earliest: int | None = None,
    ):
        self.request = request
        self._why = reason if callable(reason) else lambda: (reason, earliest)

    @cached_property
    def _told(self) -> tuple[str, int | None]:
        return self._why()

    @property
    def reason(self) -> str:
        return self._told[0]

    @property
    def earliest(self) -> int | None:
        return self._told[1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unserved) and (self.request, self._told) == (
            other.request,
            other._told,
        )

    def __hash__(self) -> int:
        return hash(self.request)

    def __repr__(self) -> str:
        return f"Unserved({self.request}, {self.reason!r}, {self.earliest})"


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

    @cached_property
    def times(self) -> Times:
        """How each Firing runs."""
        return firing_times(self.hardware, self.workload, self.firings)

    @cached_property
    def presences(self) -> np.ndarray:
        """Every presence of every datum, as `dtt.presence.PRESENCE`."""
        return derive(self.hardware, self.workload, self.moves, self.firings, self.unserved)

    @cached_property
    def cycles(self) -> int:
        """The first cycle in which every result, store and need is in place."""
        return statistics.cycles(self)

    @cached_property
    def energy(self) -> statistics.Energy:
        """The energy of Moves, stays, Firings and additions, in 1e-6 pJ."""
        return statistics.energy(self)

    @property
    def energy_pj(self) -> float:
        """All energy that is declared, in pJ."""
        return self.energy.total / MICRO_PJ

    @cached_property
    def energy_undeclared(self) -> tuple[str, ...]:
        """The parts in use whose energy nobody declared: `energy_pj` is without them."""
        return statistics.energy_undeclared(self)

    def reads(self, node: Point | str) -> int:
        """Return how many Moves leave a Node."""
        return statistics.reads(self, self.hardware.point(node))

    @cached_property
    def in_place(self) -> tuple[tuple[Op, Datum], ...]:
        """The operands that were found already in place; see `dtt.statistics.in_place`."""
        return statistics.in_place(self)

    def statistics(self) -> statistics.Statistics:
        """Return how far each Wire, Actor and Node is used."""
        return statistics.statistics(self)

    def bounds(self) -> tuple[Bound, ...]:
        """Return lower bounds on `cycles`, the largest first; see `dtt.bounds`."""
        from .bounds import bounds

        return bounds(self.hardware, self.workload, self.unserved)

    def paths(self, datum: Datum) -> tuple[str, ...]:
        """Return the ways of a datum, such as ``DRAM@0 -> SRAM_1@8 -> PE_0@10``."""
        from .paths import paths

        return paths(self, datum)

    def program(self) -> Program:
        """Return what the hardware is given to run this; see `dtt.lowering.lower`."""
        from .lowering import lower

        return lower(self)

    def to_json(self) -> str:
        """Return the Schedule as JSON; equal Schedules give equal text."""
        from .schedule_json import write

        return write(self)

    @staticmethod
    def from_json(text: str, hardware: Hardware, workload: Workload) -> Schedule:
        """Read what `to_json` wrote, for any Hardware that has the parts that it names.

        Raises
        ------
        InputError
            If the text is not a Schedule, or names what is not there.
        """
        from .schedule_json import read

        return read(text, hardware, workload)
