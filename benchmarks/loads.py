"""The four loads on which routing is measured: machines and requests, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

import dtt
from hwdsl import Actor, Fabric, Node
from hwdsl.hardware import Hardware

PAGE = 32_768
"""Bits of a page of W4."""


class FourPe(Fabric):
    """W1: one DRAM, two input SRAMs, four MAC arrays, one output SRAM with feedback."""

    def __init__(self) -> None:
        self.word = 8
        self.dram = Node(capacity=8 * 1024, pj_per_bit=12.5)
        self.sram = [Node(capacity=64, pj_per_bit=0.625) for _ in range(2)]
        self.pe = [Node(capacity=64, pj_per_bit=0.125) for _ in range(4)]
        self.out = Node(capacity=64, pj_per_bit=0.625)
        self.mac = [Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4) for pe in self.pe]
        for sram in self.sram:
            self.wire(self.dram, sram, bandwidth=8, latency=8)
            self.wire(self.out, sram, bandwidth=8, latency=2)
            for pe in self.pe:
                self.wire(sram, pe, bandwidth=8, latency=2)
        for pe in self.pe:
            self.wire(pe, self.out, bandwidth=8, latency=1)
        self.wire(self.out, self.dram, bandwidth=8, latency=8)


class Mesh(Fabric):
    """W2 and W3: a square mesh, with DRAM ports at the west and the east edge in turn."""

    def __init__(self, side: int, ports: int) -> None:
        self.word = 8
        self.node = [Node(capacity=2048, pj_per_bit=0.1) for _ in range(side * side)]
        self.dram = [Node(capacity=1 << 30, pj_per_bit=1.0) for _ in range(ports)]
        for i, node in enumerate(self.node):
            if (i + 1) % side:
                self.duplex(node, self.node[i + 1], bandwidth=32, latency=1)
            if i + side < side * side:
                self.duplex(node, self.node[i + side], bandwidth=32, latency=1)
        for i, dram in enumerate(self.dram):
            row = (i // 2) * side // ((ports + 1) // 2)
            edge = row * side + (i % 2) * (side - 1)
            self.duplex(dram, self.node[edge], bandwidth=32, latency=8)


class Chiplet(Fabric):
    """W4: 128 clusters under three levels of quadrants, each level with buffers, as Manticore."""

    def __init__(self) -> None:
        self.word = 64

        def pages(count: int, energy: float, hold: float | None = 2e-6) -> Node:
            return Node(capacity=count * PAGE, pj_per_bit=energy, pj_per_bit_cycle=hold, row=512)

        self.cluster = [pages(32, 0.05) for _ in range(128)]
        self.l1 = [pages(4, 0.1) for _ in range(32)]
        self.l2 = [pages(8, 0.15) for _ in range(8)]
        self.l3 = [pages(16, 0.2) for _ in range(4)]
        self.memory = [pages(1024, 0.4) for _ in range(4)]
        self.hbm = [pages(1 << 14, 4.0, hold=None) for _ in range(4)]
        levels = (self.cluster, 4, self.l1, 2), (self.l1, 4, self.l2, 4), (self.l2, 2, self.l3, 8)
        for below, fan, above, latency in levels:
            for i, part in enumerate(below):
                self._link(part, above[i // fan], latency)
        for l3, memory, hbm in zip(self.l3, self.memory, self.hbm, strict=True):
            self._link(l3, memory, 8)
            self._link(memory, hbm, 40)
        for i, l3 in enumerate(self.l3):
            for other in self.l3[i + 1 :]:
                self._link(l3, other, 12)

    def _link(self, a: Node, b: Node, latency: int) -> None:
        self.duplex(a, b, bandwidth=512, latency=latency, lane=512)


def w1(seed: int = 1, cycles: int = 256) -> tuple[Hardware, dtt.Workload]:
    """Return the four-PE machine, and 100 requests for 30 data."""
    draw = random.Random(seed)
    hardware = FourPe().freeze()
    work = dtt.Workload(bits=8)
    data = [work.load(f"d{i}", at=hardware.dram, bits=draw.choice((8, 16))) for i in range(30)]
    for _ in range(100):
        by = draw.randrange(32, cycles)
        work.need(draw.choice(data), at=draw.choice(hardware.pe), by=by)
    return hardware, work


def mesh(
    side: int, ports: int, data: int, requests: int, cycles: int, seed: int = 1
) -> tuple[Hardware, dtt.Workload]:
    """Return a mesh, and requests for data that are asked for by popularity (rank^-0.7)."""
    draw = random.Random(seed)
    hardware = Mesh(side, ports).freeze()
    drams, nodes = list(hardware.dram), list(hardware.node)
    work = dtt.Workload(bits=8)
    for i in range(data):
        work.load(f"d{i}", at=draw.choice(drams), bits=draw.choice((8, 16, 32)))
    weights = list(accumulate((rank + 1) ** -0.7 for rank in range(data)))
    asked = draw.choices(work.data, cum_weights=weights, k=requests)
    first = min(2 * side + 8, cycles // 2)
    for datum in asked:
        work.need(datum, at=draw.choice(nodes), by=draw.randrange(first, cycles))
    return hardware, work


def stream(cycles: int, seed: int = 1) -> tuple[Hardware, dtt.Workload]:
    """Return an 8x8 mesh, and 4 requests a cycle in time order, two for each datum in 128 cycles.

    The load of Wires and memories does not depend on ``cycles``. (Were the two requests for a datum
    anywhere in the horizon, copies that wait for the second would fill the memories of a long one.)
    """
    draw = random.Random(seed)
    hardware = Mesh(8, 8).freeze()
    drams, nodes = list(hardware.dram), list(hardware.node)
    work = dtt.Workload(bits=8)
    asked = []
    for i in range(2 * cycles):
        datum = work.load(f"d{i}", at=draw.choice(drams), bits=draw.choice((8, 16, 32)))
        start = draw.randrange(24, cycles - 128)
        asked += [(start + draw.randrange(128), i, datum) for _ in range(2)]
    for by, _, datum in sorted(asked, key=lambda one: one[:2]):
        work.need(datum, at=draw.choice(nodes), by=by)
    return hardware, work


def w2(seed: int = 1) -> tuple[Hardware, dtt.Workload]:
    return mesh(8, 8, 1_000, 2_000, 512, seed)


def w3(seed: int = 1) -> tuple[Hardware, dtt.Workload]:
    return mesh(16, 16, 8_000, 20_000, 4_096, seed)


def w4(seed: int = 1, pages: int = 2_500, cycles: int = 65_536) -> tuple[Hardware, dtt.Workload]:
    """Return the chiplet, and 20 requests for each page within 1,400 cycles, in time order."""
    draw = random.Random(seed)
    hardware = Chiplet().freeze()
    hbm, clusters = list(hardware.hbm), list(hardware.cluster)
    work = dtt.Workload(bits=64)
    loaded = [work.load(f"p{i}", at=draw.choice(hbm), shape=PAGE // 64) for i in range(pages)]
    asked = sorted(_asked(draw, pages, cycles))
    for by, page, cluster in asked:
        work.need(loaded[page], at=clusters[cluster], by=by)
    return hardware, work


def _asked(draw: random.Random, pages: int, cycles: int) -> Iterator[tuple[int, int, int]]:
    """Yield deadline, page and cluster of each request of W4."""
    for page in range(pages):
        size = draw.choice((4, 16, 32, 128))
        group = draw.randrange(128 // size) * size
        start = draw.randrange(600, cycles - 1_400)
        for _ in range(20):
            yield start + draw.randrange(1_400), page, group + draw.randrange(size)
