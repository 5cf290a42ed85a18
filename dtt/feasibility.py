"""What can be proved before any search: a Workload that no schedule on a Hardware can serve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import prod
from operator import attrgetter

import numpy as np

from hwdsl.errors import InputError, NoSchedule
from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Datum, Op, Request, Workload

from .columns import (
    alike,
    column,
    data_sizes,
    distinct_operands,
    forms,
    numbered,
    operands,
    results,
)
from .reach import Reach
from .reduction.network import collectors, multipliers, spreads

Able = tuple[tuple[Actor, Timing], ...]
"""The Actors that can run an Op, with how they run it, in index order; none for a dot product that
is spread over the multipliers of a reduction network."""


class Candidates:
    """Who can run which Op: ``able[op.index]``.

    Parameters
    ----------
    kinds : sequence of Able
    kind : array
        For each Op, an index into ``kinds``.
    """

    def __init__(self, kinds: Sequence[Able], kind: np.ndarray):
        self.kinds, self.kind = kinds, kind

    def __getitem__(self, op: int) -> Able:
        return self.kinds[int(self.kind[op])]


def candidates(hardware: Hardware, workload: Workload) -> Candidates:
    """Check a Workload against a Hardware and return who can run what.

    Raises
    ------
    InputError
        If the Workload does not belong to this Hardware: a Node or Actor that it lacks, an element
        that is not whole words.
    NoSchedule
        If it is proved that no schedule exists: an op that no Actor has, data larger than a
        memory, a target that no path reaches. Each sentence says so.
    """
    _check_names(hardware, workload)
    first, kind = alike(_likeness(workload))
    known = {i: _able(hardware, workload.ops[i]) for i in np.sort(first).tolist()}
    able = Candidates([known[i] for i in first.tolist()], kind)
    _check_loads(hardware, workload)
    _check_ways(hardware, workload, able)
    return able


def _likeness(workload: Workload) -> np.ndarray:
    """Return for each Op a number that it shares with those that the same Actors run alike."""
    ops = workload.ops
    on, names = numbered([*map(attrgetter("on"), ops)])
    numbers: dict[Hashable, int] = {}
    made: np.ndarray = forms(workload) * len(names) + on
    fewer = np.flatnonzero(operands(workload)[0] != distinct_operands(workload)[0]).tolist()
    others = 1 + int(made.max(initial=0))
    for i in fewer:  # some operand is there twice: where makes a difference
        data = ops[i].operands
        key = (int(made[i]), *map(data.index, data))
        made[i] = others + numbers.setdefault(key, len(numbers))
    return made


def _check_names(hardware: Hardware, workload: Workload) -> None:
    data, requests = workload.data, workload.requests
    stores = {None, *(point.name for point in hardware.points if point.stores)}
    faults = []
    # Whole columns first: what is asked of each item one by one takes longer than routing it.
    places = {*map(attrgetter("loaded_at"), data)}
    odd = any(bits % hardware.word for bits in {*map(attrgetter("bits"), data)})
    for datum in data if odd or not places <= stores else ():
        if datum.bits % hardware.word:
            rule = f"bits must be a multiple of the word ({hardware.word} bits)"
            faults.append(f"Datum {datum.name!r}: {rule}, not {datum.bits}")
        if datum.loaded_at not in stores:
            faults.append(_not_a_store(hardware, f"Datum {datum.name!r}", datum.loaded_at))
    named = {*map(attrgetter("node"), requests), *map(attrgetter("source"), requests)}
    for request in requests if not named <= stores else ():
        for name in (request.node, request.source):
            if name not in stores:
                kind = "store" if request.store else "need"
                user = f"{kind} of {request.datum.name!r}"
                faults.append(_not_a_store(hardware, user, name))
    actors = {actor.name for actor in hardware.actors}
    known = {*map(attrgetter("on"), workload.ops)} <= {None, *actors}
    for op in () if known else workload.ops:
        if op.on is not None and op.on not in actors:
            faults.append(f"Op {op.name!r}: on must be an Actor of {hardware.name}, not {op.on!r}")
    if faults:
        raise InputError(*faults)


def _not_a_store(hardware: Hardware, user: str, name: str | None) -> str:
    if any(point.name == name for point in hardware.points):
        return f"{user}: {name!r} is a Junction, in which nothing stays"
    return f"{user}: {hardware.name} has no Node named {name!r}"


def _able(hardware: Hardware, op: Op) -> tuple[tuple[Actor, Timing], ...]:
    if spreads(hardware, op):
        return ()
    points = hardware.points
    named = hardware.actors if op.on is None else (hardware[op.on],)
    actors = [a for a in named if isinstance(a, Actor) and op.code in a.ops]
    knows = [a for a in actors if points[a.result_at].kind != "Adder"]
    where = "" if op.on is None else f" on Actor {op.on!r}"
    if not knows:
        raise NoSchedule(f"Op {op.name!r}: no Actor knows the op code {op.code!r}{where}")
    widest = max(d.bits for d in (*op.operands, op.result))
    wide = [a for a in knows if a.bits >= widest]
    if not wide:
        most = max(a.bits for a in knows)
        raise NoSchedule(
            f"Op {op.name!r}: it has elements of {widest} bits, and no Actor that knows "
            f"{op.code!r}{where} computes on more than {most}; declare Actor(bits={widest})"
        )
    units = max(_most_units(a, op) for a in wide)
    if op.parallel and op.work > units:
        raise NoSchedule(
            f"Op {op.name!r}: {op.work} pairs, and no Actor that knows {op.code!r}{where} has more "
            f"than {units} units; split it and add up with into="
        )
    enough = [a for a in wide if not op.parallel or op.work <= _most_units(a, op)]
    straight = [a for a in enough if not _straddling(hardware, op, a)]
    if not straight:
        raise NoSchedule(_straddling(hardware, op, enough[0]))
    timed = [(a, a.timing(op.code, op.work, op.parallel, op.depth, op.spans)) for a in straight]
    fitting = [(a, t) for a, t in timed if not _too_small(hardware, op, a, t)]
    if not fitting:
        raise NoSchedule(_too_small(hardware, op, *timed[0]))
    return tuple(fitting)


def _most_units(actor: Actor, op: Op) -> int:
    return actor.ops[op.code].units or actor.units


def _straddling(hardware: Hardware, op: Op, actor: Actor) -> str:
    """Return which array has elements that lie across rows at an Actor, or ``""``."""
    for data, point in ((op.operands, actor.at), ((op.result,), actor.result_at)):
        node = hardware.points[point]
        for datum in data:
            if datum.elements > 1 and node.row % datum.bits and datum.bits % node.row:
                return (
                    f"Op {op.name!r}: elements of {datum.name!r} ({datum.bits} bits) straddle the "
                    f"rows of Node {node.name!r} ({node.row} bits) at Actor {actor.name!r}; one "
                    "must be a multiple of the other"
                )
    return ""


def _too_small(hardware: Hardware, op: Op, actor: Actor, timing: Timing) -> str:
    """Return why the data of an Op can never be at an Actor together, or ``""``."""
    node = hardware.points[actor.at]
    operands = dict.fromkeys(op.operands)
    needed = sum(node.rows_of(d.size) for d in operands)
    result_node = hardware.points[actor.result_at]
    together = timing.latency - timing.hold + 1 <= timing.hold - 1
    if op.into is not None:
        if result_node is not node:
            return (
                f"Op {op.name!r}: into= needs an Actor whose results stay at its Node, and "
                f"those of {actor.name!r} go to {result_node.name!r}"
            )
    elif result_node is node and together:
        needed += node.rows_of(op.result.size)
    elif result_node.rows < result_node.rows_of(op.result.size):
        needed, node = result_node.rows_of(op.result.size), result_node
    if needed <= node.rows:
        return ""
    bits = needed * node.row
    return (
        f"Op {op.name!r}: its data take {bits} bits of Node {node.name!r} at Actor "
        f"{actor.name!r}, which holds {node.capacity}"
    )


def _check_loads(hardware: Hardware, workload: Workload) -> None:
    rows = [0] * len(hardware.points)
    loads = Counter(map(attrgetter("loaded_at", "bits", "shape"), workload.data))
    for (name, bits, shape), count in loads.items():
        if name is None:
            continue
        node = hardware.point(name)
        rows[node.index] += count * node.rows_of(prod(shape, start=bits))
    for node in hardware.points:
        if rows[node.index] > node.rows:
            raise NoSchedule(
                f"Node {node.name!r}: the data loaded there at cycle 0 take "
                f"{rows[node.index] * node.row} bits, and it holds {node.capacity}"
            )


def _check_ways(hardware: Hardware, workload: Workload, able: Candidates) -> None:
    reach = Reach(hardware)
    at, _ = numbered([tuple(a.at for a, _ in some) for some in able.kinds])
    places = [tuple(a.result_at for a, _ in some) for some in able.kinds]
    loaded = [datum for datum in workload.data if datum.made_by is None]
    origin, numbers = numbered([*places, *((d.loaded_at,) for d in loaded)])
    start = np.empty(len(workload.data), np.int64)
    start[results(workload)] = origin[: len(places)][able.kind]
    start[column(loaded, "index")] = origin[len(places) :]
    kind = reach.size_classes(data_sizes(workload)) * len(numbers) + start
    for op, datum in _unlike_operands(workload, at[able.kind], kind):
        _check_operand(hardware, reach, op, datum, able)
    first, kind = alike(kind)
    data = [workload.data[i] for i in first.tolist()]
    good = [reach.names(datum.size, _origins(hardware, datum, able)) for datum in data]
    asked = zip(
        kind[column(workload.requests, "datum.index")].tolist(),
        map(attrgetter("node"), workload.requests),
        strict=True,
    )
    for request, (number, node) in zip(workload.requests, asked, strict=True):
        if node not in good[number]:
            _check_request(hardware, reach, request, able)


def _unlike_operands(
    workload: Workload, at: np.ndarray, kind: np.ndarray
) -> Iterator[tuple[Op, Datum]]:
    """Yield one Op and operand of each pair of kinds that there is."""
    counts, data = operands(workload)
    owner = np.repeat(np.arange(len(counts)), counts)
    pairs = at[owner] * (1 + int(kind.max(initial=0))) + kind[data]
    for first in np.sort(alike(pairs)[0]).tolist():
        yield workload.ops[owner[first]], workload.data[data[first]]


def _origins(hardware: Hardware, datum: Datum, able: Candidates) -> list[int]:
    if datum.loaded_at is not None:
        return [hardware.point(datum.loaded_at).index]
    assert datum.made_by is not None
    actors = able[datum.made_by]
    return list(dict.fromkeys(a.result_at for a, _ in actors) if actors else collectors(hardware))


def _check_request(hardware: Hardware, reach: Reach, request: Request, able: Candidates) -> None:
    node = hardware.point(request.node)
    kind = "store" if request.store else "need"
    if node.kind == "Adder":
        raise NoSchedule(f"{kind} of {request.datum.name!r}: {node.name!r} is an Adder")
    origins = _origins(hardware, request.datum, able)
    why = reach.why_not(request.datum, origins, [node.index])
    if why:
        raise NoSchedule(f"{kind} of {request.datum.name!r}: {why}")


def _check_operand(
    hardware: Hardware, reach: Reach, op: Op, datum: Datum, able: Candidates
) -> None:
    at = [a.at for a, _ in able[op.index]] or [a.at for a in multipliers(hardware)]
    why = reach.why_not(datum, _origins(hardware, datum, able), at)
    if why:
        raise NoSchedule(f"Op {op.name!r}: operand {why}")
