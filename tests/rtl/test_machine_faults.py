"""Faults planted in the RTL alone: each changes what is seen, where it was planted."""

import pytest

import rtl
from hwdsl.trace import ErrorKind, Kind
from rtl.faults import Faults
from tests.rtl.builder import Builder
from tests.rtl.machines import Fig1, Sum


def line():
    h = Fig1().freeze()
    b = Builder(h)
    b.datum("A", h.sram, 0)
    b.datum("B", h.sram, 1)
    b.datum("C")
    b.move(0, h.bus0, 0, 0, lane=0)
    b.move(0, h.bus0, 1, 1, lane=1)
    b.move(1, h.bus1, 0, 0)
    b.move(2, h.bus1, 1, 1)
    b.fire(3, h.mac, "mul", (1, 0, 0), (1, 0, 1))
    b.result(4, h.mac, 2)
    b.final("C", h.pe, 2)
    return h, b.program(6)


def differences(faults):
    """Return the events that are new, as (cycle, kind, part, lane, value)."""
    h, program = line()
    values = {"A": 4, "B": 9}
    good = rtl.simulate(h, program, values).events.tolist()
    bad = rtl.simulate(h, program, values, faults=faults).events.tolist()
    parts = {Kind.ERROR: list(h.parts), Kind.FIRE: h.actors, Kind.RESULT: h.actors}
    return [
        (cycle, Kind(kind), parts.get(kind, h.wires)[part].name, lane, value)
        for cycle, kind, part, lane, _, value in bad
        if (cycle, kind, part, lane, 0, value) not in good
    ]


def test_a_register_too_many():
    assert differences(Faults(slow_wire="bus1"))[:2] == [
        (2, Kind.ERROR, "bus1", 0, ErrorKind.MISSING),
        (3, Kind.ARRIVE, "bus1", 0, 4),
    ]


def test_swapped_lanes():
    assert differences(Faults(swapped_lanes="bus0"))[:2] == [
        (1, Kind.ARRIVE, "bus0", 0, 9),
        (1, Kind.ARRIVE, "bus0", 1, 4),
    ]


def test_a_stuck_bit():
    assert (1, Kind.ARRIVE, "bus0", 1, 9 | 64) in differences(Faults(stuck_bit=("bus0", 1, 6)))


@pytest.mark.parametrize(
    ("port", "first"),
    [
        ("send bus1[0]", (2, Kind.DEPART, "bus1", 0, 4)),
        ("fire mac[0]", (4, Kind.FIRE, "mac", 0, 1)),
        ("result mac[0]", (4, Kind.ERROR, "mac", 0, ErrorKind.UNEXPECTED)),
        ("land bus0[1]", (1, Kind.ERROR, "bus0", 1, ErrorKind.UNEXPECTED)),
    ],
)
def test_a_command_one_cycle_late(port, first):
    assert differences(Faults(late_port=port))[0] == first


def test_a_slow_actor():
    assert differences(Faults(slow_actor="mac")) == [
        (4, Kind.ERROR, "mac", 0, ErrorKind.MISSING),
        (5, Kind.RESULT, "mac", 0, 36),
    ]


def test_an_adder_that_is_deaf_to_its_third_input():
    h = Sum().freeze()
    b = Builder(h)
    for i in range(3):
        b.datum(f"X{i}", h.leaf[i], 0, bits=16)
        b.move(1, h.up[i], 0, 2)
        b.rows["lands"][-1]["first"] = 1
    b.datum("S", bits=16)
    b.final("S", h.adder, 2)
    values = {"X0": 100, "X1": 20, "X2": 3}
    assert rtl.simulate(h, b.program(3), values).finals["value"].tolist() == [123]
    deaf = rtl.simulate(h, b.program(3), values, faults=Faults(deaf_adder="adder"))
    assert deaf.finals["value"].tolist() != [123]
