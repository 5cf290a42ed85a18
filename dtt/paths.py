"""The ways of a datum through the machine, as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.hardware import Point
from hwdsl.workload import Datum

from .presence import beats_of

if TYPE_CHECKING:
    from .schedule import Schedule


def paths(schedule: Schedule, datum: Datum) -> tuple[str, ...]:
    """Return every way of a datum, each from where it was loaded or made to an end.

    ``DRAM@0 -> SRAM_1@8 -> PE_0@10`` names the cycle in which the datum is in each Node, or in
    which it passes a Junction. How long it waits there, the Schedule's presences tell.
    """
    hardware = schedule.hardware
    moves = schedule.moves[schedule.moves["datum"] == datum.index]
    ways = _origins(schedule, datum)
    continued: set[tuple[int, int]] = set()
    beats = beats_of(hardware, schedule.workload, moves).tolist()
    for (_, index, departure), count in zip(moves.tolist(), beats, strict=True):
        wire = hardware.wires[index]
        source, target = hardware.points[wire.source], hardware.points[wire.target]
        arrival = departure + wire.latency + (count - 1 if target.stores else 0)
        stop = _left(ways, source, departure)
        continued.add(stop)
        way = f"{ways.get(stop, f'?{source}@{departure}')} -> {target}@{arrival}"
        ways.setdefault((target.index, arrival), way)
    return tuple(way for stop, way in ways.items() if stop not in continued)


def _origins(schedule: Schedule, datum: Datum) -> dict[tuple[int, int], str]:
    """Return where and when the datum is there without a Move, and how that reads."""
    hardware, firings = schedule.hardware, schedule.firings
    if datum.loaded_at is not None:
        return {(hardware.point(datum.loaded_at).index, 0): f"{datum.loaded_at}@0"}
    mine = np.flatnonzero(firings["op"] == datum.made_by)
    done = (firings["cycle"] + schedule.times.latency)[mine].tolist()
    at = [hardware.points[hardware.actors[a].result_at] for a in firings["actor"][mine].tolist()]
    return {(p.index, cycle): f"{p}@{cycle}" for p, cycle in zip(at, done, strict=True)}


def _left(ways: Mapping[tuple[int, int], str], source: Point, departure: int) -> tuple[int, int]:
    """Return the stop from which a Move departs: the latest arrival at its source."""
    if not source.stores:
        return source.index, departure
    here = (cycle for point, cycle in ways if point == source.index and cycle <= departure)
    return source.index, max(here, default=departure)
