"""Five dot products on four processing elements: the paper's example of reuse.

::

    dram --8--> sram[0], sram[1] --2--> pe[0..3] (mac[0..3]) --1--> out
      ^              ^                                               |
      +------8-------+----------------------2-----------------------+

The numbers are latencies in cycles; every wire carries one 8-bit datum a cycle. Bringing a datum
from DRAM costs twenty times what it costs from an SRAM, so what is there already is used again:
datum 1 costs nothing for 101, and four of the results are operands of the fifth.

Sizes, latencies and energies are chosen here; the paper's own tables are not in its text.

Run it: ``python examples/four_pe.py`` or ``hwdsl check examples/four_pe.py``.
"""

import sys

import dtt
from hwdsl import Actor, Fabric, Node
from hwdsl.__main__ import main

DATUM = 8


class FourPe(Fabric):
    def __init__(self):
        self.word = DATUM
        self.dram = memory(data=1024, pj=100)
        self.sram = [memory(data=8, pj=5) for _ in range(2)]
        self.pe = [memory(data=8, pj=1) for _ in range(4)]
        self.mac = [Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4) for pe in self.pe]
        self.out = memory(data=8, pj=5)
        for sram in self.sram:
            self.link(self.dram, sram, latency=8)
            self.link(self.out, sram, latency=2)
            for pe in self.pe:
                self.link(sram, pe, latency=2)
        for pe in self.pe:
            self.link(pe, self.out, latency=1)
        self.link(self.out, self.dram, latency=8, pj=95)  # with what leaves `out`: 100 pJ

    def link(self, source, target, *, latency, pj=0):
        self.wire(source, target, bandwidth=DATUM, latency=latency, pj_per_bit=pj / DATUM)


def memory(*, data, pj):
    """Return a memory for so many data, each of which costs so many pJ to leave it."""
    return Node(capacity=data * DATUM, pj_per_bit=pj / DATUM)


hardware = FourPe().freeze()
workload = dtt.Workload(bits=DATUM)
d = workload.load(*"012345", at=hardware.dram)
r100 = workload.dot([(d[0], d[1]), (d[2], d[3])], name="100")
r101 = workload.dot([(d[1], d[4]), (d[2], d[5])], name="101")
r102 = workload.dot([(d[0], d[2]), (d[1], d[3]), (d[4], d[5])], name="102")
r103 = workload.dot([(d[0], d[5]), (d[1], d[4]), (d[2], d[3])], name="103")
r104 = workload.dot([(r100, r101), (r102, r103)], name="104")
for result in (r100, r101, r102, r103, r104):
    workload.store(result, at=hardware.out)

if __name__ == "__main__":
    sys.exit(main(["schedule", __file__]) or main(["check", __file__]))
