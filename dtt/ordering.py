"""Ordering: the orders in which the items of a Workload may be placed, and Workloads in them."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Sequence
from random import Random

from hwdsl.hardware import Hardware
from hwdsl.workload import Op, Request, Workload

from .demands import Demands

Ranks = Sequence[int]
"""For each item, by position in the Workload; the lowest is placed first."""


def in_order(workload: Workload, ranks: Ranks) -> Workload:
    """Return the same Workload, with items placed by rank as soon as what they use is made.

    Everything in it keeps its index; only ``items`` is in another order.
    """
    items = workload.items
    made = {item.result.index: i for i, item in enumerate(items) if isinstance(item, Op)}
    after: list[list[int]] = [[] for _ in items]
    waits = [0] * len(items)
    for i, item in enumerate(items):
        used = [item.datum] if isinstance(item, Request) else list(item.operands)
        if isinstance(item, Request) and item.after is not None:
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


def disturbed(ranks: Ranks, random: Random) -> list[int]:
    """Return ranks in which a few items have moved."""
    order = sorted(range(len(ranks)), key=lambda i: ranks[i])
    for _ in range(random.randint(1, 3)):
        item = order.pop(random.randrange(len(order)))
        order.insert(random.randrange(len(order) + 1), item)
    return _ranks(order)


def _ranks(order: Sequence[int]) -> list[int]:
    ranks = [0] * len(order)
    for rank, i in enumerate(order):
        ranks[i] = rank
    return ranks
