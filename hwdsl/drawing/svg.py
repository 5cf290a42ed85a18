"""The SVG text of a drawing whose places are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..hardware import Hardware
from .faces import LINE, PAD, PILL, SMALL, STACK, Face, amount, text_width
from .folding import Shape, path_name
from .layout import Curve, Places, Spot
from .links import Link
from .markup import element, number, text, title

MARGIN = 12.0
_ARROW = 7.0

_STYLE = """\
.hwdsl text { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; \
font-size: 10px; fill: #1a1a1a; }
.hwdsl .name { font-size: 12px; font-weight: bold; }
.hwdsl .heading { font-size: 14px; font-weight: bold; }
.hwdsl .halo { stroke: #fff; stroke-width: 3px; stroke-linejoin: round; paint-order: stroke; }
.hwdsl .page { fill: #fff; }
.hwdsl .frame { fill: #f6f6f6; fill-opacity: .6; stroke: #999; stroke-dasharray: 4 3; }
.hwdsl .node { fill: #dcecf7; stroke: #0072b2; stroke-width: 1.4; }
.hwdsl .stack { fill: #eeeeee; stroke: #555; stroke-width: 1.2; }
.hwdsl .adder { fill: #fbe3d6; stroke: #d55e00; stroke-width: 1.6; }
.hwdsl .plus { fill: none; stroke: #1a1a1a; stroke-width: 1.4; }
.hwdsl .junction { fill: #333; }
.hwdsl .light { fill: #fff; }
.hwdsl .actor { fill: #fdf2cf; stroke: #b07d00; }
.hwdsl .wire { fill: none; stroke: #444; }
.hwdsl .arrow { fill: #444; }
.hwdsl .result { fill: none; stroke: #b07d00; stroke-width: 1.4; stroke-dasharray: 5 3; }
.hwdsl .resulting { fill: #b07d00; }
"""


@dataclass(frozen=True, eq=False)
class Picture:
    """All of a drawing: what it shows, what is written there, and where.

    Attributes
    ----------
    labels : sequence of str
        What is written on each Link.
    usual : str
        The figures of the Wires that have none written on them.
    """

    hardware: Hardware
    shapes: Sequence[Shape]
    faces: Sequence[Face]
    links: Sequence[Link]
    labels: Sequence[str]
    usual: str
    places: Places


def write(picture: Picture) -> str:
    """Return the SVG document."""
    heading, legend = _heading(picture), _legend(picture)
    head, foot = 40.0, 16.0 * len(legend) + 10
    widest = max([text_width(heading[0], 14), *(text_width(t, SMALL) for t in legend)])
    width = max(picture.places.width, widest, text_width(heading[1], SMALL)) + 2 * MARGIN
    height = picture.places.height + head + foot + 2 * MARGIN
    left = MARGIN + max(0.0, (width - 2 * MARGIN - picture.places.width) / 2)
    size = f'width="{number(width)}" height="{number(height)}"'
    below = MARGIN + head + picture.places.height
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hwdsl" {size} '
        f'viewBox="0 0 {number(width)} {number(height)}" role="img">',
        title(f"{heading[0]}: {heading[1]}"),
        f"<style>\n{_STYLE}</style>",
        element("rect", "page", x=0, y=0, width=width, height=height),
        text(heading[0], MARGIN, MARGIN + 14, "heading"),
        text(heading[1], MARGIN, MARGIN + 30),
        f'<g transform="translate({number(left)} {number(MARGIN + head)})">',
        *_frames(picture),
        *_links(picture),
        *_shapes(picture),
        *_labels(picture),
        "</g>",
        *(text(t, MARGIN, below + 16 * (i + 1) + 6) for i, t in enumerate(legend)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _heading(picture: Picture) -> tuple[str, str]:
    hardware = picture.hardware
    kinds = [p.kind for p in hardware.points]
    parts = [amount(kinds.count(k), k) for k in ("Node", "Adder", "Junction") if k in kinds]
    parts += [amount(len(hardware.wires), "Wire"), amount(len(hardware.actors), "Actor")]
    return hardware.name, f"{', '.join(parts)}; word of {amount(hardware.word, 'bit')}"


def _legend(picture: Picture) -> list[str]:
    kinds = dict.fromkeys(s.kind for s in picture.shapes)
    meaning = {
        "Node": "box: Node",
        "Junction": "dark: Junction",
        "Adder": "plus: Adder",
        "Stack": "stack of boxes: the rest of a list",
    }
    told = [words for kind, words in meaning.items() if kind in kinds]
    told += ["rounded: Actor, ops and units"] if picture.hardware.actors else []
    told += ["dashed: where results appear"] if any(not k.wires for k in picture.links) else []
    lines = ["; ".join(told)] if told else []
    if picture.hardware.wires:
        lines.append("Wires: bits per cycle, latency in cycles (cy)")
        if picture.usual:
            lines[-1] += f"; those without figures {picture.usual}"
    return lines


def _frames(picture: Picture) -> Iterator[str]:
    for path, (left, top, right, bottom) in picture.places.frames.items():
        yield element("rect", "frame", x=left, y=top, width=right - left, height=bottom - top, rx=6)
        yield text(path_name(path), left + PAD, top + 13)


def _links(picture: Picture) -> Iterator[str]:
    for link, curve in zip(picture.links, picture.places.curves, strict=True):
        line, arrow = ("wire", "arrow") if link.wires else ("result", "resulting")
        yield f"<g>{title(link.title)}"
        thick = _thickness(link)
        yield element("path", line, d=_path(curve), **({"stroke-width": thick} if thick else {}))
        for tip, before in _arrows(curve):
            yield element("path", arrow, d=_arrow(tip, before))
        yield "</g>"


def _thickness(link: Link) -> float:
    """Return a width that tells a Wire of many bits from one of few."""
    if not link.wires:
        return 0
    return min(4.0, 1 + 0.3 * math.log2(max(link.wires[0].bandwidth, 2) / 2))


def _path(curve: Curve) -> str:
    first, *rest = (f"{number(x)} {number(y)}" for x, y in curve.points)
    words = [f"M{first}"]
    words += [f"C{', '.join(rest[i : i + 3])}" for i in range(0, len(rest), 3)]
    return " ".join(words)


def _arrows(curve: Curve) -> Iterator[tuple[Spot, Spot]]:
    if curve.end is not None:
        yield curve.end, curve.points[-1]
    if curve.start is not None:
        yield curve.start, curve.points[0]


def _arrow(tip: Spot, before: Spot) -> str:
    """Return the triangle of an arrow: from where the line ends to its tip."""
    (x, y), (bx, by) = tip, before
    length = math.hypot(x - bx, y - by) or 1
    dx, dy = (x - bx) / length, (y - by) / length
    half = _ARROW / 2
    corners = ((x, y), (bx - dy * half, by + dx * half), (bx + dy * half, by - dx * half))
    return "M" + " L".join(f"{number(u)} {number(v)}" for u, v in corners) + "Z"


def _shapes(picture: Picture) -> Iterator[str]:
    for shape, own, (x, y) in zip(
        picture.shapes, picture.faces, picture.places.shapes, strict=True
    ):
        yield f"<g>{title(own.title)}"
        if shape.kind in ("Junction", "Adder"):
            yield from _pill(shape, own, x, y)
        else:
            yield from _box(shape, own, x, y)
        yield "</g>"


def _pill(shape: Shape, own: Face, x: float, y: float) -> Iterator[str]:
    left, half = x - own.width / 2, own.height / 2
    yield element(
        "rect", shape.kind.lower(), x=left, y=y - half, width=own.width, height=own.height, rx=half
    )
    if shape.kind == "Junction":
        yield text(own.lines[0], x, y + 3.5, "light", middle=True)
        return
    yield element("circle", "plus", cx=left + half, cy=y, r=half - 4)
    yield element("path", "plus", d=f"M{number(left + half - 4)} {number(y)}h8m-4 -4v8")
    yield text(own.lines[0], left + 2 * half, y + 3.5)


def _box(shape: Shape, own: Face, x: float, y: float) -> Iterator[str]:
    left, top = x - own.width / 2, y - own.height / 2
    back = STACK if shape.members else 0
    width, height, x = own.width - back, own.height - back, x - back / 2
    for offset in (back, back / 2) if back else ():
        at = {"x": left + offset, "y": top + offset}
        yield element("rect", "stack", **at, width=width, height=height)
    yield element("rect", shape.kind.lower(), x=left, y=top, width=width, height=height)
    base = top + PAD / 2
    for i, line in enumerate(own.lines):
        yield text(line, x, base + LINE * i + 11, "" if i else "name", middle=True)
    base += LINE * len(own.lines) + PAD / 2
    for i, (label, full) in enumerate(own.pills):
        yield f"<g>{title(full)}"
        yield element(
            "rect", "actor", x=left + PAD / 2, y=base + PILL * i,
            width=width - PAD, height=PILL - 3, rx=7.5,
        )  # fmt: skip
        yield text(label, x, base + PILL * i + 11, middle=True)
        yield "</g>"


def _labels(picture: Picture) -> Iterator[str]:
    """Yield what is written on Wires, over all else."""
    for label, curve in zip(picture.labels, picture.places.curves, strict=True):
        if label and curve.label is not None:
            x, y = curve.label
            lines = label.split("\n")
            top = y - 12 * (len(lines) - 1) / 2 + SMALL / 3
            for i, line in enumerate(lines):
                yield text(line, x, top + 12 * i, "halo", middle=True)
