"""Seven accelerators and a processor on a butterfly: the paper's example of unlike Actors.

Accelerators do dot and matrix products; the processor does these as well, but slower and at more
energy, and it alone can do the rare function (a sigmoid, from a table)::

            .--> read ---> stage[0]            stage[1]        stage[2] --->.
     dram --'              [0..3]   butterfly, 8 ports, 2x2    [0..3]       +--> write --> dram
                             ^                                     |
                             '--- core[0..6] (acc), core[7] (cpu) <'

A tool that knows no butterfly is told something simpler: the same cores on one bus. Its schedule is
a good first guess of which Op goes where, and wrong about the time: on a bus everything waits for
everything else, on the butterfly only for what is on the same wire. The first table shows what is
told of the bus, and what is true on the butterfly.

A larger array never takes longer: the second table's schedules each start from the one before.

Run it: ``python examples/butterfly.py``, or ``hwdsl check examples/butterfly.py``.
"""

import sys

from own_op import Sigmoid

import dtt
import hwdsl.__main__ as cli
from hwdsl import Actor, Fabric, Junction, KiB, Node
from hwdsl.fabrics import Bus, Butterfly
from hwdsl.user_ops import bring

bring(Sigmoid())
WIDTH = 32  # bits of every wire
CPU = 7  # the processor's port


class Cores(Fabric):
    """The cores, without what joins them: so many accelerators, and the processor."""

    def __init__(self, accelerators):
        self.word = 8
        self.dram = Node(capacity=16 * KiB, row=WIDTH, pj_per_bit=8)
        self.core = [Node(capacity=1 * KiB, row=WIDTH, pj_per_bit=0.2) for _ in range(8)]
        quick = {"matmul": {"latency": 3, "pj_per_op": 20}, "dot": {"latency": 3, "pj_per_op": 2}}
        slow = {
            "matmul": {"latency": 6, "units": 1, "pj_per_op": 80},
            "dot": {"latency": 6, "pj_per_op": 8},
            "sigmoid": {"latency": 6, "pj_per_op": 5},
        }
        self.acc = [
            Actor(at=self.core[i], ops=quick, units=4, bits=16) for i in range(accelerators)
        ]
        self.cpu = Actor(at=self.core[CPU], ops=slow, units=2, bits=16)


class Fig6(Cores):
    """The cores on a butterfly."""

    def __init__(self, accelerators=7):
        super().__init__(accelerators)
        net = Butterfly(ports=8, bandwidth=WIDTH, lane=WIDTH, pj_per_bit=0.1)
        self.net, self.read, self.write = net, Junction(), Junction()
        net.link(self.dram, self.read, latency=6)
        net.link(self.write, self.dram, latency=6)
        for first, last in zip(net.stage[0], net.stage[-1], strict=True):
            net.link(self.read, first)
            net.link(last, self.write)
        for port, core in enumerate(self.core):
            net.attach(core, port)


class Fig7(Cores):
    """The same, described in a simpler way: one memory, one bus."""

    def __init__(self, accelerators=7):
        super().__init__(accelerators)
        self.bus = Bus(ports=9, bandwidth=WIDTH, lane=WIDTH, latency=2, pj_per_bit=0.2)
        self.bus.attach(self.dram, 8, latency=6)
        for port, core in enumerate(self.core):
            self.bus.attach(core, port, latency=1)


def network(on=None):
    """Return two layers of matrix products, a sigmoid on some of them, and dot products.

    Parameters
    ----------
    on : dict of str to str, optional
        The Actor of each Op, by name.
    """
    work = dtt.Workload(bits=16)
    place = (on or {}).get
    images = [work.load(f"x{i}", at="dram", bits=8, shape=(4, 8)) for i in range(4)]
    first = [work.load(f"u{j}", at="dram", bits=8, shape=(8, 4)) for j in range(4)]
    second = [work.load(f"v{j}", at="dram", bits=8, shape=(4, 4)) for j in range(4)]
    for i, x in enumerate(images):
        total = None
        for j, (u, v) in enumerate(zip(first, second, strict=True)):
            hidden = work.op("matmul", x, u, name=f"h{i}{j}", on=place(f"h{i}{j}"))
            if j == 0:
                hidden = work.op("sigmoid", hidden, name=f"s{i}", on=place(f"s{i}"))
            operands = [hidden, v] if total is None else [hidden, v, total]
            total = work.op("matmul", *operands, name=f"y{i}{j}", on=place(f"y{i}{j}"))
        work.store(total, at="dram")
    scalars = work.load(*(f"d{k}" for k in range(8)), at="dram")
    for k in range(4):
        pairs = [(scalars[m], scalars[(m + k) % 8]) for m in range(4)]
        work.store(work.dot(pairs, name=f"dot{k}", on=place(f"dot{k}")), at="dram")
    return work


hardware = Fig6().freeze()
workload = network()


def scheduled(fabric, work, start=None):
    """Return a Schedule that takes no longer than ``start``, one of a smaller machine."""
    hardware = fabric.freeze()
    options = {"placing": "earliest-finish", "objective": "time", "start": start}
    found = dtt.schedule(hardware, work, **options)
    dtt.check(hardware, work, found)
    return found


def placing(schedule):
    """Return the Actor of each Op, by name."""
    ops, actors = schedule.workload.ops, schedule.hardware.actors
    return {ops[op].name: actors[actor].name for op, _, actor, _ in schedule.firings.tolist()}


def table(title, rows):
    print(f"{title:<44}{'cycles':>8}{'energy, nJ':>12}{'DRAM reads':>12}")
    for name, found in rows:
        nj = found.energy_pj / 1000
        print(f"{name:<44}{found.cycles:>8}{nj:>12.1f}{found.reads('dram'):>12}")


def main():
    bus = scheduled(Fig7(), workload)
    arrays, largest = [], None
    for count in (1, 2, 4, 7):
        largest = scheduled(Fig6(count), workload, start=largest)
        arrays.append((f"{count} and the processor", largest))
    guess = scheduled(Fig6(), network(placing(bus)))
    descriptions = [
        ("seven on a bus (Fig. 7), as told", bus),
        ("seven on the butterfly, placed for the bus", guess),
        ("seven on the butterfly (Fig. 6)", largest),
    ]
    table("description", descriptions)
    table("accelerators", arrays)
    return cli.main(["check", __file__, "--placing", "earliest-finish"])


if __name__ == "__main__":
    sys.exit(main())
