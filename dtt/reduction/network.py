"""What the search for reductions knows of a Hardware: multipliers, Adders, and the ways between."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hwdsl.hardware import Actor, Hardware, Wire
from hwdsl.workload import Op, Workload

MOST_EXITS = 2
"""Adders from which a result may leave, the soonest first, that are looked at for one place."""

Cost = tuple[int, int]
"""Energy in 1e-6 pJ, and number of Moves."""


@dataclass(frozen=True)
class Way:
    """From an Adder up to another one: the least cost, and the least latency in cycles."""

    adder: int
    cost: Cost
    latency: int


@dataclass(frozen=True)
class Step:
    """One Wire between Adders, as a step against the flow."""

    wire: int
    below: int
    latency: int
    cost: Cost


@dataclass(frozen=True)
class Exit:
    """A Wire on which a complete result leaves the Adders, for a given set of multipliers.

    Attributes
    ----------
    depths : tuple of int
        The least cycles from the start of each multiplier to the arrival in the Node.
    depth : int
        The least of them.
    beyond : tuple of int
        What each is above the least.
    steps : tuple of (int, int)
        Wires that cannot be avoided, and the least cycles from there to the arrival.
    """

    wire: Wire
    depths: tuple[int, ...]
    cost: Cost
    steps: tuple[tuple[int, int], ...]

    @cached_property
    def depth(self) -> int:
        return min(self.depths)

    @cached_property
    def beyond(self) -> tuple[int, ...]:
        return tuple(d - self.depth for d in self.depths)


class Network:
    """The Adders of a Hardware, for results of at most ``bits`` bits.

    Attributes
    ----------
    multipliers : tuple of Actor
        The Actors whose results appear in an Adder, in index order.
    """

    def __init__(self, hardware: Hardware, bits: int):
        self.hardware = hardware
        self.bits = bits
        self.multipliers = multipliers(hardware)
        self._only: dict[tuple[int, int], Wire | None] = {}
        self._exits: dict[tuple[int, ...], tuple[Exit, ...]] = {}
        self._near: dict[int, tuple[Way, ...]] = {}
        self._ways: dict[int, dict[int, Way]] = {}
        self._down: dict[int, dict[int, tuple[Step, ...]]] = {}

    @cached_property
    def exits(self) -> dict[int, tuple[Wire, ...]]:
        """For each Adder, the Wires that lead from it to a Node."""
        points = self.hardware.points
        return {
            p.index: tuple(
                w for w in self.hardware.outgoing[p.index] if points[w.target].kind == "Node"
            )
            for p in points
            if p.kind == "Adder"
        }

    def near(self, adder: int) -> tuple[Way, ...]:
        """Return every Adder that an Adder's sums can come to, the cheapest way first."""
        if adder not in self._near:
            soonest = self._settle(adder, lambda wire: (wire.latency, 0))
            cheapest = self._settle(adder, self.cost)
            self._near[adder] = tuple(Way(a, c, soonest[a][0]) for a, c in cheapest.items())
        return self._near[adder]

    def _settle(self, adder: int, cost: Callable[[Wire], Cost]) -> dict[int, Cost]:
        """Return what it costs to come to each Adder, in the order of the costs."""
        heap: list[tuple[Cost, int]] = [((0, 0), adder)]
        settled: dict[int, Cost] = {}
        while heap:
            so_far, here = heapq.heappop(heap)
            if here in settled:
                continue
            settled[here] = so_far
            for wire in self.hardware.outgoing[here]:
                if wire.target in self.exits and wire.target not in settled:
                    more = cost(wire)
                    heapq.heappush(heap, ((so_far[0] + more[0], so_far[1] + more[1]), wire.target))
        return settled

    def down(self, adder: int) -> dict[int, tuple[Step, ...]]:
        """Return, for each Adder above ``adder``, the steps from it that lead back towards it."""
        if adder not in self._down:
            above = [way.adder for way in self.near(adder)]
            among = set(above)
            self._down[adder] = {
                here: tuple(
                    Step(w.index, w.source, w.latency, self.cost(w))
                    for w in self.hardware.incoming[here]
                    if w.source in among
                )
                for here in above
            }
        return self._down[adder]

    def cost(self, wire: Wire) -> Cost:
        """Return what one partial sum pays on a Wire."""
        leaving = self.hardware.points[wire.source].energy or 0
        return (leaving + (wire.energy or 0)) * self.bits, 1

    def exits_of(self, leaves: tuple[int, ...]) -> tuple[Exit, ...]:
        """Return where a sum over some multipliers can leave: the soonest first, then the cheapest.

        Parameters
        ----------
        leaves : tuple of int
            Positions among ``multipliers``.
        """
        if leaves not in self._exits:
            at = [self.multipliers[leaf].result_at for leaf in leaves]
            crowd = Counter(at)
            ways = [self.ways(adder) for adder in crowd]
            common = ways[0].keys() & ways[-1].keys()
            for known in ways[1:-1]:
                common &= known.keys()
            latency = {
                adder: max([known[adder].latency for known in ways])
                for adder in common
                if self.exits[adder]
            }
            # Costs are asked for only where they can decide.
            last = max(sorted(latency.values())[:MOST_EXITS], default=0)
            ranked = []
            for adder, soonest in latency.items():
                if soonest <= last:
                    # Shared steps count for each multiplier: good enough for an order.
                    weighed = [
                        (known[adder].cost, n)
                        for known, n in zip(ways, crowd.values(), strict=True)
                    ]
                    energy, moves = (sum([cost[i] * n for cost, n in weighed]) for i in (0, 1))
                    ranked.append((soonest, (energy, moves), adder))
            self._exits[leaves] = tuple(
                self._exit(wire, leaves, at, cost)
                for _, cost, adder in sorted(ranked)[:MOST_EXITS]
                for wire in self.exits[adder]
            )
        return self._exits[leaves]

    def _exit(self, wire: Wire, leaves: tuple[int, ...], at: list[int], cost: Cost) -> Exit:
        depths = tuple(
            self.multipliers[leaf].ops["dot"].latency
            + self.ways(adder)[wire.source].latency
            + wire.latency
            for leaf, adder in zip(leaves, at, strict=True)
        )
        own = self.cost(wire)
        return Exit(wire, depths, (cost[0] + own[0], cost[1] + own[1]), self._steps(wire, at))

    def _steps(self, wire: Wire, at: list[int]) -> tuple[tuple[int, int], ...]:
        """Walk up from each Adder for as long as there is only one way to the exit."""
        steps = {wire.index: wire.latency}
        for here in dict.fromkeys(at):
            while here != wire.source:
                up = self._only_way(here, wire.source)
                if up is None or up.index in steps:
                    break
                here = up.target
                rest = self.ways(here)[wire.source].latency + wire.latency
                steps[up.index] = up.latency + rest
        return tuple(steps.items())

    def _only_way(self, here: int, source: int) -> Wire | None:
        """Return the one Wire from an Adder that leads towards another, if there is only one."""
        key = here, source
        if key not in self._only:
            up = [
                w
                for w in self.hardware.outgoing[here]
                if w.target in self.exits and source in self.ways(w.target)
            ]
            self._only[key] = up[0] if len(up) == 1 else None
        return self._only[key]

    def ways(self, adder: int) -> dict[int, Way]:
        """Return what `near` does, by Adder."""
        if adder not in self._ways:
            self._ways[adder] = {way.adder: way for way in self.near(adder)}
        return self._ways[adder]


@lru_cache(maxsize=8)
def multipliers(hardware: Hardware) -> tuple[Actor, ...]:
    """Return the Actors over which a dot product can be spread, in index order."""
    points = hardware.points
    return tuple(
        a for a in hardware.actors if points[a.result_at].kind == "Adder" and "dot" in a.ops
    )


@lru_cache(maxsize=8)
def collectors(hardware: Hardware) -> tuple[int, ...]:
    """Return the Nodes (indices) into which complete results come from Adders."""
    points = hardware.points
    into = (w for w in hardware.wires if points[w.source].kind == "Adder")
    return tuple(dict.fromkeys(w.target for w in into if points[w.target].kind == "Node"))


def spreads(hardware: Hardware, op: Op) -> bool:
    """Whether an Op is spread over multipliers: a dot product that no Actor takes as a whole."""
    if op.code != "dot" or op.into is not None:
        return False
    points = hardware.points
    whole = (
        (a.ops["dot"].units or a.units) >= op.work
        for a in hardware.actors
        if "dot" in a.ops and points[a.result_at].kind != "Adder"
    )
    return bool(multipliers(hardware)) and not any(whole)


def spread_ops(hardware: Hardware, workload: Workload) -> frozenset[int]:
    """Return the indices of the Ops that are spread over multipliers."""
    if not workload.ops or not multipliers(hardware):
        return frozenset()
    known: dict[tuple[str, int, bool], bool] = {}
    for op in workload.ops:
        key = (op.code, op.work, op.into is None)
        if key not in known:
            known[key] = spreads(hardware, op)
    return frozenset(op.index for op in workload.ops if known[op.code, op.work, op.into is None])
