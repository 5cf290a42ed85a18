"""Random small machines and workloads, drawn by any `Chooser`: Hypothesis, or a seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol, TypeVar

from hwdsl import Actor, Fabric, Hardware, Junction, Node
from hwdsl.parts import Part
from hwdsl.workload import Datum, Workload

T = TypeVar("T")


class Chooser(Protocol):
    """Where the randomness comes from."""

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``, both included."""
        ...


class Seeded:
    """A Chooser that gives the same choices for the same seed."""

    def __init__(self, seed: int):
        self._random = Random(seed)

    def whole(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


def one_of(choose: Chooser, options: Sequence[T]) -> T:
    return options[choose.whole(0, len(options) - 1)]


CODES = ("dot", "mul", "add", "max", "relu")


class Machine(Fabric):
    """Nodes around zero to two Junctions, every Node reachable from every other."""

    def __init__(self, choose: Chooser):
        self.word = one_of(choose, (8, 4, 3))
        self._choose = choose
        lane = self.word * one_of(choose, (1, 1, 2))
        self.node = [self._node(lane) for _ in range(choose.whole(2, 5))]
        self.hub = [Junction() for _ in range(choose.whole(0, 2))]
        self._ring(lane)
        for hub in self.hub:
            self._around(hub, lane)
        self.actor = [self._actor() for _ in range(choose.whole(1, 3))]

    def _node(self, lane: int) -> Node:
        row = lane * one_of(self._choose, (1, 1, 2))
        return Node(
            capacity=row * self._choose.whole(6, 24),
            row=row,
            pj_per_bit=one_of(self._choose, (None, 0, 1, 2.5)),
            pj_per_bit_cycle=one_of(self._choose, (None, None, 0.25)),
        )

    def _wire(self, source: Part, target: Part, bandwidth: int, lane: int) -> None:
        latency = one_of(self._choose, (1, 1, 2, 3, 5))
        energy = one_of(self._choose, (None, 0.5))
        fields: dict[str, Any] = {"bandwidth": bandwidth, "latency": latency, "lane": lane}
        self.wire(source, target, pj_per_bit=energy, **fields)

    def _ring(self, lane: int) -> None:
        for i, source in enumerate(self.node):
            bandwidth = lane * self._choose.whole(1, 3)
            self._wire(source, self.node[(i + 1) % len(self.node)], bandwidth, lane)

    def _around(self, hub: Junction, lane: int) -> None:
        bandwidth = lane * self._choose.whole(1, 2)
        for node in self.node:
            if self._choose.whole(0, 3):
                self._wire(node, hub, bandwidth, lane)
            if self._choose.whole(0, 3):
                self._wire(hub, node, bandwidth, lane)
        if hub is not self.hub[0] and self.hub[0] in self._ends(bandwidth):
            self._wire(self.hub[0], hub, bandwidth, lane)
            self._wire(hub, self.hub[0], bandwidth, lane)

    def _ends(self, bandwidth: int) -> list[Part]:
        wires = [w for w in self._wires if w.bandwidth == bandwidth]
        return [end for w in wires for end in (w.source, w.target)]

    def _actor(self) -> Actor:
        at = one_of(self._choose, self.node)
        codes = [c for c in CODES if self._choose.whole(0, 2)] or ["dot"]
        latency, cooldown = self._choose.whole(1, 3), self._choose.whole(1, 3)
        slow = latency + self._choose.whole(0, 2)
        own = {
            c: {"latency": slow, "cooldown": max(cooldown, slow - latency + 1)}
            if c == "mul"
            else {}
            for c in codes
        }
        return Actor(
            at=at,
            ops=own,
            units=self._choose.whole(1, 4),
            latency=latency,
            cooldown=cooldown,
            result_at=one_of(self._choose, (None, None, one_of(self._choose, self.node))),
            bits=self.word * one_of(self._choose, (1, 2, 3)),
            pj_per_op=one_of(self._choose, (None, 2)),
        )


def random_workload(choose: Chooser, hardware: Hardware) -> Workload:
    """Draw a Workload whose Ops the machine's Actors know; it may still not fit."""
    work = Workload(bits=hardware.word, reuse=bool(choose.whole(0, 5)))
    nodes = [p for p in hardware.points if p.stores]
    pool: list[Datum] = []
    for i in range(choose.whole(2, 6)):
        bits = hardware.word * one_of(choose, (1, 1, 1, 2))
        shape = one_of(choose, ((), (), (), (2,), (3,), (2, 2)))
        pool.append(work.load(f"x{i}", at=one_of(choose, nodes), bits=bits, shape=shape))
    for _ in range(choose.whole(0, 6)):
        made = _random_op(choose, hardware, work, pool)
        if made is not None:
            pool.append(made)
    for _ in range(choose.whole(0, 3)):
        datum, node = one_of(choose, pool), one_of(choose, nodes)
        if choose.whole(0, 1):
            work.store(datum, at=node)
        else:
            by = one_of(choose, (None, choose.whole(0, 40)))
            source = datum.loaded_at if choose.whole(0, 4) == 0 else None
            work.need(datum, at=node, by=by, source=source)
    return work


def _random_op(
    choose: Chooser, hardware: Hardware, work: Workload, pool: list[Datum]
) -> Datum | None:
    actor = one_of(choose, hardware.actors)
    code = one_of(choose, sorted(actor.ops))
    narrow = [d for d in pool if d.bits <= actor.bits]
    if code == "dot":
        narrow = [d for d in narrow if d.shape == ()]
    if not narrow:
        return None
    bits = hardware.word * choose.whole(1, actor.bits // hardware.word)
    if code == "dot":
        pairs = choose.whole(1, actor.units)
        chosen = [(one_of(choose, narrow), one_of(choose, narrow)) for _ in range(pairs)]
        used = {d for pair in chosen for d in pair}
        free = [d for d in narrow if d not in used]
        into = one_of(choose, free) if free and choose.whole(0, 2) == 0 else None
        return work.dot(chosen, into=into, bits=None if into else bits)
    first = one_of(choose, narrow)
    if code == "relu":
        into = first if choose.whole(0, 2) == 0 else None
        return work.op(code, first, into=into, bits=None if into else bits)
    second = one_of(choose, [d for d in narrow if d.shape == first.shape])
    into = first if first is not second and choose.whole(0, 3) == 0 else None
    return work.op(code, first, second, into=into, bits=None if into else bits)
