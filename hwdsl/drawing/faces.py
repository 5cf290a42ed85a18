"""What stands in the box of a shape, how large that is, and what it is in full."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from ..hardware import MICRO_PJ, Actor, Hardware, Point
from .folding import Path, Shape, path_name

NAME, SMALL = 12.0, 10.0
"""Sizes of letters, pixels."""

ADVANCE = 0.605
"""Width of a letter over its size, in every common monospaced font."""

LINE, PILL, PAD = 15.0, 18.0, 8.0
STACK = 8.0
"""How far the boxes behind a stack stand out."""

JUNCTION, ADDER = 16.0, 22.0
"""Heights."""
_ACTORS = 3


@dataclass(frozen=True)
class Face:
    """What is written in a shape, and its size in pixels.

    Attributes
    ----------
    lines : tuple of str
        The first is the name.
    pills : tuple of (str, str)
        The label and the full text of each Actor.
    title : str
        What the shape is, in full.
    """

    lines: tuple[str, ...]
    pills: tuple[tuple[str, str], ...]
    title: str
    width: float
    height: float


def face(hardware: Hardware, shape: Shape, frames: Collection[Path]) -> Face:
    """Return what is written in a shape; its name is that inside its innermost frame."""
    around = [path_name(fabric) for fabric in shape.fabrics if fabric in frames]
    outer = len(around[-1]) if around else 0
    name = shape.name[outer:].removeprefix(".")
    if shape.kind in ("Junction", "Adder"):
        height = JUNCTION if shape.kind == "Junction" else ADDER
        width = text_width(name, SMALL) + (height if shape.kind == "Adder" else PAD)
        return Face((name,), (), _title(shape.points[0]), width + PAD, height)
    if shape.kind == "Stack":
        lines, pills, title = [name, *_stack(hardware, shape)], [], _members(shape)
    else:
        node = shape.points[0]
        lines = [name, f"{bits(node.capacity)}, row {bits(node.row)}"]
        pills, title = [_pill(a, outer) for a in shape.actors[:_ACTORS]], _title(node)
        if len(shape.actors) > _ACTORS:
            rest = shape.actors[_ACTORS:]
            pills.append((f"{len(rest)} more actors", "\n".join(map(_actor_title, rest))))
    widths = [text_width(lines[0], NAME), *(text_width(t, SMALL) for t in lines[1:])]
    width = max(*widths, *(text_width(label, SMALL) + PAD for label, _ in pills)) + 2 * PAD
    height = LINE * len(lines) + PILL * len(pills) + PAD + (PAD / 2 if pills else 0)
    back = STACK if shape.members else 0
    return Face(tuple(lines), tuple(pills), title, width + back, height + back)


def text_width(text: str, size: float) -> float:
    """Return the width of a line in pixels."""
    cells = sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)
    return cells * ADVANCE * size


def bits(number: int) -> str:
    """Return a size as people read it: ``512 bit``, ``16 KiB``."""
    for unit, size in (("GiB", 1 << 33), ("MiB", 1 << 23), ("KiB", 1 << 13)):
        if number and number % size == 0:
            return f"{number // size} {unit}"
    return f"{number} bit"


def amount(number: int, thing: str) -> str:
    """Return ``1 Wire`` or ``2 Wires``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _stack(hardware: Hardware, shape: Shape) -> list[str]:
    inside = {p.index for p in shape.points}
    wires = sum(w.source in inside and w.target in inside for w in hardware.wires)
    lines = [f"{shape.members} members"]
    kinds = [p.kind for p in shape.points]
    lines += [amount(kinds.count(k), k) for k in ("Node", "Adder", "Junction") if k in kinds]
    lines += [amount(len(shape.actors), "Actor")] if shape.actors else []
    return lines + ([f"{amount(wires, 'Wire')} inside"] if wires else [])


def _members(shape: Shape) -> str:
    return f"{shape.name}: folded here\n" + "\n".join(map(_title, shape.points))


def _pill(actor: Actor, outer: int) -> tuple[str, str]:
    codes = sorted(actor.ops)
    shown = " ".join(codes[:3]) + (f" +{len(codes) - 3}" if len(codes) > 3 else "")
    return f"{actor.name[outer:].removeprefix('.')}: {shown} x{actor.units}", _actor_title(actor)


def _actor_title(actor: Actor) -> str:
    ops = (
        f"{code}: latency {t.latency}, cooldown {t.cooldown}, {_pj(t.energy)} each"
        for code, t in sorted(actor.ops.items())
    )
    return "\n".join([f"Actor {actor.name}: {amount(actor.units, 'unit')}", *ops])


def _title(point: Point) -> str:
    if point.kind == "Junction":
        return f"Junction {point.name}"
    parts = [
        f"{point.kind} {point.name}: {bits(point.capacity)} in {amount(point.rows, 'row')} of "
        f"{bits(point.row)}",
        f"{_pj(point.energy)} per bit that leaves",
    ]
    if point.hold_energy is not None:
        parts.append(f"{_pj(point.hold_energy)} per bit and cycle")
    if point.kind == "Adder":
        parts += [f"{point.inputs} inputs", f"{_pj(point.add_energy)} per addition"]
    return ", ".join(parts)


def _pj(energy: int | None) -> str:
    return "undeclared pJ" if energy is None else f"{energy / MICRO_PJ:g} pJ"
