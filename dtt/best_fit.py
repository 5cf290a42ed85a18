"""First Best Fit: the paper's placing, by a coarse model that moves no data."""

from __future__ import annotations

from collections.abc import Callable

from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Op, Workload

from .feasibility import candidates
from .occupancy import Occupancy

Affinity = Callable[[Op, Actor, frozenset[int]], float]
"""Scores an Actor for an Op; the third argument are the operands (indices) that the Actor's Node
holds in that cycle. The highest score is tried first."""

Coarse = dict[int, tuple[Actor, Timing, int]]
"""For each Op, the Actor and the start that the coarse model gives it."""


def operands_held(op: Op, actor: Actor, held: frozenset[int]) -> float:
    """The default affinity: how many operands the Actor already holds."""
    return len(held)


def first_best_fit(
    hardware: Hardware, workload: Workload, affinity: Affinity = operands_held
) -> Coarse:
    """Place all Ops by the paper's coarse model: units, cooldowns, and no data movement.

    An Op starts no earlier than its ``not_before`` and the results that it needs. An Actor holds
    what earlier Ops brought to it or made there.
    """
    able = candidates(hardware, workload)
    busy = [Occupancy() for _ in hardware.actors]
    held: list[set[int]] = [set() for _ in hardware.points]
    ready = [0] * len(workload.data)
    placed: Coarse = {}
    for op in workload.ops:
        cycle = max([op.not_before, *(ready[d.index] for d in op.operands)])
        operands = {d.index for d in op.operands}
        while op.index not in placed:
            free = [
                (a, t)
                for a, t in able[op.index]
                if busy[a.index].peak(cycle, cycle + t.cooldown - 1) + t.units <= a.units
            ]
            if free:
                actor, timing = min(
                    free,
                    key=lambda c: (
                        -affinity(op, c[0], frozenset(operands & held[c[0].at])),
                        c[0].index,
                    ),
                )
                busy[actor.index].add(cycle, cycle + timing.cooldown - 1, timing.units)
                held[actor.at] |= operands
                held[actor.result_at].add(op.result.index)
                ready[op.result.index] = cycle + timing.latency
                placed[op.index] = (actor, timing, cycle)
            cycle += 1
    return placed
