"""Why a datum cannot be somewhere in time: what stands in the way, and when it would work."""

from __future__ import annotations

from collections.abc import Sequence

from hwdsl.workload import Datum, Workload

from .cuts import Full, cut
from .engine import Engine
from .reference import Reference


def why_late(
    state: Engine,
    workload: Workload,
    datum: Datum,
    point: int,
    by: int | None,
    only: int | None,
) -> tuple[str, int | None]:
    """Say why a datum cannot be at a Point in cycle ``by``.

    Returns
    -------
    (str, int or None)
        A sentence that names the Wires and Nodes in the way, by whom they are taken and in which
        cycles, and the first cycle that works; that cycle.
    """
    node = state.hardware.points[point].name
    first = _first(state, datum.index, point, by or 0, only)
    works = f"the first cycle that works is {first}" if first is not None else "no cycle works"
    alone = _alone(state, datum.index, point, only)
    when = "" if by is None else f" at cycle {by}"
    if alone is None:
        return f"{datum.name!r} has no copy from which a path leads to {node!r}", None
    cycle, path = alone
    if by is not None and cycle > by:
        return (
            f"{datum.name!r} cannot be in {node!r}{when}: even on an idle machine the first "
            f"cycle is {cycle}; {works}",
            first,
        )
    last = by if by is not None else cycle
    crossed = cut(state, datum.index, point, last, only)
    if crossed:
        blocks = [_told(state, workload, full) for full in crossed]
    else:  # too large a graph to cut, so name what is in the way of one path
        blocks = _blocks(state, workload, datum.index, path, last)
    taken = "; ".join(blocks) if blocks else "no way avoids what is promised"
    return f"{datum.name!r} cannot be in {node!r}{when}: {taken}; {works}", first


def _told(state: Engine, workload: Workload, full: Full) -> str:
    """Tell what takes a Wire or a Node in the cycles in which every way would need it."""
    hardware, first, last = state.hardware, full.cycles[0], full.cycles[-1]
    if full.wire:
        wire = hardware.wires[full.index]
        taken = [
            f"{workload.data[other].name!r} at {cycle}"
            for cycle, other in state.departures(full.index)
            if first <= cycle + wire.beats(state.sizes[other]) - 1 and cycle <= last
        ]
        return f"Wire {wire.name!r} carries {_some(taken)}"
    node = hardware.points[full.index]
    there = [
        repr(workload.data[d].name)
        for d in state.present(full.index)
        if any(s.begin <= last and first <= s.last for s in state.stays_at(d, full.index))
    ]
    used = max(state.rows_used(full.index, cycle, cycle) for cycle in full.cycles) * node.row
    held = f"holds {used} of {node.capacity} bits in {_span(full.cycles)} ({_some(there)})"
    return f"Node {node.name!r} {held}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def _span(cycles: Sequence[int]) -> str:
    if len(cycles) == 1:
        return f"cycle {cycles[0]}"
    if cycles[-1] - cycles[0] + 1 == len(cycles):
        return f"the cycles {cycles[0]} to {cycles[-1]}"
    return f"{len(cycles)} of the cycles {cycles[0]} to {cycles[-1]}"


def why_full(state: Engine, workload: Workload, nodes: Sequence[int]) -> str:
    """Say which of the Nodes are full of what, once nothing promised changes any more."""
    parts = []
    settled = state.settled
    for index in nodes:
        node = state.hardware.points[index]
        used = state.rows_used(index, settled, settled)
        names = [
            repr(workload.data[d].name)
            for d in state.present(index)
            if any(s.last >= settled for s in state.stays_at(d, index))
        ]
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        parts.append(
            f"Node {node.name!r} holds {used * node.row} of {node.capacity} bits for good ({shown})"
        )
    return "; ".join(parts)


def _first(state: Engine, datum: int, point: int, by: int, only: int | None) -> int | None:
    soonest = state.earliest(datum, point, only, by)
    if soonest is None:
        return None
    for cycle in range(soonest, max(soonest, state.settled) + 2):
        if state.route(datum, point, cycle, cycle, only) is not None:
            return cycle
    return None


def _alone(
    state: Engine, datum: int, point: int, only: int | None
) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """Return the first arrival, and the Moves, on a machine that carries nothing else."""
    idle = Reference(state.hardware, state.sizes)
    for where in state.places(datum):
        for stay in state.stays_at(datum, where):
            idle.stay(datum, where, stay)
    cycle = idle.earliest(datum, point, only)
    if cycle is None:
        return None
    path = idle.route(datum, point, cycle, cycle, only)
    return None if path is None else (cycle, path.moves)


def _blocks(
    state: Engine,
    workload: Workload,
    datum: int,
    moves: tuple[tuple[int, int], ...],
    by: int,
) -> list[str]:
    """Name what takes the Wires of a way, and the Nodes on it that are full, up to a cycle."""
    found = []
    size = state.sizes[datum]
    for index, departure in moves:
        wire = state.hardware.wires[index]
        taken = [
            (cycle, workload.data[other].name)
            for cycle, other in state.departures(index)
            if departure <= cycle + wire.beats(state.sizes[other]) - 1 <= by
        ]
        if taken and not state.lanes_free(datum, wire, departure):
            shown = _some([f"{name!r} at {cycle}" for cycle, name in taken])
            found.append(f"Wire {wire.name!r} carries {shown}")
        target = state.hardware.points[wire.target]
        arrival = departure + wire.latency
        last = arrival + wire.beats(size) - 1
        if target.stores and not state.room(datum, wire.target, arrival, last):
            used_rows = state.rows_used(wire.target, arrival, last)
            found.append(
                f"Node {target.name!r} holds {used_rows * target.row} of {target.capacity} bits "
                f"in the cycles {arrival} to {last}"
            )
    return found
