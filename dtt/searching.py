"""Searching: more passes, other orders and rip-up, for as much effort as the user grants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from hwdsl.errors import HwdslError, LimitReached, TimingFault
from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .bounds import bounds
from .flooding import can_flood, flood
from .goals import best, key
from .improving import improve
from .ordering import Trial, failed_first, urgent_first
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


EFFORTS = (Effort(0, 0, 0), Effort(3, 1, 0), Effort(30, 2, 8), Effort(300, 4, 40))
"""By level: 0 is one pass, and the others cost about 10, 100 and 1,000 passes."""

Pass = Callable[[Trial], Schedule]
"""Places and routes the Workload once."""


class Search:
    """The search for the best Schedule of a Workload on a Hardware.

    Parameters
    ----------
    once : callable
        One pass, with the items in the order of the trial.
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
        yield self._once(Trial(range(len(self.workload.items))))

    def _flooded(self) -> Iterator[Schedule]:
        if self.objective == "time" and can_flood(self.hardware, self.workload):
            placer = self._new_placer()
            yield placer.finish(flood(placer.state, self.workload.requests))

    def _reordered(self) -> Iterator[Schedule]:
        """Yield other passes: a few set ones, and then disturbances of the best so far."""
        work, random = self.workload, Random(SEED)
        if not self._effort.orders or len(work.items) < 2:
            return
        straight = Trial(range(len(work.items)))
        waiting = [straight, Trial(urgent_first(self.hardware, work))]
        if work.ops:
            waiting.insert(1, Trial(straight.ranks, spread=True))
        least, good = None, straight
        bound = bounds(self.hardware, work)[0].cycles if self.objective == "time" else -1
        for _ in range(self._effort.orders):
            if not waiting:
                waiting.append(good.disturbed(random, len(work.ops), len(self.hardware.actors)))
            trial = waiting.pop(0)
            try:
                schedule = self._once(trial)
            except (LimitReached, TimingFault):
                continue
            yield schedule
            cost = key(schedule, self.objective)[:2]
            if cost <= (0, bound):
                return
            if least is None or cost <= least:
                least, good = cost, trial
                failed = [u.request for u in schedule.unserved]
                if failed:
                    waiting.append(Trial(failed_first(work, trial.ranks, failed)))
