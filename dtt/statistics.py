"""Figures of a Schedule: cycles, energy, use of every part, operands found in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.hardware import Point
from hwdsl.workload import Datum, Op

from .columns import column, data_sizes
from .partial_sums import in_adders
from .presence import INFINITE, Cause, find, operand_reads, timings, wire_field

if TYPE_CHECKING:
    from .schedule import Schedule


@dataclass(frozen=True)
class Energy:
    """Where the energy goes, in 1e-6 pJ; what is undeclared counts as 0 (rule 6)."""

    moves: int
    stays: int
    firings: int
    additions: int

    @property
    def total(self) -> int:
        return self.moves + self.stays + self.firings + self.additions


@dataclass(frozen=True)
class Statistics:
    """How far each part is used in cycles ``0 .. Schedule.cycles - 1``, by index.

    Attributes
    ----------
    wires : tuple of float
        Bits carried over the bits that the Wire could carry.
    actors : tuple of float
        Cycles for which units are in use over those that there are.
    peaks : tuple of int
        The most rows of each Point that data take in one cycle.
    """

    wires: tuple[float, ...]
    actors: tuple[float, ...]
    peaks: tuple[int, ...]


def cycles(schedule: Schedule) -> int:
    """Return the first cycle in which every result, store and need is in place."""
    done = schedule.firings["cycle"] + schedule.times.latency
    presence = schedule.presences["complete"][[p for p in _served(schedule) if p >= 0]]
    # A result that is summed on its way is in place once its sum has left the Adders.
    summed = in_adders(schedule.hardware)[wire_field(schedule.hardware, schedule.moves, "source")]
    arrival = schedule.moves["cycle"] + wire_field(schedule.hardware, schedule.moves, "latency")
    ends = (done, presence, arrival[summed])
    return max(int(cycles.max(initial=0)) for cycles in ends)


def _served(schedule: Schedule) -> list[int]:
    """Return, for each request, the presence that serves it, or -1."""
    requests = schedule.workload.requests
    datum = column(requests, "datum.index")
    point = np.array([schedule.hardware.point(r.node).index for r in requests], np.int64)
    by = np.array([INFINITE if r.by is None else r.by for r in requests], np.int64)
    found = find(schedule.presences, datum, point, by, field="complete")
    found[[u.request for u in schedule.unserved]] = -1
    served: list[int] = found.tolist()
    return served


def energy(schedule: Schedule) -> Energy:
    """Return what moving, staying, computing and adding cost."""
    hardware, moves = schedule.hardware, schedule.moves
    size = data_sizes(schedule.workload)
    carried = _total(moves["wire"], size[moves["datum"]], len(hardware.wires))
    moving = sum(
        bits * ((hardware.points[wire.source].energy or 0) + (wire.energy or 0))
        for bits, wire in zip(carried, hardware.wires, strict=True)
    )
    held = schedule.presences
    end = np.where(held["end"] >= INFINITE, schedule.cycles, held["end"])
    stay = np.maximum(end - held["complete"], 0)
    stays = _total(held["point"], size[held["datum"]], len(hardware.points), stay)
    staying = sum(s * (p.hold_energy or 0) for s, p in zip(stays, hardware.points, strict=True))
    table, kind = timings(hardware, schedule.workload, schedule.firings)
    often = np.bincount(kind, minlength=len(table)).tolist()
    firing = sum(n * (timing.energy or 0) for n, timing in zip(often, table, strict=True))
    added = zip(_additions(schedule), hardware.points, strict=True)
    return Energy(moving, staying, firing, sum(n * (p.add_energy or 0) for n, p in added))


def _total(
    part: np.ndarray, bits: np.ndarray, parts: int, times: np.ndarray | None = None
) -> list[int]:
    """Return the sum of the bits (times cycles) for each part, as whole numbers that never wrap."""
    most = (
        len(bits) * int(bits.max(initial=0)) * (1 if times is None else int(times.max(initial=0)))
    )
    kind = np.int64 if most < 1 << 63 else object
    sums = np.zeros(parts, kind)
    amount = bits.astype(kind)
    np.add.at(sums, part, amount if times is None else amount * times)
    listed: list[int] = sums.tolist()
    return listed


def _additions(schedule: Schedule) -> list[int]:
    """Return the two-input additions in each Point: what arrives in an Adder beyond the first."""
    hardware = schedule.hardware
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)
    target = wire_field(hardware, schedule.moves, "target")
    points = len(hardware.points)
    came = np.bincount(target, minlength=points)
    came += np.bincount(result_at[schedule.firings["actor"]], minlength=points)
    distinct = np.bincount(schedule.presences["point"], minlength=points)
    return [
        int(came[p.index] - distinct[p.index]) if p.kind == "Adder" else 0 for p in hardware.points
    ]


def energy_undeclared(schedule: Schedule) -> tuple[str, ...]:
    """Return the Nodes that Moves leave, the Wires, the Actors and the Adders without energy."""
    hardware = schedule.hardware
    used = np.bincount(schedule.moves["wire"], minlength=len(hardware.wires))
    wires = [wire for wire in hardware.wires if used[wire.index]]
    left = {wire.source for wire in wires}
    adds = _additions(schedule)
    table, kind = timings(hardware, schedule.workload, schedule.firings)
    undeclared = np.array([timing.energy is None for timing in table], bool)
    silent = {*schedule.firings["actor"][undeclared[kind]].tolist()}
    return (
        *(
            p.name
            for p in hardware.points
            if (p.stores and p.index in left and p.energy is None)
            or (adds[p.index] and p.add_energy is None)
        ),
        *(wire.name for wire in wires if wire.energy is None),
        *(actor.name for actor in hardware.actors if actor.index in silent),
    )


def reads(schedule: Schedule, node: Point) -> int:
    """Return how many Moves leave a Node."""
    return int(np.sum(wire_field(schedule.hardware, schedule.moves, "source") == node.index))


def in_place(schedule: Schedule) -> tuple[tuple[Op, Datum], ...]:
    """Return the operands that were found already in place, by Op and then by position.

    An operand counts if the presence that serves it began as a loaded datum or as a result, or
    if it also serves an earlier item of the Workload, for which it was brought. Each datum of an
    Op counts once; an Op that is not to reuse finds nothing.
    """
    workload, firings = schedule.workload, schedule.firings
    ops = {op.index: i for i, op in enumerate(workload.items) if isinstance(op, Op)}
    firing, _, datum = operand_reads(workload, firings)
    at = np.array([a.at for a in schedule.hardware.actors], np.int64)[firings["actor"]]
    serving = find(schedule.presences, datum, at[firing], firings["cycle"][firing]).tolist()
    first: dict[int, int] = {}
    requests = (i for i, item in enumerate(workload.items) if not isinstance(item, Op))
    for order, presence in zip(requests, _served(schedule), strict=True):
        first[presence] = min(order, first.get(presence, order))
    users = firings["op"][firing].tolist()
    for op, presence in zip(users, serving, strict=True):
        first[presence] = min(ops[op], first.get(presence, ops[op]))
    brought = (schedule.presences["cause"] == Cause.ARRIVAL).tolist()
    found = {
        (op, d): None
        for op, d, presence in sorted(zip(users, datum.tolist(), serving, strict=True))
        if workload.ops[op].reuse
        and presence >= 0
        and (not brought[presence] or first[presence] < ops[op])
    }
    return tuple((workload.ops[op], workload.data[d]) for op, d in found)


def statistics(schedule: Schedule) -> Statistics:
    """Return how far each Wire, Actor and Node is used."""
    hardware, moves, firings = schedule.hardware, schedule.moves, schedule.firings
    span = max(schedule.cycles, 1)
    sizes = data_sizes(schedule.workload)[moves["datum"]]
    carried = _total(moves["wire"], sizes, len(hardware.wires))
    busy = schedule.times.units * np.minimum(
        schedule.times.cooldown, np.maximum(span - firings["cycle"], 0)
    )
    used = _total(firings["actor"], busy, len(hardware.actors))
    return Statistics(
        tuple(bits / (w.bandwidth * span) for bits, w in zip(carried, hardware.wires, strict=True)),
        tuple(n / (a.units * span) for n, a in zip(used, hardware.actors, strict=True)),
        _peaks(schedule),
    )


def _peaks(schedule: Schedule) -> tuple[int, ...]:
    """Return the most rows in use in each Point: a sweep over begins and ends."""
    hardware, held = schedule.hardware, schedule.presences
    row = np.array([p.row or 1 for p in hardware.points], np.int64)[held["point"]]
    rows = -(-data_sizes(schedule.workload)[held["datum"]] // row)
    point = np.tile(held["point"], 2)
    when = np.concatenate([held["begin"], held["end"] + 1])
    change = np.concatenate([rows, -rows])
    order = np.lexsort([change, when, point])
    level = np.cumsum(change[order])
    peaks = np.zeros(len(hardware.points), np.int64)
    # Every row that is taken is given back, so each Point's sweep starts from nothing.
    np.maximum.at(peaks, point[order], level)
    return tuple(peaks.tolist())
