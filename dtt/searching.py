"""Searching: more passes, other orders and rip-up, for as much effort as the user grants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from hwdsl.errors import HwdslError, LimitReached, TimingFault
from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .flooding import can_flood, flood
from .goals import best, key
from .improving import improve
from .ordering import Ranks, disturbed, failed_first, in_order, urgent_first
from .placing import Placer
from .schedule import Schedule
from .starting import translate

SEED = 20_260_102


@dataclass(frozen=True)
class Effort:
    """What a level of effort buys.

    Attributes
    ----------
    orders : int
        Passes in other orders than that of the Workload.
    rounds, tries : int
        See `dtt.improving.improve`.
    """

    orders: int
    rounds: int
    tries: int


EFFORTS = (Effort(0, 0, 0), Effort(2, 1, 0), Effort(12, 2, 8), Effort(60, 4, 40))
"""By level: 0 is one pass, and the others cost about 10, 100 and 1,000 passes."""

Pass = Callable[[Workload], Schedule]
"""Places and routes a Workload once."""


class Search:
    """The search for the best Schedule of a Workload on a Hardware.

    Parameters
    ----------
    once : callable
        One pass over a Workload that has the same items, perhaps in another order.
    new_placer : callable
        Returns a `Placer` of the Workload.
    """

    def __init__(
        self,
        hardware: Hardware,
        workload: Workload,
        once: Pass,
        new_placer: Callable[[], Placer],
        *,
        objective: str,
        effort: int,
        engine: str,
    ):
        self.hardware = hardware
        self.workload = workload
        self.objective = objective
        self._once = once
        self._new_placer = new_placer
        self._effort = EFFORTS[effort]
        self._engine = engine

    def run(self, start: Schedule | None = None) -> Schedule:
        """Return the best Schedule found, none worse than ``start``."""
        if start is None:
            return self._improved(best(self._passes(), self.objective))
        known = translate(start, self.hardware, self.workload)
        try:
            fresh = self.run()
        except (LimitReached, TimingFault):
            if known.unserved:
                raise
            return self._improved(known)
        return best((self._improved(known), fresh), self.objective)

    def _improved(self, schedule: Schedule) -> Schedule:
        if not self._effort.rounds:
            return schedule
        better = improve(schedule, self._effort.rounds, self._effort.tries, self._engine)
        return best((schedule, better), self.objective)

    def _passes(self) -> Iterator[Schedule]:
        """Yield Schedules; the last fault is raised if no pass had one to give."""
        fault: HwdslError | None = None
        found = False
        for one in (self._in_program_order, self._flooded, self._reordered):
            try:
                for schedule in one():
                    found = True
                    yield schedule
            except (LimitReached, TimingFault) as error:
                fault = fault or error
        if fault is not None and not found:
            raise fault

    def _in_program_order(self) -> Iterator[Schedule]:
        yield self._once(self.workload)

    def _flooded(self) -> Iterator[Schedule]:
        if self.objective == "time" and can_flood(self.hardware, self.workload):
            placer = self._new_placer()
            yield placer.finish(flood(placer.state, self.workload.requests))

    def _reordered(self) -> Iterator[Schedule]:
        """Yield passes in other orders: each a disturbance of the best so far."""
        if not self._effort.orders or len(self.workload.items) < 2:
            return
        random = Random(SEED)
        ranks: Ranks = urgent_first(self.hardware, self.workload)
        trial: Ranks = ranks
        least = None
        for _ in range(self._effort.orders):
            try:
                schedule = self._once(in_order(self.workload, trial))
            except (LimitReached, TimingFault):
                trial = disturbed(ranks, random)
                continue
            schedule = replace(schedule, workload=self.workload)
            yield schedule
            cost = key(schedule, self.objective)
            if least is None or cost <= least:
                least, ranks = cost, trial
            failed = [u.request for u in schedule.unserved]
            trial = failed_first(self.workload, trial, failed) if failed else ranks
            if not failed or random.randrange(2):
                trial = disturbed(trial, random)
