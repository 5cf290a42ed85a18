"""Spills: bring a datum that is still wanted out of a full Node, so that work can go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .engine import Engine
from .occupancy import FOREVER
from .state import Path
from .wants import Wants


def make_room(
    state: Engine, wants: Wants, nodes: Sequence[int], keep: set[int]
) -> tuple[int, int] | None:
    """Move the datum that is wanted last out of one Node.

    Full Nodes come first, since one on the way blocks as well; then the given ones in their order,
    then all others. A copy that can simply stay elsewhere is preferred to a Move.

    Parameters
    ----------
    nodes : sequence of int
        The Points in which the room is needed; nothing is moved into them.
    keep : set of int
        Data that must not be moved: the operands of the Op that needs the room, and what was
        moved for it before.

    Returns
    -------
    (int, int) or None
        The datum, and the Point where it now stays; ``None`` if nothing can be moved.
    """
    settled = state.settled
    others = [p.index for p in state.hardware.points if p.stores and p.index not in nodes]
    order = (*nodes, *others)
    full = [n for n in order if state.rows_used(n, settled, settled) == _rows(state, n)]
    for node in dict.fromkeys((*full, *order)):
        for datum in _victims(state, wants, node, keep):
            point = move_home(state, datum, node, nodes)
            if point is not None:
                return datum, point
    return None


def move_home(state: Engine, datum: int, node: int, nodes: Sequence[int]) -> int | None:
    """Let the copy that is kept open be another one than that in ``node``, outside ``nodes``.

    Returns
    -------
    int or None
        The Point where the datum now stays.
    """
    point = _stay_elsewhere(state, datum, nodes)
    return _move_out(state, datum, node, nodes) if point is None else point


def _rows(state: Engine, point: int) -> int:
    return state.hardware.points[point].rows


def _victims(state: Engine, wants: Wants, node: int, keep: set[int]) -> list[int]:
    """Return the data kept open in a Node, the one that is wanted last first."""
    kept = [
        datum
        for datum in state.present(node)
        if datum not in keep
        and not wants.tied[datum]
        and any(s.open for s in state.stays_at(datum, node))
    ]
    return sorted(kept, key=lambda datum: (-wants.next(datum), datum))


def _stay_elsewhere(state: Engine, datum: int, nodes: Sequence[int]) -> int | None:
    for point in state.places(datum):
        stays = state.stays_at(datum, point)
        if point in nodes or any(s.open for s in stays):
            continue
        if state.room(datum, point, stays[-1].end, FOREVER):
            state.close(datum)
            state.stay(datum, point, replace(stays[-1], open=True))
            return point
    return None


def _move_out(state: Engine, datum: int, node: int, nodes: Sequence[int]) -> int | None:
    """Move a datum to the Node that is then less than half full, costs least, is reached first."""
    ways: list[tuple[bool, int, int, int, Path]] = []
    settled = state.settled
    for point in state.hardware.points:
        if not point.stores or not point.transit or point.kind == "Adder":
            continue
        if point.index in (node, *nodes):
            continue
        found = _first_way(state, datum, node, point.index)
        if found is not None:
            cycle, path = found
            used = state.rows_used(point.index, settled, settled)
            filled = 2 * (used + point.rows_of(state.sizes[datum])) > point.rows
            ways.append((filled, path.energy, cycle, point.index, path))
    if not ways:
        return None
    *_, target, path = min(ways, key=lambda way: way[:4])
    state.close(datum)
    # The stay from which it leaves ends with its departure; the new one is kept open.
    state.commit(datum, path, 0, keep_open=True)
    return target


def _first_way(state: Engine, datum: int, node: int, target: int) -> tuple[int, Path] | None:
    first = state.earliest(datum, target, node)
    if first is None:
        return None
    for cycle in range(first, max(first, state.settled) + 2):
        path = state.route(datum, target, cycle, FOREVER, node)
        if path is not None:
            return cycle, path
    return None
