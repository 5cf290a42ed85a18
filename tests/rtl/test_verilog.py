"""The emitted Verilog: its bytes, its names, and that the usual tools take it."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from verilog_tools import linted, synthesized

import rtl
from hwdsl import Actor, Adder, Fabric, Junction, Node
from hwdsl.errors import InputError
from rtl.verilog import LONGEST_LINE, short_lines


class Medley(Fabric):
    """One part of every kind; names that Verilog reserves or that the machine itself uses."""

    def __init__(self):
        self.word = 4
        self.reg = Node(capacity=64, row=8)
        self.control = Node(capacity=6 * 8, row=8)
        self.run = Adder(capacity=8, row=8)
        self.single = Node(capacity=4)
        self.hub = Junction()
        self.alu = Actor(
            at=self.reg,
            ops={"add": {}, "mul": {"latency": 3}, "max": {}, "relu": {}, "dot": {}},
            units=2,
            bits=16,
            cooldown=3,
        )
        self.mul = Actor(at=self.control, result_at=self.run, ops={"mul"}, bits=8)
        self.wire(self.reg, self.hub, bandwidth=8, latency=1)
        self.wire(self.control, self.hub, bandwidth=8, latency=2)
        self.now = self.wire(self.hub, self.control, bandwidth=8, latency=1)
        self.far = self.wire(self.hub, self.reg, bandwidth=8, latency=50)
        self.clk = self.wire(self.run, self.single, bandwidth=8, lane=4, latency=1)


@pytest.fixture(scope="module")
def text():
    return rtl.emit(Medley().freeze(), depth=32)


@pytest.fixture(scope="module")
def file(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("verilog") / "machine.v"
    path.write_text(text)
    return path


def test_parts_are_instances_under_their_verilog_names(text):
    top = text[: text.index("endmodule")]
    hardware = Medley().freeze()
    instances = re.findall(r"^  \\?machine[._]\S+ +\\?(\S+) +\($", top, re.MULTILINE)
    found = {name.split("$")[0] for name in instances}
    assert set(hardware.verilog_names) <= found
    assert "/work" not in text
    assert "src" not in text


def test_the_bytes_depend_on_nothing_but_the_machine(text):
    digest = hashlib.sha256(text.encode()).hexdigest()
    code = (
        "import hashlib, rtl; from tests.rtl.test_verilog import Medley;"
        "text = rtl.emit(Medley().freeze(), depth=32);"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    paths = os.pathsep.join(map(str, (Path(__file__).parents[2], Path(__file__).parent)))
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert done.stdout.strip() == digest, done.stderr


def test_verilator_finds_nothing_but_what_is_waived(file):
    linted(file)


def test_yosys_synthesizes_it(file):
    synthesized(file)


def test_sizes_that_are_refused():
    hardware = Medley().freeze()
    with pytest.raises(InputError, match="depth must be a power of two from 2 on, not 100"):
        rtl.emit(hardware, depth=100)
    with pytest.raises(InputError, match="time_bits must be from 1 to 64, not 0"):
        rtl.emit(hardware, time_bits=0)


def test_long_lines_are_broken_behind_commas(text, monkeypatch):
    """The words stay the same, so that tools read the same machine."""
    assert max(map(len, text.splitlines())) <= LONGEST_LINE
    monkeypatch.setattr("rtl.verilog.LONGEST_LINE", 60)
    short = short_lines(text)
    assert short.split() == text.split()
    assert len(short.splitlines()) > len(text.splitlines())
    assert not [line for line in short.splitlines() if len(line) > 60 and ", " in line]
