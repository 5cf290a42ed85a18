"""Algorithms 4 and 5: fully connected layers, parallel over input slices, private outputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from hwdsl.workload import Datum

from .chiplet import Chiplet
from .dma import Buffer, Dma
from .expected import sums, turns_of
from .generate import LayerWork
from .groups import buffer_rows, group_size

_LAG = 16
"""Groups of filters after which outputs are added up: their sums then find the uplinks booked for
a short time only, and nobody waits for them."""


class _Cluster:
    """A cluster with its buffers and, for each output slice of the stack, its private output."""

    def __init__(self, chiplet: Chiplet, work: LayerWork, index: int):
        layer, tcdm = work.layer, chiplet.tcdm[index]
        self._chiplet, self._work = chiplet, work
        self.mac = chiplet.mac[index].name
        self._dma = Dma(work.workload, tcdm, chiplet.hbm, work.reuse)
        bits = layer.wi**2 * layer.word_bits
        self.group = group_size(bits, 1, work.stack, tcdm.row)
        self._images = Buffer(buffer_rows(tcdm.row))
        self._filters = Buffer(buffer_rows(tcdm.row))
        self.private: dict[int, Datum] = {}

    def begin(self, di: int) -> None:
        """Load the batch of an input slice."""
        self._dma.load(self._work.images[di], self._images)

    def step(self, di: int, outputs: range) -> None:
        """Load a group of filters, and multiply and add for each of their output slices."""
        layer, workload = self._work.layer, self._work.workload
        group = workload.load(
            f"F{outputs[0]}.{di}",
            at=self._chiplet.hbm,
            shape=(len(outputs), layer.wi, layer.wi),
        )
        self._work.filters[group] = [(di, do) for do in outputs]
        self._dma.load(group, self._filters)
        image = self._work.images[di]
        for j, do in enumerate(outputs):
            before = self.private.get(do)
            operands = (image, group) if before is None else (image, group, before)
            made = workload.op(
                "elem_mac",
                *operands,
                into=before,
                on=self.mac,
                name=f"P{do}.{di}",
                resident=True,
                options=(j,),
            )
            self.private[do] = made
        self._filters.read_for(made)
        self._images.read_for(made)


def connect(chiplet: Chiplet, work: LayerWork, reduction: bool) -> LayerWork:
    """Fill in the Workload of a fully connected layer, stack after stack (Algorithm 4: one).

    Private outputs are added up soon after they are finished, while others still are not.
    """
    layer = work.layer
    work.images.extend(
        work.workload.load(f"I{di}", at=chiplet.hbm, shape=(layer.wi, layer.wi, layer.batch))
        for di in range(layer.di)
    )
    used = min(layer.di, len(chiplet.tcdm))
    clusters = [_Cluster(chiplet, work, i) for i in range(used)]

    def add_up(do: int) -> None:
        if reduction:
            total = _reduce(chiplet, work, clusters, do, adding[do % len(adding)])
            work.outputs.append(total)

    adding = [list(sums(chiplet, used, turn)) for turn in range(turns_of(chiplet, used))]
    finished: deque[int] = deque()
    for first in range(0, layer.do, work.stack):
        stack = range(first, min(first + work.stack, layer.do))
        for begin in range(0, layer.di, used):
            some = range(begin, min(begin + used, layer.di))
            for cluster, di in zip(clusters, some, strict=False):
                cluster.begin(di)
            for at in range(0, len(stack), clusters[0].group):
                group = stack[at : at + clusters[0].group]
                for cluster, di in zip(clusters, some, strict=False):
                    cluster.step(di, group)
                if some[-1] == layer.di - 1:
                    finished.extend(group)
                while len(finished) > _LAG * clusters[0].group:
                    add_up(finished.popleft())
        while finished:
            add_up(finished.popleft())
        for cluster in clusters:
            cluster.private.clear()
    return replace(work, tasks=layer.di)


def _reduce(
    chiplet: Chiplet,
    work: LayerWork,
    clusters: list[_Cluster],
    do: int,
    adding: Sequence[tuple[int, int]],
) -> Datum:
    """Add up the private outputs of one slice, in pairs of clusters, and store the sum."""
    total = clusters[0].private[do]
    for source, target in adding:
        owner, other = clusters[target], clusters[source]
        before = owner.private[do]
        total = owner.private[do] = work.workload.op(
            "add",
            before,
            other.private[do],
            into=before,
            on=owner.mac,
            name=f"S{do}.{target}.{source}",
        )
    work.workload.store(total, at=chiplet.hbm)
    return total
