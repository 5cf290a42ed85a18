"""The legality checker: every rule of the timing contract, on a finished Schedule.

It sees Hardware, Workload, Moves, Firings and the list of unserved requests, and shares no code
with placing, routing or lowering.
"""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .legality.actors import check_firings, check_units
from .legality.indices import check_indices
from .legality.nodes import (
    arrivals,
    check_capacity,
    check_in_place,
    check_presence,
    check_transit,
    uses,
)
from .legality.report import Report
from .legality.requests import check_after, check_source
from .legality.reuse import check_reuse
from .legality.sums import check_sums
from .legality.tables import tabulate
from .legality.wires import check_junctions, check_wires
from .schedule import Schedule


def check(hardware: Hardware, workload: Workload, schedule: Schedule) -> None:
    """Check that a Schedule keeps every rule of the timing contract.

    Parameters
    ----------
    hardware, workload
        What the Schedule is for; its own ``hardware`` and ``workload`` are not looked at.
    schedule
        Only ``moves``, ``firings`` and ``unserved`` are read.

    Raises
    ------
    IllegalSchedule
        With the first violations in words: rule, part, datum and cycle of each.

    Notes
    -----
    Rules that others stand on come first: while an index points nowhere, or an Op is on an Actor
    that cannot run it, nothing else is looked at.
    """
    report = Report()
    check_indices(hardware, workload, schedule, report)
    report.close()
    check_firings(hardware, workload, schedule, report)
    report.close()
    t = tabulate(hardware, workload, schedule)
    unserved = np.zeros(len(workload.requests), bool)
    unserved[[u.request for u in schedule.unserved]] = True
    copies = arrivals(t)
    wanted = uses(t, copies, unserved)
    check_wires(t, report)
    check_junctions(t, report)
    check_presence(t, wanted, report)
    check_transit(t, wanted, report)
    check_sums(t, report)
    check_units(t, report)
    check_in_place(t, copies, wanted, report)
    check_capacity(t, copies, wanted, report)
    check_source(t, wanted, report)
    check_after(t, copies, wanted, report)
    check_reuse(t, copies, wanted, report)
    report.close()
