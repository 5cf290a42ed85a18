"""From checked declarations to Hardware: defaults filled in, energies whole, parts indexed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .checks import check, costly
from .declaration import Declaration, name_wires
from .errors import Fault, HardwareWarning, InputError, Location
from .hardware import MICRO_PJ, Actor, Hardware, OpTiming, Point, Wire
from .names import natural_key


def build(
    name: str,
    word: Any,
    declarations: Sequence[Declaration],
    *earlier: Fault,
    where: Mapping[str, Location] | None = None,
) -> Hardware:
    """Check a fabric and freeze it.

    Parameters
    ----------
    name : str
        What errors call the fabric.
    word : int
        Bits.
    declarations : sequence of Declaration
        In any order; wires may be nameless.
    *earlier : Fault
        Faults that were found on the way here; reported with the rest.
    where : mapping of str to Location, optional
        Where in a file the fabric (``""``) and its ``word`` stand.

    Raises
    ------
    InputError
        With every fault.
    """
    given = [
        Declaration(d.name, d.kind, {k: v for k, v in d.fields.items() if v is not None}, d.where)
        for d in declarations
    ]
    # Only an outright absence takes the default of a field that has one.
    given = [_with_defaults(d) for d in name_wires(given)]
    faults = [*earlier, *check(name, word, given, where or {})]
    if faults:
        raise InputError(*faults)
    for sentence in costly(given, word):
        warnings.warn(sentence, HardwareWarning, stacklevel=3)
    ordered = sorted(given, key=lambda d: natural_key(d.name))
    points = [d for d in ordered if d.kind in ("Node", "Adder", "Junction")]
    index = {d.name: i for i, d in enumerate(points)}
    wires = [d for d in ordered if d.kind == "Wire"]
    actors = [d for d in ordered if d.kind == "Actor"]
    return Hardware(
        name,
        word,
        [_point(i, d, word) for i, d in enumerate(points)],
        [_wire(i, d, word, index) for i, d in enumerate(wires)],
        [_actor(i, d, word, index) for i, d in enumerate(actors)],
    )


_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Adder": {"inputs": 2},
    "Actor": {"units": 1, "latency": 1, "cooldown": 1},
}


def _with_defaults(d: Declaration) -> Declaration:
    defaults = _DEFAULTS.get(d.kind)
    return d if not defaults else Declaration(d.name, d.kind, {**defaults, **d.fields}, d.where)


def _micro(pj: float | None) -> int | None:
    return None if pj is None else round(pj * MICRO_PJ)


def _point(index: int, d: Declaration, word: int) -> Point:
    if d.kind == "Junction":
        return Point(index, d.name, d.kind)
    f = d.fields
    return Point(
        index,
        d.name,
        d.kind,
        f["capacity"],
        f.get("row", word),
        _micro(f.get("pj_per_bit")),
        _micro(f.get("pj_per_bit_cycle")),
        f.get("inputs", 0),
        _micro(f.get("pj_per_add")),
        f.get("transit", True),
    )


def _wire(index: int, d: Declaration, word: int, points: Mapping[str, int]) -> Wire:
    f = d.fields
    return Wire(
        index,
        d.name,
        points[f["source"]],
        points[f["target"]],
        f["bandwidth"],
        f["latency"],
        f.get("lane", word),
        _micro(f.get("pj_per_bit")),
    )


def _actor(index: int, d: Declaration, word: int, points: Mapping[str, int]) -> Actor:
    f = d.fields
    given = f["ops"] if isinstance(f["ops"], Mapping) else {code: {} for code in f["ops"]}
    at = points[f["at"]]
    result_at = points[f["result_at"]] if "result_at" in f else at
    ops = {code: _timing(given[code], f) for code in sorted(given)}
    return Actor(index, d.name, at, result_at, f["units"], f.get("bits", word), ops)


def _timing(own: Mapping[str, Any], actor: Mapping[str, Any]) -> OpTiming:
    return OpTiming(
        own.get("latency", actor["latency"]),
        own.get("cooldown", actor["cooldown"]),
        own.get("hold"),
        own.get("units"),
        _micro(own.get("pj_per_op", actor.get("pj_per_op"))),
    )


def declarations_of(hardware: Hardware) -> list[Declaration]:
    """Return the declarations that `build` would turn into this very Hardware."""
    names = [p.name for p in hardware.points]
    return [
        *(Declaration(p.name, p.kind, _point_fields(p)) for p in hardware.points),
        *(Declaration(w.name, "Wire", _wire_fields(w, names)) for w in hardware.wires),
        *(Declaration(a.name, "Actor", _actor_fields(a, names)) for a in hardware.actors),
    ]


def without(hardware: Hardware, *names: str) -> Hardware:
    """Return the same machine without the Wires of these names.

    Raises
    ------
    InputError
        If a name is not that of a Wire.
    """
    for name in names:
        if not isinstance(hardware[name], Wire):
            raise InputError(f"only a Wire can be taken out of {hardware.name}, not {name!r}")
    kept = [d for d in declarations_of(hardware) if d.name not in names]
    return build(hardware.name, hardware.word, kept)


def _pj(micro: int | None) -> float | None:
    return None if micro is None else micro / MICRO_PJ


def _given(**fields: Any) -> dict[str, Any]:
    return {k: v for k, v in fields.items() if v is not None}


def _point_fields(p: Point) -> dict[str, Any]:
    if p.kind == "Junction":
        return {}
    own = _given(
        capacity=p.capacity,
        row=p.row,
        pj_per_bit=_pj(p.energy),
        pj_per_bit_cycle=_pj(p.hold_energy),
        transit=None if p.transit else False,
    )
    if p.kind == "Adder":
        own |= _given(inputs=p.inputs, pj_per_add=_pj(p.add_energy))
    return own


def _wire_fields(w: Wire, names: Sequence[str]) -> dict[str, Any]:
    return _given(
        source=names[w.source],
        target=names[w.target],
        bandwidth=w.bandwidth,
        latency=w.latency,
        lane=w.lane,
        pj_per_bit=_pj(w.energy),
    )


def _actor_fields(a: Actor, names: Sequence[str]) -> dict[str, Any]:
    ops = {
        code: _given(
            latency=t.latency,
            cooldown=t.cooldown,
            hold=t.hold,
            units=t.units,
            pj_per_op=_pj(t.energy),
        )
        for code, t in a.ops.items()
    }
    return _given(at=names[a.at], ops=ops, units=a.units, result_at=names[a.result_at], bits=a.bits)
