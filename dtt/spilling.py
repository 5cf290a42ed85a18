"""Spills: bring a datum that is still wanted out of a full Node, so that work can go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .occupancy import FOREVER
from .routing import earliest, route
from .state import State
from .wants import Wants


def make_room(
    state: State, wants: Wants, nodes: Sequence[int], keep: set[int]
) -> tuple[int, int] | None:
    """Move the datum that is wanted last out of one of the Nodes.

    The Nodes are tried in the given order, then all others (a full Node on the way blocks as well).
    A copy that can simply stay elsewhere is preferred to a Move.

    Parameters
    ----------
    keep : set of int
        Data that must not be moved: the operands of the Op that needs the room.

    Returns
    -------
    (int, int) or None
        The datum, and the Point where it now stays; ``None`` if nothing can be moved.
    """
    others = [p.index for p in state.hardware.points if p.stores and p.index not in nodes]
    for node in (*nodes, *others):
        for datum in _victims(state, wants, node, keep):
            point = _stay_elsewhere(state, datum, node) or _move_out(state, datum, node)
            if point is not None:
                return datum, point
    return None


def _victims(state: State, wants: Wants, node: int, keep: set[int]) -> list[int]:
    """Return the data kept open in a Node, the one that is wanted last first."""
    kept = [
        datum
        for datum, stays in enumerate(state.stays)
        if datum not in keep and any(s.open for s in stays.get(node, ()))
    ]
    return sorted(kept, key=lambda datum: (-wants.next(datum), datum))


def _stay_elsewhere(state: State, datum: int, node: int) -> int | None:
    for point in sorted(state.stays[datum]):
        stays = state.stays_at(datum, point)
        if point == node or not stays:
            continue
        if state.room(datum, point, stays[-1].end, FOREVER):
            state.close(datum)
            state.stay(datum, point, replace(stays[-1], open=True))
            return point
    return None


def _move_out(state: State, datum: int, node: int) -> int | None:
    """Move a datum from a Node to the one that costs least, then is reached first."""
    ways = []
    for point in state.hardware.points:
        if not point.stores or point.kind == "Adder" or point.index == node:
            continue
        cycle = earliest(state, datum, point.index, node)
        while cycle is not None and cycle <= state.settled + 1:
            path = route(state, datum, point.index, cycle, FOREVER, node)
            if path is not None:
                ways.append((path.energy, cycle, point.index, path))
                break
            cycle += 1
    if not ways:
        return None
    _, _, target, path = min(ways, key=lambda way: way[:3])
    state.close(datum)
    # The stay from which it leaves ends with its departure; the new one is kept open.
    state.commit(datum, path, 0, keep_open=True)
    return target
