"""AllGather in the fewest steps: the RTL does what the Schedule says."""

import warnings

import pytest
from gathers import Grid, all_gather

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl.compare import compare
from hwdsl.errors import HardwareWarning
from hwdsl.values import random_values


@pytest.mark.parametrize(("sizes", "rings", "steps"), [((3, 3), False, 4), ((2, 2, 2), True, 3)])
def test_small_gathers_on_the_rtl(sizes, rings, steps):
    verify(sizes, rings, steps)


@pytest.mark.campaign
@pytest.mark.parametrize(("sizes", "rings", "steps"), [((5, 5), False, 12), ((3, 3, 3), True, 5)])
def test_gathers_on_the_rtl(sizes, rings, steps):
    verify(sizes, rings, steps)


def verify(sizes, rings, steps):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HardwareWarning)
        hardware = Grid(sizes, rings).freeze()
    work = all_gather(hardware, seed=3)
    schedule = dtt.schedule(hardware, work, objective="time")
    dtt.check(hardware, work, schedule)
    assert (schedule.cycles, schedule.unserved) == (steps, ())
    values = random_values(work, 3)
    seen = rtl.simulate(hardware, schedule.program(), values)
    expected = expected_trace(schedule, values)
    verdict = compare(hardware, expected.trace, seen, expected)
    assert verdict.passed, str(verdict)
