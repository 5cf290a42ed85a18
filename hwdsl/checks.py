"""The rules that a fabric must keep; all faults are found before any is reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .declaration import FIELDS, OP_FIELDS, Declaration, ends
from .errors import Fault, Location
from .hardware import Hardware
from .mac_engine import faults as engine_faults
from .mac_engine import is_mac_engine
from .names import clashes, is_identifier, parse_path
from .ops import KINDS

LARGEST = 1 << 40
"""No size and no time may reach this, so that every engine's integers hold their products."""

MOST_UNITS = 1 << 16
"""Each unit of an Actor is hardware of its own, and a list of what it does."""

LARGEST_PJ = 1e9
SMALLEST_PJ = 1e-6
"""Energies are whole numbers of this; a smaller one would silently be 0."""

_WHOLE = {
    "capacity": "bits",
    "row": "bits",
    "lane": "bits",
    "bits": "bits",
    "bandwidth": "bits per cycle",
    "latency": "cycles",
    "cooldown": "cycles",
    "hold": "cycles",
    "units": "units",
    "inputs": "partial sums",
}
_OPTIONAL = {"row", "lane", "bits", "result_at", "hold"}
_IN_WORDS = ("capacity", "row", "lane", "bits", "bandwidth")


def check(
    name: str, word: Any, declarations: Sequence[Declaration], where: Mapping[str, Location]
) -> list[Fault]:
    """Return every fault of a fabric, in the order of its declarations.

    Rules between parts are looked at only for parts that are sound on their own. ``where`` holds
    the places of the fabric itself (``""``) and of its ``word``, as in `Declaration`.
    """
    faults: list[Fault] = []
    if not _is_whole(word) or not 1 <= word < LARGEST:
        sentence = f"{name}: word must be a positive whole number of bits, not {word!r}"
        faults.append(Fault(sentence, where.get("word", where.get(""))))
        word = 1  # of which everything is a multiple: the other rules still hold
    faults += _names(declarations)
    parts = {d.name: d for d in declarations}
    sound = set()
    for declaration in declarations:
        own = [*_sizes(declaration, word), *_references(declaration, parts)]
        if declaration.kind == "Actor":
            own += _ops(declaration)
        faults += own
        if not own:
            sound.add(declaration.name)
    for declaration in declarations:
        if declaration.name in sound:
            faults += _between(declaration, word, parts, sound)
    faults += _junctions(declarations, word, sound)
    if not any(d.kind in ("Node", "Adder") for d in declarations):
        faults.append(Fault(f"{name}: a fabric needs at least one Node", where.get("")))
    return faults


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _fault(d: Declaration, field: str, sentence: str) -> Fault:
    while field not in d.where and field:
        field = field.rpartition(".")[0]  # of ops.mul.latency: ops.mul, then ops, then the part
    return Fault(f"{d.kind} {d.name!r}: {sentence}", d.where.get(field))


def _names(declarations: Sequence[Declaration]) -> Iterator[Fault]:
    reserved = {n for n in dir(Hardware) if n[0] != "_"} | set(Hardware.__annotations__)
    seen = set()
    paths: dict[tuple[str | int, ...], Declaration] = {}
    for d in declarations:
        if d.name in seen:
            yield _fault(d, "", "two parts have this name")
        seen.add(d.name)
        if d.kind == "Wire" and "->" in d.name:
            if d.name.partition("#")[0] != ends(d):
                yield _fault(d, "", f"a name with '->' must be that of its ends, {ends(d)!r}")
            continue
        try:
            path = parse_path(d.name)
        except ValueError as error:
            yield _fault(d, "", f"a name must be a path of identifiers: {error}")
            continue
        if path[0] in reserved:
            yield _fault(d, "", f"{path[0]!r} is a name that Hardware itself uses; take another")
        if any(isinstance(step, str) and step.startswith("_") for step in path):
            yield _fault(d, "", "a name must not begin with '_'")
        paths.setdefault(path, d)
    for path, d in paths.items():
        for length in range(1, len(path)):
            if path[:length] in paths:
                group = paths[path[:length]]
                yield _fault(d, "", f"{group.kind} {group.name!r} is a part, and can hold no other")
    for one, other in clashes(dict.fromkeys(d.name for d in declarations)):
        d = next(d for d in declarations if d.name == other)
        yield _fault(d, "", f"in Verilog its name is that of {one!r}; rename one of them")


def _sizes(d: Declaration, word: int, op: str = "") -> Iterator[Fault]:
    known = OP_FIELDS if op else FIELDS[d.kind]
    prefix = f"op {op!r}: " if op else ""
    given = d.fields["ops"][op] if op else d.fields
    for field in known:
        value = given.get(field)
        place = f"ops.{op}.{field}" if op else field
        if field in _WHOLE:
            if value is None:
                if not op and field not in _OPTIONAL:
                    yield _fault(d, place, f"{field} is missing")
            elif not _is_whole(value) or value <= 0:
                rule = f"{prefix}{field} must be a positive whole number of {_WHOLE[field]}"
                yield _fault(d, place, f"{rule}, not {value!r}")
            elif value >= LARGEST:
                yield _fault(d, place, f"{prefix}{field} must be below 2^40, not {value}")
            elif field == "units" and value > MOST_UNITS:
                rule = f"{prefix}units must be at most {MOST_UNITS}"
                yield _fault(d, place, f"{rule}, not {value}")
            elif field in _IN_WORDS and value % word:
                rule = f"{prefix}{field} must be a multiple of the word ({word} bits)"
                yield _fault(d, place, f"{rule}, not {value}")
        elif field == "transit" and not isinstance(value, bool | None):
            yield _fault(d, place, f"transit must be true or false, not {value!r}")
        elif field.startswith("pj_") and value is not None:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not (value == 0 or SMALLEST_PJ <= value <= LARGEST_PJ):
                rule = f"{prefix}{field} must be 0, or from {SMALLEST_PJ:g} to {LARGEST_PJ:g} pJ"
                yield _fault(d, place, f"{rule}, not {value!r}")


def _references(d: Declaration, parts: Mapping[str, Declaration]) -> Iterator[Fault]:
    allowed: dict[str, tuple[str, ...]] = {
        "at": ("Node",),
        "result_at": ("Node", "Adder"),
        "source": ("Node", "Junction", "Adder"),
        "target": ("Node", "Junction", "Adder"),
    }
    for field in FIELDS[d.kind]:
        if field not in allowed:
            continue
        value = d.fields.get(field)
        if value is None and field in _OPTIONAL:
            continue
        found = parts.get(value) if isinstance(value, str) else None
        if value is None:
            yield _fault(d, field, f"{field} is missing")
        elif found is None:
            yield _fault(d, field, f"{field} must be a part of the fabric, not {value!r}")
        elif found.kind not in allowed[field]:
            kinds = " or ".join(f"a {k}" if k != "Adder" else "an Adder" for k in allowed[field])
            yield _fault(d, field, f"{field} must be {kinds}, not {found.kind} {value!r}")
    source = d.fields.get("source")
    if d.kind == "Wire" and isinstance(source, str) and source == d.fields.get("target"):
        yield _fault(d, "target", f"a wire must join two different parts, not {source!r} to itself")


def _ops(d: Declaration) -> Iterator[Fault]:
    ops = d.fields.get("ops")
    if not isinstance(ops, Mapping | Sequence) or isinstance(ops, str):
        yield _fault(d, "ops", f"ops must be a set of op codes or a mapping, not {ops!r}")
        return
    if not ops:
        yield _fault(d, "ops", "ops must name at least one op code")
    for code in ops:
        place = f"ops.{code}"
        if not isinstance(code, str) or not is_identifier(code):
            yield _fault(d, place, f"an op code must be an identifier, not {code!r}")
            continue
        if not isinstance(ops, Mapping):
            continue
        own = ops[code]
        if not isinstance(own, Mapping):
            yield _fault(d, place, f"op {code!r} must map to its own values, not {own!r}")
            continue
        for key in own:
            if key not in OP_FIELDS:
                known = ", ".join(OP_FIELDS)
                yield _fault(d, place, f"op {code!r} has no field {key!r}; it has {known}")
        yield from _sizes(d, 1, code)
        yield from _op_timing(d, code, own)


def _op_timing(d: Declaration, code: str, own: Mapping[str, Any]) -> Iterator[Fault]:
    units, all_units = own.get("units"), d.fields.get("units", 1)
    if _is_whole(units) and _is_whole(all_units) and units > all_units:
        rule = f"op {code!r}: units must be at most the Actor's {all_units}"
        yield _fault(d, f"ops.{code}.units", f"{rule}, not {units}")
    hold, latency = own.get("hold"), own.get("latency", d.fields.get("latency", 1))
    if _is_whole(hold) and _is_whole(latency) and hold > latency:
        rule = f"op {code!r}: hold must be at most the latency ({latency} cycles)"
        yield _fault(d, f"ops.{code}.hold", f"{rule}, not {hold}")


def _results(d: Declaration) -> Iterator[Fault]:
    """Yield ops quicker than their Component, and those after which a quicker one could put its
    result in the same unit and cycle."""
    ops = d.fields["ops"]
    timed = {
        code: [
            (ops[code] if isinstance(ops, Mapping) else {}).get(field, d.fields.get(field, 1))
            for field in ("latency", "cooldown")
        ]
        for code in ops
    }
    for code, (latency, _) in timed.items():
        if code in KINDS and latency < KINDS[code].latency:
            rule = f"latency must be at least the {KINDS[code].latency} cycles of its Component"
            yield _fault(d, f"ops.{code}", f"op {code!r}: {rule}, not {latency}")
    shortest = min(latency for latency, _ in timed.values())
    for code, (latency, cooldown) in timed.items():
        if cooldown <= latency - shortest:
            rule = f"cooldown must be at least {latency - shortest + 1}, so that the result of a"
            found = (
                f"quicker op (latency {shortest}) never meets that of this one (latency {latency})"
            )
            yield _fault(d, f"ops.{code}", f"op {code!r}: {rule} {found}, not {cooldown}")


def _between(
    d: Declaration, word: int, parts: Mapping[str, Declaration], sound: set[str]
) -> Iterator[Fault]:
    """Yield what is wrong within one sound part, and between it and the sound parts it touches."""
    if d.kind == "Actor":
        yield from _results(d)
    if is_mac_engine(d) and d.fields["at"] in sound:
        for field, sentence in engine_faults(d, word, parts[d.fields["at"]]):
            yield _fault(d, field, sentence)
    if d.kind in ("Node", "Adder"):
        row = d.fields.get("row", word)
        if d.fields["capacity"] % row:
            rule = f"capacity must be whole rows of {row} bits"
            yield _fault(d, "capacity", f"{rule}, not {d.fields['capacity']}")
    if d.kind != "Wire":
        return
    lane = d.fields.get("lane", word)
    if d.fields["bandwidth"] % lane:
        rule = f"bandwidth must be whole lanes of {lane} bits"
        yield _fault(d, "bandwidth", f"{rule}, not {d.fields['bandwidth']}")
    for end in ("source", "target"):
        node = parts[d.fields[end]]
        row = node.fields.get("row", word)
        if node.kind != "Junction" and node.name in sound and row % lane:
            rule = f"its lane of {lane} bits must divide the row of {node.name!r}"
            yield _fault(d, "lane", f"{rule} ({row} bits)")


def _junctions(declarations: Sequence[Declaration], word: int, sound: set[str]) -> Iterator[Fault]:
    junctions = {d.name for d in declarations if d.kind == "Junction"}
    touching: dict[str, list[Declaration]] = defaultdict(list)
    for d in declarations:
        if d.kind == "Wire" and d.name in sound:
            for end in dict.fromkeys((d.fields["source"], d.fields["target"])):
                if end in junctions:
                    touching[end].append(d)
    for name in (d.name for d in declarations if d.name in touching):
        wires = touching[name]
        for field, value in (
            ("bandwidth", lambda w: w.fields["bandwidth"]),
            ("lane", lambda w: w.fields.get("lane", word)),
        ):
            yield from _alike(name, field, wires, value)


def _alike(
    junction: str, field: str, wires: Sequence[Declaration], value: Callable[[Declaration], Any]
) -> Iterator[Fault]:
    first = wires[0]
    for other in wires[1:]:
        if value(other) != value(first):
            rule = f"all wires of Junction {junction!r} must have the same {field}"
            found = f"{first.name!r} has {value(first)}"
            yield _fault(other, field, f"{rule}: {found}, this one {value(other)}")
            return


OFF_CHIP = 1 << 33
"""Bits from which on no memory is taken to be on the chip."""


def costly(declarations: Sequence[Declaration], word: int) -> Iterator[str]:
    """Yield a sentence for each legal choice that hardware pays dearly for (ports of memories)."""
    lanes_in: dict[str, int] = defaultdict(int)
    for d in declarations:
        if d.kind == "Wire":
            lane = d.fields.get("lane", word)
            lanes_in[d.fields["target"]] += d.fields["bandwidth"] // lane
        elif d.kind == "Actor":
            ports = 1 if is_mac_engine(d) else d.fields.get("units", 1)
            lanes_in[d.fields.get("result_at", d.fields["at"])] += ports
    for d in declarations:
        large = d.kind == "Node" and 36 * 1024 <= d.fields["capacity"] < OFF_CHIP
        if large and lanes_in[d.name] > 2:
            yield (
                f"Node {d.name!r}: {d.fields['capacity']} bits with {lanes_in[d.name]} write ports "
                "become flip-flops, not block RAM; put a Junction or a wider lane in front"
            )
