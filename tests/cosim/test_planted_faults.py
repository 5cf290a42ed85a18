"""Faults in the RTL alone and in the Program alone: each is caught, and named with its cycle."""

from dataclasses import replace

import numpy as np
import pytest

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.compare import compare
from hwdsl.program import SEND_COLUMNS
from rtl.faults import Faults


class Machine(Fabric):
    """A memory that feeds two MAC arrays through a Junction; results go back."""

    def __init__(self):
        self.ram = Node(capacity=512)
        self.hub = Junction()
        self.pe = [Node(capacity=64) for _ in range(2)]
        self.mac = [Actor(at=pe, ops={"dot"}, units=2, latency=2) for pe in self.pe]
        self.feed = self.wire(self.ram, self.hub, bandwidth=16, latency=2)
        self.branch = [self.wire(self.hub, pe, bandwidth=16, latency=1) for pe in self.pe]
        self.back = [self.wire(pe, self.ram, bandwidth=8, latency=3) for pe in self.pe]


VALUES = dict(zip("abcd", (7, -3, 100, 5), strict=True))


def two_sums():
    """Return the Schedule of two sums of products on a `Machine`."""
    hardware = Machine().freeze()
    work = dtt.Workload(bits=8)
    data = work.load(*"abcd", at="ram")
    one = work.dot([data[:2], data[2:]], name="one", on="mac[0]")
    two = work.dot([data[1:3]], name="two", on="mac[1]")
    for result in (one, two):
        work.store(result, at="ram")
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    return schedule


@pytest.fixture(scope="module")
def planned():
    schedule = two_sums()
    return schedule.hardware, schedule, VALUES


def verdict(planned, change=lambda program: program, **options):
    hardware, schedule, values = planned
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, change(schedule.program()), values, **options)
    return compare(hardware, expected.trace, seen, expected)


def test_without_a_fault_all_is_as_expected(planned):
    assert verdict(planned).passed


@pytest.mark.parametrize(
    ("fault", "part", "cycle"),
    [
        (Faults(slow_wire="feed"), "feed", 2),
        (Faults(slow_wire="branch[1]"), "branch[1]", 3),
        (Faults(swapped_lanes="feed"), "feed", 2),
        (Faults(stuck_bit=("back[0]", 0, 5)), "back[0]", 9),
        (Faults(late_port="send feed[0]"), "feed", 0),
        (Faults(late_port="land back[1][0]"), "back[1]", None),
        (Faults(slow_actor="mac[0]"), "mac[0]", 6),
    ],
    ids=lambda value: str(value) if isinstance(value, Faults) else "",
)
def test_faults_of_the_rtl_are_located(planned, fault, part, cycle):
    found = verdict(planned, faults=fault)
    assert not found.passed
    assert found.first.part == part
    assert repr(part) in found.first.sentence
    if cycle is not None:
        assert found.first.cycle == cycle


def test_one_register_too_many_is_said_in_words(planned):
    found = verdict(planned, faults=Faults(slow_wire="branch[0]"))
    assert "1 cycle late" in " ".join([found.first.sentence, *found.notes])


def altered(table, column, change, row=0):
    def alter(program):
        rows = getattr(program, table).copy()
        rows[row, column] = change(rows[row, column])
        return replace(program, **{table: rows[np.argsort(rows[:, 0], kind="stable")]})

    return alter


def without(table, row=0):
    return lambda program: replace(program, **{table: np.delete(getattr(program, table), row, 0)})


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (altered("sends", 0, lambda cycle: cycle + 3), "feed"),
        (altered("sends", SEND_COLUMNS.index("row"), lambda row: row + 1), "feed"),
        (altered("steers", 4, lambda lane: 1 - lane), "branch[0]"),
        (altered("fires", 0, lambda cycle: cycle + 1), "mac[0]"),
        (altered("contents", 1, lambda row: row + 9), "feed"),
        (without("sends"), "feed"),
        (without("steers"), "branch[0]"),
        (without("fires"), "mac[0]"),
    ],
)
def test_faults_of_the_program_are_located(planned, change, part):
    found = verdict(planned, change)
    assert not found.passed
    assert found.first.part == part


def test_a_landing_beyond_the_memory_is_an_error_with_its_place(planned):
    found = verdict(planned, altered("lands", 3, lambda row: row + 8))
    errors = [m for m in found.mismatches if m.kind == "ERROR"]
    assert errors
    assert "ADDRESS" in errors[0].sentence
    assert errors[0].part.startswith("branch")
