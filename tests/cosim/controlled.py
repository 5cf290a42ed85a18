"""One schedule with its commands from tables, and from the controller: what was seen of both."""

from __future__ import annotations

from dataclasses import dataclass

import rtl
from dtt.control_network import levels
from dtt.waypoints import waypoints
from hwdsl.program import TABLES
from hwdsl.rebuild import rebuild
from hwdsl.trace import Kind, Trace
from hwdsl.values import random_values
from rtl.control.source import instruction
from rtl.faults import NONE
from rtl.load import LEAST_DEPTH, image_of
from rtl.pysim import Model


def pair_of_traces(schedule, seed=0, engine="pysim", cache=None, **options) -> tuple[Trace, Trace]:
    """Return what is seen with tables and with way-points, which must stand for the same Moves."""
    values = random_values(schedule.workload, seed)
    program, scheduled = waypoints(schedule, **options), schedule.program()
    rebuilt = rebuild(schedule.hardware, program)
    assert all((getattr(rebuilt, n) == getattr(scheduled, n)).all() for n in TABLES)
    given = {"engine": engine, "cache": cache}
    tables = rtl.simulate(schedule.hardware, scheduled, values, **given)
    seen = rtl.simulate(schedule.hardware, program, values, control="waypoints", **given)
    return tables, seen


def agree(schedule, **options) -> None:
    """Assert that both are the same, with no error: no packet was late."""
    tables, seen = pair_of_traces(schedule, **options)
    assert tables == seen
    assert not (seen.events["kind"] == Kind.ERROR).any()


@dataclass(frozen=True)
class Packet:
    """One packet: when it was sent, for which cycle, and by how many clock cycles in time."""

    clock: int
    cycle: int
    slack: int


def packets(schedule, **options) -> tuple[list[Packet], dict[int, int]]:
    """Return all packets of a run, and the clock cycle in which the work for each cycle began."""
    hardware, program = schedule.hardware, waypoints(schedule, **options)
    rebuilt = rebuild(hardware, program)
    told = instruction(hardware, program, rebuilt)
    image = image_of(hardware, rebuilt, random_values(schedule.workload, 0))
    model = Model(hardware, LEAST_DEPTH, 16, NONE, told.limits)
    controller, hops = model.machine.controller, levels(hardware)
    network = controller.network
    found, begun = [], {}

    async def watch(ctx):
        sampled = ctx.tick().sample(
            model.machine.run,
            network.offered & network.ready,
            controller.cycle,
            controller.away,
            network.packet.router,
        )
        clock = 0
        async for _, _, runs, sent, cycle, away, router in sampled:
            if runs:
                begun.setdefault(cycle, clock)
                if sent:
                    found.append(Packet(clock, cycle, away - hops[router] - 2))
                clock += 1

    model.simulator.add_testbench(watch, background=True)
    for _ in model.run(rebuilt, image, told):
        pass
    return found, begun
