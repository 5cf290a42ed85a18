"""Butterfly: log2(ports) stages of 2x2 switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...parts import Junction, Part
from .network import Network, power


class Butterfly(Network):
    """A one-way butterfly: from each input one path leads to each output.

    ::

        inputs   stage[0]    stage[1]    stage[2]   outputs
        0, 1 ---> [0] ------> [0] ------> [0] ---> 0, 1
                     \\  /         \\/
                      \\/          /\\
        2, 3 ---> [1]--\\/---> [1] ------> [1] ---> 2, 3
                    \\ /\\/
                     X  X
                    / \\/\\
        4, 5 ---> [2]--/\\---> [2] ------> [2] ---> 4, 5
                      /\\          \\/
                     /  \\         /\\
        6, 7 ---> [3] ------> [3] ------> [3] ---> 6, 7

    Switch ``j`` of stage ``s`` leads to switches ``j`` and ``j ^ 2^(n-2-s)`` of the next of the
    ``n`` stages. A switch is a Junction, so what it forks is carried once on each Wire: a
    broadcast from one input to all outputs takes each of ``ports - 2`` inner Wires once.

    Parameters
    ----------
    ports : int
        Inputs, and outputs: a power of two, at least 2.
    **wires
        See `Network`.

    Attributes
    ----------
    stage : list of list of Junction
        ``log2(ports)`` stages of ``ports / 2`` switches.
    """

    def __init__(self, *, ports: int, **wires: Any):
        super().__init__(**wires)
        stages = power(self, "ports", ports, 2)
        self.stage = [[Junction() for _ in range(ports // 2)] for _ in range(stages)]
        for s in range(stages - 1):
            for j, switch in enumerate(self.stage[s]):
                self.link(switch, self.stage[s + 1][j])
                self.link(switch, self.stage[s + 1][j ^ 1 << (stages - 2 - s)])

    @property
    def inputs(self) -> Sequence[Part]:
        return [switch for switch in self.stage[0] for _ in range(2)]

    @property
    def outputs(self) -> Sequence[Part]:
        return [switch for switch in self.stage[-1] for _ in range(2)]
