"""Where everything stands: a drawing as a graph for Graphviz, and the places that it finds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .direction import Direction
from .faces import PAD, SMALL, Face, text_width
from .folding import Path, Shape, path_name
from .graphviz import graphviz
from .links import Link

FRAME = 18
"""Pixels between a frame and what is in it; its name stands there."""

_LETTER = 8
_LABEL_LINE = 12

Spot = tuple[float, float]
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True)
class Curve:
    """One line: cubic Bezier points, the tips of its arrows, the middle of its label."""

    points: tuple[Spot, ...]
    start: Spot | None
    end: Spot | None
    label: Spot | None


@dataclass(frozen=True)
class Places:
    """Where everything stands, in pixels from the upper left corner.

    Attributes
    ----------
    shapes : tuple of (x, y)
        The middle of each shape.
    curves : tuple of Curve
        One for each Link.
    frames : mapping of Path to (left, top, right, bottom)
        The nested Fabrics, the outer ones first.
    """

    shapes: tuple[Spot, ...]
    curves: tuple[Curve, ...]
    frames: Mapping[Path, Rectangle]
    width: float
    height: float


def place(
    shapes: Sequence[Shape],
    faces: Sequence[Face],
    links: Sequence[Link],
    labels: Sequence[str],
    direction: Direction,
) -> Places:
    """Return the places that Graphviz finds.

    Parameters
    ----------
    labels : sequence of str
        What is written on each Link, lines apart; empty for nothing.

    Raises
    ------
    ToolMissing
        If Graphviz is not here.
    """
    found = graphviz("\n".join(_graph(shapes, faces, links, labels, direction)))
    return _Reader(found, shapes, links, direction.sideways).places()


def _graph(
    shapes: Sequence[Shape],
    faces: Sequence[Face],
    links: Sequence[Link],
    labels: Sequence[str],
    direction: Direction,
) -> Iterator[str]:
    """Yield a graph in the DOT language, which runs from top to bottom.

    What is to run from left to right is turned here and turned back when it is read: with
    ``rankdir=LR``, Graphviz does not keep the order of rows inside clusters.
    """
    turn = direction.sideways
    yield "digraph {"
    yield "graph [nodesep=0.3, ranksep=0.5, newrank=true]"
    yield 'node [shape=box, fixedsize=true, label=""]'
    yield f"edge [fontname=Courier, fontsize={_LETTER}, arrowsize=0.8]"
    for index in direction.order:
        shape, own = shapes[index], faces[index]
        size = (own.height, own.width) if turn else (own.width, own.height)
        fields = [f"width={size[0] / 72:.3f}", f"height={size[1] / 72:.3f}"]
        fields += ["style=rounded"] if shape.kind in ("Junction", "Adder") else []
        if index in direction.columns:
            fields.append(f"group=c{direction.columns[index]}")
        frames = [f for f in shape.fabrics if f in direction.frames]
        before = "".join(f'subgraph "cluster_{path_name(f)}" {{ margin={FRAME}; ' for f in frames)
        yield f"{before}n{index} [{', '.join(fields)}]{' }' * len(frames)}"
    joined = {direction.ends(link) for link in links}
    for row in direction.rows:
        chain = [f"n{a} -> n{b} [style=invis]" for a, b in pairwise(row) if (a, b) not in joined]
        yield f"{{ rank=same; {'; '.join([*(f'n{index}' for index in row), *chain])} }}"
    for number, (link, label) in enumerate(zip(links, labels, strict=True)):
        tail, head = direction.ends(link)
        fields = [f"line={number}", f"dir={_arrows(link, tail)}"]
        fields += [f'label="{_stand_in(label, turn)}"'] if label else []
        fields += direction.fields(link)
        yield f"n{tail} -> n{head} [{', '.join(fields)}]"
    yield "}"


def _stand_in(label: str, turn: bool) -> str:
    """Return lines of letters that take at least as much room as a label and its margin."""
    lines = label.split("\n")
    width = max(text_width(line, SMALL) for line in lines) + PAD
    height = _LABEL_LINE * len(lines) + PAD / 2
    if turn:
        width, height = height, width
    letters = "x" * math.ceil(width / (0.6 * _LETTER))
    return "\\n".join([letters] * math.ceil(height / (1.2 * _LETTER)))


def _arrows(link: Link, tail: int) -> str:
    if link.back:
        return "both"
    return "forward" if link.source == tail else "back"


class _Reader:
    """Turns Graphviz's points, with y upwards, into pixels with y downwards."""

    def __init__(
        self, found: Mapping[str, Any], shapes: Sequence[Shape], links: Sequence[Link], turn: bool
    ):
        self.shapes, self.links, self.turn = shapes, links, turn
        self.objects = {o["name"]: o for o in found.get("objects", ())}
        self.numbers = {o["_gvid"]: o["name"] for o in found.get("objects", ())}
        self.edges = {int(e["line"]): e for e in found.get("edges", ()) if "line" in e}
        _, _, self.width, self.height = _numbers(found["bb"])

    def places(self) -> Places:
        fabrics = dict.fromkeys(f for s in self.shapes for f in s.fabrics)
        framed = [f for f in fabrics if f"cluster_{path_name(f)}" in self.objects]
        size = (self.height, self.width) if self.turn else (self.width, self.height)
        return Places(
            tuple(self._spot(self.objects[f"n{s.index}"]["pos"]) for s in self.shapes),
            tuple(self._curve(self.edges[i], link) for i, link in enumerate(self.links)),
            {f: self._frame(f) for f in sorted(framed, key=len)},
            *size,
        )

    def _frame(self, fabric: Path) -> Rectangle:
        box = self.objects[f"cluster_{path_name(fabric)}"]["bb"].split(",")
        corners = [self._spot(",".join(box[:2])), self._spot(",".join(box[2:]))]
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        return left, top, right, bottom

    def _curve(self, edge: Mapping[str, Any], link: Link) -> Curve:
        """Return a line from the source to the target of its Link."""
        start, end, points = None, None, []
        for word in edge["pos"].split():
            if word.startswith("s,"):
                start = self._spot(word[2:])
            elif word.startswith("e,"):
                end = self._spot(word[2:])
            else:
                points.append(self._spot(word))
        if self.numbers[edge["tail"]] != f"n{link.source}":
            start, end, points = end, start, points[::-1]
        label = self._spot(edge["lp"]) if "lp" in edge else None
        return Curve(tuple(points), start, end, label)

    def _spot(self, text: str) -> Spot:
        x, y = _numbers(text)
        return (self.height - y, x) if self.turn else (x, self.height - y)


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split(",")]
