"""Crossbar: every input reaches every output in every cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...parts import Junction, Part
from .network import Network, size


class Crossbar(Network):
    """One Junction: any incoming lane may go to any outgoing lanes, all in the same cycle.

    ::

        inputs           outputs
        0 --->.--------.---> 0
        1 --->| switch |---> 1
        2 --->'--------'

    It is not blocked by what others do: only two data for one output must share its Wire. Where
    the parts are all on both sides, ``Crossbar(inputs=n, outputs=n)`` and `attach` join them.

    Parameters
    ----------
    inputs, outputs : int
        Ports, at least 1 each.
    **wires
        See `Network`; the Wires are those that `enter`, `leave` and `attach` make.

    Attributes
    ----------
    switch : Junction
    """

    def __init__(self, *, inputs: int, outputs: int, **wires: Any):
        super().__init__(**wires)
        self._sizes = size(self, "inputs", inputs), size(self, "outputs", outputs)
        self.switch = Junction()

    @property
    def inputs(self) -> Sequence[Part]:
        return [self.switch] * self._sizes[0]

    @property
    def outputs(self) -> Sequence[Part]:
        return [self.switch] * self._sizes[1]
