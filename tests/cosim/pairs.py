"""One fabric and one workload, through schedule, legality and RTL; what came of it."""

from __future__ import annotations

from dataclasses import dataclass

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl.compare import Verdict, compare
from hwdsl.errors import LimitReached, NoSchedule
from hwdsl.hardware import Hardware
from hwdsl.values import random_values
from hwdsl.workload import Workload


@dataclass(frozen=True)
class Outcome:
    """A verdict, or the reason why there is no schedule to judge."""

    verdict: Verdict | None
    refusal: str = ""


def run_pair(
    hardware: Hardware,
    workload: Workload,
    seed: int = 0,
    placing: str = "in-order",
    **engine: str,
) -> Outcome:
    """Schedule, check and run; an illegal schedule raises."""
    try:
        schedule = dtt.schedule(hardware, workload, placing=placing)
    except (NoSchedule, LimitReached) as error:
        return Outcome(None, f"{type(error).__name__}: {error}")
    dtt.check(hardware, workload, schedule)
    values = random_values(workload, seed)
    seen = rtl.simulate(hardware, schedule.program(), values, **engine)
    expected = expected_trace(schedule, values)
    return Outcome(compare(hardware, expected.trace, seen, expected))
