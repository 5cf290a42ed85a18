"""Small machines for the tests of the RTL."""

from __future__ import annotations

from hwdsl import Actor, Adder, Fabric, Junction, Node

ALL_OPS = {
    "add": {},
    "mul": {"latency": 2, "cooldown": 2},
    "max": {"cooldown": 2},
    "relu": {"latency": 4, "cooldown": 4},
    "dot": {"latency": 3, "cooldown": 3},
}


class Fig1(Fabric):
    def __init__(self, *, datum=8):
        self.word = datum
        self.sram = Node(capacity=64 * datum)
        self.reg = Node(capacity=8 * datum)
        self.pe = Node(capacity=8 * datum)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"})
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=4 * datum, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=datum, latency=1)


class FourPe(Fabric):
    def __init__(self):
        self.word = 8
        self.dram = Node(capacity=1024 * 8)
        self.sram = [Node(capacity=8 * 8) for _ in range(2)]
        self.pe = [Node(capacity=8 * 8) for _ in range(4)]
        self.out = Node(capacity=8 * 8)
        self.mac = [Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4) for pe in self.pe]
        self.load = [self.wire(self.dram, s, bandwidth=8, latency=8) for s in self.sram]
        self.feed = [self.wire(s, p, bandwidth=8, latency=2) for s in self.sram for p in self.pe]
        self.drain = [self.wire(p, self.out, bandwidth=8, latency=1) for p in self.pe]
        self.back = [self.wire(self.out, s, bandwidth=8, latency=2) for s in self.sram]
        self.save = self.wire(self.out, self.dram, bandwidth=8, latency=8)


class Cross(Fabric):
    """Two Nodes into a Junction and two out of it, with two lanes each; one way out is long."""

    def __init__(self, *, latency=40):
        self.word = 4
        self.a = Node(capacity=16 * 4, row=16)
        self.b = Node(capacity=8 * 4, row=8)
        self.c = Node(capacity=16 * 4, row=16)
        self.d = Node(capacity=6 * 8, row=8)
        self.hub = Junction()
        for source in (self.a, self.b):
            self.wire(source, self.hub, bandwidth=16, lane=8, latency=1)
        self.wire(self.hub, self.c, bandwidth=16, lane=8, latency=2)
        self.wire(self.hub, self.d, bandwidth=16, lane=8, latency=latency)
        self.straight = self.wire(self.a, self.b, bandwidth=8, lane=4, latency=3)


class Tile(Fabric):
    """One Actor with all op codes; elements may be wider than a row."""

    def __init__(self, *, units=3, row=16, bits=32, result_row=8, cooldown=1):
        self.word = 8
        self.near = Node(capacity=16 * row, row=row)
        self.far = Node(capacity=32 * result_row, row=result_row)
        self.alu = Actor(
            at=self.near,
            result_at=self.far,
            ops=ALL_OPS,
            units=units,
            bits=bits,
            cooldown=cooldown,
        )


class Sum(Fabric):
    """Three Nodes and an Actor into an Adder, and out of it."""

    def __init__(self):
        self.word = 8
        self.leaf = [Node(capacity=8 * 16, row=16) for _ in range(3)]
        self.adder = Adder(capacity=3 * 16, row=16, inputs=3)
        self.root = Node(capacity=8 * 16, row=16)
        self.mac = Actor(at=self.leaf[0], result_at=self.adder, ops={"mul"}, bits=16)
        self.up = [self.wire(n, self.adder, bandwidth=16, lane=16, latency=1) for n in self.leaf]
        self.out = self.wire(self.adder, self.root, bandwidth=16, lane=8, latency=2)
