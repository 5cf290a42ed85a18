"""Random machines and random requests, on which two engines are held against each other."""

import random
import warnings
from itertools import pairwise

from dtt.occupancy import FOREVER
from dtt.reference import Reference
from dtt.routing import _steps
from dtt.state import Path, Stay
from hwdsl import Fabric, Junction, Node


def machine(seed):
    """Return a small machine: tiny Nodes, ends, Junctions, hold energies, Wires of 1 to 4 beats."""
    draw = random.Random(seed)
    lanes = draw.choice((1, 2, 4))
    row = draw.choice((8, 16))
    holds = draw.choice(((None,), (0, 1e-6), (1e-6, 2e-6, 5e-6), (0, 3e-6, 1e-5)))
    energies = draw.choice(((None,), (1e-6,), (1e-6, 2e-6, 7e-6), (0, 1e-5)))

    class Net(Fabric):
        def __init__(self):
            self.word = 8
            self.home = Node(capacity=8 * 64, pj_per_bit=draw.choice(energies))
            count = draw.randint(2, 6)
            self.at = [
                Junction()
                if draw.random() < 0.3
                else Node(
                    capacity=row * draw.choice((1, 2, 3, 4, 8)),
                    row=row,
                    pj_per_bit=draw.choice(energies),
                    pj_per_bit_cycle=draw.choice(holds),
                    transit=draw.random() < 0.8,
                )
                for _ in range(count)
            ]
            self.end = Node(
                capacity=8 * draw.choice((2, 4, 32)),
                pj_per_bit_cycle=draw.choice(holds),
                transit=draw.random() < 0.8,
            )
            parts = [self.home, *self.at, self.end]
            # A chain both ways keeps everything in reach; the rest is chance.
            links = list(pairwise(parts))
            links += [(b, a) for a, b in links if draw.random() < 0.8]
            links += [tuple(draw.sample(parts, 2)) for _ in range(draw.randint(0, 2 * count))]
            for a, b in links:
                self.wire(
                    a,
                    b,
                    bandwidth=8 * lanes,
                    latency=draw.choice((1, 1, 2, 3)),
                    pj_per_bit=draw.choice(energies),
                )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Net().freeze(), 8 * lanes


class Duel:
    """Two engines in the same state, asked the same, and what they answered differently."""

    def __init__(self, seed, rival):
        self.draw = random.Random(seed)
        self.hardware, bandwidth = machine(seed)
        sizes = [8 * self.draw.randint(1, 4 if bandwidth < 32 else 12) for _ in range(6)]
        self.sizes = sizes
        self.reference = Reference(self.hardware, sizes)
        self.rival = rival(self.hardware, sizes)
        self.engines = (self.reference, self.rival)
        self.nodes = [p.index for p in self.hardware.points if p.stores]
        self.faults = []
        self.asked = 0
        for datum in range(len(sizes)):
            self._appear(datum)

    def _each(self, method, *arguments):
        for engine in self.engines:
            getattr(engine, method)(*arguments)

    def _appear(self, datum):
        begin = self.draw.choice((0, 0, self.draw.randrange(20)))
        complete = begin + (self.draw.randrange(3) if begin else 0)
        end = complete + self.draw.choice((0, 0, 5))
        at = self.hardware.point("home").index if self.draw.random() < 0.8 else None
        for point in [at] if at is not None else self.draw.sample(self.nodes, len(self.nodes)):
            if self.reference.room(datum, point, begin, FOREVER):
                kept = self.draw.random() < 0.8
                self._each("stay", datum, point, Stay(begin, complete, end, kept))
                return

    def run(self, requests):
        """Ask for ``requests`` ways; return the sentences on what differed."""
        for _ in range(requests):
            self._ask()
        return self.faults

    def _ask(self):
        draw = self.draw
        datum = draw.randrange(len(self.sizes))
        target = draw.choice(self.nodes)
        only = draw.choice(self.nodes) if draw.random() < 0.15 else None
        floor = draw.randrange(30) if draw.random() < 0.1 else 0
        chance = draw.random()
        if chance < 0.15:
            start = draw.randrange(40) if draw.random() < 0.5 else 0
            self._compare_earliest(datum, target, only, start, floor)
        deadline = draw.randrange(1, 60)
        if draw.random() < 0.1:
            deadline = self._soonest(datum, target, only, floor) or deadline
        until = deadline + draw.choice((0, 0, 0, 2, 9)) if draw.random() < 0.95 else FOREVER
        mark = [engine.mark() for engine in self.engines]
        self._compare(datum, target, deadline, until, only, floor)
        if draw.random() < 0.15:
            for engine, point in zip(self.engines, mark, strict=True):
                engine.rollback(point)
        if draw.random() < 0.03:
            self._update(datum, target, draw.randrange(50))
        if draw.random() < 0.02:
            self._each("close", datum)

    def _update(self, datum, point, cycle):
        if self.reference.holds(datum, point, cycle) and self.reference.may_update(
            datum, point, cycle, False
        ):
            self._each("close", datum)
            self._each("hand_over", datum, point, cycle)

    def _compare(self, datum, target, deadline, until, only, floor):
        self.asked += 1
        request = (datum, target, deadline, until, only, floor)
        paths = [engine.route(*request) for engine in self.engines]
        told = [None if p is None else (p.energy, len(p.moves)) for p in paths]
        if told[0] != told[1]:
            self.faults.append(f"{request}: {told[0]} against {told[1]}")
            paths[1] = paths[0]
        if paths[0] is None:
            return
        real = price(self.reference, datum, target, deadline, floor, only, paths[1])
        if real != paths[1].energy:
            self.faults.append(f"{request}: {paths[1]} costs {real}")
            paths[1] = paths[0]
        chosen = self.draw.choice(paths)
        self._each("commit", datum, chosen, until, self.draw.random() < 0.02)
        self._compare_state(datum)

    def _compare_earliest(self, datum, target, only, start, floor):
        """Hold the first cycles against each other; in between, no way may be left out.

        The reference does not count Junctions here, so its cycle may be too early.
        """
        asked = (datum, target, only, start, floor)
        first, rival = (engine.earliest(*asked) for engine in self.engines)
        if first == rival:
            return
        missed = first is None or (rival is not None and rival < first)
        for cycle in range(first or 0, 200 if rival is None else rival):
            missed = missed or self.reference.route(datum, target, cycle, cycle, only, floor)
        if missed:
            self.faults.append(f"earliest{asked}: {first} against {rival}")

    def _soonest(self, datum, target, only, floor):
        """Return the first cycle in which a request without a deadline is served, by both."""
        served = []
        for engine in self.engines:
            first = engine.earliest(datum, target, only, 0, floor)
            cycles = () if first is None else range(first, max(first, floor, engine.settled) + 2)
            ways = ((c, engine.route(datum, target, c, c, only, floor)) for c in cycles)
            served.append(next((cycle for cycle, way in ways if way is not None), None))
        if served[0] != served[1]:
            self.faults.append(
                f"first cycle of {datum} in {target}: {served[0]} against {served[1]}"
            )
        return served[0]

    def _compare_state(self, datum):
        places = [
            {p: engine.stays_at(datum, p) for p in engine.places(datum)} for engine in self.engines
        ]
        if places[0] != places[1]:
            self.faults.append(f"stays of {datum}: {places[0]} against {places[1]}")
        for point in self.nodes:
            used = [
                [engine.rows_used(point, t, t) for t in range(0, 80, 7)] for engine in self.engines
            ]
            if used[0] != used[1]:
                self.faults.append(f"rows of {point}: {used[0]} against {used[1]}")


def price(state, datum, target, deadline, floor, only, path: Path):
    """Walk a path on the reference's graph; return its energy, or why it cannot be walked."""
    point, cycle = path.start
    here, passed, energy = (point, cycle), frozenset(), 0
    if only not in (None, point):
        return f"it starts at {point}"
    if state.hardware.points[point].stores:
        if not any(s.complete <= cycle <= s.end for s in state.stays_at(datum, point)):
            return "there is no copy at its start"
    else:
        passed = state.passes[datum].get(here)
        if passed is None or only is not None:
            return "it does not pass there"

    def take(wire, label):
        for step in _steps(state, datum, label, (target, floor), True):
            if step.wire == wire:
                return step
        return None

    for wire, departure in (*path.moves, (None, deadline)):
        while here[1] < departure:
            step = take(None, (*here, passed))
            if step is None:
                return f"it cannot wait at {here}"
            here, energy = step.label[:2], energy + step.energy
        if here[1] > departure:
            return f"it is at {here} too late"
        if wire is None:
            break
        step = take(wire, (*here, passed))
        if step is None:
            return f"it cannot leave {here} on Wire {wire}"
        here, passed, energy = step.label[:2], step.label[2], energy + step.energy
    return energy if here == (target, deadline) else f"it ends at {here}"
