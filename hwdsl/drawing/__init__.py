"""Drawings: a Hardware as SVG.

``draw(hardware)`` decides what is shown (`folding`, `links`, `faces`) and how it runs
(`direction`), has Graphviz place it (`layout`), and writes it (`svg`). Colours are of the palette
of Okabe and Ito, which colour-blind people can tell apart; shapes say the same in black and white.
"""

from __future__ import annotations

from ..hardware import Hardware
from .direction import Direction
from .faces import face
from .folding import LIMIT, fold
from .layout import place
from .links import find_links, label, usual
from .svg import Picture, write

__all__ = ["LIMIT", "draw"]


def draw(hardware: Hardware, *, limit: int | None = LIMIT) -> str:
    """Return the architecture as one SVG document; equal machines give equal text.

    Parameters
    ----------
    limit : int, optional
        Points to show; beyond it, the later members of long lists are folded into one stack each,
        with their number. ``None`` shows every part.

    Raises
    ------
    ToolMissing
        If Graphviz is not here.
    """
    shapes = fold(hardware, limit)
    lines = find_links(hardware, shapes)
    direction = Direction(shapes, lines)
    faces = tuple(face(hardware, shape, direction.frames) for shape in shapes)
    common = usual(lines)
    labels = tuple(label(line, common) for line in lines)
    places = place(shapes, faces, lines, labels, direction)
    return write(Picture(hardware, shapes, faces, lines, labels, common, places))
