"""Words that each algorithm asks of every uplink, and the roofline that follows from them.

From the layer and the shape of the chiplet alone: which cluster has which task, and what each task
loads and stores. No Schedule is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.slices import convolve_spans, lanes_for

from .chiplet import LEVELS, Chiplet
from .forms import CONVOLUTIONAL, stack_of
from .layer import Layer


@dataclass(frozen=True)
class Roofline:
    """The least cycles that the busiest part needs for its share, with nobody in its way.

    Attributes
    ----------
    cycles : int
    by : str
        ``"compute"``, ``"HBM"``, or the level of an uplink: ``"l1 uplink"``.
    parts : mapping of str to int
        The cycles of each of these.
    """

    cycles: int
    by: str
    parts: Mapping[str, int]


class Expected:
    """What a layer asks of every part of a chiplet.

    Parameters
    ----------
    reuse : bool
        Whether a datum that several clusters of a quadrant load comes there once.
    reduction : bool
        Whether private outputs are added up and stored.

    Attributes
    ----------
    words : dict of str to int
        Of each of `dtt.manticore.traffic.LINKS`.
    macs : array of int
        Multiply-accumulate cycles of each cluster.
    """

    def __init__(
        self,
        hardware: Hardware,
        layer: Layer,
        algorithm: int,
        *,
        stack: int | None = None,
        reuse: bool = False,
        reduction: bool = True,
    ):
        self._chiplet = Chiplet(hardware)
        self._layer, self._algorithm, self._reuse = layer, algorithm, reuse
        self._stack = stack_of(algorithm, layer, stack)
        count = len(self._chiplet.tcdm)
        self.macs = np.zeros(count, np.int64)
        uplinks = {level: len(self._chiplet.up(level)) for level in LEVELS}
        self._index = {
            level: [cluster * many // count for cluster in range(count)]
            for level, many in uplinks.items()
        }
        self._down = {level: np.zeros(many, np.int64) for level, many in uplinks.items()}
        self._up = {level: np.zeros(many, np.int64) for level, many in uplinks.items()}
        self._loads = self._stores = 0
        if algorithm in CONVOLUTIONAL:
            self._convolve()
        else:
            self._connect(reduction)

    @property
    def words(self) -> dict[str, int]:
        made = {"hbm_read": self._loads, "hbm_write": self._stores}
        for level in LEVELS:
            made[f"{level}_down"] = int(self._down[level].sum())
            made[f"{level}_up"] = int(self._up[level].sum())
        return made

    def roofline(self) -> Roofline:
        """Return the largest of: compute, main memory, and the busiest uplink of each level."""
        word = self._chiplet.hardware.word
        read, write = (
            sum(w.bandwidth for w in wires) for wires in (self._chiplet.read, self._chiplet.write)
        )
        parts = {
            "compute": int(self.macs.max(initial=0)),
            "HBM": max(-(-self._loads * word // read), -(-self._stores * word // write)),
        }
        for level in LEVELS:
            ways = (
                (self._down[level], self._chiplet.down(level)),
                (
                    self._up[level],
                    self._chiplet.up(level),
                ),
            )
            parts[f"{level} uplink"] = max(
                int(-(-int(words.max()) * word // wires[0].bandwidth)) for words, wires in ways
            )
        by = max(parts, key=lambda name: parts[name])
        return Roofline(parts[by], by, parts)

    # Who takes which way

    def _load(self, cluster: int, words: int) -> None:
        """Bring words from main memory to one cluster."""
        self._loads += words
        for level in LEVELS:
            self._down[level][self._index[level][cluster]] += words

    def _share(self, clusters: range, words: int) -> None:
        """Bring words from main memory to several clusters, once to each quadrant."""
        self._loads += words
        for level in LEVELS:
            for index in dict.fromkeys(self._index[level][cluster] for cluster in clusters):
                self._down[level][index] += words

    def _store(self, cluster: int, words: int) -> None:
        self._stores += words
        for level in LEVELS:
            self._up[level][self._index[level][cluster]] += words

    def _exchange(self, source: int, target: int, words: int) -> None:
        """Bring words from one cluster to another: up to the first quadrant that has both."""
        for level in LEVELS:
            here, there = self._index[level][source], self._index[level][target]
            if here == there:
                return
            self._up[level][here] += words
            self._down[level][there] += words

    # The algorithms

    def _steps(self, outputs: int, depth: int, spans: Sequence[int] = ()) -> int:
        """Return the cycles of an engine for ``outputs`` results of ``depth`` products each."""
        return depth * -(-outputs // lanes_for(self._chiplet.mac[0].units, spans))

    def _convolve(self) -> None:
        layer = self._layer
        image, output, field = layer.wi**2, layer.wo**2, layer.f**2
        shapes = [(layer.wi, layer.wi), (1, layer.f, layer.f)]
        made = (layer.wo, layer.wo)
        spans = convolve_spans(shapes, made, 0, layer.stride, layer.padding)
        steps = self._steps(output, field, spans)
        for clusters, firsts in self._rounds(range(0, layer.do, self._stack)):
            for cluster, first in zip(clusters, firsts, strict=True):
                outputs = min(self._stack, layer.do - first)
                self.macs[cluster] += outputs * layer.di * steps
                self._load(cluster, field * layer.di * outputs)
                self._store(cluster, outputs * output)
            if self._reuse:
                self._share(clusters, layer.di * image)
                continue
            for cluster in clusters:
                if self._algorithm == 3 and cluster % self._chiplet.quadrants[1]:
                    self._exchange(cluster - 1, cluster, layer.di * image)
                else:
                    self._load(cluster, layer.di * image)

    def _connect(self, reduction: bool) -> None:
        layer = self._layer
        image = layer.wi**2
        steps = self._steps(layer.batch, image)
        stacks = -(-layer.do // self._stack)
        for clusters, inputs in self._rounds(range(layer.di)):
            for cluster, _ in zip(clusters, inputs, strict=True):
                self.macs[cluster] += layer.do * steps
                self._load(cluster, image * (layer.do + stacks * layer.batch))
        if reduction:
            used = min(layer.di, len(self.macs))
            turns = min(layer.do, turns_of(self._chiplet, used))
            for turn in range(turns):
                slices = len(range(turn, layer.do, turns))
                for source, target in sums(self._chiplet, used, turn):
                    self._exchange(source, target, slices * layer.batch)
                    self.macs[target] += slices * self._steps(layer.batch, 1)
                self._store(holder(self._chiplet, used, turn), slices * layer.batch)

    def _rounds(self, tasks: range) -> Iterator[tuple[range, range]]:
        """Yield clusters with their tasks, until all have had their turn."""
        count = len(self.macs)
        for begin in range(0, len(tasks), count):
            some = tasks[begin : begin + count]
            yield range(len(some)), some


def sums(chiplet: Chiplet, clusters: int, do: int) -> Iterator[tuple[int, int]]:
    """Yield which cluster sends its sum of an output slice to which other, in order.

    First those of each L1 quadrant to one of them, then those to one in each L2 quadrant, and so
    on. Output slices take turns, so that every cluster adds as much.
    """
    holders, turn = list(range(clusters)), do
    for size in chiplet.quadrants:
        quadrants: dict[int, list[int]] = {}
        for cluster in holders:
            quadrants.setdefault(cluster // size, []).append(cluster)
        most = max(map(len, quadrants.values()))
        holders = []
        for members in quadrants.values():
            owner = members[turn % most % len(members)]
            holders.append(owner)
            yield from ((other, owner) for other in members if other != owner)
        turn //= most


def turns_of(chiplet: Chiplet, clusters: int) -> int:
    """Return after how many output slices `sums` are the same again."""
    turns, holders = 1, list(range(clusters))
    for size in chiplet.quadrants:
        quadrants = Counter(cluster // size for cluster in holders)
        turns *= max(quadrants.values())
        holders = [quadrant * size for quadrant in quadrants]
    return turns


def holder(chiplet: Chiplet, clusters: int, do: int) -> int:
    """Return which cluster has the whole sum of an output slice."""
    return max([0], [target for _, target in sums(chiplet, clusters, do)], key=len)[-1]
