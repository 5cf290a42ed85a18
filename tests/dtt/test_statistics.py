"""Figures, bounds, paths and JSON of Schedules."""

import json
import random

import pytest

import dtt
from dtt.schedule import Schedule
from hwdsl import Actor, Fabric, InputError, Junction, Node
from hwdsl.workload import Workload


@pytest.fixture(scope="module")
def five(four_pe):
    """The five dot products of the paper's second example, scheduled."""
    work = Workload(bits=8)
    d = work.load(*"012345", at=four_pe.dram)

    def dot(name, *pairs):
        return work.dot([(d[a], d[b]) for a, b in pairs], name=name)

    made = [
        dot("100", (0, 1), (2, 3)),
        dot("101", (1, 4), (2, 5)),
        dot("102", (0, 2), (1, 3), (4, 5)),
        dot("103", (0, 5), (1, 4), (2, 3)),
    ]
    made.append(work.dot([(made[0], made[1]), (made[2], made[3])], name="104"))
    for result in made:
        work.store(result, at=four_pe.out)
    return dtt.schedule(four_pe, work)


def test_five_dot_products(five):
    hardware = five.hardware
    assert five.cycles == 22
    assert five.energy.moves == 715_000_000
    assert five.energy.firings == 5 * 2_000_000
    assert five.energy_pj == 725
    assert five.reads(hardware.dram) == five.reads("dram") == 6
    assert [(op.name, datum.name) for op, datum in five.in_place] == [
        ("101", "1"),
        ("101", "2"),
        ("104", "100"),
        ("104", "101"),
    ]
    one = five.workload.data[1]
    assert five.paths(one)[0] == "dram@0 -> sram[1]@8 -> pe[0]@10"
    last = five.workload.data[-1]
    assert five.paths(last) == ("pe[0]@21 -> out@22",)
    assert set(five.energy_undeclared) <= {wire.name for wire in hardware.wires}


def test_utilisation(five):
    hardware = five.hardware
    figures = five.statistics()
    assert figures.wires[hardware["dram->sram[0]"].index] == pytest.approx(3 / 22)
    # Three dot products of two pairs, four cycles each; of the last only one is within the 22.
    busy = 2 * 4 + 2 * 4 + 2 * (22 - 19)
    assert figures.actors[hardware.mac[0].index] == pytest.approx(busy / (4 * 22))
    assert figures.peaks[hardware.dram.index] == 6
    assert figures.peaks[hardware.out.index] == 5
    assert figures.peaks[hardware.pe[3].index] == 0


class Kept(Fabric):
    def __init__(self):
        self.a = Node(capacity=80, pj_per_bit=1, pj_per_bit_cycle=0.5)
        self.b = Node(capacity=80, pj_per_bit_cycle=0.25)
        self.hub = Junction()
        self.up = self.wire(self.a, self.hub, bandwidth=8, latency=1, pj_per_bit=2)
        self.down = self.wire(self.hub, self.b, bandwidth=8, latency=2)
        self.alu = Actor(at=self.b, ops={"relu"}, latency=3)


def test_energy(planned):
    hardware = Kept().freeze()
    work = Workload(bits=16)
    x = work.load("x", at=hardware.a)
    work.op("relu", x, name="y")
    work.store(x, at=hardware.b)
    moves = [("x", "up", 2), ("x", "down", 3)]
    schedule = planned(hardware, work, moves, [("y", "alu", 8)])
    # x leaves a in 2 and 3, is complete in b in 6, and stored there to cycle 11, with y.
    assert schedule.cycles == 11
    assert schedule.energy.moves == 16 * (1 + 2) * 1_000_000
    assert schedule.energy.stays == 16 * (3 * 500_000 + 5 * 250_000)
    assert schedule.energy.firings == schedule.energy.additions == 0
    assert schedule.energy_pj == 16 * (3 + 1.5 + 1.25)
    # A Junction costs nothing to leave; nobody leaves b.
    assert schedule.energy_undeclared == ("down", "alu")
    assert schedule.paths(x) == ("a@0 -> hub@3 -> b@6",)


def test_cycles_wait_for_needs(planned):
    hardware = Kept().freeze()
    work = Workload(bits=8)
    x = work.load("x", at=hardware.a)
    work.need(x, at=hardware.b, by=30)
    assert planned(hardware, work, [("x", "up", 2), ("x", "down", 3)]).cycles == 5


def test_paths_end_where_a_fork_ends(planned):
    class Fork(Fabric):
        def __init__(self):
            self.a, self.b, self.c = (Node(capacity=80) for _ in range(3))
            self.hub = Junction()
            self.up = self.wire(self.a, self.hub, bandwidth=8, latency=1)
            self.to_b = self.wire(self.hub, self.b, bandwidth=8, latency=2)
            self.to_c = self.wire(self.hub, self.c, bandwidth=8, latency=1)
            self.on = self.wire(self.b, self.c, bandwidth=8, latency=1)

    hardware = Fork().freeze()
    work = Workload(bits=8)
    x = work.load("x", at=hardware.a)
    moves = [("x", "up", 0), ("x", "to_b", 1), ("x", "to_c", 1), ("x", "on", 6)]
    assert planned(hardware, work, moves).paths(x) == (
        "a@0 -> hub@1 -> c@2",
        "a@0 -> hub@1 -> b@3 -> c@7",
    )


def test_what_an_op_that_is_not_to_reuse_reads_is_not_found(planned, fig1):
    work = Workload(bits=8)
    a = work.load("a", at=fig1.pe)
    work.op("mul", a, a, name="c")
    work.op("mul", a, a, name="d", reuse=False)
    schedule = planned(fig1, work, [], [("c", "mac", 0), ("d", "mac", 1)])
    assert [(op.name, datum.name) for op, datum in schedule.in_place] == [("c", "a")]


def bound(schedule, name):
    return next(b for b in schedule.bounds() if b.name == name)


def test_bounds_of_the_five(five):
    bounds = five.bounds()
    assert [b.cycles for b in bounds] == sorted((b.cycles for b in bounds), reverse=True)
    # 8 + 2 to a PE, 2 to compute, 2 again for the last, 1 to OUT.
    path = bound(five, "critical path")
    assert path.cycles == 15
    assert path.explanation.endswith("0 -> 100 -> 104 -> out")
    # Five of the six data must be out for a first result that 104 waits for; two a cycle.
    assert bound(five, "what must leave Node 'dram'").cycles == 17


def test_a_bound_that_is_met(fig1, planned):
    work = Workload(bits=8)
    data = work.load(*(f"x{i}" for i in range(5)), at=fig1.sram)
    for x in data:
        work.need(x, at=fig1.pe)
    schedule = dtt.schedule(fig1, work)
    found = bound(schedule, "Wire 'bus1'")
    # The first can leave Reg in 1; five of them, one a cycle.
    assert found.cycles == schedule.cycles == 6
    assert found.explanation == (
        "40 bits at 8 bits a cycle, none before cycle 1, the last 1 before the end"
    )


def test_what_is_carried_on_its_own_counts_every_time(fig1):
    work = Workload(bits=8, reuse=False)
    a = work.load("a", at=fig1.sram)
    for i in range(6):
        work.op("mul", a, a, name=f"c{i}")
    schedule = dtt.schedule(fig1, work)
    assert bound(schedule, "Wire 'bus1'").cycles == 1 + 6 - 1 + 2
    assert schedule.cycles >= 8


def test_a_long_cooldown_does_not_count_after_the_end():
    class Slow(Fabric):
        def __init__(self):
            self.pe = Node(capacity=80)
            self.alu = Actor(at=self.pe, ops={"relu"}, latency=2, cooldown=5)

    hardware = Slow().freeze()
    work = Workload(bits=8)
    x = work.load("x", at=hardware.pe)
    for i in range(3):
        work.op("relu", x, name=f"y{i}")
    schedule = dtt.schedule(hardware, work)
    assert bound(schedule, "Actor 'alu'").cycles == schedule.cycles == 12


class Mesh(Fabric):
    def __init__(self, draw):
        self.main = Node(capacity=2048, row=16)
        self.local = [Node(capacity=512) for _ in range(3)]
        self.hub = Junction()
        shape = {"bandwidth": draw.choice([8, 16])}
        self.up = self.wire(self.main, self.hub, latency=draw.randint(1, 4), **shape)
        self.home = self.wire(self.hub, self.main, latency=1, **shape)
        self.alu = []
        for node in self.local:
            self.wire(self.hub, node, latency=draw.randint(1, 3), **shape)
            self.wire(node, self.hub, latency=1, **shape)
            latency, cooldown = draw.randint(1, 4), draw.randint(1, 4)
            ops = {"dot", "add"} if draw.random() < 0.5 else {"add"}
            units = draw.randint(2, 4)
            self.alu.append(
                Actor(at=node, ops=ops, units=units, latency=latency, cooldown=cooldown, bits=16)
            )
        self.alu.append(Actor(at=self.local[0], ops={"dot"}, units=4, bits=16))


@pytest.mark.parametrize("seed", range(25))
def test_no_schedule_is_below_a_bound(seed):
    draw = random.Random(seed)
    hardware = Mesh(draw).freeze()
    work = Workload(bits=8, reuse=draw.random() < 0.7)
    scalars = [*work.load("a", "b", "c", at=hardware.main, bits=16)]
    arrays = [*work.load("u", "v", at=hardware.main, shape=3)]
    for _ in range(draw.randint(1, 10)):
        kind = draw.random()
        if kind < 0.4:
            pairs = [draw.choices(scalars, k=2) for _ in range(draw.randint(1, 2))]
            scalars.append(work.dot(pairs, bits=16))
        elif kind < 0.7:
            arrays.append(work.op("add", *draw.choices(arrays, k=2)))
        elif kind < 0.85:
            work.store(draw.choice(scalars + arrays), at=hardware.main)
        else:
            work.need(draw.choice(scalars + arrays), at=draw.choice(hardware.local))
    schedule = dtt.schedule(hardware, work)
    assert schedule.bounds()[0].cycles <= schedule.cycles


def test_json_is_stable_and_by_name(five):
    text = five.to_json()
    again = Schedule.from_json(text, five.hardware, five.workload)
    assert again.to_json() == text
    assert again.moves.tobytes() == five.moves.tobytes()
    assert again.firings.tobytes() == five.firings.tobytes()
    assert json.loads(text)["moves"][0] == ["0", "dram->sram[0]", 0]


def test_json_keeps_what_is_unserved(fig1, planned):
    work = Workload(bits=8)
    work.need(work.load("a", at=fig1.sram), at=fig1.pe, by=1)
    schedule = planned(fig1, work, [], unserved=[0])
    again = Schedule.from_json(schedule.to_json(), fig1, work)
    assert again.unserved == schedule.unserved


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.replace("dram->sram[0]", "nowhere"), "no Wire named 'nowhere'"),
        (lambda t: t.replace('"100"', '"nothing"'), "no datum named 'nothing'"),
        (lambda t: t.replace("mac[0]", "out"), "no Actor named 'out'"),
        (lambda t: t.replace("dtt schedule 1", "dtt schedule 2"), "format 'dtt schedule 1'"),
        (lambda t: t.replace('"unserved":[]', '"unserved":7'), "unserved must be a list"),
        (lambda t: t.replace('sram[0]",0]', 'sram[0]",-1]', 1), "not -1"),
        (lambda t: t.replace('sram[0]",0]', 'sram[0]"]', 1), "must be a list of 3"),
        (lambda t: t[:-5], "not JSON"),
        (lambda t: "[" * 100_000, "not JSON"),
    ],
)
def test_json_that_is_damaged_is_refused(five, change, says):
    with pytest.raises(InputError, match=says.replace("[", r"\[")):
        Schedule.from_json(change(five.to_json()), five.hardware, five.workload)
