"""Whole workloads: dot-product streams on four PEs, two dense layers on a mesh of PEs."""

import itertools
import runpy
from pathlib import Path

from dtt import Workload
from hwdsl import Actor, Node
from hwdsl.fabrics import Mesh

FOUR_PE = Path(__file__).parents[1] / "examples" / "four_pe.py"


def four_pe():
    """Return the machine of the example."""
    return runpy.run_path(str(FOUR_PE))["hardware"]


def rows(count=40, width=4):
    """Return a matrix times a vector: each row's weights are used once, so DRAM is short."""
    work = Workload(bits=8)
    vector = work.load(*(f"x{i}" for i in range(width)), at="dram")
    for r in range(count):
        weights = work.load(*(f"w{r}_{i}" for i in range(width)), at="dram")
        work.need(work.dot(zip(weights, vector, strict=True), name=f"y{r}"), at="out")
    return work


def filtered(count=48, taps=4):
    """Return a filter: each sample is used `taps` times, so that Wires and PEs are short."""
    work = Workload(bits=8)
    taps_ = work.load(*(f"h{i}" for i in range(taps)), at="dram")
    samples = work.load(*(f"x{i}" for i in range(count + taps - 1)), at="dram")
    for i in range(count):
        result = work.dot(zip(taps_, samples[i : i + taps], strict=True), name=f"y{i}")
        work.need(result, at="out")
    return work


def sums(count=24):
    """Return sums of sums: every second dot product waits for two others."""
    work = Workload(bits=8)
    data = list(work.load(*(f"x{i}" for i in range(8)), at="dram"))
    for i in range(count):
        a, b, c, d = (data[(i * k) % 8] for k in (1, 3, 5, 7))
        first = work.dot([(a, b), (c, d)], name=f"p{i}")
        second = work.dot([(a, c), (b, d)], name=f"q{i}")
        work.need(work.dot([(first, second)], name=f"s{i}"), at="out")
    return work


class PeMesh(Mesh):
    """A mesh of memories, each with a PE of 16 multipliers, and DRAM ports on two sides."""

    def __init__(self, rows=8, columns=8, units=16, ports=8, cooldown=4):
        self.word = 8
        super().__init__(
            rows=rows,
            columns=columns,
            point=lambda: Node(capacity=2048, pj_per_bit=0.1),
            bandwidth=32,
            lane=8,
            latency=1,
            pj_per_bit=0.05,
        )
        self.pe = [
            Actor(at=node, ops={"dot", "relu"}, units=units, latency=2, cooldown=cooldown)
            for line in self.grid
            for node in line
        ]
        self.port = [Node(capacity=1 << 20, pj_per_bit=1) for _ in range(ports)]
        beside = [self.grid[r][c] for r in range(rows) for c in (0, columns - 1)]
        for i, port in enumerate(self.port):
            node = beside[i * len(beside) // ports]
            self.duplex(port, node, bandwidth=32, lane=8, latency=8, pj_per_bit=0.05)


def dense(inputs=16, hidden=128, outputs=16, images=1, pairs=16, ports=8):
    """Return two fully connected layers of scalars, a dot product of `pairs` at a time."""
    work = Workload(bits=8)
    count = itertools.count()

    def layer(name, size, xs):
        weights = [
            [work.load(f"{name}{o}_{i}", at=f"port[{next(count) % ports}]") for i in range(xs)]
            for o in range(size)
        ]

        def apply(image, x):
            return [
                _summed(work, list(zip(row, x, strict=True)), pairs, f"{name}{o}({image})")
                for o, row in enumerate(weights)
            ]

        return apply

    first, second = layer("u", hidden, inputs), layer("v", outputs, hidden)
    batch = [
        [work.load(f"x{i}({b})", at=f"port[{next(count) % ports}]") for i in range(inputs)]
        for b in range(images)
    ]
    inner = [first(b, x) for b, x in enumerate(batch)]
    for b, h in enumerate(inner):
        for y in second(b, h):
            work.need(y, at=f"port[{b % ports}]")
    return work


def _summed(work, pairs, most, name):
    total = None
    for i in range(0, len(pairs), most):
        last = i + most >= len(pairs)
        total = work.dot(pairs[i : i + most], into=total, name=name if last else f"{name}+{i}")
    return total
