"""The control network, as far as time goes: how many hops from the controller to each Point.

There is a router at each Point, and a link where there is a Wire, in either direction. Packets
enter at the Point of each connected part that is nearest to all others of it (of several, the
first), and go a shortest way. They are sent one in a clock cycle at most, and those that are a hop
farther were sent a clock cycle sooner: no two of them ever meet.
"""

from __future__ import annotations

from hwdsl.hardware import Hardware


def levels(hardware: Hardware) -> list[int]:
    """Return the hops of a packet to the router of each Point."""
    joined: list[list[int]] = [[] for _ in hardware.points]
    for wire in hardware.wires:
        joined[wire.source].append(wire.target)
        joined[wire.target].append(wire.source)
    found = [-1] * len(joined)
    for first in range(len(joined)):
        if found[first] < 0:
            part = sorted(_distances(joined, first))
            root = min(part, key=lambda p: (max(_distances(joined, p).values()), p))
            for point, hops in _distances(joined, root).items():
                found[point] = hops
    return found


def _distances(joined: list[list[int]], start: int) -> dict[int, int]:
    found, queue = {start: 0}, [start]
    for point in queue:
        for other in joined[point]:
            if other not in found:
                found[other] = found[point] + 1
                queue.append(other)
    return found
