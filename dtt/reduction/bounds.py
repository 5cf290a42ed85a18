"""Lower bounds on the cycles of any Schedule of dot products that are spread over multipliers."""

from __future__ import annotations

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .network import Network, spread_ops


def reduction_bounds(hardware: Hardware, workload: Workload) -> list[tuple[str, int, str]]:
    """Return name, cycles and explanation of each bound, the largest first.

    The pairs take their multipliers, and the results the Wires on which they leave the Adders.
    """
    ops = [workload.ops[i] for i in sorted(spread_ops(hardware, workload))]
    network = Network(hardware, min(op.result.size for op in ops))
    pairs = sum(op.work for op in ops)
    units = sum(a.units for a in network.multipliers)
    tail = min(
        actor.ops["dot"].latency + way.latency + wire.latency
        for actor in network.multipliers
        for way in network.near(actor.result_at)
        for wire in network.exits[way.adder]
    )
    cooldown = min(a.ops["dot"].cooldown for a in network.multipliers)
    busy = cooldown * (-(-pairs // units) - 1)
    lanes = sum(w.lanes for wires in network.exits.values() for w in wires)
    leaving = -(-len(ops) // lanes) - 1
    found = [
        (
            "multipliers",
            busy + tail,
            f"{pairs} pairs on {units} multipliers, the last {tail} before the end",
        ),
        (
            "results",
            leaving + tail,
            f"{len(ops)} results leave the Adders on {lanes} lanes, the first not before {tail}",
        ),
    ]
    return sorted(found, key=lambda bound: -bound[1])
