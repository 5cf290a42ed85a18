"""An op of one's own: a sigmoid from a table, as a NumPy function and an Amaranth Component.

A vector is multiplied and added to by the Actor's own ops, and then goes through the table::

    memory <==32==> pe (unit: mul, add, sigmoid)

Before the Component is used it is held against the NumPy function, and its latency against what is
declared; try ``latency = 3``. Numbers are of 8 bits, 4 of them behind the point.

Run it: ``python examples/own_op.py`` or ``hwdsl check examples/own_op.py``.
"""

import sys

import numpy as np
from amaranth.hdl import Module, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

import dtt
from hwdsl import Actor, Fabric, Node
from hwdsl.__main__ import main
from hwdsl.user_ops import UserOp, bring

INPUTS = np.arange(256).astype(np.int8) / 16
TABLE = np.round(127 / (1 + np.exp(-INPUTS))).astype(np.int64)


class Sigmoid(UserOp):
    code = "sigmoid"
    latency = 2  # one clock edge, in the table

    def compute(self, x):
        return TABLE[x & 255]

    def component(self, bits):
        return SigmoidTable(bits)


class SigmoidTable(wiring.Component):
    def __init__(self, bits):
        super().__init__({"operand0": In(signed(bits)), "result": Out(signed(bits))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.table = table = Memory(shape=8, depth=256, init=TABLE.tolist())
        port = table.read_port()
        m.d.comb += [port.addr.eq(self.operand0), self.result.eq(port.data)]
        return m


bring(Sigmoid())


class Lonely(Fabric):
    def __init__(self):
        self.word = 8
        self.memory = Node(capacity=512)
        self.pe = Node(capacity=512)
        ops = {"mul": {}, "add": {}, "sigmoid": {"latency": 3}}
        self.unit = Actor(at=self.pe, ops=ops, units=2, latency=1, cooldown=3)
        self.duplex(self.memory, self.pe, bandwidth=32, latency=1)


hardware = Lonely().freeze()
workload = dtt.Workload(bits=8)
x, weight, bias = workload.load("x", "weight", "bias", at=hardware.memory, shape=5)
product = workload.op("mul", x, weight)
total = workload.op("add", product, bias)
y = workload.op("sigmoid", total, name="y")
workload.store(y, at=hardware.memory)
values = {x: [-9, -1, 0, 3, 8], weight: [7, 3, 1, 5, 9], bias: [-40, 12, 0, 20, -10]}

if __name__ == "__main__":
    sys.exit(main(["schedule", __file__]) or main(["check", __file__]))
