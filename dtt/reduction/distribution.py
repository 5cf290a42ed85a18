"""Dijkstra through time, backwards: the result of one dot product, distributed to its multipliers.

The vertices are (Adder, cycle), held as one set of cycles per Adder: bit r stands for the cycle r
before the one in which the result is complete in its Node. Against the flow, a copy waits from r
to r+1 and moves along a Wire; wherever the result already is, it is a source that costs nothing.
Played forwards, a fork is an addition, and a wait is a partial sum that waits for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heappop, heappush

from .calendar import Calendar, fill
from .network import Cost, Exit, Network

WINDOW = 128
"""Cycles before its end in which a dot product may happen."""


@dataclass
class Resources:
    """Everything that dot products share.

    Attributes
    ----------
    horizon : int
        See `dtt.reduction.calendar`.
    adders, wires : Calendar
        By index in the Hardware: rows of Adders, lanes of Wires.
    starts : Calendar
        By position among ``Network.multipliers``: units.
    """

    network: Network
    horizon: int
    adders: Calendar
    wires: Calendar
    starts: Calendar

    @staticmethod
    def of(network: Network) -> Resources:
        hardware, bits = network.hardware, network.bits
        rows = [p.rows // p.rows_of(bits) if p.kind == "Adder" else 0 for p in hardware.points]
        lanes = [
            w.lanes // w.lanes_of(bits, 0) if w.beats(bits) == 1 else 0 for w in hardware.wires
        ]
        units = [a.units for a in network.multipliers]
        return Resources(network, 1 << 10, Calendar(rows), Calendar(lanes), Calendar(units))

    def grow(self, cycles: int) -> None:
        """Move the horizon."""
        self.horizon += cycles
        for calendar in (self.adders, self.wires, self.starts):
            calendar.grow(cycles)


@dataclass
class Distribution:
    """How one dot product is reduced; bits and numbers count back from cycle ``end``.

    Attributes
    ----------
    held : dict
        For each Adder, the cycles in which a partial sum is there.
    moves : list of (wire, cycle back)
    starts : list of (multiplier, cycle back)
        In the order of the pairs.
    """

    end: int
    held: dict[int, int] = field(default_factory=dict)
    moves: list[tuple[int, int]] = field(default_factory=list)
    starts: list[tuple[int, int]] = field(default_factory=list)

    def commit(self, resources: Resources) -> None:
        """Promise all of it."""
        shift = resources.horizon - self.end
        for adder, cycles in self.held.items():
            resources.adders.take(adder, cycles << shift)
        for wire, back in self.moves:
            resources.wires.take(wire, 1 << (back + shift))
        for multiplier, back in self.starts:
            cooldown = resources.network.multipliers[multiplier].ops["dot"].cooldown
            first = back + shift - cooldown + 1
            resources.starts.take(multiplier, ((1 << cooldown) - 1) << max(first, 0))


@dataclass(slots=True)
class _Label:
    """A set of cycles in which an Adder is reached at one cost.

    ``cycles`` are ``seeds``, or lead to one of them by waiting; from a seed the Wire ``wire``
    leads to the label ``above``, ``latency`` cycles later. Without one, the result is there.
    """

    adder: int
    cycles: int
    seeds: int = 0
    wire: int = -1
    latency: int = 0
    above: _Label | None = None


def distribute(
    resources: Resources,
    leaves: Sequence[int],
    way_out: Exit,
    end: int,
    ready: Sequence[int],
    banned: dict[int, int] | None = None,
) -> Distribution | None:
    """Find how a dot product can be complete in its Node in cycle ``end``.

    Parameters
    ----------
    resources : Resources
        Is not changed.
    leaves : sequence of int
        The multiplier of each pair.
    way_out : Exit
        On which Wire it leaves the Adders.
    ready : sequence of int
        The first cycle in which each pair may start.
    banned : dict, optional
        For some pairs, cycles (bit t is cycle t) in which they must not start.

    Returns
    -------
    Distribution or None
        Every pair is joined by the least energy, then the fewest Moves; it starts as late as this
        allows, and its partial sums leave as early as they can.
    """
    search = _Search(resources, end)
    if not search.leave(way_out):
        return None
    search.found.starts = [(leaf, 0) for leaf in leaves]
    for pair in _from_outside(len(leaves)):
        barred = banned.get(pair, 0) if banned else 0
        if not search.join(pair, leaves[pair], ready[pair], barred):
            return None
    return search.found


@lru_cache
def _from_outside(pairs: int) -> tuple[int, ...]:
    """Return an order of pairs: the outermost decide most, so they come first."""
    return tuple(sorted(range(pairs), key=lambda i: (min(i, pairs - 1 - i), i)))


class _Search:
    """The search for one dot product that ends in a given cycle."""

    def __init__(self, resources: Resources, end: int):
        self.network = resources.network
        self.found = Distribution(end)
        self._resources = resources
        self._shift = resources.horizon - end
        self._window = (1 << min(WINDOW, end + 1)) - 1
        self._rooms: dict[int, int] = {}
        self._frees: dict[int, int] = {}
        self._arrived: dict[int, list[int]] = {}
        self._started: dict[int, int] = {}

    def leave(self, way_out: Exit) -> bool:
        """Let the complete sum leave its last Adder, if it can."""
        wire = way_out.wire
        moment = 1 << wire.latency
        if not moment & self._free(wire.index) & self._room(wire.source):
            return False
        self._hold(wire.source, moment)
        self.found.moves.append((wire.index, wire.latency))
        return True

    def join(self, pair: int, leaf: int, ready: int, barred: int) -> bool:
        """Bring the result to one more multiplier, by the way of least cost."""
        actor = self.network.multipliers[leaf]
        start = self._startable(leaf, ready, barred)
        goal, latency = actor.result_at, actor.ops["dot"].latency
        if goal in self.found.held:  # what follows would find the same, only later
            label = _Label(goal, self._joinable(goal))
            if self._start(label, pair, leaf, latency, start):
                return True
        near, down = self.network.near(goal), self.network.down(goal)
        bound = self.network.ways(goal)
        held, room_of, free_of = self.found.held, self._room, self._free
        heap: list[tuple[Cost, int, Cost, _Label]] = []
        settled: dict[int, int] = {}
        order = reached = 0
        while True:
            # Where the result is already, it costs nothing but the way from there to the goal.
            while reached < len(near) and (not heap or near[reached].cost <= heap[0][0]):
                way = near[reached]
                reached += 1
                if way.adder in held:
                    label = _Label(way.adder, self._joinable(way.adder))
                    order += 1
                    heappush(heap, (way.cost, order, (0, 0), label))
            if not heap:
                return False
            _, _, cost, label = heappop(heap)
            here = label.adder
            if here == goal and self._start(label, pair, leaf, latency, start):
                return True
            before = settled.get(here, 0)
            fresh = label.cycles & ~before
            if not fresh:
                continue
            settled[here] = before | fresh
            for step in down[here]:
                seeds = (fresh << step.latency) & free_of(step.wire)
                if not seeds:
                    continue
                room = room_of(step.below) & ~held.get(step.below, 0)
                seeds &= room
                if seeds:
                    cycles = fill(seeds, room) & self._window
                    below = _Label(step.below, cycles, seeds, step.wire, step.latency, label)
                    so_far = (cost[0] + step.cost[0], cost[1] + step.cost[1])
                    rest = bound[step.below].cost
                    order += 1
                    key = (so_far[0] + rest[0], so_far[1] + rest[1])
                    heappush(heap, (key, order, so_far, below))

    def _start(self, label: _Label, pair: int, leaf: int, latency: int, start: int) -> bool:
        """Start a multiplier, as late as possible, such that its product reaches a label."""
        starts = (label.cycles << latency) & start
        if not starts:
            return False
        back = (starts & -starts).bit_length() - 1
        self._take(label, back - latency)
        self._started[leaf] = self._started.get(leaf, 0) | 1 << back
        self.found.starts[pair] = leaf, back
        return True

    def _startable(self, leaf: int, ready: int, barred: int) -> int:
        """Return the cycles in which a multiplier may start."""
        cooldown = self.network.multipliers[leaf].ops["dot"].cooldown
        full, own = self._resources.starts.full[leaf], self._started.get(leaf, 0)
        busy, mine = full, own
        for later in range(1, cooldown):
            busy |= full << later
            mine |= own << later | own >> later
        late = (1 << max(self.found.end - ready + 1, 0)) - 1
        start = ~(busy >> self._shift | mine) & self._window & late
        while barred:
            cycle = barred.bit_length() - 1
            barred ^= 1 << cycle
            start &= ~(1 << max(self.found.end - cycle, 0))
        return start

    def _joinable(self, adder: int) -> int:
        """Return when a partial sum may arrive where the result is: then, or earlier, to wait."""
        held = self.found.held[adder]
        room = self._room(adder) & ~held
        arrived = self._arrived.get(adder)
        there = held & ~arrived[-1] if arrived else held
        return there | fill((held << 1) & room, room) & self._window

    def _take(self, label: _Label, back: int) -> None:
        """Follow a label with the flow, from the arrival of a product ``back`` cycles before."""
        while label.above is not None:
            leaving = (label.seeds & ((2 << back) - 1)).bit_length() - 1
            self._hold(label.adder, (2 << back) - (1 << leaving))
            self._arrive(label.adder, back)
            self.found.moves.append((label.wire, leaving))
            self._frees[label.wire] &= ~(1 << leaving)
            back = leaving - label.latency
            label = label.above
        held = self.found.held[label.adder]
        if not held >> back & 1:
            begin = (held & ((1 << back) - 1)).bit_length()
            self._hold(label.adder, (2 << back) - (1 << begin))
        self._arrive(label.adder, back)

    def _hold(self, adder: int, cycles: int) -> None:
        self.found.held[adder] = self.found.held.get(adder, 0) | cycles

    def _arrive(self, adder: int, back: int) -> None:
        """Count what arrives for this result in one cycle."""
        if adder not in self._arrived:
            self._arrived[adder] = [0] * self.network.hardware.points[adder].inputs
        layers, moment = self._arrived[adder], 1 << back
        for i, before in enumerate(layers):
            layers[i] = before | moment
            if not before & moment:
                break

    def _room(self, adder: int) -> int:
        if adder not in self._rooms:
            full = self._resources.adders.full[adder]
            self._rooms[adder] = ~(full >> self._shift) & self._window
        return self._rooms[adder]

    def _free(self, wire: int) -> int:
        if wire not in self._frees:
            full = self._resources.wires.full[wire]
            self._frees[wire] = ~(full >> self._shift) & self._window
        return self._frees[wire]
