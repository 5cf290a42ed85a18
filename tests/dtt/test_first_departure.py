"""The first departure for which Wires in a row are all free, against a look at every cycle."""

import random

import numpy as np
import pytest

from dtt import native
from dtt.state import Path, Stay
from hwdsl import Fabric, Junction, Node

pytestmark = pytest.mark.skipif(native.why_not() is not None, reason=str(native.why_not()))

BEATS = 8
FILLERS = 2_000


class Crossed(Fabric):
    """A way from ``a`` to ``b`` over two Junctions, each of its Wires shared with other traffic."""

    def __init__(self):
        self.a, self.b, self.c, self.d, self.e, self.f = (Node(capacity=1 << 30) for _ in range(6))
        self.j, self.k = Junction(), Junction()
        links = [(self.a, self.j), (self.j, self.k), (self.k, self.b), (self.c, self.j)]
        links += [(self.j, self.e), (self.d, self.k), (self.k, self.f)]
        latencies = (3, 70, 1, 2, 1, 5, 1)
        self.link = [
            self.wire(source, target, bandwidth=8, latency=latency)
            for (source, target), latency in zip(links, latencies, strict=True)
        ]


WAY = (0, 1, 2)
OTHERS = ((0, 4), (3, 1, 6), (5, 2))


def crowded(seed, begin):
    """Return the engine, and the datum of so many beats that waits in ``a`` from ``begin`` on."""
    draw = random.Random(seed)
    hardware = Crossed().freeze()
    wires = [wire.index for wire in hardware.link]
    sizes = [8 * BEATS, *(8 * draw.randint(1, 6) for _ in range(len(OTHERS) * FILLERS))]
    engine = native.Native(hardware, sizes)
    engine.stay(0, hardware.a.index, Stay(begin, begin, begin, True))
    datum = 0
    for way, own in zip(OTHERS, WAY, strict=True):
        # The gaps are too short nearly always, and where they are not, another Wire is busy.
        lead = sum(hardware.link[w].latency for w in way[: way.index(own)])
        cycle = begin + draw.randrange(4)
        for _ in range(FILLERS):
            datum += 1
            start = cycle - lead
            source = hardware.wires[wires[way[0]]].source
            engine.stay(datum, source, Stay(start, start, start, False))
            moves = []
            for w in way:
                moves.append((wires[w], start))
                start += hardware.link[w].latency
            engine.commit(datum, Path((source, moves[0][1]), tuple(moves), 0), start + 6)
            gap = draw.choice((0, 1, 3, 7)) if draw.random() < 0.98 else draw.randint(8, 10)
            cycle += sizes[datum] // 8 + gap
    return hardware, engine


def by_hand(hardware, engine, begin):
    """Return the first cycle from which each Wire of the way is idle for long enough."""
    span = range(begin, begin + 20_000)
    free = np.ones(len(span), bool)
    offset = 0
    for w in WAY:
        wire = hardware.link[w]
        busy = np.array([not engine.lanes_free(0, wire, cycle + offset) for cycle in span])
        free &= ~busy
        offset += wire.latency
    return begin + int(np.flatnonzero(free)[0]), offset


@pytest.mark.parametrize("begin", [100, (1 << 22) - 5_000, 1 << 30])
@pytest.mark.parametrize("seed", range(4))
def test_long_data_over_crowded_wires(seed, begin):
    hardware, engine = crowded(seed, begin)
    departure, latency = by_hand(hardware, engine, begin)
    assert departure > begin + 1_000
    there = departure + latency + BEATS - 1
    target = hardware.b.index
    assert engine.earliest(0, target) == there
    path = engine.route(0, target, there, there)
    assert path.moves[0] == (hardware.link[0].index, departure)
    assert engine.route(0, target, there - 1, there - 1) is None
