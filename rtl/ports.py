"""The command ports of a machine: who can be told what, and how a command is laid out in bits.

Shared by the hardware, which obeys commands, and by the loader, which packs them. A port belongs
to one lane of a Wire (send or steer at its source, land at its target) or to one unit of an Actor
(fire, result), and takes at most one command in a cycle. A MAC engine has one port for all of its
units (launch), and a list of rows (list), which is no source of commands but is loaded as one is.
"""

from __future__ import annotations

from dataclasses import dataclass

from hwdsl.hardware import Actor, Hardware, Point, Wire
from hwdsl.program import LAUNCH_COLUMNS

from .operations import operation

LIST_BITS = 24
"""Bits of an index in a list of rows."""

Fields = tuple[tuple[str, int], ...]
"""Names and widths in bits, the least significant field first."""

KINDS = ("send", "steer", "land", "fire", "result", "launch", "list")


@dataclass(frozen=True)
class Port:
    """One place that takes commands.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    part, lane : int
        Index of the Wire and its lane, or index of the Actor and its unit.
    owner : str
        Name of that Wire or Actor.
    fields : Fields
        Layout of a command. A field that could only be 0 is left out.
    """

    kind: str
    part: int
    lane: int
    owner: str
    fields: Fields

    @property
    def width(self) -> int:
        return sum(width for _, width in self.fields)

    def __str__(self) -> str:
        return f"{self.kind} {self.owner}[{self.lane}]"


def entry_fields(port: Port, time_bits: int) -> Fields:
    """Return the layout of a timed command in a table; ``valid`` says that there is one.

    A list holds rows alone.
    """
    if port.kind == "list":
        return (("command", port.width), ("time", 0), ("valid", 0))
    return (("command", port.width), ("time", time_bits), ("valid", 1))


def bits_for(largest: int) -> int:
    """Return the bits that hold ``0 .. largest``."""
    return largest.bit_length()


def row_bits(point: Point) -> int:
    """Return the bits of a row address: one more than needed, so that a row beyond is seen."""
    return bits_for(point.rows - 1) + 1


def rows_per_element(actor: Actor, point: Point) -> int:
    """Return the rows of ``point`` that the widest element of ``actor`` takes."""
    return -(-actor.bits // point.row)


def slots_of(actor: Actor) -> int:
    """Return how many operands a unit reads."""
    return max(operation(code).arity for code in actor.ops)


def ports_of(hardware: Hardware) -> tuple[Port, ...]:
    """Return all ports: by kind in the order of `KINDS`, then by part, then by lane or unit."""
    made = []
    for wire in hardware.wires:
        source, target = hardware.points[wire.source], hardware.points[wire.target]
        ends = [(source.stores, "send", _send_fields(source, wire, hardware.word))]
        ends.append((not source.stores, "steer", _steer_fields(hardware, source)))
        ends.append((target.stores, "land", _land_fields(target, hardware.word)))
        for exists, kind, fields in ends:
            if exists:
                made += _lanes(kind, wire, fields, wire.lanes)
    for actor in hardware.actors:
        if actor.is_mac_engine:
            at = hardware.points[actor.at]
            made += _lanes("launch", actor, _launch_fields(actor, at, hardware.word), 1)
            made += _lanes("list", actor, (("row", row_bits(at)),), 1)
            continue
        fire = _fire_fields(actor, hardware.points[actor.at], hardware.word)
        result = _result_fields(actor, hardware.points[actor.result_at], hardware.word)
        for kind, fields in (("fire", fire), ("result", result)):
            made += _lanes(kind, actor, fields, actor.units)
    return tuple(sorted(made, key=lambda p: (KINDS.index(p.kind), p.part, p.lane)))


def _lanes(kind: str, owner: Wire | Actor, fields: Fields, lanes: int) -> list[Port]:
    fields = tuple((name, width) for name, width in fields if width)
    return [Port(kind, owner.index, lane, owner.name, fields) for lane in range(lanes)]


def _words(point: Point, word: int) -> tuple[str, int]:
    return ("offset", bits_for(point.row // word - 1))


def _send_fields(point: Point, wire: Wire, word: int) -> Fields:
    size = ("size", bits_for(wire.lane // word))
    return (("row", row_bits(point)), _words(point, word), size)


def _steer_fields(hardware: Hardware, junction: Point) -> Fields:
    lanes = sum(wire.lanes for wire in hardware.incoming[junction.index])
    return (("choice", bits_for(max(0, lanes - 1))),)


def _land_fields(point: Point, word: int) -> Fields:
    first = (("first", 1),) if point.kind == "Adder" else ()
    return (("row", row_bits(point)), _words(point, word), *first)


def _fire_fields(actor: Actor, point: Point, word: int) -> Fields:
    fields = [("code", bits_for(len(actor.ops) - 1)), ("first", 1), ("last", 1), ("more", 1)]
    for slot in range(slots_of(actor)):
        fields.append((f"size{slot}", bits_for(actor.bits // word)))
        fields.append((f"offset{slot}", _words(point, word)[1]))
        rows = range(rows_per_element(actor, point))
        fields += [(f"row{slot}_{i}", row_bits(point)) for i in rows]
    return tuple(fields)


def _result_fields(actor: Actor, point: Point, word: int) -> Fields:
    fields = [("size", bits_for(actor.bits // word)), _words(point, word)]
    if point.kind == "Adder":
        fields.append(("first", 1))
    rows = range(rows_per_element(actor, point))
    return (*fields, *((f"row{i}", row_bits(point)) for i in rows))


def _launch_fields(actor: Actor, point: Point, word: int) -> Fields:
    words = bits_for(2 * point.rows * (point.row // word))
    widths = dict.fromkeys(LAUNCH_COLUMNS[LAUNCH_COLUMNS.index("code") :], words)
    widths["code"] = bits_for(len(actor.ops) - 1)
    widths["lanes"] = bits_for(bits_for(actor.units - 1))
    widths["word"] = _words(point, word)[1]
    widths |= dict.fromkeys(("input", "filter", "total", "result"), LIST_BITS)
    widths["adds"] = 1
    return tuple(widths.items())
