"""AllGather on grids of any dimensions: every Node wants every Node's chunk."""

import itertools
import math
import random

from dtt import Workload
from hwdsl import Fabric, Node

BOUNDS = (((5, 5), False, 12), ((3, 3, 3), True, 5), ((3, 4, 5), True, 10), ((10, 10), False, 50))
"""Sizes, whether closed to rings, and the least steps, as the literature has them."""


class Grid(Fabric):
    """Memories in a mesh, or a torus, that hold all chunks; neighbours are joined both ways."""

    def __init__(self, sizes, rings, bits=8):
        self.node = [Node(capacity=bits * math.prod(sizes)) for _ in range(math.prod(sizes))]
        place = {at: i for i, at in enumerate(itertools.product(*map(range, sizes)))}
        joined = set()
        for at, index in place.items():
            for axis, size in enumerate(sizes):
                step = (at[axis] + 1) % size if rings else at[axis] + 1
                other = place.get((*at[:axis], step, *at[axis + 1 :]))
                if other is not None and frozenset((index, other)) not in joined:
                    joined.add(frozenset((index, other)))
                    self.duplex(self.node[index], self.node[other], bandwidth=bits, latency=1)


def all_gather(hardware, seed=None):
    """Return the Workload, declared in order, or shuffled by a seed."""
    work = Workload(bits=8)
    nodes = [p.name for p in hardware.points]
    chunks = list(nodes)
    if seed is not None:
        random.Random(seed).shuffle(chunks)
    loaded = [work.load(f"chunk of {name}", at=name) for name in chunks]
    wanted = [(d, name) for d in loaded for name in nodes if d.loaded_at != name]
    if seed is not None:
        random.Random(seed).shuffle(wanted)
    for datum, name in wanted:
        work.need(datum, at=name)
    return work


def least_steps(hardware):
    """Return the lower bound: what the Node with the fewest Wires must receive."""
    fewest = min(len(wires) for wires in hardware.incoming)
    return -(-(len(hardware.points) - 1) // fewest)
