"""Algorithms 1 to 3: convolutional layers, parallel over stacks of output slices."""

from __future__ import annotations

from dataclasses import replace

from hwdsl.hardware import Point
from hwdsl.workload import Datum

from .chiplet import Chiplet
from .dma import Buffer, Dma
from .generate import LayerWork
from .groups import buffer_rows, group_size


class _Task:
    """One stack of output slices on one cluster, input slice after input slice."""

    def __init__(self, chiplet: Chiplet, work: LayerWork, cluster: _Cluster, first: int):
        self._work, self._cluster = work, cluster
        self._chiplet = chiplet
        layer = work.layer
        self._outputs = range(first, min(first + work.stack, layer.do))
        self._totals: list[Datum | None] = [None] * len(self._outputs)
        bits, row = layer.f**2 * layer.word_bits, chiplet.hbm.row
        self._steps = group_size(bits, len(self._outputs), layer.di, row)
        self._filters: Datum | None = None
        self._room: Datum | None = None

    def step(self, di: int, source: Point | None, leader: _Task | None) -> None:
        """Load what input slice ``di`` takes, and convolve it for every slice of the stack.

        A task with a smaller stack would run ahead of the others, to where no copies are yet:
        where every copy may be its source, it goes on when the ``leader`` does.
        """
        cluster, image = self._cluster, self._work.images[di]
        if di % self._steps == 0:
            self._filters = self._group(di)
            cluster.dma.load(self._filters, cluster.filters)
        if self._work.reuse:
            self._room = cluster.dma.room_for(image, cluster.images)
            if leader is not None and len(self._outputs) < len(leader._outputs):
                self._room = leader._room
        else:
            cluster.dma.load(image, cluster.images, source)
        assert self._filters is not None
        layer, workload = self._work.layer, self._work.workload
        for j, do in enumerate(self._outputs):
            before = self._totals[j]
            operands = (image, self._filters) if before is None else (image, self._filters, before)
            made = workload.op(
                "conv_acc",
                *operands,
                into=before,
                on=cluster.mac,
                name=f"O{do}.{di}",
                resident=not self._work.reuse,
                after=self._room,
                options=(di % self._steps * len(self._outputs) + j, layer.stride, layer.padding),
            )
            self._totals[j] = made
            cluster.images.read_for(made)
            cluster.filters.read_for(made)

    def finish(self) -> None:
        """Store the stack."""
        for total in self._totals:
            assert total is not None
            self._cluster.dma.store(total)
            self._work.outputs.append(total)

    def _group(self, di: int) -> Datum:
        layer = self._work.layer
        pairs = [
            (i, do) for i in range(di, min(di + self._steps, layer.di)) for do in self._outputs
        ]
        made = self._work.workload.load(
            f"F{self._outputs[0]}.{di}",
            at=self._chiplet.hbm,
            shape=(len(pairs), layer.f, layer.f),
        )
        self._work.filters[made] = pairs
        return made


class _Cluster:
    """A cluster's DMA engine and buffers, which go on from task to task."""

    def __init__(self, chiplet: Chiplet, work: LayerWork, index: int):
        tcdm = chiplet.tcdm[index]
        self.mac = chiplet.mac[index].name
        self.dma = Dma(work.workload, tcdm, chiplet.hbm, work.reuse)
        self.images = Buffer(buffer_rows(tcdm.row))
        self.filters = Buffer(buffer_rows(tcdm.row))


def convolve(chiplet: Chiplet, work: LayerWork) -> LayerWork:
    """Fill in the Workload of a convolutional layer.

    The tasks of all clusters go on side by side, input slice after input slice: so the Workload
    lists them, and so their loads get their turns on the way from main memory.
    """
    layer = work.layer
    work.images.extend(
        work.workload.load(f"I{di}", at=chiplet.hbm, shape=(layer.wi, layer.wi))
        for di in range(layer.di)
    )
    firsts = range(0, layer.do, work.stack)
    clusters = [_Cluster(chiplet, work, i) for i in range(min(len(firsts), len(chiplet.tcdm)))]
    for begin in range(0, len(firsts), len(clusters)):
        some = firsts[begin : begin + len(clusters)]
        tasks = [
            _Task(chiplet, work, cluster, first)
            for cluster, first in zip(clusters, some, strict=False)
        ]
        for di in range(layer.di):
            for i, task in enumerate(tasks):
                task.step(di, _neighbour(chiplet, work, i), tasks[0])
        for task in tasks:
            task.finish()
    return replace(work, tasks=len(firsts))


def _neighbour(chiplet: Chiplet, work: LayerWork, cluster: int) -> Point | None:
    """Return from whose local memory Algorithm 3 takes an input slice: the cluster before.

    The first cluster of an L2 quadrant has none, and loads from main memory.
    """
    if work.algorithm != 3 or cluster % chiplet.quadrants[1] == 0:
        return None
    return chiplet.tcdm[cluster - 1]
