"""Manticore: clusters in quadrants of quadrants, one chiplet, behind one main memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..fabric import Fabric
from ..parts import Actor, Junction, KiB, MiB, Node, Part, Wire

LEVELS = ("cluster", "l1", "l2", "l3")
"""The uplinks, from the bottom: of a cluster, and of an L1, L2 and L3 quadrant."""

CYCLES = {"cluster": 2, "l1": 3, "l2": 4, "l3": 5}
"""Over an uplink: 10 from one cluster to another of an L2 quadrant, 20 there and back."""

PJ_PER_BIT = {"cluster": 0.1, "l1": 0.2, "l2": 0.4, "l3": 0.8}
"""Over an uplink. Like all energies here made up: dearer with the distance, main memory dearest."""


class Cluster(Fabric):
    """Local memory in wide rows, and the MAC engine that works on whole slices in it.

    Attributes
    ----------
    tcdm : Node
        One row is one beat of the DMA engine. Nothing passes through it on the way to elsewhere.
    mac : Actor
        ``units`` multiply-accumulates a cycle, or that many element-wise additions.
    """

    def __init__(
        self,
        *,
        capacity: int,
        row: int,
        units: int,
        latency: int,
        pj_per_bit: float,
        pj_per_op: float,
    ):
        self.tcdm = Node(capacity=capacity, row=row, pj_per_bit=pj_per_bit, transit=False)
        self.mac = Actor(
            at=self.tcdm,
            ops={"conv_acc", "elem_mac", "add"},
            units=units,
            latency=latency,
            pj_per_op=pj_per_op,
        )


class Manticore(Fabric):
    """One chiplet of the Manticore architecture (128 clusters by default).

    Clusters are numbered as in the paper: through an L1 quadrant first, then through the L1
    quadrants of an L2 quadrant, and so on; ``cluster[4]`` is the first of the second L1 quadrant.

    ::

        hbm ==channels== top --l3-- quadrant3 --l2-- quadrant2 --l1-- quadrant1 --cluster-- tcdm

    Every level is a Junction, and every quadrant has one uplink of ``uplink`` bits each way. A
    level that is given a narrower one in ``narrow`` has a buffer at either end of it, in which a
    datum is complete before it goes on.

    Parameters
    ----------
    clusters_per_l1, l1_per_l2, l2_per_l3, l3 : int
        At least 1 each.
    word : int
        Bits of a number: 32 for single, 64 for double precision.
    uplink, channels : int
        Bits of an uplink and of a channel of main memory; number of channels.
    narrow : mapping of str to int
        Bits of the uplinks of the `LEVELS` that are narrower; whole words, a part of ``uplink``.
    buffer : int
        Bits of each buffer where the rate changes.
    tcdm, hbm : int
        Bits of local and of main memory.
    hbm_latency : int
        Cycles from main memory to a cluster, and back: half of the round trip.
    latencies : mapping of str to int
        Cycles over an uplink of each level.
    units : int, optional
        Multiply-accumulates a cycle of a cluster; by default as many as words in an uplink.
    mac_latency : int
        Cycles from the start of an Op to its result, beyond those in which it starts new work.
    hbm_pj, tcdm_pj, buffer_pj : float
        Energy of a bit that leaves such a memory, pJ.
    wire_pj : mapping of str to float
        Energy of a bit on an uplink of each level, pJ.
    mac_pj : float
        Energy of one Op on a slice, pJ.

    Attributes
    ----------
    cluster : list of Cluster
    hbm : Node
        Main memory. What is stored there can be loaded, but clusters do not exchange data over it.
    top, quadrant3, quadrant2, quadrant1 : Junction, or list of them
    hbm_read, hbm_write : list of Wire
    l3_up, l3_down, l2_up, l2_down, l1_up, l1_down, cluster_up, cluster_down : list of Wire
        The uplinks of each level, in the order of the quadrants or clusters below.
    """

    def __init__(
        self,
        clusters_per_l1: int = 4,
        l1_per_l2: int = 4,
        l2_per_l3: int = 2,
        l3: int = 4,
        word: int = 32,
        *,
        uplink: int = 512,
        channels: int = 4,
        narrow: Mapping[str, int] | None = None,
        buffer: int = 16 * KiB,
        tcdm: int = 128 * KiB,
        hbm: int = 8 * 1024 * MiB,
        hbm_latency: int = 128,
        latencies: Mapping[str, int] | None = None,
        units: int | None = None,
        mac_latency: int = 8,
        hbm_pj: float = 4.0,
        tcdm_pj: float = 0.1,
        buffer_pj: float = 0.1,
        wire_pj: Mapping[str, float] | None = None,
        mac_pj: float = 500.0,
    ):
        counts = (("l3", l3), ("l2_per_l3", l2_per_l3), ("l1_per_l2", l1_per_l2))
        for name, count in (*counts, ("clusters_per_l1", clusters_per_l1), ("channels", channels)):
            if type(count) is not int or count < 1:
                rule = f"{name} must be a whole number of at least 1"
                raise InputError(f"{type(self).__name__}: {rule}, not {count!r}")
        self.word = word
        self._uplink, self._buffer, self._buffer_pj = uplink, buffer, buffer_pj
        self._narrow = _of_levels(self, "narrow", dict.fromkeys(LEVELS, uplink), narrow)
        self._latencies = _of_levels(self, "latencies", CYCLES, latencies)
        self._wire_pj = _of_levels(self, "wire_pj", PJ_PER_BIT, wire_pj)
        rest = hbm_latency - sum(self._latencies.values())
        if rest < 1:
            rule = f"hbm_latency must be more than that of all uplinks, {hbm_latency - rest} cycles"
            raise InputError(f"{type(self).__name__}: {rule}, not {hbm_latency}")
        self.hbm = Node(capacity=hbm, row=uplink, pj_per_bit=hbm_pj, transit=False)
        self.top = Junction()
        self.hbm_read = [self._channel(self.hbm, self.top, rest) for _ in range(channels)]
        self.hbm_write = [self._channel(self.top, self.hbm, rest) for _ in range(channels)]
        self.quadrant3 = [Junction() for _ in range(l3)]
        self.quadrant2 = [Junction() for _ in range(l3 * l2_per_l3)]
        self.quadrant1 = [Junction() for _ in range(l3 * l2_per_l3 * l1_per_l2)]
        self.cluster = [
            Cluster(
                capacity=tcdm,
                row=uplink,
                units=uplink // word if units is None else units,
                latency=mac_latency,
                pj_per_bit=tcdm_pj,
                pj_per_op=mac_pj,
            )
            for _ in range(len(self.quadrant1) * clusters_per_l1)
        ]
        memories = [cluster.tcdm for cluster in self.cluster]
        self.l3_up, self.l3_down = self._level("l3", self.quadrant3, [self.top])
        self.l2_up, self.l2_down = self._level("l2", self.quadrant2, self.quadrant3)
        self.l1_up, self.l1_down = self._level("l1", self.quadrant1, self.quadrant2)
        self.cluster_up, self.cluster_down = self._level("cluster", memories, self.quadrant1)

    def _channel(self, source: Part, target: Part, latency: int) -> Wire:
        return self.wire(
            source,
            target,
            bandwidth=self._uplink,
            lane=self._uplink,
            latency=latency,
            pj_per_bit=0.0,
        )

    def _level(
        self, level: str, below: list[Any], above: list[Junction]
    ) -> tuple[list[Wire], list[Wire]]:
        """Return the uplinks, and the downlinks, between two levels."""
        up: list[Wire] = []
        down: list[Wire] = []
        buffers: list[Node] = []
        for i, part in enumerate(below):
            quadrant = above[i // (len(below) // len(above))]
            up.append(self._link(level, part, quadrant, buffers))
            down.append(self._link(level, quadrant, part, buffers))
        if buffers:
            setattr(self, f"{level}_buffer", buffers)
        return up, down

    def _link(self, level: str, source: Part, target: Part, buffers: list[Node]) -> Wire:
        bits, latency = self._narrow[level], self._latencies[level]
        if bits < self._uplink:
            source = self._buffered(source, buffers, leaving=True)
            target = self._buffered(target, buffers, leaving=False)
        return self.wire(
            source,
            target,
            bandwidth=bits,
            lane=bits,
            latency=latency,
            pj_per_bit=self._wire_pj[level],
        )

    def _buffered(self, end: Part, buffers: list[Node], *, leaving: bool) -> Part:
        """Return a buffer beside a Junction; a Node needs none."""
        if isinstance(end, Node):
            return end
        buffer = Node(capacity=self._buffer, row=self._uplink, pj_per_bit=self._buffer_pj)
        buffers.append(buffer)
        source, target = (end, buffer) if leaving else (buffer, end)
        self._channel(source, target, 1)
        return buffer


def _of_levels(
    fabric: Fabric, name: str, defaults: Mapping[str, Any], given: Mapping[str, Any] | None
) -> dict[str, Any]:
    unknown = [level for level in given or {} if level not in LEVELS]
    if unknown:
        kind = type(fabric).__name__
        raise InputError(f"{kind}: {name} knows {', '.join(LEVELS)}, not {unknown[0]!r}")
    return {**defaults, **(given or {})}
