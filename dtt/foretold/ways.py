"""How a datum came to where it is: the way through the machine, told for a sentence."""

from __future__ import annotations

import numpy as np

from ..schedule import Schedule

_OPERANDS = 4  # told of an Op; the rest is counted


def way_of_move(schedule: Schedule, move: int) -> str:
    """Return the way of a datum up to the end of a Move: ``"A: SRAM@0 -> Reg@1 -> PE@2"``.

    Each step is a Node with the cycle from which the datum is complete there, or a Junction with
    the cycle in which its first beat passes.
    """
    datum, wire, cycle = schedule.moves[move].tolist()
    way = _Way(schedule, datum)
    return way.told([*way.up_to(schedule.hardware.wires[wire].source, cycle), way.arrival(move)])


def way_of_firing(schedule: Schedule, firing: int) -> str:
    """Return what an Op computes from what, and the ways of its operands."""
    op_index, _, actor, cycle = schedule.firings[firing].tolist()
    op, at = schedule.workload.ops[op_index], schedule.hardware.actors[actor].at
    operands = list(dict.fromkeys(op.operands))
    told = [f"{op.name} = {op.code}({', '.join(d.name for d in op.operands)})"]
    for datum in operands[:_OPERANDS]:
        way = _Way(schedule, datum.index)
        told.append(way.told(way.up_to(at, cycle)))
    if len(operands) > _OPERANDS:
        told.append(f"and {len(operands) - _OPERANDS} more operands")
    return "; ".join(told)


def way_to(schedule: Schedule, datum: int, point: int, cycle: int) -> str:
    """Return the way of a datum to a Node, where it is in some cycle."""
    way = _Way(schedule, datum)
    return way.told(way.up_to(point, cycle))


class _Way:
    def __init__(self, schedule: Schedule, datum: int):
        self.schedule = schedule
        self.datum = schedule.workload.data[datum]
        self.moves = np.flatnonzero(schedule.moves["datum"] == datum).tolist()

    def told(self, steps: list[tuple[int, int]]) -> str:
        points = self.schedule.hardware.points
        return f"{self.datum.name}: " + " -> ".join(f"{points[p].name}@{c}" for p, c in steps)

    def arrival(self, move: int) -> tuple[int, int]:
        """Return where a Move ends, and from which cycle the datum is there."""
        _, wire_index, cycle = self.schedule.moves[move].tolist()
        wire = self.schedule.hardware.wires[wire_index]
        stores = self.schedule.hardware.points[wire.target].stores
        beats = wire.beats(self.datum.size) if stores else 1
        return wire.target, cycle + wire.latency + beats - 1

    def up_to(self, point: int, cycle: int) -> list[tuple[int, int]]:
        """Return the steps by which the datum is in a Point in a cycle; the latest copy is meant.

        A Schedule that is not legal may have no such way; then it begins where the trail is lost.
        """
        steps: list[tuple[int, int]] = []
        while True:
            came = [(self.arrival(m)[1], m) for m in self.moves if self.arrival(m)[0] == point]
            came = [(there, m) for there, m in came if there <= cycle]
            origin = self._origin(point, cycle)
            if not came or (origin is not None and origin > max(came)[0]):
                return [(point, cycle if origin is None else origin), *reversed(steps)]
            there, move = max(came)
            steps.append((point, there))
            _, wire, cycle = self.schedule.moves[move].tolist()
            point = self.schedule.hardware.wires[wire].source

    def _origin(self, point: int, cycle: int) -> int | None:
        """Return since when the datum is in a Node as loaded or made there, if it is so."""
        hardware, workload = self.schedule.hardware, self.schedule.workload
        if self.datum.loaded_at == hardware.points[point].name:
            return 0
        firings = self.schedule.firings
        for _, _, actor, start in firings[firings["op"] == self.datum.made_by].tolist():
            op, runner = workload.ops[self.datum.made_by or 0], hardware.actors[actor]
            done: int = (
                start + runner.timing(op.code, op.work, op.parallel, op.depth, op.spans).latency
            )
            if runner.result_at == point and done <= cycle:
                return done
        return None
