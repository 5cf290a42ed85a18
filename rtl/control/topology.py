"""The control network's plan: a router at every Point, linked as the fabric's Wires join them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hwdsl.hardware import Hardware

from ..ports import Port, ports_of


@dataclass(frozen=True)
class Topology:
    """Who is linked to whom, and how far from the controller.

    A packet goes away from the controller with every hop, on a shortest way: so the links that it
    may use have no cycles, and packets can never wait for each other in a ring.
    """

    hardware: Hardware

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each router, those that a Wire joins it with, in either direction."""
        found: list[set[int]] = [set() for _ in self.hardware.points]
        for wire in self.hardware.wires:
            if wire.source != wire.target:
                found[wire.source].add(wire.target)
                found[wire.target].add(wire.source)
        return tuple(tuple(sorted(some)) for some in found)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The router of each connected part at which packets enter: the one nearest to all."""
        left, roots = set(range(len(self.hardware.points))), []
        while left:
            part = sorted(self._distances(min(left)))
            roots.append(min(part, key=lambda r: (max(self._distances(r).values()), r)))
            left -= set(part)
        return tuple(roots)

    def _distances(self, start: int) -> dict[int, int]:
        found, queue = {start: 0}, [start]
        for router in queue:
            for other in self.neighbours[router]:
                if other not in found:
                    found[other] = found[router] + 1
                    queue.append(other)
        return found

    @cached_property
    def level(self) -> tuple[int, ...]:
        """For each router, the hops from where packets enter."""
        level = [0] * len(self.hardware.points)
        for root in self.roots:
            for router, hops in self._distances(root).items():
                level[router] = hops
        return tuple(level)

    @cached_property
    def root_of(self) -> tuple[int, ...]:
        """For each router, where packets for it enter."""
        root_of = [0] * len(self.hardware.points)
        for root in self.roots:
            for router in self._distances(root):
                root_of[router] = root
        return tuple(root_of)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each router, those one hop farther from the controller."""
        level = self.level
        return tuple(
            tuple(other for other in some if level[other] == level[router] + 1)
            for router, some in enumerate(self.neighbours)
        )

    @cached_property
    def leads_to(self) -> tuple[frozenset[int], ...]:
        """For each router, all that can be reached from it on shortest ways."""
        found: list[frozenset[int]] = [frozenset()] * len(self.children)
        for router in sorted(range(len(found)), key=lambda r: -self.level[r]):
            below = (found[child] for child in self.children[router])
            found[router] = frozenset({router}).union(*below)
        return tuple(found)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        return ports_of(self.hardware)

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """For each port, its router and its number there."""
        counts = [0] * len(self.hardware.points)
        found = []
        for port in self.ports:
            router = self._router(port)
            found.append((router, counts[router]))
            counts[router] += 1
        return tuple(found)

    def _router(self, port: Port) -> int:
        if port.kind in ("fire", "result"):
            actor = self.hardware.actors[port.part]
            return actor.at if port.kind == "fire" else actor.result_at
        wire = self.hardware.wires[port.part]
        return wire.target if port.kind == "land" else wire.source

    def local(self, router: int) -> list[int]:
        """Return the numbers of a router's ports, in their order there."""
        return [number for number, (place, _) in enumerate(self.places) if place == router]
