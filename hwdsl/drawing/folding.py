"""What a drawing shows of the Points: each by itself, or the rest of a long list as one stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..hardware import Actor, Hardware, Point
from ..names import parse_path

Path = tuple[str | int, ...]

LIMIT = 100
"""Points that a drawing shows before it folds lists."""

_STEPS = ((16, 4), (8, 4), (4, 2), (2, 1))
"""Longest list that is shown whole, and members shown of a longer one; from lax to strict."""


@dataclass(frozen=True, eq=False)
class Shape:
    """One thing in a drawing.

    Attributes
    ----------
    index : int
        Position among the shapes.
    name : str
        Full name; ``cluster[4..127]`` for a stack.
    path : tuple
        The steps of the name; of a stack, those of the first member that it stands for.
    members : int
        How many members of a list a stack stands for; 0 for a part by itself.
    points : tuple of Point
    actors : tuple of Actor
        Those at the points.
    """

    index: int
    name: str
    path: Path
    members: int
    points: tuple[Point, ...]
    actors: tuple[Actor, ...]

    @property
    def kind(self) -> str:
        """``"Node"``, ``"Adder"``, ``"Junction"`` or ``"Stack"``."""
        return "Stack" if self.members else self.points[0].kind

    @property
    def fabrics(self) -> tuple[Path, ...]:
        """The nested Fabrics around it, outermost first."""
        steps = range(1, len(self.path))
        return tuple(self.path[:i] for i in steps if isinstance(self.path[i], str))


def path_name(path: Path) -> str:
    """Return a path as one writes it in Python."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def fold(hardware: Hardware, limit: int | None) -> tuple[Shape, ...]:
    """Return what to show: all, or the laxest folding of lists that leaves ``limit`` shapes.

    A machine that no folding makes small enough is shown folded as far as it goes.
    """
    paths = [parse_path(point.name) for point in hardware.points]
    groups = {path: [i] for i, path in enumerate(paths)}
    if limit is None or len(groups) <= limit:
        return _shapes(hardware, groups, {})
    lists = _lists(paths)
    for longest, kept in _STEPS:
        groups, stacks = {}, {}
        for i, path in enumerate(paths):
            stack = _stack(path, lists, longest, kept)
            if stack is not None:
                stacks[stack] = list(lists[stack[:-1]])[kept:]
            groups.setdefault(stack or path, []).append(i)
        if len(groups) <= limit:
            break
    return _shapes(hardware, groups, stacks)


def _lists(paths: Sequence[Path]) -> dict[Path, dict[int, None]]:
    """Return the indices of every list, in the order of the Points."""
    lists: dict[Path, dict[int, None]] = {}
    for path in paths:
        for i, step in enumerate(path):
            if isinstance(step, int):
                lists.setdefault(path[:i], {})[step] = None
    return lists


def _stack(
    path: Path, lists: Mapping[Path, Mapping[int, None]], longest: int, kept: int
) -> Path | None:
    """Return the path of the first member of the stack in which a Point disappears, if it does."""
    for i, step in enumerate(path):
        indices = list(lists[path[:i]]) if isinstance(step, int) else []
        if len(indices) > longest and step not in indices[:kept]:
            return (*path[:i], indices[kept])
    return None


def _shapes(
    hardware: Hardware, groups: Mapping[Path, Sequence[int]], stacks: Mapping[Path, Sequence[int]]
) -> tuple[Shape, ...]:
    actors: dict[int, list[Actor]] = {}
    for actor in hardware.actors:
        actors.setdefault(actor.at, []).append(actor)
    shapes: list[Shape] = []
    for path, group in groups.items():
        folded = stacks.get(path, ())
        points = tuple(hardware.points[i] for i in group)
        name = f"{path_name(path[:-1])}[{folded[0]}..{folded[-1]}]" if folded else points[0].name
        mine = tuple(a for i in group for a in actors.get(i, ()))
        shapes.append(Shape(len(shapes), name, path, len(folded), points, mine))
    return tuple(shapes)
