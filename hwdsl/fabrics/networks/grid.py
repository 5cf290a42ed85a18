"""Mesh and Torus: a grid of routers or of memories, each joined to its neighbours both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ...parts import Junction, Part
from .network import Network, size


class Mesh(Network):
    """A grid in which neighbours are joined both ways.

    ::

        grid[0][0] <--> grid[0][1] <--> grid[0][2]
            ^               ^               ^
            v               v               v
        grid[1][0] <--> grid[1][1] <--> grid[1][2]

    Port ``r * columns + c`` is ``grid[r][c]``. With Junctions a datum goes on in the cycle in
    which it comes, and passes each at most once; with memories it may wait anywhere.

    Parameters
    ----------
    rows, columns : int
        At least 1; a dimension of 1 has no Wires.
    point : callable, optional
        Makes the part at each crossing: ``lambda: Node(capacity=...)``; Junctions by default.
    **wires
        See `Network`.

    Attributes
    ----------
    grid : list of list of Junction or Node
    """

    def __init__(
        self, *, rows: int, columns: int, point: Callable[[], Part] = Junction, **wires: Any
    ):
        super().__init__(**wires)
        size(self, "rows", rows)
        size(self, "columns", columns)
        self.grid = [[point() for _ in range(columns)] for _ in range(rows)]
        lines = [*self.grid, *map(list, zip(*self.grid, strict=True))]
        for line in lines:
            for one, other in self._neighbours(line):
                self.link(one, other)
                self.link(other, one)

    def _neighbours(self, line: list[Part]) -> list[tuple[Part, Part]]:
        return list(pairwise(line))

    @property
    def inputs(self) -> Sequence[Part]:
        return [part for row in self.grid for part in row]


class Torus(Mesh):
    """A `Mesh` whose rows and columns are closed to rings.

    ::

        .-> grid[0][0] <--> grid[0][1] <--> grid[0][2] <-.
        '------------------------------------------------'    and so each row and each column

    In a dimension of 2 the way around would be a second pair of Wires beside the first between
    the same two parts; there is only the first. A dimension of 1 has no Wires.
    """

    def _neighbours(self, line: list[Part]) -> list[tuple[Part, Part]]:
        around = [(line[-1], line[0])] if len(line) > 2 else []
        return super()._neighbours(line) + around
