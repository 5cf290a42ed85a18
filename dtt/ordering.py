"""Ordering: in which order the items of a Workload are placed, and which Actors are tried first."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from hwdsl.hardware import Actor, Hardware
from hwdsl.workload import Op, Request, Workload

from .best_fit import Affinity
from .demands import Demands

FAVOUR = 1 << 10
"""Added to an affinity: more than any count of operands."""

Ranks = Sequence[int]
"""For each item, by position in the Workload; the lowest is placed first."""


def in_order(workload: Workload, ranks: Ranks) -> Workload:
    """Return the same Workload, with items placed by rank as soon as what they use is made.

    Everything in it keeps its index; only ``items`` is in another order.
    """
    if isinstance(ranks, range):
        return workload  # the order of the Workload itself
    items = workload.items
    made = {item.result.index: i for i, item in enumerate(items) if isinstance(item, Op)}
    after: list[list[int]] = [[] for _ in items]
    waits = [0] * len(items)
    for i, item in enumerate(items):
        used = [item.datum] if isinstance(item, Request) else list(item.operands)
        if item.after is not None:
            used.append(item.after)
        for datum in dict.fromkeys(used):
            if datum.index in made:
                after[made[datum.index]].append(i)
                waits[i] += 1
    ready = [(ranks[i], i) for i, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        _, i = heapq.heappop(ready)
        order.append(items[i])
        for follower in after[i]:
            waits[follower] -= 1
            if not waits[follower]:
                heapq.heappush(ready, (ranks[follower], follower))
    view = copy.copy(workload)
    view.items = order
    return view


def urgent_first(hardware: Hardware, workload: Workload) -> list[int]:
    """Return ranks by which what most must follow comes first, and early deadlines do.

    What must follow an item is the longest chain of Moves and Ops from it to the end.
    """
    demands = Demands(hardware, workload, set())
    latest = max((r.by or 0 for r in workload.requests), default=0)
    slack = []
    for item in workload.items:
        if isinstance(item, Op):
            slack.append(-demands.tails[item.result.index])
        else:
            far = demands.there(item.datum, hardware.point(item.node).index)
            slack.append(0 if item.by is None else item.by - far - latest)
    order = sorted(range(len(slack)), key=lambda i: (slack[i], i))
    return _ranks(order)


def failed_first(workload: Workload, ranks: Ranks, failed: Sequence[int]) -> list[int]:
    """Return ranks by which the requests of some indices come before all others."""
    lost = set(failed)

    def first(i: int) -> bool:
        item = workload.items[i]
        return isinstance(item, Request) and item.index in lost

    return _ranks(sorted(range(len(ranks)), key=lambda i: (not first(i), ranks[i])))


@dataclass(frozen=True)
class Trial:
    """How one pass goes: the order of the items, and which Actors are tried first.

    Attributes
    ----------
    ranks : sequence of int
        See `in_order`.
    spread : bool
        Whether the lowest affinity counts as the highest: Actors that hold nothing come first.
    favour : mapping of (int, int) to int
        Op and Actor, by index: what is added to its affinity.
    """

    ranks: Ranks
    spread: bool = False
    favour: Mapping[tuple[int, int], int] = field(default_factory=dict)

    def affinity(self, base: Affinity) -> Affinity:
        """Return a user's affinity as the trial bends it."""
        sign = -1 if self.spread else 1

        def bent(op: Op, actor: Actor, held: frozenset[int]) -> float:
            return sign * base(op, actor, held) + self.favour.get((op.index, actor.index), 0)

        return bent if self.spread or self.favour else base

    def disturbed(self, random: Random, ops: int, actors: int) -> Trial:
        """Return a trial in which a few items have moved, or a few Ops prefer other Actors."""
        kind = random.randrange(3) if ops else 0
        order = sorted(range(len(self.ranks)), key=lambda i: self.ranks[i])
        if kind != 1:
            for _ in range(random.randint(1, 3)):
                item = order.pop(random.randrange(len(order)))
                order.insert(random.randrange(len(order) + 1), item)
        favour = dict(self.favour)
        if kind != 0:
            for _ in range(random.randint(1, 3)):
                key = random.randrange(ops), random.randrange(actors)
                if favour.pop(key, None) is None:
                    favour[key] = FAVOUR
        return Trial(_ranks(order), self.spread, favour)


def _ranks(order: Sequence[int]) -> list[int]:
    ranks = [0] * len(order)
    for rank, i in enumerate(order):
        ranks[i] = rank
    return ranks
