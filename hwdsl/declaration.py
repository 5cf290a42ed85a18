"""The flat form of a fabric, between what was written (Python, YAML) and the frozen Hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import Location
from .names import natural_key

KINDS = ("Node", "Junction", "Adder", "Wire", "Actor")

FIELDS: Mapping[str, tuple[str, ...]] = {
    "Node": ("capacity", "row", "pj_per_bit", "pj_per_bit_cycle", "transit"),
    "Junction": (),
    "Adder": ("capacity", "row", "pj_per_bit", "pj_per_bit_cycle", "inputs", "pj_per_add"),
    "Wire": ("source", "target", "bandwidth", "latency", "lane", "pj_per_bit"),
    "Actor": ("at", "ops", "units", "latency", "cooldown", "result_at", "bits", "pj_per_op"),
}
OP_FIELDS = ("latency", "cooldown", "hold", "units", "pj_per_op")


@dataclass(frozen=True)
class Declaration:
    """One part by its full name; references to other parts are their full names.

    Attributes
    ----------
    name : str
        ``""`` for a wire that nobody named; `name_wires` gives it the name of its ends.
    kind : str
        One of `KINDS`.
    fields : Mapping[str, Any]
        As given, unchecked; what was not given is absent.
    where : Mapping[str, Location]
        Where in a file each field stands; ``""`` is the part itself.
    """

    name: str
    kind: str
    fields: Mapping[str, Any]
    where: Mapping[str, Location] = field(default_factory=dict)


def name_wires(declarations: list[Declaration]) -> list[Declaration]:
    """Name each nameless wire by its ends, whatever the order of declaration.

    Parallel wires are told apart by ``#2``, ``#3`` in the order of their fields; wires that
    agree in every field are interchangeable.
    """
    taken = {d.name for d in declarations if d.name}
    named = [d for d in declarations if d.name or d.kind != "Wire"]
    nameless = [d for d in declarations if d.kind == "Wire" and not d.name]

    def order(wire: Declaration) -> tuple[object, ...]:
        rest = [repr(wire.fields.get(key)) for key in FIELDS["Wire"][2:]]
        return (natural_key(ends(wire)), [natural_key(text) for text in rest])

    for wire in sorted(nameless, key=order):
        name, copy = ends(wire), 1
        while name in taken:
            copy += 1
            name = f"{ends(wire)}#{copy}"
        taken.add(name)
        named.append(Declaration(name, "Wire", wire.fields, wire.where))
    return named


def ends(wire: Declaration) -> str:
    """Return ``source->target``, the name of a wire that has no other."""
    return f"{wire.fields.get('source')}->{wire.fields.get('target')}"
