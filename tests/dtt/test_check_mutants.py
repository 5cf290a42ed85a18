"""Random mutants of legal Schedules, judged by the checker and by a plain cycle-by-cycle model."""

import random
from collections import Counter, defaultdict

import pytest

from dtt.check import check
from dtt.schedule import Schedule
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.errors import IllegalSchedule
from hwdsl.workload import Workload


class FourPe(Fabric):
    def __init__(self):
        self.word = 8
        self.dram = Node(capacity=8 * 1024)
        self.sram = [Node(capacity=24) for _ in range(2)]
        self.pe = [Node(capacity=56) for _ in range(4)]
        self.mac = [Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4) for pe in self.pe]
        self.out = Node(capacity=40)
        for sram in self.sram:
            self.wire(self.dram, sram, bandwidth=8, latency=8)
            self.wire(self.out, sram, bandwidth=8, latency=2)
            for pe in self.pe:
                self.wire(sram, pe, bandwidth=8, latency=2)
        for pe in self.pe:
            self.wire(pe, self.out, bandwidth=8, latency=1)


def four_pe():
    work = Workload(bits=8)
    d = work.load(*"012345", at="dram")
    r = [
        work.dot([(d[0], d[1]), (d[2], d[3])], name="100"),
        work.dot([(d[1], d[4]), (d[2], d[5])], name="101"),
        work.dot([(d[0], d[2]), (d[1], d[3]), (d[4], d[5])], name="102"),
        work.dot([(d[0], d[5]), (d[1], d[4]), (d[2], d[3])], name="103"),
    ]
    r.append(work.dot([(r[0], r[1]), (r[2], r[3])], name="104"))
    for result in r:
        work.store(result, at="out")
    moves = [(str(i), f"dram->sram[{i % 2}]", i // 2) for i in range(6)]
    for i in range(6):
        moves += [(str(i), f"sram[{i % 2}]->pe[{p}]", 8 + i // 2) for p in range(3)]
    moves += [("100", "pe[0]->out", 13), ("101", "pe[0]->out", 14)]
    moves += [("102", "pe[1]->out", 14), ("103", "pe[2]->out", 14)]
    moves += [("102", "out->sram[0]", 15), ("103", "out->sram[1]", 15)]
    moves += [("102", "sram[0]->pe[0]", 17), ("103", "sram[1]->pe[0]", 17)]
    moves += [("104", "pe[0]->out", 21)]
    firings = [("100", "mac[0]", 11), ("101", "mac[0]", 12), ("102", "mac[1]", 12)]
    firings += [("103", "mac[2]", 12), ("104", "mac[0]", 19)]
    return FourPe().freeze(), work, moves, firings


class Fork(Fabric):
    """A ring of Junctions; 32 bits over 16 are two beats."""

    def __init__(self):
        self.word = 8
        self.src = Node(capacity=96)
        self.end = [Node(capacity=64) for _ in range(3)]
        self.hub = [Junction() for _ in range(3)]
        self.into = self.wire(self.src, self.hub[0], bandwidth=16, latency=1)
        for i in range(3):
            self.wire(self.hub[i], self.end[i], bandwidth=16, latency=1 + i)
            self.wire(self.hub[i], self.hub[(i + 1) % 3], bandwidth=16, latency=1)
        self.wire(self.end[0], self.end[1], bandwidth=8, latency=1)


def fork():
    work = Workload(bits=8)
    x, y = work.load("X", "Y", at="src", shape=4)
    z = work.load("Z", at="src")
    for i, by in enumerate((6, 6, 9)):
        work.need(x, at=f"end[{i}]", by=by)
    work.need(y, at="end[0]")
    work.store(z, at="end[1]")
    moves = [("X", "into", 0), ("Y", "into", 2), ("Z", "into", 4)]
    moves += [("X", "hub[0]->end[0]", 1), ("X", "hub[0]->hub[1]", 1)]
    moves += [("X", "hub[1]->end[1]", 2), ("X", "hub[1]->hub[2]", 2), ("X", "hub[2]->end[2]", 3)]
    moves += [("Y", "hub[0]->end[0]", 3), ("Z", "hub[0]->end[0]", 5), ("Z", "end[0]->end[1]", 6)]
    return Fork().freeze(), work, moves, []


class Sums(Fabric):
    """Arrays are summed up in place, in a Node that has room for two of them."""

    def __init__(self):
        self.word = 8
        self.sram = Node(capacity=160)
        self.pe = Node(capacity=64)
        self.alu = Actor(at=self.pe, ops={"add"}, units=2, latency=2)
        self.bus = self.wire(self.sram, self.pe, bandwidth=16, latency=1)
        self.back = self.wire(self.pe, self.sram, bandwidth=16, latency=1)


def sums():
    work = Workload(bits=8)
    a, v, w = work.load("A", "V", "W", at="sram", shape=4)
    s = work.op("add", a, v, name="S", into=a)
    work.store(work.op("add", s, w, name="T", into=s), at="sram")
    moves = [("A", "bus", 0), ("V", "bus", 2), ("W", "bus", 6), ("T", "back", 11)]
    return Sums().freeze(), work, moves, [("S", "alu", 4), ("T", "alu", 8)]


CASES = (four_pe, fork, sums)


def is_legal(hardware, work, schedule):
    """Judge a Schedule by plain loops over cycles, data and parts."""
    copies, uses, cells = defaultdict(list), [], defaultdict(set)
    lanes, units, arrived, left = Counter(), Counter(), set(), set()
    way = {}
    moves = [tuple(m) for m in schedule.moves.tolist()]
    if len(set(moves)) < len(moves) or len({f[0] for f in schedule.firings.tolist()}) < len(
        work.ops
    ):
        return False
    for datum in work.data:
        if datum.loaded_at is not None:
            copies[hardware[datum.loaded_at].index, datum.index].append((0, 0))
    for d, w, t in moves:
        wire, bits = hardware.wires[w], work.data[d].size
        beats = wire.beats(bits)
        for beat in range(beats):
            lanes[w, t + beat] += wire.lanes_of(bits, beat)
        if hardware.points[wire.source].stores:
            uses.append((wire.source, d, t, t + beats - 1, False))
        else:
            left.add((wire.source, d, t))
        first = t + wire.latency
        if hardware.points[wire.target].stores:
            copies[wire.target, d].append((first, first + beats - 1))
        else:
            arrived.add((wire.target, d, first))
            before = way.get((wire.source, d, t), ())
            if wire.target in before:
                return False
            way[wire.target, d, first] = (*before, wire.target)
    for o, _, a, s in schedule.firings.tolist():
        op, actor = work.ops[o], hardware.actors[a]
        if op.code not in actor.ops:
            return False
        timing = actor.timing(op.code, op.work, op.parallel)
        for c in range(s, s + timing.cooldown):
            units[a, c] += timing.units
        for i, d in enumerate(op.operands):
            uses.append((actor.at, d.index, s, s + timing.hold - 1, i == op.into))
        done = s + timing.latency
        space = s if op.into is not None else done - timing.hold + 1
        copies[actor.result_at, op.result.index].append((space, done))
    end = 1 + max(c for here in copies.values() for _, c in here)
    end = max(end, *(u[3] + 1 for u in uses), *(r.by or 0 for r in work.requests))
    for r in work.requests:
        by = end if r.by is None else r.by
        uses.append(
            (hardware[r.node].index, r.datum.index, by, by if r.store or r.by else -1, False)
        )
    if arrived != left:
        return False
    lasts = {place: [c for _, c in here] for place, here in copies.items()}
    for p, d, begin, last, taken in sorted(uses, key=lambda u: u[4]):
        here = copies[p, d]
        serving = max(
            (i for i, c in enumerate(here) if c[1] <= begin), key=lambda i: here[i][1], default=None
        )
        if serving is None:
            return False
        if not taken:
            lasts[p, d][serving] = max(lasts[p, d][serving], last)
            continue
        if any(c[1] <= begin <= n for c, n in zip(here, lasts[p, d], strict=True) if c[1] < begin):
            return False
        if any(u[:2] == (p, d) and not u[4] and u[2] <= begin <= u[3] for u in uses):
            return False
        if any(c[0] < begin < c[1] for c in here):
            return False
        lasts[p, d][serving] = begin - 1
    for (p, d), here in copies.items():
        for (first, _), last in zip(here, lasts[p, d], strict=True):
            for cycle in range(first, last + 1):
                cells[p, cycle].add(d)
    rows = {
        place: sum(hardware.points[place[0]].rows_of(work.data[d].size) for d in there)
        for place, there in cells.items()
    }
    return (
        all(n <= hardware.wires[w].lanes for (w, _), n in lanes.items())
        and all(n <= hardware.actors[a].units for (a, _), n in units.items())
        and all(n <= hardware.points[p].rows for (p, _), n in rows.items())
    )


def mutant(draw, hardware, work, moves, firings):
    """Return Moves and Firings with one or two small changes."""
    moves, firings = list(moves), list(firings)
    for _ in range(draw.choice((1, 1, 2))):
        kind = draw.choice(("drop", "shift", "redirect", "copy", "swap", "datum", "fire", "actor"))
        i = draw.randrange(len(moves))
        datum, wire, cycle = moves[i]
        shifted = max(0, cycle + draw.choice((-2, -1, 1, 2)))
        if kind == "drop":
            del moves[i]
        elif kind == "shift":
            moves[i] = (datum, wire, shifted)
        elif kind == "redirect":
            moves[i] = (datum, draw.choice(hardware.wires).name, cycle)
        elif kind == "copy":
            moves.append((datum, draw.choice(hardware.wires).name, draw.choice((cycle, shifted))))
        elif kind == "swap":
            j = draw.randrange(len(moves))
            moves[i], moves[j] = (datum, wire, moves[j][2]), (*moves[j][:2], cycle)
        elif kind == "datum":
            moves[i] = (draw.choice(work.data).name, wire, cycle)
        elif firings:
            i = draw.randrange(len(firings))
            op, actor, cycle = firings[i]
            if kind == "fire":
                firings[i] = (op, actor, max(0, cycle + draw.choice((-2, -1, 1, 2))))
            else:
                firings[i] = (op, draw.choice(hardware.actors).name, cycle)
    return moves, firings


@pytest.mark.parametrize("case", CASES)
def test_the_cases_are_legal(case, planned):
    hardware, work, moves, firings = case()
    schedule = planned(hardware, work, moves, firings)
    check(hardware, work, schedule)
    assert is_legal(hardware, work, schedule)


@pytest.mark.parametrize("case", CASES)
def test_every_move_is_needed_and_no_op_can_start_earlier(case, planned):
    hardware, work, moves, firings = case()
    for i in range(len(moves)):
        with pytest.raises(IllegalSchedule, match=r"junction|source|operand|request"):
            check(hardware, work, planned(hardware, work, moves[:i] + moves[i + 1 :], firings))
    for i, (op, actor, cycle) in enumerate(firings):
        early = [*firings[:i], (op, actor, cycle - 1), *firings[i + 1 :]]
        with pytest.raises(IllegalSchedule, match="operand"):
            check(hardware, work, planned(hardware, work, moves, early))


@pytest.mark.parametrize("case", CASES)
def test_checker_and_plain_model_agree_on_mutants(case, planned):
    hardware, work, moves, firings = case()
    draw = random.Random(case.__name__)
    verdicts = Counter()
    rules = Counter()
    for _ in range(400):
        changed = mutant(draw, hardware, work, moves, firings)
        schedule: Schedule = planned(hardware, work, *changed)
        legal = is_legal(hardware, work, schedule)
        try:
            check(hardware, work, schedule)
            found = True
        except IllegalSchedule as error:
            found = False
            rules.update({v.rule for v in error.violations})
        assert found == legal, (changed, rules)
        verdicts[legal] += 1
    assert min(verdicts[True], verdicts[False]) >= 20, verdicts
    assert len(rules) >= 5, rules
