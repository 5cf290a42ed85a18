"""Two operands on their way to one multiplier: Fig. 1 of the paper on Dijkstra-Through-Time.

A and B lie in a memory. The first wire can carry four data in a cycle, the second only one, so one
of the two must wait in the register::

    sram ==4==> reg --1--> pe (mac)

Run it: ``python examples/fig1.py`` or ``hwdsl check examples/fig1.py``.
"""

import sys

import dtt
from hwdsl import Actor, Fabric, Node
from hwdsl.__main__ import main


class Fig1(Fabric):
    def __init__(self, *, datum=8):
        self.word = datum
        self.sram = Node(capacity=64 * datum, pj_per_bit=0.625)
        self.reg = Node(capacity=8 * datum, pj_per_bit=0.125)
        self.pe = Node(capacity=8 * datum)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"}, units=1, latency=1, cooldown=1)
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=4 * datum, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=datum, latency=1)


hardware = Fig1().freeze()
workload = dtt.Workload(bits=8)
a, b = workload.load("A", "B", at=hardware.sram)  # in the memory from cycle 0
c = workload.op("mul", a, b, name="C")

if __name__ == "__main__":
    sys.exit(main(["schedule", __file__]) or main(["check", __file__]))
