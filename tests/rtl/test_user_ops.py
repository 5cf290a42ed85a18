"""Ops that users bring: declared, held against NumPy, and run."""

from __future__ import annotations

import numpy as np
import pytest
from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl import Actor, Fabric, InputError, Node
from hwdsl.compare import compare
from hwdsl.user_ops import UserOp, bring
from rtl.user_ops import verify


class Difference(wiring.Component):
    """The distance of two numbers, ``registers`` clock edges later."""

    def __init__(self, bits, registers=0, offset=0):
        self.registers, self.offset = registers, offset
        wide = signed(bits)
        super().__init__({"operand0": In(wide), "operand1": In(wide), "result": Out(wide)})

    def elaborate(self, platform):
        m = Module()
        value = self.operand0 - self.operand1
        value = Mux(value < 0, -value, value) + self.offset
        for i in range(self.registers):
            stage = Signal(self.result.shape(), name=f"stage{i}")
            m.d.sync += stage.eq(value)
            value = stage
        m.d.comb += self.result.eq(value)
        return m


class Distance(UserOp):
    code = "distance"
    operands = 2

    def __init__(self, latency, **unit):
        self.latency, self.unit = latency, unit

    def compute(self, a, b):
        return np.abs(a - b)

    def component(self, bits):
        return Difference(bits, **self.unit)


class Reversed(UserOp):
    """An op that is not elementwise: it reads the last element first."""

    code = "reversed"

    def compute(self, a):
        return a[::-1]

    def reads(self, shape):
        return [np.arange(shape[0])[::-1]]

    def component(self, bits):
        return Same(bits)


class Same(wiring.Component):
    def __init__(self, bits):
        super().__init__({"operand0": In(signed(bits)), "result": Out(signed(bits))})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.result.eq(self.operand0)
        return m


class Machine(Fabric):
    def __init__(self, ops):
        self.memory = Node(capacity=1024)
        self.actor = Actor(at=self.memory, ops=ops, units=3, bits=16, latency=2, cooldown=5)


def mismatches(ops, build):
    hardware = Machine(ops).freeze()
    work = dtt.Workload(bits=16)
    results = build(work, hardware.memory)
    for result in results:
        work.store(result, at=hardware.memory)
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    generator = np.random.default_rng(5)
    values = {
        d: generator.integers(-9000, 9000, d.shape) for d in work.data if d.loaded_at is not None
    }
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, schedule.program(), values)
    return compare(hardware, expected.trace, seen, expected).mismatches


def distances(work, memory):
    a, b = work.load("a", "b", at=memory, shape=7)
    c = work.op("distance", a, b)
    return [c, work.op("distance", c, a), work.op("add", a, b), work.op("distance", b, b)]


@pytest.mark.parametrize("registers", [0, 1, 3])
@pytest.mark.parametrize("more", [0, 2])
def test_a_component_of_any_latency_in_an_actor_of_any_latency(registers, more):
    bring(Distance(latency=1 + registers, registers=registers))
    ops = {"distance": {"latency": 1 + registers + more}, "add": {}}
    assert not mismatches(ops, distances)


def test_an_op_that_is_not_elementwise():
    bring(Reversed())

    def build(work, memory):
        return [work.op("reversed", work.load("a", at=memory, shape=7))]

    assert not mismatches({"reversed"}, build)


def test_an_actor_cannot_be_quicker_than_the_component():
    bring(Distance(latency=3, registers=2))
    with pytest.raises(InputError, match="at least the 3 cycles of its Component, not 2"):
        Machine({"distance"}).freeze()


@pytest.mark.parametrize(
    ("op", "sentence"),
    [
        (Distance(latency=2, registers=3), "3 clock edges after .* latency must be 4, not 2"),
        (Distance(latency=3, registers=1), "1 clock edge after .* latency must be 2, not 3"),
        (Distance(latency=1, offset=1), r"gives .* for \(.*\), and NumPy"),
    ],
)
def test_a_component_that_is_not_what_it_says(op, sentence):
    bring(op)
    hardware = Machine({"distance": {"latency": 4}}).freeze()
    with pytest.raises(InputError, match=sentence):
        verify(hardware)


def test_a_component_without_a_member():
    class Lonely(Distance):
        def component(self, bits):
            return Same(bits)

    bring(Lonely(latency=1))
    with pytest.raises(InputError, match=r"must have a member 'operand1' of signed\(16\)"):
        verify(Machine({"distance"}).freeze())


def test_the_last_that_was_brought_is_the_one_that_runs():
    bring(Distance(latency=1))
    assert not mismatches({"distance", "add"}, distances)
    bring(Distance(latency=1, offset=1))
    with pytest.raises(InputError, match="and NumPy"):
        mismatches({"distance", "add"}, distances)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"code": "add"}, "'add': it is defined already, and not by a user"),
        ({"code": "a-b"}, "must be an identifier, not 'a-b'"),
        ({"operands": 4}, "operands must be from 1 to 3, not 4"),
        ({"latency": 0}, "latency must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_brought(change, sentence):
    op = Distance(latency=1)
    vars(op).update(change)
    with pytest.raises(InputError, match=sentence):
        bring(op)


def test_operands_of_a_brought_op():
    bring(Distance(latency=1))
    work = dtt.Workload(bits=16)
    a = work.load("a", at="m", shape=3)
    b = work.load("b", at="m", shape=4)
    with pytest.raises(InputError, match="distance takes operands: 2, not 1"):
        work.op("distance", a)
    with pytest.raises(InputError, match="distance takes operands of one shape, not"):
        work.op("distance", a, b)
