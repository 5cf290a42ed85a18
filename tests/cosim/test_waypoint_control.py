"""Commands from the controller: the very Trace that tables give, from cycle 0 on."""

from dataclasses import replace

import pytest
from controlled import agree, packets
from engine_needed import need
from test_engines import planned
from test_rebuild import example, random_schedules

import dtt
import rtl
from dtt.controller_clocks import Clocks
from dtt.waypoints import waypoints
from hwdsl.trace import ErrorKind, Kind
from hwdsl.values import random_values
from rtl.engines import ENGINES

FIRST_SEED = 50_000


def test_the_first_example():
    agree(dtt.schedule(*example("fig1")))


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["own_op", "four_pe"])
def test_more_examples(name):
    agree(dtt.schedule(*example(name)))


def some(seeds, count):
    """Yield Schedules with Moves, ``count`` of each fabric at most."""
    for seed in seeds:
        found = (s for s in random_schedules([seed]) if len(s.moves))
        for _, schedule in zip(range(count), found, strict=False):
            yield schedule


def test_a_random_pair():
    for schedule in some([FIRST_SEED + 12], 1):
        agree(schedule, window=32)


@pytest.mark.campaign
def test_fifty_random_pairs():
    pairs = 0
    for schedule in some(range(FIRST_SEED, FIRST_SEED + 24), 3):
        agree(schedule, window=32)
        pairs += 1
    assert pairs >= 50


def test_clock_cycles_are_foretold():
    told_of(dtt.schedule(*example("fig1")))


@pytest.mark.campaign
def test_clock_cycles_are_foretold_of_random_pairs():
    for schedule in some(range(FIRST_SEED + 100, FIRST_SEED + 110), 1):
        told_of(schedule, window=32)


def told_of(schedule, **options):
    """Assert that the work for every cycle begins when it should, and the lead is the least."""
    program = waypoints(schedule, **options)
    sent, begun = packets(schedule, **options)
    clocks = Clocks(schedule.hardware, program)
    now = clocks.startup
    for cycle in range(program.cycles):
        if cycle and cycle in begun:
            assert begun[cycle] == now
        stretch = clocks.stretches.get(cycle)
        now += 1 if stretch is None else stretch.paths + stretch.rest
    assert sent
    assert min(packet.slack for packet in sent) == 0


@pytest.mark.engines
@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_the_first_example_on_every_engine(engine, cache):
    need(engine)
    agree(dtt.schedule(*example("fig1")), engine=engine, cache=cache)


@pytest.mark.engines
@pytest.mark.parametrize("seed", [108, 158])
@pytest.mark.parametrize("engine", sorted({*ENGINES} - {"pysim"}))
def test_a_random_pair_on_every_engine(engine, seed, cache):
    """With tables, and on pysim, the same pairs are run elsewhere."""
    need(engine)
    ((_, schedule, _),) = planned(seed)
    agree(schedule, engine=engine, cache=cache)


def test_of_one_lead_too_short_the_controller_complains():
    schedule = dtt.schedule(*example("fig1"))
    program, values = waypoints(schedule), random_values(schedule.workload, 0)
    late = replace(program, lead=program.lead - 1)
    seen = rtl.simulate(schedule.hardware, late, values, control="waypoints")
    errors = seen.events[seen.events["kind"] == Kind.ERROR]
    parts = list(schedule.hardware.parts)
    assert [(parts[e["part"]].name, e["value"]) for e in errors] == [("mac", ErrorKind.LATE)]
