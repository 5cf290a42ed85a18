"""Way-point programs of the routing benchmarks: how much smaller than the full list of Moves."""

import sys
from pathlib import Path

import pytest

import dtt
from dtt.waypoints import waypoints
from hwdsl.program_file import write_program

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def loads():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import loads

        yield loads
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.campaign
@pytest.mark.parametrize(("load", "aim"), [("w2", 2.0), ("w3", 3.0)])
def test_the_ratios_of_the_meshes(loads, load, aim):
    schedule = dtt.schedule(*getattr(loads, load)())
    made = len(write_program(waypoints(schedule)))
    listed = len(write_program(waypoints(schedule, full=True)))
    assert listed / made >= aim
