"""Where one controller becomes the bottleneck, as PEs grow from 2 to 64 at constant work for each.

Every PE has a small memory of its own, which a shared memory feeds. It does four Ops of 4096 cycles
each, on fresh operands, and every result goes back. What the controller needs is counted by the
model of its state machines, which the smallest machine is held against in RTL: with the lead that
the model tells, no packet is late, and with one clock cycle less, one is.

    python examples/controller_scale.py
"""

from __future__ import annotations

import sys
from dataclasses import replace

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.pace import pace
from dtt.waypoints import waypoints
from hwdsl import Actor, Fabric, Node
from hwdsl.cli.screen import table
from hwdsl.compare import compare
from hwdsl.errors import ToolMissing
from hwdsl.hardware import Hardware
from hwdsl.program_file import write_program
from hwdsl.values import random_values

SIZES = (2, 4, 8, 16, 32, 64)
WINDOWS = (16, 32, 64, 128, 256)
OPS, LATENCY = 4, 4096


class Row(Fabric):
    """A memory with ``n`` PEs, each behind a memory of its own."""

    def __init__(self, n: int, latency: int = LATENCY):
        self.sram = Node(capacity=8 * 16 * n)
        self.local = [Node(capacity=8 * 8) for _ in range(n)]
        self.pe = [Node(capacity=8 * 4) for _ in range(n)]
        self.unit = [Actor(at=pe, ops={"mul"}, latency=latency, cooldown=latency) for pe in self.pe]
        for local, pe in zip(self.local, self.pe, strict=True):
            self.duplex(self.sram, local, bandwidth=8, latency=2)
            self.duplex(local, pe, bandwidth=8, latency=1)


def work_for(pes: range) -> dtt.Workload:
    """Return four Ops for each of some PEs."""
    work = dtt.Workload(bits=8)
    for k in range(OPS):
        for i in pes:
            a, b = work.load(f"a{i}_{k}", f"b{i}_{k}", at="sram")
            work.store(work.op("mul", a, b, name=f"c{i}_{k}", on=f"unit[{i}]"), at="sram")
    return work


hardware = Row(2, latency=16).freeze()
workload = work_for(range(2))


def scheduled(machine: Hardware, work: dtt.Workload) -> dtt.Schedule:
    """Return a Schedule, found by the native engine if it is here: its Ops wait for long."""
    try:
        return dtt.schedule(machine, work, engine="native")
    except ToolMissing:
        return dtt.schedule(machine, work)


def measured(n: int, pes: range, window: int) -> dict[str, float]:
    """Return what the controller of ``n`` PEs needs for the work of some of them."""
    schedule = scheduled(Row(n).freeze(), work_for(pes))
    program = waypoints(schedule, window=window)
    found = pace(schedule.hardware, program, schedule.program())
    return {
        "cycles": schedule.cycles,
        "clocks": found.clocks,
        "lead": found.lead,
        "depth": found.depth,
        "points": len(program.points),
        "bytes": len(write_program(program)),
        "load": found.clocks / schedule.cycles,
    }


def holds_in_rtl() -> bool:
    """Say whether the lead of the smallest machine is enough in RTL, and one less is not."""
    schedule = dtt.schedule(hardware, workload)
    values, program = random_values(workload, 0), waypoints(schedule, window=WINDOWS[0])
    expected = expected_trace(schedule, values)

    def passes(lead: int) -> bool:
        given = replace(program, lead=lead)
        seen = rtl.simulate(hardware, given, values, control="waypoints")
        return compare(hardware, expected.trace, seen, expected).passed

    return passes(program.lead) and not passes(program.lead - 1)


def main() -> int:
    print("One controller (a window of 64), and two with half of the PEs each:\n")
    rows = []
    for n in SIZES:
        one, half = measured(n, range(n), 64), measured(n, range(n // 2), 64)
        shown = [n, *(one[k] for k in ("cycles", "clocks")), f"{one['load']:.2f}"]
        rows.append((*shown, one["lead"], one["depth"], f"{half['load']:.2f}", half["lead"]))
    print(table(("PEs", "cycles", "clocks", "load", "lead", "depth", "of two", "lead"), rows))
    print(
        "\nload: clock cycles of the controller for each cycle of the machine; above 1, it is the"
    )
    print("bottleneck, and all that is beyond goes into the lead, or holds data back.\n")
    print("Windows, with 16 PEs:\n")
    keys = ("points", "bytes", "clocks", "lead")
    found = [(w, measured(16, range(16), w)) for w in WINDOWS]
    print(
        table(("window", "way-points", *keys[1:]), [(w, *(m[k] for k in keys)) for w, m in found])
    )
    good = holds_in_rtl()
    print(f"\nThe lead of 2 PEs is {'just enough' if good else 'NOT AS TOLD'} in RTL")
    print("PASS" if good else "FAIL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
