"""What a drawing shows of the Wires: those that are alike, between the same two shapes, as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..hardware import Hardware, Wire
from .folding import Shape

_MANY = 6


@dataclass(frozen=True, eq=False)
class Link:
    """One line in a drawing.

    Attributes
    ----------
    source, target : int
        Shapes.
    there, back : tuple of Wire
        From source to target, and the other way; all of one bandwidth and latency. Neither: an
        Actor whose results appear at another Point.
    title : str
        What it is, in full.
    """

    source: int
    target: int
    there: tuple[Wire, ...]
    back: tuple[Wire, ...]
    title: str

    @property
    def wires(self) -> tuple[Wire, ...]:
        return self.there + self.back

    @property
    def figures(self) -> str:
        """Bits per cycle and latency: ``32 bit, 1 cy``; empty where there are no Wires."""
        if not self.wires:
            return ""
        return f"{self.wires[0].bandwidth} bit, {self.wires[0].latency} cy"

    @property
    def count(self) -> int:
        """Wires each way."""
        return max(len(self.there), len(self.back))


def find_links(hardware: Hardware, shapes: Sequence[Shape]) -> tuple[Link, ...]:
    """Return the lines of a drawing; what stays inside one stack has none."""
    shape = {p.index: s.index for s in shapes for p in s.points}
    bundles: dict[tuple[int, int, int, int], list[Wire]] = {}
    for wire in hardware.wires:
        ends = (shape[wire.source], shape[wire.target])
        if ends[0] != ends[1]:
            bundles.setdefault((*ends, wire.bandwidth, wire.latency), []).append(wire)
    found = []
    for (source, target, bandwidth, latency), there in bundles.items():
        back = bundles.get((target, source, bandwidth, latency), [])
        if len(back) != len(there):
            found.append(Link(source, target, tuple(there), (), _title(hardware, there)))
        elif source < target:
            title = _title(hardware, [*there, *back])
            found.append(Link(source, target, tuple(there), tuple(back), title))
    return (*found, *_results(hardware, shapes, shape))


def _results(hardware: Hardware, shapes: Sequence[Shape], shape: dict[int, int]) -> Iterable[Link]:
    """Yield a line for each shape with Actors whose results appear elsewhere."""
    for s in shapes:
        targets: dict[int, list[str]] = {}
        for actor in s.actors:
            if shape[actor.result_at] != s.index:
                targets.setdefault(shape[actor.result_at], []).append(actor.name)
        for target, names in targets.items():
            yield Link(s.index, target, (), (), f"results of {', '.join(names)}")


def _title(hardware: Hardware, wires: Sequence[Wire]) -> str:
    points = hardware.points
    return "\n".join(
        f"Wire {w.name}: {points[w.source]} -> {points[w.target]}, "
        f"{w.bandwidth} bit per cycle in lanes of {w.lane}, latency {w.latency}"
        for w in wires
    )


def usual(links: Sequence[Link]) -> str:
    """Return the figures that most links have, if they are many: these are told only once."""
    counts = Counter(link.figures for link in links if link.wires)
    figures, count = counts.most_common(1)[0] if counts else ("", 0)
    return figures if count >= _MANY else ""


def label(link: Link, usual: str) -> str:
    """Return what is written on a link, lines apart: a name of its own, and unusual figures."""
    wires = link.wires
    named = len(wires) == 1 and "->" not in wires[0].name
    lines = [wires[0].name] if named else []
    if wires and (link.count > 1 or link.figures != usual):
        lines.append((f"{link.count} x " if link.count > 1 else "") + link.figures)
    return "\n".join(lines)
