"""Why a request has no path: the cut names what is full, and there is one just when no way is."""

import numpy as np
import pytest
from oracle import Ported

import dtt
from dtt.cuts import cut
from dtt.placing import Placer
from hwdsl import Fabric, Node


def busy(seed):
    """Return an engine with a small crowded mesh, as placing leaves it."""
    random = np.random.default_rng(seed)
    work = dtt.Workload(bits=8)
    hardware = Ported(3, 3, 8 * int(random.integers(1, 4))).freeze()
    data = work.load(*(f"d{i}" for i in range(5)), at="dram")
    for _ in range(14):
        row, column = random.integers(0, 3, 2)
        by = int(random.integers(3, 14))
        work.need(data[int(random.integers(5))], at=f"grid[{row}][{column}]", by=by)
    placer = Placer(hardware, work)
    placer.run()
    return placer.state


def test_there_is_a_cut_just_when_there_is_no_way():
    ways = 0
    for seed in range(12):
        state = busy(seed)
        random = np.random.default_rng(seed)
        for _ in range(40):
            datum, by = int(random.integers(5)), int(random.integers(2, 16))
            point = int(random.integers(len(state.hardware.points)))
            path = state.route(datum, point, by, by)
            found = cut(state, datum, point, by)
            assert (path is None) != (found == ()), (seed, datum, point, by)
            ways += path is not None
            for full in found or ():
                assert full.wire or state.hardware.points[full.index].kind == "Node"
    assert 100 < ways < 400


class Narrow(Fabric):
    """Two ways from ``a`` to ``c``; both end in one Wire."""

    def __init__(self, capacity=64):
        self.a = Node(capacity=64)
        self.b = [Node(capacity=64) for _ in range(2)]
        self.c = Node(capacity=64)
        self.d = Node(capacity=capacity)
        for b in self.b:
            self.wire(self.a, b, bandwidth=8, latency=1)
            self.wire(b, self.c, bandwidth=8, latency=1)
        self.last = self.wire(self.c, self.d, bandwidth=8, latency=1)


def reasons(hardware, cycles):
    work = dtt.Workload(bits=8)
    for i, by in enumerate(cycles):
        work.need(work.load(f"x{i}", at="a"), at="d", by=by)
    return dtt.schedule(hardware, work).unserved


def test_the_wire_that_every_way_needs():
    (unserved,) = reasons(Narrow().freeze(), (3, 4, 4))
    assert "Wire 'last' carries 'x0' at 2, 'x1' at 3" in unserved.reason
    assert "the first cycle that works is 5" in unserved.reason
    assert "'a->b" not in unserved.reason
    assert unserved.earliest == 5


def test_the_memory_that_is_full():
    (unserved,) = reasons(Narrow(capacity=8).freeze(), (4, 4))
    assert (
        "'last' carries 'x0' at 3" in unserved.reason or "Node 'd' holds 8 of 8" in unserved.reason
    )
    work = dtt.Workload(bits=8)
    x, y = work.load("x", "y", at="a")
    work.need(x, at="d", by=3)
    work.need(x, at="d", by=9)
    work.need(y, at="d", by=6)
    (unserved,) = dtt.schedule(Narrow(capacity=8).freeze(), work).unserved
    assert "Node 'd' holds 8 of 8 bits in cycle 6 ('x')" in unserved.reason


@pytest.mark.parametrize("by", [0, 1, 2])
def test_what_no_machine_could_do(by):
    (unserved,) = reasons(Narrow().freeze(), (by,))
    assert "even on an idle machine the first cycle is 3" in unserved.reason
