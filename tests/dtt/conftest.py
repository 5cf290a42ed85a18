"""Machines and hand-made Schedules for the tests of dtt."""

import numpy as np
import pytest

from dtt.schedule import FIRING, MOVE, Schedule, Unserved
from hwdsl import Actor, Fabric, Node


def planned(hardware, work, moves, firings=(), unserved=()):
    """Return the Schedule of Moves (datum, wire, cycle) and Firings (op, actor, cycle), by name."""
    data = {d.name: d.index for d in work.data}
    ops = {op.name: op.index for op in work.ops}
    rows = [(data[d], hardware[w].index, c) for d, w, c in moves]
    starts = [(ops[o], -1, hardware[a].index, c) for o, a, c in firings]
    return Schedule(
        hardware,
        work,
        np.array(sorted(rows, key=lambda m: (m[2], m[1], m[0])), MOVE),
        np.array(sorted(starts, key=lambda f: (f[3], f[2], f[0])), FIRING),
        tuple(Unserved(i, "by hand", None) for i in unserved),
        "by hand",
    )


@pytest.fixture(name="planned")
def _planned():
    return planned


class Fig1(Fabric):
    """The first example of the contract."""

    def __init__(self):
        self.sram = Node(capacity=64, pj_per_bit=0.625)
        self.reg = Node(capacity=64, pj_per_bit=0.125)
        self.pe = Node(capacity=64)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"}, latency=1)
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=32, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=8, latency=1)


@pytest.fixture
def fig1_class():
    return Fig1


@pytest.fixture
def fig1():
    return Fig1().freeze()


class FourPe(Fabric):
    """One DRAM, two input SRAMs, four MAC arrays, one output SRAM with feedback."""

    def __init__(self):
        self.dram = Node(capacity=8 * 1024, pj_per_bit=12.5)
        self.sram = [Node(capacity=64, pj_per_bit=0.625) for _ in range(2)]
        self.pe = [Node(capacity=64, pj_per_bit=0.125) for _ in range(4)]
        self.out = Node(capacity=64, pj_per_bit=0.625)
        self.mac = [
            Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4, pj_per_op=2) for pe in self.pe
        ]
        for sram in self.sram:
            self.wire(self.dram, sram, bandwidth=8, latency=8)
            self.wire(self.out, sram, bandwidth=8, latency=2)
            for pe in self.pe:
                self.wire(sram, pe, bandwidth=8, latency=2)
        for pe in self.pe:
            self.wire(pe, self.out, bandwidth=8, latency=1)


@pytest.fixture(scope="session")
def four_pe():
    return FourPe().freeze()
