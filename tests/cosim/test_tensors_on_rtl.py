"""Array ops with several steps per element: Schedule, legality and RTL agree, values and cycles."""

from __future__ import annotations

import random

import pytest

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl import Actor, Fabric, Node
from hwdsl.compare import compare
from hwdsl.values import random_values

CODES = ("matmul", "conv2d", "maxpool", "relu", "add", "dot")


class Core(Fabric):
    def __init__(self, *, units, bits, row, timing):
        self.word = 8
        self.memory = Node(capacity=1 << 15, row=64)
        self.pe = Node(capacity=1 << 15, row=row)
        self.out = Node(capacity=1 << 14, row=row)
        self.mac = Actor(at=self.pe, ops=timing, units=units, bits=bits, cooldown=4)
        self.far = Actor(at=self.pe, ops={"matmul"}, units=2, bits=bits, result_at=self.out)
        for node in (self.pe, self.out):
            self.duplex(self.memory, node, bandwidth=64, latency=2)


def build(work, rng, at):
    """Random tensors in, through ops that take each other's results."""

    def load(shape, bits=None):
        return work.load(f"d{len(work.data)}", at=at, shape=shape, bits=bits)

    m, k, n = (rng.randint(1, 5) for _ in range(3))
    product = work.op("matmul", load((m, k), 8), load((k, n)), load(rng.choice([(n,), (m, n)])))
    again = work.op("matmul", load((m, k), 8), load((k, n)), product, into=product)
    channels, filters, side = rng.randint(1, 2), rng.randint(1, 3), rng.randint(2, 5)
    shape = (channels, side, rng.randint(2, 5))
    options = rng.randint(1, 2), rng.randint(0, 1)
    field = (rng.randint(1, 2), rng.randint(1, 2))
    mapped = work.op("conv2d", load(shape, 8), load((filters, channels, *field)), options=options)
    pooled = work.op("maxpool", load((2, 4, 5)), options=(rng.randint(1, 4),))
    scalar = load(())
    return [again, mapped, pooled, work.op("relu", mapped), work.dot([(scalar, scalar)] * 2)]


@pytest.mark.parametrize("seed", range(5))
def test_random_tensors(seed):
    rng = random.Random(seed)
    bits = rng.choice([16, 32])
    latency = rng.randint(1, 4)
    timing = {code: {"latency": rng.randint(latency, 4)} for code in CODES}
    timing["maxpool"]["units"] = 1
    fabric = Core(units=rng.randint(2, 4), bits=bits, row=rng.choice([8, 16, 32]), timing=timing)
    hardware = fabric.freeze()
    work = dtt.Workload(bits=bits)
    for result in build(work, rng, hardware.memory):
        work.store(result, at=hardware.memory)
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    assert not schedule.unserved
    values = random_values(work, seed)
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, schedule.program(), values)
    assert not compare(hardware, expected.trace, seen, expected).mismatches


def test_two_that_run_side_by_side_do_not_mix():
    """Units that are not neighbours, each with a sum of its own."""
    timing = {"matmul": {"units": 1}, "add": {"units": 1}}
    hardware = Core(units=3, bits=32, row=32, timing=timing).freeze()
    work = dtt.Workload(bits=32)
    loads = work.load(*"abcdef", at=hardware.pe, shape=(3, 3))
    results = [work.op("matmul", *loads[i : i + 2], on="mac") for i in range(3)]
    schedule = dtt.schedule(hardware, work)
    assert schedule.firings["cycle"].tolist() == [0, 0, 0]
    assert len(results) == 3
    values = random_values(work, 2)
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, schedule.program(), values)
    assert not compare(hardware, expected.trace, seen, expected).mismatches


def test_a_result_may_take_hundreds_of_cycles():
    """The stages that it waits in are one wide expression nowhere, which Python could not walk."""
    core = Core(units=2, bits=16, row=64, timing={"dot": {"latency": 300}}).freeze()
    work = dtt.Workload(bits=16)
    pairs = [work.load(f"a{i}", f"b{i}", at="pe") for i in range(2)]
    work.dot(pairs, name="sum", on="mac")
    schedule = dtt.schedule(core, work)
    dtt.check(core, work, schedule)
    values = random_values(work, 0)
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(core, schedule.program(), values)
    assert compare(core, expected.trace, seen, expected).passed
    assert seen.cycles > 300
