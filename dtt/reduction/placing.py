"""Which multipliers take a dot product, and in which cycle it ends: the first that can be."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hwdsl.errors import InputError, LimitReached, NoSchedule
from hwdsl.hardware import Hardware
from hwdsl.workload import Op, Workload

from .calendar import Calendar, spread_down
from .distribution import WINDOW, Distribution, Resources, distribute
from .network import Exit, Network, spread_ops

Leaves = tuple[int, ...]
"""The multiplier of each pair, as positions among ``Network.multipliers``."""

Refusal = tuple[int, int]
"""A pair, and a cycle in which it cannot start."""

NOT_THEN: Refusal = (-1, 0)
"""The end itself does not do."""

SLACK = 8
"""Cycles for which a product waits at most, beyond what its way takes."""

MOST_PLACES = 32
LOOKS = 4000
"""Places that are looked at for one dot product, and in all; at least `LEAST_PLACES` for each."""
LEAST_PLACES = 4

STEADY = 3
"""Ends that are tried one after the other at one place, before steps are taken that double."""
MOST_GROWTHS = 6
NEVER = 1 << 40
MARGIN = 64
"""Cycles that are kept between what is promised and the horizon."""


class Spreader:
    """Places dot products on a network, one after the other.

    Parameters
    ----------
    hardware, workload
    """

    def __init__(self, hardware: Hardware, workload: Workload):
        self.ops = spread_ops(hardware, workload)
        bits = max((workload.ops[i].result.size for i in self.ops), default=hardware.word)
        self.network = Network(hardware, bits)
        self.resources = Resources.of(self.network)
        self._front = np.zeros(len(self.network.multipliers), np.int64)
        self._starts: dict[int, tuple[int, int]] = {}
        self._frees: dict[int, tuple[int, int]] = {}
        self._depths: dict[int, np.ndarray] = {}
        most = min(MOST_PLACES, LOOKS // max(len(self.ops), 1))
        self._most = max(LEAST_PLACES, most)
        self._refuse(hardware, workload)

    def _refuse(self, hardware: Hardware, workload: Workload) -> None:
        narrowest = min((a.bits for a in self.network.multipliers), default=0)
        for index in sorted(self.ops):
            op = workload.ops[index]
            widest = max(d.bits for d in (*op.operands, op.result))
            if widest > narrowest:
                raise NoSchedule(f"Op {op.name!r}: no multiplier computes on {widest} bits")

    def places(self, op: Op) -> Iterator[Leaves]:
        """Yield the adjacent multipliers that a dot product may take, the most promising first."""
        count, length = len(self.network.multipliers), op.work
        if op.on is not None:
            first = self._named(op, op.on)
            yield tuple((first + i) % count for i in range(length))
        elif length >= count:
            yield tuple(i % count for i in range(length))
        else:
            bound = _most(self._front, length) + self._depth(length)
            for first in np.argsort(bound, kind="stable")[: self._most].tolist():
                yield tuple(range(first, first + length))

    def _depth(self, length: int) -> np.ndarray:
        """Return, for each place, the least cycles that a dot product of some length takes."""
        if length not in self._depths:
            places = range(len(self.network.multipliers) - length + 1)
            exits = (self.network.exits_of(tuple(range(p, p + length))) for p in places)
            depths = [max(ways[0].depths) if ways else NEVER for ways in exits]
            self._depths[length] = np.array(depths, np.int64)
        return self._depths[length]

    def _named(self, op: Op, name: str) -> int:
        for i, actor in enumerate(self.network.multipliers):
            if actor.name == name:
                return i
        raise InputError(f"Op {op.name!r}: on must be a multiplier, not {name!r}")

    def place(
        self,
        op: Op,
        ready: Callable[[Leaves], Sequence[int] | None],
        accept: Callable[[Leaves, Distribution, Exit], Refusal | None],
    ) -> Distribution:
        """Find where and when a dot product ends first, and promise it.

        Parameters
        ----------
        ready : callable
            Returns the first cycle in which each pair can start on given multipliers; ``None`` if
            some never can.
        accept : callable
            Called with what was found; returns a pair that cannot start when it should.

        Raises
        ------
        NoSchedule, LimitReached
        """
        choices = self._choices(op, ready)
        for _ in range(MOST_GROWTHS):
            found = self._soonest(choices, accept)
            if found is not None:
                self._commit(found)
                return found
            self._grow()
        raise LimitReached(f"Op {op.name!r}: no cycle was found in which it can be reduced")

    def _soonest(
        self,
        choices: Sequence[tuple[Leaves, Exit, Sequence[int]]],
        accept: Callable[[Leaves, Distribution, Exit], Refusal | None],
    ) -> Distribution | None:
        """Go through the ends of all choices, the first coming first, until one works."""
        heap = []
        started: dict[tuple[Leaves, tuple[int, ...]], int] = {}
        for order, (leaves, way_out, when) in enumerate(choices):
            key = leaves, way_out.beyond
            if key not in started:
                started[key] = self._started(*key, when)
            ends = self._ends(way_out, started[key])
            if ends:
                heap.append((self._first(ends), way_out.cost, order, 0, ends))
        heapq.heapify(heap)
        while heap:
            end, cost, order, failed, ends = heapq.heappop(heap)
            found = self._try(*choices[order], end, accept)
            if found is not None:
                return found
            step = 1 << max(failed - STEADY, 0)
            ends &= (1 << max(self.resources.horizon - end - step + 1, 0)) - 1
            if ends:
                heapq.heappush(heap, (self._first(ends), cost, order, failed + 1, ends))
        return None

    def _choices(
        self, op: Op, ready: Callable[[Leaves], Sequence[int] | None]
    ) -> list[tuple[Leaves, Exit, Sequence[int]]]:
        choices = []
        for leaves in self.places(op):
            exits = self.network.exits_of(leaves)
            when = ready(leaves) if exits else None
            if when is not None:
                choices += [(leaves, way_out, when) for way_out in exits]
        if not choices:
            raise NoSchedule(
                f"Op {op.name!r}: there are no {op.work} adjacent multipliers to which its "
                "operands can come, and whose sum can leave the Adders"
            )
        return choices

    def _ends(self, way_out: Exit, started: int) -> int:
        """Return the cycles in which a dot product can end, as far as is seen without a search.

        Each multiplier, and each Wire that cannot be avoided, must be free early enough, but at
        most `SLACK` cycles before. ``started`` is what `_started` returns.
        """
        wires = self.resources.wires
        ends = started >> way_out.depth & -(1 << MARGIN)
        ends &= ~wires.full[way_out.wire.index] >> way_out.wire.latency
        for wire, rest in way_out.steps:
            if not ends:
                break
            found = self._frees.get(wire)  # here and below: no call for what is known, for speed
            ends &= (found[1] if found else self._reach(self._frees, wire, wires, 0)) >> rest
        return ends

    def _started(self, leaves: Leaves, beyond: tuple[int, ...], ready: Sequence[int]) -> int:
        """Return the cycles in which the last multipliers can start, and the others before."""
        known, starts = self._starts, self.resources.starts
        started = -1
        for leaf, early, first in zip(leaves, beyond, ready, strict=True):
            found = known.get(leaf)
            if found is not None and found[0] == first:
                started &= found[1] >> early
            else:
                started &= self._reach(known, leaf, starts, first) >> early
        return started

    def _reach(
        self, known: dict[int, tuple[int, int]], resource: int, calendar: Calendar, first: int
    ) -> int:
        """Return the cycles in or at most `SLACK` cycles after which a resource is free.

        Cycles before ``first`` do not count. What is returned is known from then on.
        """
        free = ~calendar.full[resource] & (1 << max(self.resources.horizon - first + 1, 0)) - 1
        known[resource] = first, spread_down(free, SLACK)
        return known[resource][1]

    def _first(self, ends: int) -> int:
        return self.resources.horizon - ends.bit_length() + 1

    def _try(
        self,
        leaves: Leaves,
        way_out: Exit,
        ready: Sequence[int],
        end: int,
        accept: Callable[[Leaves, Distribution, Exit], Refusal | None],
    ) -> Distribution | None:
        banned: dict[int, int] = {}
        for _ in range(WINDOW):
            found = distribute(self.resources, leaves, way_out, end, ready, banned)
            if found is None:
                return None
            refusal = accept(leaves, found, way_out)
            if refusal is None:
                return found
            if refusal == NOT_THEN:
                return None
            pair, cycle = refusal
            banned[pair] = banned.get(pair, 0) | 1 << cycle
        return None

    def _commit(self, found: Distribution) -> None:
        found.commit(self.resources)
        for leaf, back in found.starts:
            self._starts.pop(leaf, None)
            cooldown = self.network.multipliers[leaf].ops["dot"].cooldown
            self._front[leaf] = max(self._front[leaf], found.end - back + cooldown)
        for wire, _ in found.moves:
            self._frees.pop(wire, None)
        if found.end + 4 * MARGIN > self.resources.horizon:
            self._grow()

    def _grow(self) -> None:
        self.resources.grow(self.resources.horizon)
        self._starts.clear()
        self._frees.clear()


def _most(of: np.ndarray, length: int) -> np.ndarray:
    """Return the greatest of every ``length`` adjacent values."""
    done = 1
    while done < length:
        more = min(done, length - done)
        of = np.maximum(of[:-more], of[more:])
        done += more
    return of
