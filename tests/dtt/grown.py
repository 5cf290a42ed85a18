"""Random machines and their grown versions: the same parts, and a Wire, an Actor or room more."""

import dataclasses
import warnings
from dataclasses import replace

from random_machines import Machine, Seeded, one_of, random_workload

from hwdsl import Hardware
from hwdsl.errors import HardwareWarning

KINDS = ("wire", "actor", "capacity")


class Grown(Machine):
    """The machine of a seed with one part more, whose name comes before most others."""

    def __init__(self, seed, kind):
        super().__init__(Seeded(seed))
        choose = Seeded(5_000_000 + seed)
        if kind == "wire":
            source, target = one_of(choose, self.node), one_of(choose, self.node)
            if source is target:
                target = self.node[(self.node.index(source) + 1) % len(self.node)]
            self.a_wire = self.wire(source, target, bandwidth=2 * self.word, latency=1)
        else:
            like = one_of(choose, self.actor)
            at = one_of(choose, self.node)
            self.an_actor = dataclasses.replace(like, at=at, result_at=None)


def pair(seed):
    """Return a machine, its grown version, a Workload for both, and what was added."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HardwareWarning)
        small = Machine(Seeded(seed)).freeze()
        kind = KINDS[seed % 3]
        large = larger(small) if kind == "capacity" else Grown(seed, kind).freeze()
    return small, large, random_workload(Seeded(6_000_000 + seed), small), kind


def larger(hardware):
    """Return the machine with half as much room again in every Node."""
    points = [
        replace(p, capacity=p.capacity + p.row * (p.rows // 2)) if p.stores else p
        for p in hardware.points
    ]
    return Hardware(hardware.name, hardware.word, points, hardware.wires, hardware.actors)
