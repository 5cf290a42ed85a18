"""A reduction tree as SVG: its Adders level by level, each Wire as wide as it is used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ..errors import InputError

if TYPE_CHECKING:
    from dtt import Schedule

    from ..hardware import Hardware

PITCH, STEP, MARGIN = 44, 70, 40
"""Pixels between leaves, between levels, and around."""


def tree_picture(schedule: Schedule) -> str:
    """Return the picture of a Schedule on a `hwdsl.fabrics.ReductionTree`.

    Raises
    ------
    InputError
        If the Hardware is no such tree.
    """
    hardware = schedule.hardware
    places = _places(hardware)
    counts = Counter(schedule.moves["wire"].tolist())
    span = max(schedule.cycles, 1)
    bottom = max(y for _, y in places.values())
    width = max(x for x, _ in places.values()) + MARGIN
    lines: list[str] = []
    used: list[str] = []
    for wire in hardware.wires:
        if wire.source in places and wire.target in places:
            (x0, y0), (x1, y1) = places[wire.source], places[wire.target]
            side = y0 == y1
            bend = (6 if wire.source < wire.target else -6) if side else 0
            use = counts[wire.index] / (span * wire.lanes)
            colour = "#c2410c" if side else "#2563eb"
            shade = "#cbd5e1" if not counts[wire.index] else colour
            title = f"{wire.name}: {counts[wire.index]} moves, {use:.0%} of {span} cycles"
            (used if counts[wire.index] else lines).append(
                f'<line x1="{x0}" y1="{y0 + bend}" x2="{x1}" y2="{y1 + bend}" stroke="{shade}" '
                f'stroke-width="{1 + 7 * use:.2f}"><title>{escape(title)}</title></line>'
            )
    shapes = []
    for index, (x, y) in sorted(places.items()):
        point = hardware.points[index]
        label = _label(point.name)
        fill = "#e2e8f0" if point.kind == "Node" else "#fde68a" if point.inputs > 2 else "#ffffff"
        shapes.append(
            f'<circle cx="{x}" cy="{y}" r="16" fill="{fill}" stroke="#334155"/>'
            f'<text x="{x}" y="{y + 3}">{escape(label)}</text>'
        )
    caption = (
        f"{hardware.name}: {schedule.cycles} cycles; a line is as wide as the Wire is busy, side "
        "links are orange, Adders of three inputs yellow"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{bottom + 2 * MARGIN}"'
            ' font-family="sans-serif" font-size="8" text-anchor="middle">',
            *lines,
            *used,
            *shapes,
            f'<text x="{MARGIN // 2}" y="{bottom + MARGIN + 20}" text-anchor="start" '
            f'font-size="11">'
            f"{escape(caption)}</text>",
            "</svg>",
            "",
        ]
    )


def _label(name: str) -> str:
    """Return ``ADD_01`` for ``add[0][1]``, and the number of a leaf."""
    kind, *numbers = name.replace("]", "").split("[")
    return f"ADD_{''.join(numbers)}" if kind == "add" else "".join(numbers)


def _places(hardware: Hardware) -> dict[int, tuple[float, float]]:
    """Return where each leaf and each Adder is drawn, the root at the top."""
    if "leaf[0]" not in hardware or "add[0][0]" not in hardware:
        raise InputError(f"{hardware.name} is no ReductionTree, which alone is drawn as one")
    levels = len(hardware.add)
    places: dict[int, tuple[float, float]] = {}
    for i, leaf in enumerate(hardware.leaf):
        places[leaf.index] = (MARGIN + i * PITCH, MARGIN + levels * STEP)
    for level, adders in enumerate(hardware.add):
        for i, adder in enumerate(adders):
            centre = (i + 0.5) * 2 ** (level + 1) - 0.5
            places[adder.index] = (MARGIN + centre * PITCH, MARGIN + (levels - 1 - level) * STEP)
    return places
