"""Firings, lowered: which unit of which Actor reads what, and writes what, in which cycle."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.errors import IllegalSchedule, InputError
from hwdsl.hardware import Actor, Hardware
from hwdsl.ops import kind_of
from hwdsl.program import FIRE_COLUMNS, OPERANDS, RESULT_COLUMNS, table_columns

from .addresses import Addresses
from .launching import of_engines
from .partial_sums import in_adders
from .presence import find, operand_reads, ragged

if TYPE_CHECKING:
    from .schedule import Schedule


def lower_firings(schedule: Schedule, addresses: Addresses) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the tables ``fires`` and ``results`` of a Program, unsorted, and its ``width``.

    MAC engines have none: see `dtt.launching`.
    """
    width = widest(schedule.hardware)
    starts = _starts(schedule)
    fires = _fires(schedule, addresses, starts, width)
    results = _results(schedule, addresses, starts, width)
    return fires, results, width


def widest(hardware: Hardware) -> int:
    """Return the rows that the widest element of any Actor takes."""
    rows = [
        hardware.points[point].rows_of(actor.bits)
        for actor in hardware.actors
        for point in (actor.at, actor.result_at)
    ]
    return max(rows, default=1)


@dataclass(frozen=True, eq=False)
class _Starts:
    """One start of one unit each.

    ``step`` is its unit-step of the Firing, ``element`` the element of the result that it is for,
    ``round`` how many came before it on the same unit, and ``more`` whether some follow.
    ``first`` and ``last`` bound what gives one result.
    """

    firing: np.ndarray
    step: np.ndarray
    element: np.ndarray
    unit: np.ndarray
    round: np.ndarray
    more: np.ndarray
    first: np.ndarray
    last: np.ndarray
    parallel: np.ndarray


def _starts(schedule: Schedule) -> _Starts:
    workload, firings, times = schedule.workload, schedule.firings, schedule.times
    work = np.array([op.work for op in workload.ops], np.int64)[firings["op"]]
    work[firings["part"] >= 0] = 1
    work[of_engines(schedule.hardware, firings)] = 0
    depth = np.array([op.depth for op in workload.ops], np.int64)[firings["op"]]
    firing, step = ragged(work)
    units, depth, elements = times.units[firing], depth[firing], (work // depth)[firing]
    element, turn = step // depth, step % depth
    ordinal = element % units
    first_unit = (np.cumsum(times.units) - times.units)[firing]
    unit = _units(schedule)[first_unit + ordinal]
    parallel = np.array([op.parallel for op in workload.ops], bool)[firings["op"]][firing]
    return _Starts(
        firing=firing,
        step=step,
        element=np.where(parallel, 0, element),
        unit=unit,
        round=element // units * depth + turn,
        more=(turn < depth - 1) | (element + units < elements),
        first=np.where(parallel, step == 0, turn == 0),
        last=np.where(parallel, step == elements - 1, turn == depth - 1),
        parallel=parallel,
    )


def _units(schedule: Schedule) -> np.ndarray:
    """Return the units of each Firing one after the other: the lowest free (rule 4)."""
    actors, times = schedule.hardware.actors, schedule.times
    free = [_Units(actor) for actor in actors]
    taken: list[int] = []
    counts, cooldowns = times.units.tolist(), times.cooldown.tolist()
    starts = schedule.firings["cycle"].tolist()
    for i, actor in enumerate(schedule.firings["actor"].tolist()):
        taken += free[actor].take(counts[i], starts[i], cooldowns[i])
    return np.array(taken, np.int64)


class _Units:
    """The free units of one Actor, as the cycles go by."""

    def __init__(self, actor: Actor):
        self._actor = actor
        self._free = list(range(actor.units))
        self._busy: list[tuple[int, list[int]]] = []

    def take(self, count: int, cycle: int, cooldown: int) -> list[int]:
        while self._busy and self._busy[0][0] <= cycle:
            for unit in heapq.heappop(self._busy)[1]:
                heapq.heappush(self._free, unit)
        if count > len(self._free):
            name = self._actor.name
            raise IllegalSchedule(f"Actor {name!r}: too few units are free in cycle {cycle}")
        taken = [heapq.heappop(self._free) for _ in range(count)]
        heapq.heappush(self._busy, (cycle + cooldown, taken))
        return taken


def _fires(schedule: Schedule, addresses: Addresses, starts: _Starts, width: int) -> np.ndarray:
    firings = schedule.firings
    actor = firings["actor"][starts.firing].astype(np.int64)
    codes = [
        sorted(schedule.hardware.actors[f["actor"]].ops).index(schedule.workload.ops[f["op"]].code)
        for f in firings
    ]
    made = np.zeros((len(actor), table_columns(width)["fires"]), np.int64)
    made[:, 0] = firings["cycle"][starts.firing] + starts.round
    made[:, 1], made[:, 2] = actor, starts.unit
    made[:, 3] = np.array(codes, np.int64)[starts.firing]
    made[:, 4], made[:, 5], made[:, 6] = starts.first, starts.last, starts.more
    reads = _reads(schedule)
    for operand in range(OPERANDS):
        which, read = _slot(starts, reads.counts, reads.starts, operand)
        element = _read_elements(schedule, starts, operand)[which]
        which, read, element = (a[element >= 0] for a in (which, read, element))
        columns = _element(schedule, addresses, reads.presence[read], element, width)
        begin = len(FIRE_COLUMNS) + operand * (2 + width)
        made[which, begin : begin + 2 + width] = columns
    return made


def _read_elements(schedule: Schedule, starts: _Starts, operand: int) -> np.ndarray:
    """Return which element of an operand each unit start reads, or -1."""
    element = np.where(starts.parallel, 0, starts.step)
    firings = schedule.firings
    for firing in np.flatnonzero(~of_engines(schedule.hardware, firings)).tolist():
        op = schedule.workload.ops[firings["op"][firing]]
        reads = kind_of(op.code).reads
        if reads is not None and operand < len(op.operands):
            shapes = [d.shape for d in op.operands]
            begin = np.searchsorted(starts.firing, firing)
            found = reads(shapes, op.result.shape, *op.options)[operand]
            element[begin : begin + op.work] = found
    return element


@dataclass(frozen=True, eq=False)
class _Reads:
    """The presence of each operand, Firing after Firing; ``starts`` and ``counts`` by Firing."""

    presence: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


def _reads(schedule: Schedule) -> _Reads:
    hardware, firings = schedule.hardware, schedule.firings
    firing, _, datum = operand_reads(schedule.workload, firings)
    at = np.array([actor.at for actor in hardware.actors], np.int64)[firings["actor"]][firing]
    presence = find(schedule.presences, datum, at, firings["cycle"][firing])
    _refuse(schedule, firing, datum, at, presence)
    counts = np.bincount(firing, minlength=len(firings))
    return _Reads(presence, np.cumsum(counts) - counts, counts)


def _slot(
    starts: _Starts, counts: np.ndarray, firsts: np.ndarray, operand: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return which unit starts use an operand slot, and which read fills it.

    Slots a and b of a dot product are a pair; slot c, of its first unit, is the accumulator, and
    the last operand. The slots of other ops are their operands.
    """
    count = counts[starts.firing]
    position = np.where(starts.parallel, 2 * starts.step + operand, operand)
    used = position < count
    if operand == OPERANDS - 1:
        position = np.where(starts.parallel, count - 1, position)
        used = np.where(starts.parallel, (starts.step == 0) & (count % 2 == 1), used)
    which = np.flatnonzero(used)
    return which, firsts[starts.firing[which]] + position[which]


def _element(
    schedule: Schedule,
    addresses: Addresses,
    presence: np.ndarray,
    element: np.ndarray,
    width: int,
) -> np.ndarray:
    """Return size, word offset and ``width`` rows of an element of each presence."""
    held = schedule.presences[presence]
    bits = np.array([d.bits for d in schedule.workload.data], np.int64)[held["datum"]]
    made = np.zeros((len(presence), 2 + width), np.int64)
    row_bits = addresses.row_bits[held["point"]]
    made[:, 0] = bits // schedule.hardware.word
    made[:, 1] = element * bits % row_bits // schedule.hardware.word
    for i in range(width):
        reach = i * row_bits < bits
        part = element[reach] * bits[reach] // row_bits[reach] + i
        made[reach, 2 + i] = addresses.row(presence[reach], part)
    return made


def _results(schedule: Schedule, addresses: Addresses, starts: _Starts, width: int) -> np.ndarray:
    hardware, firings, times = schedule.hardware, schedule.firings, schedule.times
    result = np.array([op.result.index for op in schedule.workload.ops], np.int64)[firings["op"]]
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)[firings["actor"]]
    done = firings["cycle"] + times.latency
    presence = find(schedule.presences, result, result_at, done)
    _refuse(schedule, np.arange(len(firings)), result, result_at, presence)
    which = np.flatnonzero(starts.last)
    firing = starts.firing[which]
    element = _element(schedule, addresses, presence[firing], starts.element[which], width)
    made = np.zeros((len(which), table_columns(width)["results"]), np.int64)
    made[:, 0] = (done - (times.steps - 1))[firing] + starts.round[which]
    made[:, 1], made[:, 2] = firings["actor"][firing], starts.unit[which]
    made[:, 3:5] = element[:, :2]
    begins = schedule.presences["begin"][presence] == done
    made[:, 5] = (in_adders(hardware)[result_at] & begins)[firing]
    made[:, len(RESULT_COLUMNS) :] = element[:, 2:]
    return made


def _refuse(
    schedule: Schedule,
    firing: np.ndarray,
    datum: np.ndarray,
    point: np.ndarray,
    presence: np.ndarray,
) -> None:
    """Raise what hardware cannot read or write: wide elements, straddling ones, absent data."""
    hardware, workload, firings = schedule.hardware, schedule.workload, schedule.firings
    bits = np.array([d.bits for d in workload.data], np.int64)[datum]
    many = np.array([d.elements > 1 for d in workload.data], bool)[datum]
    widths = np.array([a.bits for a in hardware.actors], np.int64)[firings["actor"]][firing]
    row = np.array([p.row or 1 for p in hardware.points], np.int64)[point]
    wide, straddles = bits > widths, many & (row % bits != 0) & (bits % row != 0)
    absent = presence < 0
    for i in np.flatnonzero(wide | straddles | absent)[:1]:
        name, op = workload.data[datum[i]].name, workload.ops[firings["op"][firing[i]]].name
        where = hardware.points[point[i]].name
        actor = hardware.actors[firings["actor"][firing[i]]].name
        if wide[i]:
            rule = f"Actor {actor!r} computes on {widths[i]} bits"
            raise InputError(f"Op {op!r}: {rule}, not on the {bits[i]} of {name!r}")
        if straddles[i]:
            rule = f"elements of {bits[i]} bits must not straddle rows of {row[i]}"
            raise InputError(f"Op {op!r}: {name!r} in Node {where!r}: {rule}")
        cycle = firings["cycle"][firing[i]]
        rule = f"Op {op!r} starts in cycle {cycle}"
        raise IllegalSchedule(f"{rule}, but {name!r} is not in {where!r}")
