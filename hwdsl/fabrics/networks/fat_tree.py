"""FatTree: a tree of switches with as much bandwidth above a switch as below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...parts import Junction, Part
from .network import Network, power, size


class FatTree(Network):
    """A tree whose Wires double (for ``arity=2``) in number from level to level.

    ::

                        level[2][0]                       with 8 ports, each line one Wire
                       ////     \\\\\\\\                      each way
               level[1][0]         level[1][1]
                //    \\\\             //    \\\\
        level[0][0] level[0][1] level[0][2] level[0][3]
           /  \\        /  \\        /  \\        /  \\
          0    1      2    3      4    5      6    7

    Above a switch over ``k`` ports there are ``k`` Wires each way to its one parent, so that all
    ports below can send at once. A datum goes up to the first common switch, then down. (All
    Wires of a Junction are of one bandwidth; that is why a fat branch is many Wires.)

    Parameters
    ----------
    ports : int
        A power of ``arity``, at least ``arity``.
    arity : int
        Branches below a switch, at least 2.
    **wires
        See `Network`.

    Attributes
    ----------
    level : list of list of Junction
        From the ports up to the root.
    """

    def __init__(self, *, ports: int, arity: int = 2, **wires: Any):
        super().__init__(**wires)
        levels = power(self, "ports", ports, size(self, "arity", arity, 2))
        self._arity = arity
        self.level = [
            [Junction() for _ in range(ports // arity ** (above + 1))] for above in range(levels)
        ]
        for above in range(levels - 1):
            for i, switch in enumerate(self.level[above]):
                for _ in range(arity ** (above + 1)):
                    self.link(switch, self.level[above + 1][i // arity])
                    self.link(self.level[above + 1][i // arity], switch)

    @property
    def inputs(self) -> Sequence[Part]:
        return [switch for switch in self.level[0] for _ in range(self._arity)]
