"""What a Workload wants where: before which cycle it cannot be, and what must follow.

*Head*: before which cycle something cannot begin. *Tail*: how many cycles before the end of the
Schedule it must be over. Heads follow the data from where they are loaded, tails follow them back
from the last results and requests, both by the fastest way and the fastest Actor, with nobody else
on the machine: a path through time can only be slower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Datum, Op, Workload

from .distances import Distances
from .feasibility import Candidates, candidates


@dataclass(frozen=True)
class Demand:
    """That a datum be in one of some Points; ``tails[i]`` is what must follow at ``points[i]``.

    ``own`` is None for what may share a copy, else the Op that is not to reuse. (A request that is
    not to reuse counts as a sharer: a copy made for another may be what is there first.)
    """

    datum: Datum
    points: tuple[int, ...]
    tails: tuple[int, ...]
    own: int | None


class Demands:
    """Everything that a Workload wants moved, with heads and tails.

    Parameters
    ----------
    given_up : set of int
        Requests that need not be met.

    Attributes
    ----------
    starts, ends : list
        For each datum, the Points in which it may come to be without a Move, and before which
        cycle it cannot, one for each Actor that may make it.
    tails : list of int
        For each datum, what must follow once it is loaded or made.
    because : list
        For each Op, the operand that it waits for, if any.
    demands : list of Demand
    """

    def __init__(self, hardware: Hardware, workload: Workload, given_up: set[int]):
        self.hardware = hardware
        self.workload = workload
        self.able: Candidates = candidates(hardware, workload)
        self.distances = Distances(hardware)
        self.requests = [r for r in workload.requests if r.index not in given_up]
        self.starts: list[tuple[int, ...]] = []
        self.ends: list[np.ndarray] = []
        self._earliest: list[np.ndarray] = []
        self.because: list[Datum | None] = []
        for datum in workload.data:
            self._arrive(datum)
        self.tails = [0] * len(workload.data)
        self._after: dict[tuple[tuple[int, ...], ...], int] = {}
        self.demands = [
            self._wants(r.datum, (hardware.point(r.node).index,), (0,), None) for r in self.requests
        ]
        for op in reversed(workload.ops):
            self._demand(op)

    def there(self, datum: Datum, point: int) -> int:
        """Return before which cycle the datum cannot be at a Point."""
        return int(self._earliest[datum.index][point])

    def _arrive(self, datum: Datum) -> None:
        if datum.made_by is None:
            assert datum.loaded_at is not None
            start = self.hardware.point(datum.loaded_at).index
            self.starts.append((start,))
            self.ends.append(np.zeros(1, np.int64))
            self._earliest.append(self.distances.of(datum.size, start))
        else:
            able = self.able[datum.made_by]
            self.starts.append(tuple(actor.result_at for actor, _ in able))
            self.ends.append(self._finish(self.workload.ops[datum.made_by]))
            ways = self.distances.between(datum.size, self.starts[-1])
            self._earliest.append((self.ends[-1][:, None] + ways).min(axis=0))

    def _finish(self, op: Op) -> np.ndarray:
        """Return, for each able Actor, before which cycle the result cannot be there."""
        able = self.able[op.index]
        at = [actor.at for actor, _ in able]
        latency = np.array([timing.latency for _, timing in able], np.int64)
        ready = np.full(len(able), op.not_before, np.int64)
        because = np.full(len(able), -1)
        for operand in dict.fromkeys(op.operands):
            there = self._earliest[operand.index][at]
            because[there > ready] = operand.index
            ready = np.maximum(ready, there)
        last = int(because[np.argmin(ready + latency)])
        self.because.append(self.workload.data[last] if last >= 0 else None)
        return ready + latency

    def _demand(self, op: Op) -> None:
        tails: dict[int, int] = {}
        for actor, timing in self.able[op.index]:
            tail = timing.latency + self.tails[op.result.index]
            tails[actor.at] = min(tail, tails.get(actor.at, tail))
        own = None if op.reuse else op.index
        for datum in dict.fromkeys(op.operands):
            self.demands.append(self._wants(datum, tuple(tails), tuple(tails.values()), own))

    def _wants(
        self, datum: Datum, points: tuple[int, ...], tails: tuple[int, ...], own: int | None
    ) -> Demand:
        after = self.after(datum.size, self.starts[datum.index], points, tails)
        self.tails[datum.index] = max(self.tails[datum.index], after)
        return Demand(datum, points, tails, own)

    def after(
        self, bits: int, starts: tuple[int, ...], points: tuple[int, ...], tails: tuple[int, ...]
    ) -> int:
        """Return what must follow, once a datum of ``bits`` is at one of ``starts``."""
        least = min(tails)
        key = ((bits,), starts, points, tuple(tail - least for tail in tails))
        if key not in self._after:
            ways = self.distances.between(bits, starts)[:, list(points)]
            self._after[key] = int((ways + np.array(key[-1])).min())
        return self._after[key] + least
