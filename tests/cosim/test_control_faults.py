"""Faults on the control network and in a program: each is caught, and named with its place."""

from dataclasses import replace

import numpy as np
import pytest
from test_planted_faults import VALUES, Machine, two_sums

import rtl
from dtt.expect import expected_trace
from dtt.waypoints import waypoints
from hwdsl.compare import CONTROLLER, compare
from hwdsl.program_file import sections_of
from hwdsl.trace import EVENT, ErrorKind, Kind
from rtl.control.complaints import event_of
from rtl.faults import Faults
from rtl.ports import ports_of


@pytest.fixture(scope="module")
def planned():
    schedule = two_sums()
    return schedule, waypoints(schedule, window=32)


def verdict(planned, faults):
    schedule, program = planned
    hardware, expected = schedule.hardware, expected_trace(schedule, VALUES)
    how = {"control": "waypoints", "faults": faults}
    seen = rtl.simulate(hardware, program, VALUES, **how)
    return compare(hardware, expected.trace, seen, expected)


# The very first packet has A sent from the memory over the Wire "feed" in cycle 0.
MISSING = "cycle 0, Wire 'feed' lane 0 departs: expected 0x07 (datum 'a'), saw nothing"
LATE = "Wire 'feed' lane 0: error LATE"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (("ttl", 0, 0), MISSING),
        pytest.param(("dropped", 0, 0), MISSING, marks=pytest.mark.campaign),
        pytest.param(("duplicated", 0, 0), LATE, marks=pytest.mark.campaign),
        pytest.param(("delayed", 0, 300), LATE, marks=pytest.mark.campaign),
        pytest.param(("delayed", 0, 300), MISSING, marks=pytest.mark.campaign),
    ],
)
def test_a_fault_of_the_first_packet_is_located(planned, fault, sentence):
    found = verdict(planned, Faults(packet=fault))
    assert not found.passed
    assert found.first.part == "feed"
    assert sentence in " ".join(m.sentence for m in found.mismatches)


@pytest.mark.campaign
@pytest.mark.parametrize("what", ["ttl", "dropped", "duplicated"])
@pytest.mark.parametrize("number", [1, 5, 9, 14])
def test_a_fault_of_any_packet_is_located(planned, what, number):
    found = verdict(planned, Faults(packet=(what, number, 0)))
    assert not found.passed
    assert found.first.cycle < planned[1].cycles
    assert repr(found.first.part) in found.first.sentence


@pytest.mark.campaign
def test_a_delay_within_the_slack_does_no_harm(planned):
    assert verdict(planned, Faults(packet=("delayed", 0, 2))).passed


def path_bits(program):
    """Return the first and the last bit of the records of the paths."""
    data = sections_of(program)["PATH"]
    return 8 * (12 + 11), 8 * len(data)


@pytest.mark.campaign
def test_a_flipped_bit_of_a_way_point_is_located(planned):
    """Flip every third bit: what changes anything is caught, with a part and a cycle."""
    _, program = planned
    first, end = path_bits(program)
    caught = harmless = 0
    complaints = []
    for bit in range(first, end, 3):
        found = verdict(planned, Faults(program_bit=(1, bit)))
        if found.passed:
            harmless += 1
            continue
        caught += 1
        assert found.first.part
        assert found.first.cycle <= program.cycles
        complaints += [m.sentence for m in found.mismatches if m.part == CONTROLLER]
    assert caught >= 3 * harmless
    assert caught >= 8
    assert any("NO_WAY" in sentence for sentence in complaints)


@pytest.mark.campaign
def test_a_flipped_bit_of_the_first_way_point_is_located(planned):
    """The bit after next is of its datum: another one departs."""
    _, program = planned
    first, _ = path_bits(program)
    found = verdict(planned, Faults(program_bit=(1, first + 2)))
    assert not found.passed
    assert found.first.sentence.startswith("cycle 0, Wire 'feed' lane 0 departs: expected 0x07")


def test_what_the_controller_complains_of_is_an_event_with_its_place():
    hardware = Machine().freeze()
    ports = ports_of(hardware)
    number = next(n for n, p in enumerate(ports) if str(p) == "fire mac[1][0]")
    (late,) = event_of(hardware, int(ErrorKind.LATE) | number << 4 | 17 << 20)
    assert list(hardware.parts)[late["part"]].name == "mac[1]"
    assert (late["cycle"], late["kind"], late["lane"]) == (17, Kind.ERROR, 0)
    (lost,) = event_of(hardware, int(ErrorKind.NO_WAY) | 3 << 4 | 5 << 20)
    assert (lost["cycle"], lost["part"], lost["lane"]) == (5, len(list(hardware.parts)), 3)
    assert not len(event_of(hardware, 0))


def test_the_verdict_names_the_controller(planned):
    schedule, _ = planned
    expected = expected_trace(schedule, VALUES)
    event = np.zeros(1, EVENT)
    event[0] = (1, Kind.ERROR, len(list(schedule.hardware.parts)), 2, 0, ErrorKind.NO_WAY)
    events = np.sort(np.concatenate((expected.trace.events, event)), order=["cycle", "kind"])
    seen = replace(expected.trace, events=events)
    found = compare(schedule.hardware, expected.trace, seen, expected)
    assert found.first.part == CONTROLLER
    told = "cycle 1, the controller, datum 'c': error NO_WAY, no way leads to the next way-point"
    assert found.first.sentence.startswith(told)
