"""Programs and values become memory images, or are refused with a sentence."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import rtl
from hwdsl import Fabric, Node
from hwdsl.errors import InputError, LimitReached
from hwdsl.workload import Workload
from rtl.load import image_of
from rtl.ports import ports_of
from tests.rtl.builder import Builder
from tests.rtl.machines import Cross, Fig1, Tile


@pytest.fixture
def fig1():
    return Builder(Fig1().freeze())


def test_ports_are_numbered_by_kind_part_and_lane():
    names = [str(p) for p in ports_of(Cross().freeze())]
    assert names[:2] == ["send a->hub[0]", "send a->hub[1]"]
    assert "steer hub->c[1]" in names
    assert "land straight[1]" in names
    assert "land a->hub[0]" not in names


def test_an_image_holds_packed_rows_and_commands(fig1):
    h = fig1.hardware
    fig1.datum("X", h.reg, 3, shape=(2,))
    fig1.send(5, h.bus1, 4)
    fig1.send(2, h.bus1, 3)
    image = image_of(h, fig1.program(9), {"X": [-1, 2]})
    assert image.stores[h.reg.index] == {3: 255, 4: 2}
    number = [str(p) for p in ports_of(h)].index("send bus1[0]")
    (sent,) = image.commands
    assert sent.port.tolist() == [number, number]
    assert sent.cycle.tolist() == [2, 5]
    assert sent.words.tolist() == [[3 | 1 << 4], [4 | 1 << 4]]  # 4 bits of row, one of size
    rows = image.entries(16)[number]
    assert rows == [1 << 21 | 2 << 5 | 3 | 16, 1 << 21 | 5 << 5 | 4 | 16]
    assert image.depth() == 32
    assert image.time_bits(1 << 16) == 32


def test_values_may_be_keyed_by_datum_and_be_unsigned(fig1):
    h = fig1.hardware
    work = Workload(bits=8)
    datum = work.load("X", at=h.reg)
    fig1.datum("X", h.reg, 0)
    fig1.final("X", h.reg, 0)
    for value in (200, np.int64(-56)):
        trace = rtl.simulate(h, fig1.program(1), {datum: value})
        assert trace.finals["value"].tolist() == [200]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "values: loaded datum 'X' has no value"),
        ({"X": 1, "Y": 2}, "values: 'Y' is not a datum of the Program"),
        ({"X": 256}, "values: 'X' must fit in 8 bits, not 256 to 256"),
        ({"X": [1, 2]}, r"values: 'X' has shape \(\), not \(2,\)"),
        ({"X": 1.5}, "values: 'X' must be integers"),
    ],
)
def test_values_that_are_refused(fig1, values, sentence):
    fig1.datum("X", fig1.hardware.reg, 0)
    with pytest.raises(InputError, match=sentence):
        rtl.simulate(fig1.hardware, fig1.program(1), values)


def test_programs_that_are_refused(fig1):
    h = fig1.hardware
    other = Fig1(datum=16).freeze()
    with pytest.raises(InputError, match="Program: it is for another Hardware than Fig1"):
        rtl.simulate(other, fig1.program(1), {})

    def refused(sentence, table, **row):
        b = Builder(h)
        b._add(table, **row)
        with pytest.raises(InputError, match=sentence):
            rtl.simulate(h, b.program(9), {})

    refused("wire 1 has no send port 1", "sends", cycle=1, wire=1, lane=1, size=1)
    refused("wire 9 has no land port 0", "lands", cycle=1, wire=9)
    refused("wire 0 has no steer port 0", "steers", cycle=1, wire=0)
    refused("before cycle 0", "sends", cycle=-1, wire=1, size=1)
    refused(r"send bus1\[0\]: size must be from 0 to 1, not 2", "sends", cycle=1, wire=1, size=2)
    refused("offset must be from 0 to 0, not 1", "sends", cycle=1, wire=1, size=1, offset=1)
    refused("row must be from 0 to 15, not -1", "sends", cycle=1, wire=1, size=1, row=-1)
    tile = Builder(Tile().freeze())
    tile.fire(1, tile.hardware.alu, "add", (1, 0, 0), (1, 0, 0), unit=3)
    with pytest.raises(InputError, match="actor 0 has no fire port 3"):
        rtl.simulate(tile.hardware, tile.program(9), {})
    cross = Builder(Cross().freeze())
    h = cross.hardware
    cross.steer(1, h["hub->c"], h["straight"])
    with pytest.raises(InputError, match=r"lane 0 of wire \d+ does not lead to Junction 'hub'"):
        rtl.simulate(h, cross.program(9), {})


def test_what_the_model_cannot_hold_is_refused(fig1):
    h = fig1.hardware
    for cycle in range(40):
        fig1.move(cycle, h.bus1, 0, 0)
    program = fig1.program(50)
    with pytest.raises(LimitReached, match="a table of depth 32 takes 31 commands"):
        rtl.simulate(h, program, {}, depth=32)
    with pytest.raises(LimitReached, match="a time of 5 bits holds fewer than 51 cycles"):
        rtl.simulate(h, program, {}, time_bits=5)
    trace = rtl.simulate(h, program, {})
    assert len(trace.events) == 80


class Huge(Fabric):
    def __init__(self):
        self.word = 8
        self.hbm = Node(capacity=8 * (1 << 30))
        self.node = Node(capacity=8)
        self.wire(self.hbm, self.node, bandwidth=8, latency=100)


def test_of_a_huge_memory_only_what_is_used_must_be_small():
    b = Builder(Huge().freeze())
    h = b.hardware
    b.datum("X", h.hbm, (1 << 20) - 1)
    b.final("X", h.node)
    b.move(0, h["hbm->node"], (1 << 20) - 1, 0)
    assert rtl.simulate(h, b.program(101), {"X": 5}).finals["value"].tolist() == [5]
    b.send(1, h["hbm->node"], 1 << 20)
    rule = "pysim holds its first 1048576 rows, and the Program uses row 1048576"
    with pytest.raises(LimitReached, match=f"Node 'hbm': {rule}"):
        rtl.simulate(h, b.program(101), {"X": 5})
    assert len(rtl.emit(h, depth=2, most_rows=4)) < 40_000


def test_contents_beyond_a_memory_are_refused(fig1):
    h = fig1.hardware
    fig1.datum("X", h.pe, 8)
    with pytest.raises(InputError, match="'X' is in row 8 of point 0, which has none"):
        rtl.simulate(h, fig1.program(1), {"X": 1})
    b = Builder(h)
    b.datum("Y", h.pe, 0)
    b.final("Y", h.pe, 9)
    with pytest.raises(InputError, match="'Y' is in row 9 of point 0, which has none"):
        rtl.simulate(h, b.program(1), {"Y": 1})


def test_engine_and_control_must_be_known(fig1):
    program = fig1.program(1)
    with pytest.raises(InputError, match="engine must be one of pysim"):
        rtl.simulate(fig1.hardware, program, {}, engine="spice")
    with pytest.raises(InputError, match="control must be one of tables"):
        rtl.simulate(fig1.hardware, program, {}, control="magic")


def test_a_command_beyond_the_run_does_nothing(fig1):
    h = fig1.hardware
    fig1.send(100, h.bus1, 0)
    trace = rtl.simulate(h, fig1.program(3), {})
    assert len(trace.events) == 0
    assert replace(trace, engine="other") == trace


def test_importing_rtl_or_its_loader_imports_no_amaranth():
    code = "import sys, rtl, rtl.load, rtl.probe; sys.exit('amaranth' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
