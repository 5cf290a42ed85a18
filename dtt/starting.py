"""Starting: a known Schedule, translated to a Hardware that has its parts and more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from .check import check
from .schedule import Schedule


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def translate(start: Schedule, hardware: Hardware, workload: Workload) -> Schedule:
    """Return the Schedule on another Hardware, part by part of the same name.

    A Schedule stays legal on a Hardware that has the same parts and more: further parts, more
    capacity, more units, more bandwidth where it changes no beats.

    Raises
    ------
    InputError
        If it is for another Workload, or uses a part that the Hardware lacks.
    IllegalSchedule
        If it breaks a rule there.
    """
    _check_workload(start.workload, workload)
    moves, firings = start.moves.copy(), start.firings.copy()
    moves["wire"] = _renumber(moves["wire"], start.hardware.wires, hardware.wires, "Wire")
    firings["actor"] = _renumber(firings["actor"], start.hardware.actors, hardware.actors, "Actor")
    moves = moves[np.lexsort([moves["datum"], moves["wire"], moves["cycle"]])]
    by = ("part", "op", "actor", "cycle")
    firings = firings[np.lexsort([firings[name] for name in by])]
    there = replace(start, hardware=hardware, workload=workload, moves=moves, firings=firings)
    check(hardware, workload, there)
    return there


def _check_workload(old: Workload, new: Workload) -> None:
    """Refuse a Schedule of another Workload; the same one may have been declared again."""
    if old is new:
        return
    for kind, mine, theirs in (
        ("data", [(d.name, d.size) for d in old.data], [(d.name, d.size) for d in new.data]),
        ("Ops", [_plain(op) for op in old.ops], [_plain(op) for op in new.ops]),
        ("requests", [_plain(r) for r in old.requests], [_plain(r) for r in new.requests]),
    ):
        if mine != theirs:
            raise InputError(f"start: must be a Schedule of this Workload, but its {kind} differ")


def _plain(item: object) -> str:
    return repr(item)


def _renumber(
    used: np.ndarray, old: Sequence[_Named], new: Iterable[_Named], kind: str
) -> np.ndarray:
    """Return the new indices of parts of the same names."""
    index = {part.name: i for i, part in enumerate(new)}
    table = np.array([index.get(part.name, -1) for part in old], np.int64)
    found: np.ndarray = table[used]
    if (found < 0).any():
        name = old[int(used[np.argmin(found)])].name
        raise InputError(f"start: it uses {kind} {name!r}, which the Hardware lacks")
    return found
