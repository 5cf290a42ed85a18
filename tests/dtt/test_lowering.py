"""Programs of hand-made Schedules, table by table."""

import numpy as np
import pytest

from dtt.schedule import FIRING, MOVE, Schedule
from hwdsl import Actor, Fabric, Node
from hwdsl.workload import Workload


def planned(hardware, work, moves, firings=()):
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
        (),
        "by hand",
    )


class Fig1(Fabric):
    def __init__(self):
        self.sram = Node(capacity=64, pj_per_bit=0.625)
        self.reg = Node(capacity=64, pj_per_bit=0.125)
        self.pe = Node(capacity=64)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"}, latency=1)
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=32, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=8, latency=1)


@pytest.fixture
def fig1():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at=hardware.sram)
    work.op("mul", a, b, name="C")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
    return planned(hardware, work, moves, [("C", "mac", 3)])


def test_fig1(fig1):
    program = fig1.program()
    h = fig1.hardware
    sram, pe, bus0, bus1 = h.sram.index, h.pe.index, h.bus0.index, h.bus1.index
    assert program.cycles == 5
    assert program.hardware == h.fingerprint
    assert program.data == (("A", 8, ()), ("B", 8, ()), ("C", 8, ()))
    assert program.contents.tolist() == [[sram, 0, 0, 0], [sram, 1, 1, 0]]
    assert program.finals.tolist() == []
    assert program.sends.tolist() == [
        [0, bus0, 0, 0, 0, 1],
        [0, bus0, 1, 1, 0, 1],
        [1, bus1, 0, 0, 0, 1],
        [2, bus1, 0, 1, 0, 1],
    ]
    assert program.steers.tolist() == []
    # B takes its row in Reg beside A; in PE, A waits in row 0.
    assert program.lands.tolist() == [
        [1, bus0, 0, 0, 0, 0],
        [1, bus0, 1, 1, 0, 0],
        [2, bus1, 0, 0, 0, 0],
        [3, bus1, 0, 1, 0, 0],
    ]
    assert program.fires.tolist() == [[3, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]]
    # At 4 both operands are gone: the result takes the lowest row.
    assert program.results.tolist() == [[4, 0, 0, 1, 0, 0, 0]]
    assert pe == h.mac.at
