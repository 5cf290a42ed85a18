"""Bus: one medium that all parts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...parts import Junction, Part
from .network import Network, size


class Bus(Network):
    """A medium that carries ``bandwidth`` bits a cycle in all, whoever sends and whoever listens.

    ::

        0 --->.                   .---> 0
        1 --->+ head --line--> tail +---> 1
        2 --->'                   '---> 2

    Every datum takes the one Wire ``line``; a broadcast takes it once.

    Parameters
    ----------
    ports : int
        At least 1; each is an input at the head and an output at the tail.
    **wires
        See `Network`.

    Attributes
    ----------
    head, tail : Junction
    line : Wire
    """

    def __init__(self, *, ports: int, **wires: Any):
        super().__init__(**wires)
        self._ports = size(self, "ports", ports)
        self.head, self.tail = Junction(), Junction()
        self.line = self.link(self.head, self.tail)

    @property
    def inputs(self) -> Sequence[Part]:
        return [self.head] * self._ports

    @property
    def outputs(self) -> Sequence[Part]:
        return [self.tail] * self._ports
