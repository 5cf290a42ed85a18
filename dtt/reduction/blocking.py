"""Why each dot product did not end a cycle sooner: what it would have needed, and who had it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..presence import wire_field
from ..schedule import Schedule
from .distribution import Distribution, Resources, distribute
from .network import Network, spread_ops

_EMPTY_END = 512  # a cycle far enough from the begin of an empty machine for any reduction


@dataclass(frozen=True)
class Blocked:
    """One dot product, and what kept it from ending a cycle sooner on its multipliers.

    Attributes
    ----------
    op : int
    on : tuple of (str, int, str)
        Wire or Actor, cycle, and the dot product that used it then. Empty: it was as soon as its
        operands allowed.
    """

    op: int
    on: tuple[tuple[str, int, str], ...]

    def __str__(self) -> str:
        shown = [f"{part} in cycle {cycle} ({by})" for part, cycle, by in self.on[:2]]
        more = [f"and {len(self.on) - 2} more"] if len(self.on) > 2 else []
        return "; ".join([*shown, *more])

    @property
    def by_wires(self) -> bool:
        """Whether its multipliers were free, and only Wires were not."""
        return bool(self.on) and all(not part.startswith("Actor") for part, _, _ in self.on)


def blocking(schedule: Schedule) -> list[Blocked]:
    """Hold each dot product against itself alone on an empty machine, shifted to end sooner.

    What it would have used then, and others do use, stood in its way.
    """
    hardware, ops = schedule.hardware, schedule.workload.ops
    spread = spread_ops(hardware, schedule.workload)
    if not spread:
        return []
    network = Network(hardware, max(ops[i].result.size for i in spread))
    empty = Resources.of(network)
    position = {a.index: i for i, a in enumerate(network.multipliers)}
    wires, starts, ends = _used(schedule)
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for op, part, actor, _ in schedule.firings.tolist():
        if op in spread:
            pairs[op].append((part, position[actor]))
    found = []
    for index in sorted(spread):
        datum = ops[index].result.index
        leaves = tuple(leaf for _, leaf in sorted(pairs[index]))
        alone = _alone(empty, leaves)
        end = ends[datum] - 1
        on = []
        for wire, back in alone.moves:
            other = _other(wires[wire, end - back], datum, hardware.wires[wire].lanes)
            on += [(f"Wire {hardware.wires[wire].name!r}", end - back, o) for o in other]
        for leaf, back in alone.starts:
            actor = network.multipliers[leaf]
            other = _other(starts[actor.index, end - back], datum, actor.units)
            on += [(f"Actor {actor.name!r}", end - back, o) for o in other]
        named = [(part, cycle, schedule.workload.data[o].name) for part, cycle, o in on]
        found.append(Blocked(index, tuple(dict.fromkeys(named))))
    return found


def _used(
    schedule: Schedule,
) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], list[int]], dict[int, int]]:
    """Return who uses each Wire and each multiplier when, and when each result is in its Node."""
    hardware, ops = schedule.hardware, schedule.workload.ops
    wires: dict[tuple[int, int], list[int]] = defaultdict(list)
    starts: dict[tuple[int, int], list[int]] = defaultdict(list)
    ends: dict[int, int] = {}
    source = wire_field(hardware, schedule.moves, "source")
    adder = np.array([p.kind == "Adder" for p in hardware.points], bool)
    for datum, index, cycle in schedule.moves[adder[source]].tolist():
        wires[index, cycle].append(datum)
        wire = hardware.wires[index]
        if not adder[wire.target]:
            ends[datum] = cycle + wire.latency
    for op, _, actor, cycle in schedule.firings.tolist():
        starts[actor, cycle].append(ops[op].result.index)
    return wires, starts, ends


def _other(users: list[int], own: int, places: int) -> list[int]:
    """Return the others, if they leave no place."""
    others = [user for user in users if user != own]
    return others if len(others) >= places else []


def _alone(empty: Resources, leaves: tuple[int, ...]) -> Distribution:
    """Return the soonest reduction over some multipliers when nothing else goes on."""
    exits = empty.network.exits_of(leaves)
    for extra in range(len(leaves) + 1):
        for way_out in exits:
            first = _EMPTY_END - max(way_out.depths) - extra
            found = distribute(empty, leaves, way_out, _EMPTY_END, [first] * len(leaves))
            if found is not None:
                return found
    raise AssertionError("an empty machine reduces anything in time")
