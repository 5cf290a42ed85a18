"""Which Actor each Op gets when the one that would be done first is taken: for unlike Actors.

The default placing looks for the first cycle in which an Op can start. Where one Actor is much
slower than another that is wrong: it starts at once, and is done last.
"""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Op, Workload

from .distances import Distances
from .feasibility import Candidates, candidates
from .occupancy import Occupancy


def earliest_finish(hardware: Hardware, workload: Workload) -> Candidates:
    """Return for each Op the one Actor on which it would be done first, as far as can be told.

    Ops are taken in program order. Units and their cooldowns are kept; data take the quickest way
    from any copy, as if nothing else were on the Wires and every memory were large. Of Actors that
    would be done together, the one that costs less is taken, then the first.
    """
    model = _Model(hardware, workload)
    able = [(model.place(op),) for op in workload.ops]
    return Candidates(able, np.arange(len(able)))


class _Model:
    """When each Actor is free, and since when a datum could be where."""

    def __init__(self, hardware: Hardware, workload: Workload):
        self._able = candidates(hardware, workload)
        self._distances = Distances(hardware)
        self._units = [Occupancy() for _ in hardware.actors]
        self._copies: list[dict[int, int]] = [{} for _ in workload.data]
        for datum in workload.data:
            if datum.loaded_at is not None:
                self._copies[datum.index][hardware.point(datum.loaded_at).index] = 0

    def place(self, op: Op) -> tuple[Actor, Timing]:
        """Return the Actor for an Op, and let it be there."""
        ways = [(self._start(op, *choice), choice) for choice in self._able[op.index]]
        start, (actor, timing) = min(
            ways, key=lambda w: (w[0] + w[1][1].latency, w[1][1].energy or 0, w[1][0].index)
        )
        self._units[actor.index].add(start, start + timing.cooldown - 1, timing.units)
        for datum in dict.fromkeys(op.operands):
            self._copies[datum.index][actor.at] = self._there(datum.index, datum.size, actor.at)
        self._copies[op.result.index] = {actor.result_at: start + timing.latency}
        return actor, timing

    def _start(self, op: Op, actor: Actor, timing: Timing) -> int:
        arrivals = (self._there(d.index, d.size, actor.at) for d in op.operands)
        cycle = max(op.not_before, *arrivals)
        used = self._units[actor.index]
        while used.peak(cycle, cycle + timing.cooldown - 1) + timing.units > actor.units:
            cycle += 1
        return cycle

    def _there(self, datum: int, bits: int, point: int) -> int:
        ways = self._copies[datum].items()
        return min(since + int(self._distances.of(bits, start)[point]) for start, since in ways)
