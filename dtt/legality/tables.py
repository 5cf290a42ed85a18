"""Hardware, Workload, Moves and Firings as columns of integers: what every rule reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from ..schedule import Schedule


@dataclass(frozen=True, eq=False)
class Tables:
    """Columns over wires, points and data; then over Moves; then over Firings.

    Attributes
    ----------
    first, complete : arrays of int
        Of each Move: the cycles in which its first beat arrives, and in which the datum is there.
    space, result_cycle : arrays of int
        Of each Firing: from when its result takes space, and when the result is there.
    part : array of int
        Of each Firing: the pair of a spread dot product, or -1 for a whole Op.
    into : array of int
        Of each Firing: the datum that it updates in place, or -1.
    """

    hardware: Hardware
    workload: Workload
    lanes: np.ndarray
    rows: np.ndarray
    row: np.ndarray
    stores: np.ndarray
    adder: np.ndarray
    size: np.ndarray
    # Moves
    datum: np.ndarray
    wire: np.ndarray
    cycle: np.ndarray
    source: np.ndarray
    target: np.ndarray
    beats: np.ndarray
    last_lanes: np.ndarray
    first: np.ndarray
    complete: np.ndarray
    # Firings
    op: np.ndarray
    part: np.ndarray
    actor: np.ndarray
    start: np.ndarray
    units: np.ndarray
    cooldown: np.ndarray
    hold: np.ndarray
    at: np.ndarray
    result: np.ndarray
    result_at: np.ndarray
    space: np.ndarray
    result_cycle: np.ndarray
    into: np.ndarray

    def point(self, index: int) -> str:
        """Return kind and name of a Point, for a sentence."""
        point = self.hardware.points[index]
        return f"{point.kind} {point.name!r}"

    def wire_name(self, index: int) -> str:
        return self.hardware.wires[index].name

    def name(self, datum: int) -> str:
        return self.workload.data[datum].name

    def key(self, point: np.ndarray, datum: np.ndarray) -> np.ndarray:
        """Return one integer for a datum in a Point."""
        return np.asarray(point * max(1, self.size.size) + datum)


def nodes_by_name(hardware: Hardware) -> dict[str, int]:
    """Return the index of every Node and Adder."""
    return {point.name: point.index for point in hardware.points if point.stores}


def tabulate(hardware: Hardware, workload: Workload, schedule: Schedule) -> Tables:
    """Return the columns of a Schedule whose indices are sound."""
    wires, points = hardware.wires, hardware.points
    source, target, latency, bandwidth, lane = (
        _column([getattr(w, field) for w in wires])
        for field in ("source", "target", "latency", "bandwidth", "lane")
    )
    size = _column([d.size for d in workload.data])
    datum, wire, cycle = (
        schedule.moves[field].astype(np.int64) for field in ("datum", "wire", "cycle")
    )
    beats = -(-size[datum] // bandwidth[wire])
    rest = size[datum] - (beats - 1) * bandwidth[wire]
    firings = _column([_firing(hardware, workload, f) for f in schedule.firings.tolist()])
    return Tables(
        hardware,
        workload,
        bandwidth // lane,
        _column([p.rows for p in points]),
        _column([p.row for p in points]),
        np.array([p.stores for p in points], bool),
        np.array([p.kind == "Adder" for p in points], bool),
        size,
        datum,
        wire,
        cycle,
        source[wire],
        target[wire],
        beats,
        -(-rest // lane[wire]),
        cycle + latency[wire],
        cycle + latency[wire] + beats - 1,
        *firings.reshape(-1, 13).T,
    )


def _column(values: list[int] | list[tuple[int, ...]]) -> np.ndarray:
    return np.array(values, np.int64)


def _firing(
    hardware: Hardware, workload: Workload, firing: tuple[int, int, int, int]
) -> tuple[int, ...]:
    op, actor = workload.ops[firing[0]], hardware.actors[firing[2]]
    part, start = firing[1], firing[3]
    t = actor.timing(op.code, op.work if part < 0 else 1, op.parallel, op.depth, op.spans)
    space = start if op.into is not None else start + t.latency - t.hold + 1
    into = -1 if op.into is None else op.operands[op.into].index
    return (
        op.index,
        part,
        actor.index,
        start,
        t.units,
        t.cooldown,
        t.hold,
        actor.at,
        op.result.index,
        actor.result_at,
        space,
        start + t.latency,
        into,
    )
