"""The rules of MAC engines: Actors that know an op on depth slices (rule 4 of the contract)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .declaration import Declaration
from .slices import ENGINE_CODES

CODES = ENGINE_CODES | {"add"}
"""All that a MAC engine can do."""

LEAST_LATENCY = 4
"""Cycles from an address to the sum that is made of what lies there."""


def is_mac_engine(d: Declaration) -> bool:
    """Return whether a sound Actor is declared to be one."""
    return d.kind == "Actor" and not ENGINE_CODES.isdisjoint(d.fields["ops"])


def faults(d: Declaration, word: int, node: Declaration) -> Iterator[tuple[str, str]]:
    """Yield field and sentence for each rule that an engine at a Node breaks.

    Parameters
    ----------
    d, node : Declaration
        Sound on their own.
    """
    ops, fields = d.fields["ops"], d.fields
    named = ", ".join(sorted(ENGINE_CODES.intersection(ops)))
    what = f"a MAC engine (it knows {named})"
    for code in sorted(set(ops) - CODES):
        yield f"ops.{code}", f"{what} knows {', '.join(sorted(CODES))} alone, not {code!r}"
    own: dict[str, Mapping[str, Any]] = {}
    if isinstance(ops, Mapping):
        own = {code: ops[code] for code in sorted(ops)}
    for code, given in own.items():
        for field in ("hold", "units"):
            if given.get(field) is not None:
                rule = f"{what} takes all of its units, and holds for the latency"
                yield f"ops.{code}.{field}", f"op {code!r}: {rule}; leave {field} out"
    if fields.get("result_at", fields["at"]) != fields["at"]:
        rule = f"{what} has its results where its operands are"
        yield "result_at", f"{rule}, not in {fields['result_at']!r}"
    if fields.get("bits", word) != word:
        yield "bits", f"{what} computes on words of {word} bits, not on {fields['bits']}"
    words = node.fields.get("row", word) // word
    if words & (words - 1):
        yield "at", f"{what} needs rows of a power of two words, not of {words}"
    units = fields.get("units", 1)
    if units & (units - 1) or units > words:
        rule = f"{what} has a power of two units, at most the {words} words of a row"
        yield "units", f"{rule}, not {units}"
    for field, default in (("latency", 1), ("cooldown", 1)):
        everywhere = fields.get(field, default)
        given = {code: own.get(code, {}).get(field, everywhere) for code in sorted(ops)}
        if len(set(given.values())) > 1:
            found = ", ".join(f"{code} has {value}" for code, value in given.items())
            yield field, f"{what} has one {field} for all ops: {found}"
        elif field == "latency" and min(given.values()) < LEAST_LATENCY:
            rule = f"{what} has a latency of at least {LEAST_LATENCY} cycles"
            yield field, f"{rule}, not {min(given.values())}"
        elif field == "cooldown" and max(given.values()) > 1:
            yield field, f"{what} has a cooldown of 1 cycle, not {max(given.values())}"
