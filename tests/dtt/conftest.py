"""Machines for the tests of dtt."""

import pytest
from handmade import planned

from dtt import native
from hwdsl import Actor, Fabric, Node

needs_native = pytest.mark.skipif(native.why_not() is not None, reason=str(native.why_not()))


@pytest.fixture(params=["reference", pytest.param("native", marks=needs_native)])
def engine(request):
    return request.param


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
