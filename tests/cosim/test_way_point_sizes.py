"""Way-point programs of the routing benchmarks: how much smaller than the full list of Moves."""

import loads
import pytest

import dtt
from dtt.waypoints import waypoints
from hwdsl.program_file import write_program


@pytest.mark.campaign
@pytest.mark.filterwarnings("ignore::hwdsl.errors.HardwareWarning")  # memories of many ports
@pytest.mark.parametrize(("load", "aim"), [("w2", 2.0), ("w3", 3.0)])
def test_the_ratios_of_the_meshes(load, aim):
    schedule = dtt.schedule(*getattr(loads, load)())
    made = len(write_program(waypoints(schedule)))
    listed = len(write_program(waypoints(schedule, full=True)))
    assert listed / made >= aim
