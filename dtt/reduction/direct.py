"""Many dot products whose operands come straight from memories beside the multipliers.

Where every multiplier has a Wire of its own from the memory, which carries a whole pair in one
beat, a pair leaves just when its multiplier can take it: the Wire is free whenever the multiplier
is. So nothing needs to be routed, and 10,000 dot products take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Op, Request, Workload

from ..schedule import FIRING, MOVE, Schedule
from .distribution import Distribution
from .network import Exit
from .placing import Leaves, Spreader

ENGINE = "reduction"


@dataclass(frozen=True)
class Feed:
    """For each memory that holds operands (by name), the Wire to each multiplier, by position.

    Attributes
    ----------
    latency : int
        The most cycles that an operand needs.
    """

    wires: dict[str, np.ndarray]
    latency: int


def direct_feed(hardware: Hardware, workload: Workload, spreader: Spreader) -> Feed | None:
    """Return the Feed, or ``None`` if the operands have to be routed."""
    if len(spreader.ops) < len(workload.ops) or not _served_at_exit(hardware, workload, spreader):
        return None
    operands = [d for op in workload.ops for d in op.operands]
    if any(d.loaded_at is None for d in operands):
        return None
    homes = list(dict.fromkeys(d.loaded_at for d in operands))
    bits = max((d.size for d in operands), default=0)
    at = [a.at for a in spreader.network.multipliers]
    names = dict.fromkeys(d.loaded_at for d in workload.data if d.loaded_at is not None)
    loaded = {hardware.point(name).index for name in names}
    if len(set(at)) < len(at) or not loaded.isdisjoint(at):
        return None
    for actor in spreader.network.multipliers:
        node = hardware.points[actor.at]
        timing = actor.timing("dot", 1, True)
        if actor.units > 1 or timing.hold > 1 or node.rows < 2 * node.rows_of(bits):
            return None
    wires: dict[str, np.ndarray] = {}
    for home in homes:
        assert home is not None
        source = hardware.point(home).index
        lines = {w.target: w for w in hardware.outgoing[source]}
        if any(leaf not in lines for leaf in at):
            return None
        own = [lines[leaf] for leaf in at]
        if any(w.beats(bits) > 1 or 2 * w.lanes_of(bits, 0) > w.lanes for w in own):
            return None
        wires[home] = np.array([w.index for w in own], np.int64)
    used = {int(i) for row in wires.values() for i in row}
    return Feed(wires, max((hardware.wires[i].latency for i in used), default=0))


def _served_at_exit(hardware: Hardware, workload: Workload, spreader: Spreader) -> bool:
    """Whether all results end in one Node that has room for all, and all requests are for that."""
    exits = {w.target for wires in spreader.network.exits.values() for w in wires}
    if len(exits) != 1:
        return False
    node = hardware.points[exits.pop()]
    results = [op.result for op in workload.ops]
    loaded = any(d.loaded_at == node.name for d in workload.data)
    if loaded or sum(node.rows_of(d.size) for d in results) > node.rows:
        return False
    return all(
        r.node == node.name and r.by is None and r.source is None and r.datum.made_by is not None
        for r in workload.requests
    )


def schedule_direct(
    hardware: Hardware, workload: Workload, spreader: Spreader, feed: Feed
) -> Schedule:
    """Place all dot products in program order, each where and when it ends first."""
    placed: list[tuple[Op, Distribution]] = []

    def accept(leaves: Leaves, found: Distribution, way_out: Exit) -> None:
        return None

    for op in workload.items:
        if isinstance(op, Request):
            continue
        placed.append((op, spreader.place(op, _Ready(op, feed), accept)))
    moves = np.concatenate((_fed(hardware, workload, feed, placed), summed(placed)))
    moves = moves[np.lexsort((moves["datum"], moves["wire"], moves["cycle"]))]
    return Schedule(hardware, workload, moves, fired(spreader, placed), (), ENGINE)


class _Ready:
    """Pairs can start as soon as any operand can be there."""

    def __init__(self, op: Op, feed: Feed):
        self._when = [max(feed.latency, op.not_before)] * op.work

    def __call__(self, leaves: Leaves) -> list[int]:
        return self._when


def summed(placed: list[tuple[Op, Distribution]]) -> np.ndarray:
    """Return the Moves of the partial sums."""
    return np.array(
        [(op.result.index, wire, d.end - back) for op, d in placed for wire, back in d.moves], MOVE
    )


def fired(spreader: Spreader, placed: list[tuple[Op, Distribution]]) -> np.ndarray:
    """Return the Firings of all pairs, sorted."""
    actors = [a.index for a in spreader.network.multipliers]
    firings = np.array(
        [
            (op.index, pair, actors[leaf], d.end - back)
            for op, d in placed
            for pair, (leaf, back) in enumerate(d.starts)
        ],
        FIRING,
    )
    by = np.lexsort([firings[name] for name in ("part", "op", "actor", "cycle")])
    ordered: np.ndarray = firings[by]
    return ordered


def _fed(
    hardware: Hardware, workload: Workload, feed: Feed, placed: list[tuple[Op, Distribution]]
) -> np.ndarray:
    """Return the Moves that bring each pair to its multiplier in the cycle in which it starts."""
    latency = np.array([w.latency for w in hardware.wires], np.int64)
    homes = {home: i for i, home in enumerate(feed.wires)}
    wires = np.array(list(feed.wires.values()), np.int64).reshape(len(homes), -1)
    home = np.array([homes.get(d.loaded_at or "", -1) for d in workload.data], np.int64)
    starts = [(leaf, d.end - back) for op, d in placed for leaf, back in d.starts]
    leaf, cycle = np.repeat(np.array(starts, np.int64).reshape(-1, 2), 2, axis=0).T
    datum = np.array([o.index for op, _ in placed for o in op.operands], np.int64)
    wire = wires[home[datum], leaf]
    moves = np.zeros(datum.size, MOVE)
    moves["datum"], moves["wire"], moves["cycle"] = datum, wire, cycle - latency[wire]
    twice = np.zeros(datum.size, bool)
    twice[1::2] = datum[1::2] == datum[::2]
    return moves[~twice]
