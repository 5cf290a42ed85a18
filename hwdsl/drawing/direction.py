"""Which way a drawing runs: what comes first, which parts form a row, which rows form a grid."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from .folding import Path, Shape
from .links import Link

Row = tuple[str | int | None, ...]
"""The members of one list: their path, with ``None`` for the last index; of a grid, twice."""


class Direction:
    """The order of a drawing, from the largest memory that reaches most of the machine.

    Attributes
    ----------
    order : list of int
        The shapes, in the order in which data can reach them.
    rows : list of list of int
        Members of one list that are joined to nothing in it but their neighbours, or that data
        reach equally soon: each is drawn as one row, in the order of the list.
    columns : dict of int to int
        Where the rows form a grid, as in a mesh: the column of each of their shapes.
    frames : list of Path
        The nested Fabrics to put a frame around: not those of a grid whose shapes are joined to
        others, which are best seen between its rows.
    """

    def __init__(self, shapes: Sequence[Shape], links: Sequence[Link]):
        self.shapes, self.links = shapes, links
        self.reach = self._reach()
        self.depth = self._depth()
        self.order = list(self.depth)
        self._place = {index: i for i, index in enumerate(self.order)}
        self._row_of: dict[int, Row] = {}
        self.rows = list(self._rows())
        self.columns = self._columns()
        self.frames = self._frames()

    @property
    def sideways(self) -> bool:
        """Whether it runs from left to right; a grid runs downwards, as its first index does."""
        return not self.columns

    def ends(self, link: Link) -> tuple[int, int]:
        """Return the end of a Link to draw first, and the other."""
        one, other = link.source, link.target
        if self._alike(one, other):
            swapped = self.shapes[one].path > self.shapes[other].path
        elif (one in self.columns) != (other in self.columns):
            swapped = other in self.columns
        else:
            swapped = one in self.reach[other] and self._place[one] > self._place[other]
        return (other, one) if swapped else (one, other)

    def fields(self, link: Link) -> list[str]:
        """Return what Graphviz is to know of a Link besides its ends."""
        one, other = link.source, link.target
        if (one in self.columns) != (other in self.columns):
            return ["weight=10"]
        if one not in self.columns or self._row_of[one] == self._row_of[other]:
            return []
        near = abs(self._row_number(one) - self._row_number(other)) == 1
        return ["weight=100", "minlen=2"] if near else ["weight=0"]

    def _alike(self, one: int, other: int) -> bool:
        """Return whether two shapes are of one row or of one grid."""
        both = one in self._row_of and other in self._row_of
        same = both and self._row_of[one] == self._row_of[other]
        return same or (one in self.columns and other in self.columns)

    def _reach(self) -> list[dict[int, int]]:
        """Return, for each shape, what data can reach from there, and over how many links."""
        onward: list[list[int]] = [[] for _ in self.shapes]
        for link in self.links:
            onward[link.source].append(link.target)
            if link.back:
                onward[link.target].append(link.source)
        return [_reached(onward, root) for root in range(len(self.shapes))]

    def _depth(self) -> dict[int, int]:
        """Return the shapes by breadth, from roots of most reach and then of most capacity."""
        capacity = [max(p.capacity for p in s.points) for s in self.shapes]
        roots = sorted(
            range(len(self.shapes)), key=lambda i: (-len(self.reach[i]), -capacity[i], i)
        )
        depth: dict[int, int] = {}
        for root in roots:
            for index, distance in self.reach[root].items():
                depth.setdefault(index, distance)
        return depth

    def _rows(self) -> Iterator[list[int]]:
        lists: dict[Row, list[int]] = {}
        for shape in self.shapes:
            row = _without_index(shape.path)
            if row is not None:
                lists.setdefault(row, []).append(shape.index)
        steps: dict[Row, list[int]] = {}
        for link in self.links:
            one, other = self.shapes[link.source].path, self.shapes[link.target].path
            row = _without_index(one)
            if row is not None and row == _without_index(other):
                steps.setdefault(row, []).append(abs(_index(one, row) - _index(other, row)))
        for row, members in lists.items():
            near = all(step in (1, len(members) - 1) for step in steps.get(row, ()))
            equal = len({self.depth[index] for index in members}) == 1
            if len(members) > 1 and near and (row in steps or equal):
                self._row_of |= dict.fromkeys(members, row)
                yield members

    def _columns(self) -> dict[int, int]:
        """Return the column of each shape, if the rows of a list are joined column by column."""
        straight: dict[Row, bool] = {}
        along: dict[Row, None] = {}
        for link in self.links:
            one, other = self._row_of.get(link.source), self._row_of.get(link.target)
            grid = _without_index(one or ())
            if one is None or other is None or grid is None or grid != _without_index(other):
                continue
            if one == other:
                along[grid] = None
            else:
                columns = [
                    _index(self.shapes[i].path, row)
                    for i, row in ((link.source, one), (link.target, other))
                ]
                straight[grid] = straight.get(grid, True) and columns[0] == columns[1]
        return {
            index: _index(self.shapes[index].path, row)
            for index, row in self._row_of.items()
            if (grid := _without_index(row)) in along and straight.get(grid or ())
        }

    def _frames(self) -> list[Path]:
        fabrics = dict.fromkeys(f for s in self.shapes for f in s.fabrics)
        for link in self.links:
            if (link.source in self.columns) != (link.target in self.columns):
                grid, other = self.ends(link)
                for fabric in self.shapes[grid].fabrics:
                    if fabric not in self.shapes[other].fabrics:
                        fabrics.pop(fabric, None)
        return list(fabrics)

    def _row_number(self, index: int) -> int:
        row = self._row_of[index]
        return _index(row, _without_index(row) or ())


def _reached(onward: Sequence[Sequence[int]], root: int) -> dict[int, int]:
    seen, queue = {root: 0}, deque([root])
    while queue:
        here = queue.popleft()
        for target in onward[here]:
            if target not in seen:
                seen[target] = seen[here] + 1
                queue.append(target)
    return seen


def _without_index(path: Row) -> Row | None:
    """Return a path with ``None`` for its last index, if it has one."""
    for i in range(len(path) - 1, -1, -1):
        if isinstance(path[i], int):
            return (*path[:i], None, *path[i + 1 :])
    return None


def _index(path: Row, row: Row) -> int:
    """Return the index of a path that its row leaves open."""
    step = path[row.index(None)]
    assert isinstance(step, int)
    return step
