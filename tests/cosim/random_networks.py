"""Random unlike cores on every kind of network, and tensors for them, drawn by any `Chooser`."""

from __future__ import annotations

from random_machines import Chooser, one_of

from hwdsl import Actor, Fabric, Hardware, Node
from hwdsl.fabrics import Bus, Butterfly, Crossbar, FatTree, Mesh, Torus
from hwdsl.fabrics.networks.network import Network
from hwdsl.workload import Datum, Workload

KINDS = ("Bus", "Butterfly", "Crossbar", "FatTree", "Mesh", "Mesh of memories", "Torus")
CODES = ("add", "conv2d", "dot", "matmul", "max", "maxpool", "mul", "relu")


class Cores(Fabric):
    """A memory and a few cores, no two alike, at the ports of one network."""

    def __init__(self, choose: Chooser, kind: str):
        self.word = 8
        self._choose = choose
        self._lane = 8 * one_of(choose, (1, 1, 2, 4))
        self.net, ports = self._network(kind)
        self.dram = self._node(1 << 13)
        self.net.attach(self.dram, 0, latency=choose.whole(1, 9))
        count = choose.whole(1, min(3, ports - 1) if ports > 1 else 1)
        self.core = [self._node(1 << choose.whole(10, 11)) for _ in range(count)]
        for i, core in enumerate(self.core):
            self.net.attach(core, (i + 1) % ports, latency=choose.whole(1, 2))
        self.actor = [self._actor(core, i) for i, core in enumerate(self.core)]

    def _network(self, kind: str) -> tuple[Network, int]:
        choose = self._choose
        wires = {
            "bandwidth": self._lane * choose.whole(1, 2),
            "lane": self._lane,
            "latency": choose.whole(1, 2),
            "pj_per_bit": one_of(choose, (None, 0.5)),
        }
        if kind == "Bus":
            return Bus(ports=4, **wires), 4
        if kind == "Butterfly":
            ports = one_of(choose, (2, 4, 8))
            return Butterfly(ports=ports, **wires), ports
        if kind == "Crossbar":
            return Crossbar(inputs=4, outputs=4, **wires), 4
        if kind == "FatTree":
            ports, arity = one_of(choose, ((2, 2), (4, 2), (4, 4), (3, 3)))
            return FatTree(ports=ports, arity=arity, **wires), ports
        rows, columns = one_of(choose, ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3)))
        grid = {"rows": rows, "columns": columns, **wires}
        if kind == "Torus":
            return Torus(**grid), rows * columns
        if kind == "Mesh":
            return Mesh(**grid), rows * columns
        return Mesh(point=lambda: self._node(1 << 11), **grid), rows * columns

    def _node(self, capacity: int) -> Node:
        energy = one_of(self._choose, (None, 0.1, 2))
        return Node(capacity=capacity, row=self._lane, pj_per_bit=energy)

    def _actor(self, core: Node, index: int) -> Actor:
        choose = self._choose
        known = [c for c in CODES if choose.whole(0, 1)]
        codes = list(CODES) if index == 0 else known or ["matmul"]
        units, latency = choose.whole(1, 2), choose.whole(1, 3)
        own = {
            code: {
                "latency": latency + choose.whole(0, 2),
                "cooldown": 3,
                "pj_per_op": one_of(choose, (None, 1)),
            }
            for code in codes
        }
        return Actor(at=core, ops=own, units=units, latency=latency, bits=one_of(choose, (16, 32)))


def random_tensors(choose: Chooser, hardware: Hardware) -> Workload:
    """Draw Ops on small tensors, each on data loaded or made before."""
    work = Workload(bits=16)
    for _ in range(choose.whole(1, 5)):
        _random_op(choose, work)
    for op in work.ops[-2:]:
        work.store(op.result, at=hardware.dram)
    work.need(work.ops[0].result, at=one_of(choose, list(hardware.core)))
    return work


def _random_op(choose: Chooser, work: Workload) -> None:
    def tensor(*shape: int, bits: int = 8) -> Datum:
        """Return a datum of that shape: one there is, or a new one."""
        known = [d for d in work.data if d.shape == shape]
        if known and choose.whole(0, 2):
            return one_of(choose, known)
        return work.load(f"x{len(work.data)}", at="dram", bits=bits, shape=shape)

    code = one_of(choose, CODES)
    m, k, n = (choose.whole(1, 3) for _ in range(3))
    if code == "matmul":
        added = [tensor(m, n)] if choose.whole(0, 1) else []
        work.op(code, tensor(m, k), tensor(k, n), *added)
    elif code == "conv2d":
        options = (choose.whole(1, 2), choose.whole(0, 1))
        work.op(code, tensor(1, 3, 3), tensor(n, 1, 2, 2), options=options)
    elif code == "maxpool":
        work.op(code, tensor(k, 3, 3), options=(choose.whole(1, 3),))
    elif code == "dot":
        work.dot([(tensor(), tensor())])
    elif code == "relu":
        work.op(code, tensor(m, n))
    else:
        work.op(code, tensor(m, n), tensor(m, n))
