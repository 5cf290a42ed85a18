"""A Schedule as JSON: by names, so that it can be read on any Hardware that has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Actor, Hardware, Wire
from hwdsl.workload import Workload

from .schedule import FIRING, MOVE, Schedule, Unserved

FORMAT = "dtt schedule 1"
_KEYS = ("format", "engine", "moves", "firings", "unserved")
_LATEST = 1 << 50


def write(schedule: Schedule) -> str:
    """Return a Schedule as JSON, one Move, Firing or unserved request a line."""
    data = [d.name for d in schedule.workload.data]
    wires = [w.name for w in schedule.hardware.wires]
    ops = [op.name for op in schedule.workload.ops]
    actors = [a.name for a in schedule.hardware.actors]
    moves = ([data[d], wires[w], cycle] for d, w, cycle in schedule.moves.tolist())
    firings = ([ops[o], part, actors[a], cycle] for o, part, a, cycle in schedule.firings.tolist())
    unserved = ([u.request, u.reason, u.earliest] for u in schedule.unserved)
    head = f'"format":{json.dumps(FORMAT)},\n"engine":{json.dumps(schedule.engine)}'
    tables = (("moves", moves), ("firings", firings), ("unserved", unserved))
    return "{" + ",\n".join([head, *(_lines(*table) for table in tables)]) + "}\n"


def _lines(key: str, rows: Iterable[Sequence[Any]]) -> str:
    listed = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    return f'"{key}":[{listed}]'


def read(text: str, hardware: Hardware, workload: Workload) -> Schedule:
    """Read what `write` wrote.

    Raises
    ------
    InputError
        If the text is not a Schedule, or names what is not there.
    """
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Schedule: not JSON: {error}") from None
    if not isinstance(tree, dict) or tree.get("format") != FORMAT or {*tree} != {*_KEYS}:
        keys = ", ".join(_KEYS)
        raise InputError(f"Schedule: must be an object of format {FORMAT!r} with {keys}")
    if not isinstance(tree["engine"], str):
        raise InputError(f"Schedule: engine must be a name, not {tree['engine']!r}")
    data = {d.name: d.index for d in workload.data}
    wires = {p.name: p.index for p in hardware.parts if isinstance(p, Wire)}
    ops = {op.name: op.index for op in workload.ops}
    actors = {p.name: p.index for p in hardware.parts if isinstance(p, Actor)}
    moves = [
        (_named(data, "datum", d), _named(wires, "Wire", w), _whole(c, 0, _LATEST))
        for d, w, c in _rows(tree, "moves", 3)
    ]
    firings = [
        (
            _named(ops, "Op", o),
            _whole(p, -1, 1 << 31),
            _named(actors, "Actor", a),
            _whole(c, 0, _LATEST),
        )
        for o, p, a, c in _rows(tree, "firings", 4)
    ]
    unserved = [
        Unserved(_whole(r, 0, len(workload.requests)), str(reason), _earliest(c))
        for r, reason, c in _rows(tree, "unserved", 3)
    ]
    return Schedule(
        hardware,
        workload,
        _sorted(np.array(moves, MOVE), "cycle", "wire", "datum"),
        _sorted(np.array(firings, FIRING), "cycle", "actor", "op", "part"),
        tuple(unserved),
        tree["engine"],
    )


def _rows(tree: Mapping[str, Any], key: str, width: int) -> Iterator[list[Any]]:
    if not isinstance(tree[key], list):
        raise InputError(f"Schedule: {key} must be a list")
    for row in tree[key]:
        if not isinstance(row, list) or len(row) != width:
            raise InputError(f"Schedule: each of {key} must be a list of {width}, not {row!r}")
        yield row


def _named(index: Mapping[str, int], kind: str, name: Any) -> int:
    if not isinstance(name, str) or name not in index:
        raise InputError(f"Schedule: there is no {kind} named {name!r}")
    return index[name]


def _whole(value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value < high:
        rule = f"expected a whole number from {low} to {high - 1}"
        raise InputError(f"Schedule: {rule}, not {value!r}")
    return value


def _earliest(value: Any) -> int | None:
    return None if value is None else _whole(value, 0, _LATEST)


def _sorted(table: np.ndarray, *fields: str) -> np.ndarray:
    rows: np.ndarray = table[np.lexsort([table[name] for name in reversed(fields)])]
    return rows
