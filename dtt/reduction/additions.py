"""Additions and links of a Schedule: what the Adders do, from Moves and Firings."""

from __future__ import annotations

import numpy as np

from hwdsl.additions import Additions, of_operands

from ..partial_sums import in_adders
from ..presence import find, wire_field
from ..schedule import Schedule


def additions(schedule: Schedule) -> Additions:
    """Count the additions in Adders, by number of inputs."""
    hardware, moves, firings = schedule.hardware, schedule.moves, schedule.firings
    adder = in_adders(hardware)
    target = wire_field(hardware, moves, "target")
    arrival = moves["cycle"] + wire_field(hardware, moves, "latency")
    result = np.array([op.result.index for op in schedule.workload.ops], np.int64)[firings["op"]]
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)[firings["actor"]]
    done = firings["cycle"] + schedule.times.latency
    came, made = adder[target], adder[result_at]
    datum = np.concatenate((moves["datum"][came], result[made]))
    point = np.concatenate((target[came], result_at[made]))
    cycle = np.concatenate((arrival[came], done[made]))
    keys = np.stack((datum, point, cycle), axis=1).astype(np.int64)
    sums, count = np.unique(keys, axis=0, return_counts=True)
    if not len(sums):
        return Additions(0, 0)
    held = find(schedule.presences, sums[:, 0], sums[:, 1], sums[:, 2])
    kept = schedule.presences["begin"][held] < sums[:, 2]
    return of_operands(count + kept)
