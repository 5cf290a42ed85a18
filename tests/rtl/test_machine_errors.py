"""An illegal Program is refused by the hardware: which error, on which part, in which cycle."""

import pytest

import rtl
from hwdsl.trace import ErrorKind, Kind
from tests.rtl.builder import Builder
from tests.rtl.machines import Cross, Fig1, Sum, Tile


def errors_of(b, cycles=12, values=None):
    trace = rtl.simulate(b.hardware, b.program(cycles), values or {})
    parts = list(b.hardware.parts)
    return [
        (int(e["cycle"]), parts[e["part"]].name, int(e["lane"]), ErrorKind(int(e["value"])))
        for e in trace.events[trace.events["kind"] == Kind.ERROR]
    ]


@pytest.fixture
def fig1():
    return Builder(Fig1().freeze())


@pytest.fixture
def cross():
    return Builder(Cross().freeze())


@pytest.fixture
def tile():
    return Builder(Tile(units=2, cooldown=3, row=32, result_row=32).freeze())


def test_two_words_for_one_slot_of_a_wire(fig1):
    h = fig1.hardware
    fig1.move(2, h.bus1, 0, 0)
    fig1.send(2, h.bus1, 1)
    assert errors_of(fig1) == [(3, "bus1", 0, ErrorKind.LATE)]


def test_a_late_command_does_not_stop_those_behind_it(fig1):
    h = fig1.hardware
    fig1.move(2, h.bus1, 0, 0)
    fig1.send(2, h.bus1, 1)
    fig1.move(4, h.bus1, 0, 0)
    trace = rtl.simulate(h, fig1.program(8), {})
    assert trace.events[trace.events["kind"] == Kind.DEPART]["cycle"].tolist() == [2, 4]


def test_words_that_nobody_expects(fig1):
    fig1.send(1, fig1.hardware.bus0, 0, lane=2)
    assert errors_of(fig1) == [(2, "bus0", 2, ErrorKind.UNEXPECTED)]


def test_words_that_do_not_come(fig1):
    fig1.land(5, fig1.hardware.bus0, 0, lane=3)
    assert errors_of(fig1) == [(5, "bus0", 3, ErrorKind.MISSING)]


@pytest.mark.parametrize("row", [8, 9, 15, 16, 1000])
def test_rows_beyond_the_memory(fig1, row):
    h = fig1.hardware
    fig1.move(1, h.bus0, 0, row)
    assert errors_of(fig1) == [(2, "bus0", 0, ErrorKind.ADDRESS)]
    b = Builder(h)
    b.send(1, h.bus1, row)
    b.land(2, h.bus1, 0)  # the refused word does not come
    assert errors_of(b) == [(1, "bus1", 0, ErrorKind.ADDRESS)]


def test_a_memory_whose_rows_are_no_power_of_two(cross):
    h = cross.hardware
    wire = h["hub->d"]
    cross.send(0, h["a->hub"], 0)
    cross.steer(1, wire, h["a->hub"])
    cross.land(41, wire, 6)
    assert errors_of(cross, 50) == [(41, "hub->d", 0, ErrorKind.ADDRESS)]


def test_a_junction_is_told_to_pass_on_nothing(cross):
    h = cross.hardware
    cross.steer(3, h["hub->c"], h["b->hub"], 1, 1)
    assert errors_of(cross) == [(3, "hub->c", 1, ErrorKind.STEER)]


def test_a_junction_is_told_nothing(cross):
    h = cross.hardware
    cross.send(3, h["b->hub"], 0, lane=1)
    assert errors_of(cross) == [(4, "b->hub", 1, ErrorKind.LOST)]


def test_a_unit_that_still_cools_down(tile):
    h = tile.hardware
    for cycle, unit in ((1, 0), (3, 0), (4, 1), (7, 1)):
        tile.fire(cycle, h.alu, "add", (1, 0, 0), (1, 0, 0), unit=unit)
        tile.result(cycle + 1, h.alu, cycle, unit=unit)
    assert errors_of(tile) == [(3, "alu", 0, ErrorKind.BUSY)]


def test_a_cooldown_belongs_to_its_op_code(tile):
    h = tile.hardware
    for cycle, code in ((1, "max"), (3, "add"), (5, "max")):  # max cools 2 cycles, add 3
        tile.fire(cycle, h.alu, code, (1, 0, 0), (1, 0, 0))
        tile.result(cycle + 1, h.alu, cycle)
    assert errors_of(tile) == [(5, "alu", 0, ErrorKind.BUSY)]


def test_operands_and_results_beyond_the_memory(tile):
    h = tile.hardware
    tile.fire(1, h.alu, "add", (1, 0, 0), (1, 0, 16), unit=1)
    tile.result(2, h.alu, 0, unit=1)
    tile.fire(1, h.alu, "add", (1, 0, 0), (1, 0, 0), unit=0)
    tile.result(2, h.alu, 32, unit=0)
    found = [(2, "alu", 0, ErrorKind.ADDRESS), (1, "alu", 1, ErrorKind.ADDRESS)]
    assert errors_of(tile) == sorted(found)


def test_results_that_nobody_expects_or_that_do_not_come(tile):
    h = tile.hardware
    tile.fire(1, h.alu, "add", (1, 0, 0), (1, 0, 0), unit=0)
    tile.result(5, h.alu, 0, unit=1)
    expected = [(2, "alu", 0, ErrorKind.UNEXPECTED), (5, "alu", 1, ErrorKind.MISSING)]
    assert errors_of(tile) == expected


def test_two_results_of_one_unit_in_one_cycle_are_not_lost_silently(tile):
    h = tile.hardware
    tile.fire(1, h.alu, "relu", (1, 0, 0), more=1)  # else the unit would be found busy
    tile.fire(4, h.alu, "add", (1, 0, 0), (1, 0, 0))
    tile.result(5, h.alu, 0)
    assert errors_of(tile) == [(5, "alu", 0, ErrorKind.UNEXPECTED)]


def test_an_adder_has_the_same_errors():
    b = Builder(Sum().freeze())
    h = b.hardware
    b.move(0, h.up[0], 0, 3)
    b.send(0, h.up[1], 0)
    b.land(1, h.up[2], 0)
    b.send(0, h.out, 3)
    b.fire(0, h.mac, "mul", (1, 0, 0), (1, 0, 0))
    assert errors_of(b) == [
        (0, "out", 0, ErrorKind.ADDRESS),
        (1, "up[0]", 0, ErrorKind.ADDRESS),
        (1, "up[1]", 0, ErrorKind.UNEXPECTED),
        (1, "up[2]", 0, ErrorKind.MISSING),
        (1, "mac", 0, ErrorKind.UNEXPECTED),
    ]


def test_errors_do_not_outlive_a_run(fig1):
    fig1.send(1, fig1.hardware.bus0, 0)
    assert errors_of(fig1)
    assert errors_of(Builder(fig1.hardware)) == []
