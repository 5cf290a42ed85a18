"""Additions that the hardware was seen to make, counted from a Trace and the Program that ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .hardware import Hardware
from .program import Program
from .trace import Kind, Trace


@dataclass(frozen=True)
class Additions:
    """How many additions were made, by number of inputs.

    Attributes
    ----------
    two, three : int
        A sum of four, which takes both, counts once as each.
    """

    two: int
    three: int

    @property
    def total(self) -> int:
        """In additions of two inputs."""
        return self.two + 2 * self.three


def of_operands(operands: np.ndarray) -> Additions:
    """Count sums of so many operands each."""
    more = np.maximum(operands - 1, 0)
    return Additions(int((more % 2).sum()), int((more // 2).sum()))


def additions_seen(hardware: Hardware, program: Program, trace: Trace) -> Additions:
    """Count the sums that were made in Adders.

    What is seen to arrive at an Adder in one cycle for one row is added up, and to what the row
    holds, unless the Program says that the sum begins there.
    """
    points = hardware.points
    into = np.array([points[w.target].kind == "Adder" for w in hardware.wires], bool)
    makes = np.array([points[a.result_at].kind == "Adder" for a in hardware.actors], bool)
    goes = {(c, w, lane): (row, first) for c, w, lane, row, _, first in program.lands.tolist()}
    results = {
        (cycle, actor, unit): (row, first)
        for cycle, actor, unit, _, _, first, row in program.results[:, :7].tolist()
    }
    sums: dict[tuple[int, int, int], list[int]] = {}
    events = trace.events[trace.events["chunk"] == 0]
    for cycle, kind, part, lane, _, _ in events.tolist():
        if kind == Kind.ARRIVE and into[part]:
            adder, command = hardware.wires[part].target, goes.get((cycle, part, lane))
        elif kind == Kind.RESULT and makes[part]:
            adder, command = hardware.actors[part].result_at, results.get((cycle, part, lane))
        else:
            continue
        if command is not None:
            row, first = command
            found = sums.setdefault((adder, row, cycle), [0, 1])
            found[0] += 1
            found[1] &= 1 - first
    return of_operands(np.array([came + kept for came, kept in sums.values()], np.int64))
