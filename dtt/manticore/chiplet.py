"""Chiplet: what the generators and the counting read of a Manticore Hardware."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hwdsl.errors import InputError
from hwdsl.hardware import Actor, Hardware, Point, Wire

LEVELS = ("cluster", "l1", "l2", "l3")


@dataclass(frozen=True)
class Chiplet:
    """The clusters, the quadrants and the uplinks of a Hardware frozen from `Manticore`.

    Raises
    ------
    InputError
        When a part is asked for that the Hardware lacks.
    """

    hardware: Hardware

    def _list(self, name: str) -> list[Any]:
        try:
            return list(getattr(self.hardware, name))
        except AttributeError:
            name_of = self.hardware.name
            raise InputError(f"{name_of} is no Manticore: it has no {name!r}") from None

    @cached_property
    def tcdm(self) -> tuple[Point, ...]:
        """The local memory of each cluster."""
        return tuple(cluster.tcdm for cluster in self._list("cluster"))

    @cached_property
    def mac(self) -> tuple[Actor, ...]:
        """The MAC engine of each cluster."""
        return tuple(cluster.mac for cluster in self._list("cluster"))

    @cached_property
    def hbm(self) -> Point:
        return self.hardware.point("hbm")

    @cached_property
    def quadrants(self) -> tuple[int, int, int, int]:
        """Clusters of an L1, L2 and L3 quadrant, and of the chiplet."""
        count = len(self.tcdm)
        l1, l2, l3 = (len(self._list(f"quadrant{level}")) for level in (1, 2, 3))
        return count // l1, count // l2, count // l3, count

    @cached_property
    def read(self) -> tuple[Wire, ...]:
        """The channels out of main memory."""
        return tuple(self._list("hbm_read"))

    @cached_property
    def write(self) -> tuple[Wire, ...]:
        """The channels into main memory."""
        return tuple(self._list("hbm_write"))

    def link(self, name: str) -> tuple[Wire, ...]:
        """Return the wires of a list by its name, such as ``l1_down``."""
        return tuple(self._list(name))

    def up(self, level: str) -> tuple[Wire, ...]:
        """Return the uplinks of a level, towards main memory."""
        return tuple(self._list(f"{level}_up"))

    def down(self, level: str) -> tuple[Wire, ...]:
        """Return the uplinks of a level, towards the clusters."""
        return tuple(self._list(f"{level}_down"))
