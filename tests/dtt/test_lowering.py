"""Programs of hand-made Schedules, table by table."""

import numpy as np
import pytest

from dtt.schedule import Schedule
from hwdsl import Actor, Adder, Fabric, Junction, Node
from hwdsl.errors import IllegalSchedule, InputError
from hwdsl.program import TABLES, table_columns
from hwdsl.workload import Workload


def test_fig1(fig1, planned):
    work = Workload(bits=8)
    a, b = work.load("A", "B", at=fig1.sram)
    work.op("mul", a, b, name="C")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
    program = planned(fig1, work, moves, [("C", "mac", 3)]).program()
    sram, bus0, bus1 = fig1.sram.index, fig1.bus0.index, fig1.bus1.index
    assert program.cycles == 5
    assert program.hardware == fig1.fingerprint
    assert program.data == (("A", 8, ()), ("B", 8, ()), ("C", 8, ()))
    assert program.contents.tolist() == [[sram, 0, 0, 0], [sram, 1, 1, 0]]
    assert program.finals.tolist() == []
    assert program.sends.tolist() == [
        [0, bus0, 0, 0, 0, 1],
        [0, bus0, 1, 1, 0, 1],
        [1, bus1, 0, 0, 0, 1],
        [2, bus1, 0, 1, 0, 1],
    ]
    assert program.steers.tolist() == []
    # B takes its row in Reg beside A; in PE, A waits in row 0.
    assert program.lands.tolist() == [
        [1, bus0, 0, 0, 0, 0],
        [1, bus0, 1, 1, 0, 0],
        [2, bus1, 0, 0, 0, 0],
        [3, bus1, 0, 1, 0, 0],
    ]
    assert program.fires.tolist() == [[3, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]]
    # In cycle 4 both operands are gone: the result takes the lowest row.
    assert program.results.tolist() == [[4, 0, 0, 1, 0, 0, 0]]


class Star(Fabric):
    """A memory with a fork to two others, of different rows."""

    def __init__(self):
        self.main = Node(capacity=1024, row=32)
        self.hub = Junction()
        self.left = Node(capacity=256, row=16)
        self.right = Node(capacity=256)
        shape = {"bandwidth": 24, "lane": 8}
        self.up = self.wire(self.main, self.hub, latency=1, **shape)
        self.to_left = self.wire(self.hub, self.left, latency=1, **shape)
        self.to_right = self.wire(self.hub, self.right, latency=2, **shape)


@pytest.fixture
def star():
    return Star().freeze()


def test_beats_lanes_and_a_fork(star, planned):
    work = Workload(bits=8)
    work.load("v", at=star.main, shape=5)
    work.load("x", at=star.main)
    moves = [("v", "up", 0), ("x", "up", 1), ("v", "to_left", 1), ("v", "to_right", 1)]
    program = planned(star, work, [*moves, ("x", "to_right", 2)]).program()
    up, left, right = (star[w].index for w in ("up", "to_left", "to_right"))
    assert program.contents.tolist() == [
        [star.main.index, row, datum, part]
        for row, datum, part in [(0, 0, 0), (1, 0, 1), (2, 1, 0)]
    ]
    # Five words: three in the first beat, two in the second, where x takes the third lane.
    assert program.sends.tolist() == [
        [0, up, 0, 0, 0, 1],
        [0, up, 1, 0, 1, 1],
        [0, up, 2, 0, 2, 1],
        [1, up, 0, 0, 3, 1],
        [1, up, 1, 1, 0, 1],
        [1, up, 2, 2, 0, 1],
    ]
    assert program.steers.tolist() == [
        *([1, wire, lane, up, lane] for wire in (left, right) for lane in range(3)),
        *([2, wire, lane, up, lane] for wire in (left, right) for lane in range(2)),
        [2, right, 2, up, 2],
    ]
    # Rows of 16 bits on the left, of 8 on the right; x comes one cycle after v.
    assert program.lands.tolist() == [
        [2, left, 0, 0, 0, 0],
        [2, left, 1, 0, 1, 0],
        [2, left, 2, 1, 0, 0],
        [3, left, 0, 1, 1, 0],
        [3, left, 1, 2, 0, 0],
        [3, right, 0, 0, 0, 0],
        [3, right, 1, 1, 0, 0],
        [3, right, 2, 2, 0, 0],
        [4, right, 0, 3, 0, 0],
        [4, right, 1, 4, 0, 0],
        [4, right, 2, 5, 0, 0],
    ]
    assert program.cycles == 5


def test_wide_lanes_are_padded(planned):
    class Wide(Fabric):
        def __init__(self):
            self.a = Node(capacity=1024, row=64)
            self.b = Node(capacity=1024, row=64)
            self.w = self.wire(self.a, self.b, bandwidth=64, lane=32, latency=1)

    hardware = Wide().freeze()
    work = Workload(bits=8)
    work.load("v", at=hardware.a, shape=13)
    program = planned(hardware, work, [("v", "w", 0)]).program()
    assert program.sends.tolist() == [
        [0, 0, 0, 0, 0, 4],
        [0, 0, 1, 0, 4, 4],
        [1, 0, 0, 1, 0, 4],
        [1, 0, 1, 1, 4, 1],
    ]
    assert program.lands[:, 3:].tolist() == [[0, 0, 0], [0, 4, 0], [1, 0, 0], [1, 4, 0]]


def test_a_datum_that_comes_twice_to_a_junction_is_taken_from_the_lowest_wire(planned):
    class Twice(Fabric):
        def __init__(self):
            self.a, self.b, self.c = (Node(capacity=64) for _ in range(3))
            self.hub = Junction()
            self.ia = self.wire(self.a, self.hub, bandwidth=16, latency=1)
            self.ib = self.wire(self.b, self.hub, bandwidth=16, latency=2)
            self.o = self.wire(self.hub, self.c, bandwidth=16, latency=1)
            self.ab = self.wire(self.a, self.b, bandwidth=8, latency=1)

    hardware = Twice().freeze()
    work = Workload(bits=8)
    work.load("x", "y", at=hardware.a)
    moves = [("y", "ab", 0), ("y", "ib", 1), ("x", "ia", 2), ("y", "ia", 2), ("y", "o", 3)]
    program = planned(hardware, work, [*moves, ("x", "o", 3)]).program()
    o, ia = hardware.o.index, hardware.ia.index
    assert program.steers.tolist() == [[3, o, 0, ia, 0], [3, o, 1, ia, 1]]


def test_rows_are_reused_lowest_first(fig1, planned):
    work = Workload(bits=8)
    work.load("a", "b", "c", "d", at=fig1.sram)
    moves = [("a", "bus0", 0), ("b", "bus0", 0), ("b", "bus1", 3), ("c", "bus0", 2)]
    program = planned(fig1, work, [*moves, ("d", "bus0", 3)]).program()
    landed = {(cycle, lane): row for cycle, _, lane, row, *_ in program.lands.tolist()}
    # a leaves row 0 after cycle 1, b stays in row 1 to cycle 3: c takes 0; d comes as c and b go.
    assert landed == {(1, 0): 0, (1, 1): 1, (3, 0): 0, (4, 0): 0}


def test_a_landing_of_what_is_there_lands_on_the_same_rows(fig1, planned):
    work = Workload(bits=8)
    work.load("a", at=fig1.sram)
    work.load("b", at=fig1.sram, shape=2)
    moves = [("a", "bus0", 0), ("b", "bus0", 0), ("b", "bus0", 2), ("b", "bus1", 2)]
    lands = planned(fig1, work, moves).program().lands
    # When b comes again, in cycle 3, a is gone from row 0, but b is still leaving from 1 and 2.
    landed = [[cycle, row] for cycle, wire, _, row, *_ in lands.tolist() if wire == 0]
    assert landed == [[1, 0], [1, 1], [1, 2], [3, 1], [3, 2]]


class Array(Fabric):
    """One Actor with three units; elements of 16 bits take two rows where it reads."""

    def __init__(self):
        self.mem = Node(capacity=1024)
        self.out = Node(capacity=1024, row=32)
        self.alu = Actor(
            at=self.mem, ops={"add", "dot", "relu"}, units=3, latency=2, bits=16, result_at=self.out
        )
        self.own = Actor(at=self.mem, ops={"dot", "relu"}, units=3, latency=3, cooldown=2, bits=16)


@pytest.fixture
def array():
    return Array().freeze()


def test_elements_go_through_the_units_step_by_step(array, planned):
    work = Workload(bits=16)
    v = work.load("v", at=array.mem, shape=4, bits=16)
    u = work.load("u", at=array.mem, shape=4, bits=8)
    work.op("add", v, u, name="s")
    work.store(work.data[2], at=array.out)
    program = planned(array, work, [], [("s", "alu", 1)]).program()
    assert program.width == 2
    assert program.fires.shape[1] == table_columns(2)["fires"]
    assert program.fires[:, :7].tolist() == [
        [1, 0, 0, 0, 1, 1, 1],
        [1, 0, 1, 0, 1, 1, 0],
        [1, 0, 2, 0, 1, 1, 0],
        [2, 0, 0, 0, 1, 1, 0],
    ]
    a, b, c = (program.fires[:, program.slot(i)].tolist() for i in range(3))
    assert a == [[2, 0, 2 * k, 2 * k + 1] for k in range(4)]
    assert b == [[1, 0, 8 + k, 0] for k in range(4)]
    assert c == [[0, 0, 0, 0]] * 4
    # Two elements of 16 bits to a row of 32; the last step of latency 3 writes in 4.
    assert program.results.tolist() == [
        [3, 0, 0, 2, 0, 0, 0, 0],
        [3, 0, 1, 2, 2, 0, 0, 0],
        [3, 0, 2, 2, 0, 0, 1, 0],
        [4, 0, 0, 2, 2, 0, 1, 0],
    ]
    assert program.finals.tolist() == [[array.out.index, 0, 2, 0], [array.out.index, 1, 2, 1]]


def test_dot_products_share_the_units_and_accumulate_in_place(array, planned):
    work = Workload(bits=8)
    a, b = work.load("a", "b", at=array.mem)
    acc = work.load("acc", at=array.mem, bits=16)
    work.dot([(a, b)], name="p")
    work.dot([(a, a), (b, b)], name="q", into=acc)
    work.dot([(a, b)], name="r")
    starts = [("p", "own", 1), ("q", "own", 1), ("r", "own", 3)]
    program = planned(array, work, [], starts).program()
    own = array.own.index
    assert program.fires[:, :7].tolist() == [
        [1, own, 0, 0, 1, 1, 0],
        [1, own, 1, 0, 1, 0, 0],
        [1, own, 2, 0, 0, 1, 0],
        [3, own, 0, 0, 1, 1, 0],
    ]
    assert program.fires[:, program.slot(2)].tolist() == [
        [0, 0, 0, 0],
        [2, 0, 2, 3],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]
    # q stays in the rows of acc; p takes the lowest free one, then r (a and b are gone by then).
    assert program.results.tolist() == [
        [4, own, 0, 1, 0, 0, 0, 0],
        [4, own, 2, 2, 0, 0, 2, 3],
        [6, own, 0, 1, 0, 0, 0, 0],
    ]


def test_in_place_in_the_cycle_of_the_arrival_takes_the_rows_that_it_lands_on(fig1, planned):
    work = Workload(bits=8)
    a, b = work.load("a", "b", at=fig1.sram)
    work.op("mul", a, b, name="c", into=b)
    moves = [("a", "bus0", 0), ("b", "bus0", 0), ("a", "bus1", 1), ("b", "bus1", 2)]
    program = planned(fig1, work, moves, [("c", "mac", 3)]).program()
    assert program.lands[-1].tolist() == [3, fig1.bus1.index, 0, 1, 0, 0]
    assert program.results.tolist() == [[4, 0, 0, 1, 0, 0, 1]]


def test_an_adder_starts_a_sum_when_a_presence_begins(planned):
    class Sum(Fabric):
        def __init__(self):
            self.a = Node(capacity=64)
            self.add = Adder(capacity=64)
            self.w = self.wire(self.a, self.add, bandwidth=8, latency=1)

    hardware = Sum().freeze()
    work = Workload(bits=8)
    work.load("x", at=hardware.a)
    assert planned(hardware, work, [("x", "w", 0)]).program().lands[0, 5] == 1


def test_tables_have_their_columns_when_empty(array, planned):
    program = planned(array, Workload(bits=8), []).program()
    assert program.cycles == 0
    for name in TABLES:
        table = getattr(program, name)
        assert table.shape == (0, table_columns(2)[name]), name
        assert table.dtype == np.int64


def test_what_hardware_cannot_do_is_refused(planned):
    class Odd(Fabric):
        def __init__(self):
            self.mem = Node(capacity=1024, row=32)
            self.alu = Actor(at=self.mem, ops={"relu"}, bits=32)

    hardware = Odd().freeze()
    work = Workload(bits=24)
    v = work.load("v", at=hardware.mem, shape=3)
    work.op("relu", v, name="r")
    with pytest.raises(
        InputError, match=r"'v' in Node 'mem': elements of 24 bits must not straddl"
    ):
        planned(hardware, work, [], [("r", "alu", 0)]).program()
    work = Workload(bits=40)
    work.op("relu", work.load("v", at=hardware.mem), name="r")
    with pytest.raises(InputError, match=r"Actor 'alu' computes on 32 bits, not on the 40 of 'v'"):
        planned(hardware, work, [], [("r", "alu", 0)]).program()


def test_what_is_illegal_is_refused(fig1, star, planned):
    work = Workload(bits=8)
    a, b = work.load("a", "b", at=fig1.sram)
    work.op("mul", a, b, name="c")
    moves = [("a", "bus0", 0), ("b", "bus0", 0), ("a", "bus1", 1), ("b", "bus1", 1)]
    with pytest.raises(IllegalSchedule, match="Wire 'bus1': too many data in cycle 1"):
        planned(fig1, work, moves).program()
    with pytest.raises(IllegalSchedule, match="'a' leaves 'reg' in cycle 1, but is not there"):
        planned(fig1, work, [("a", "bus1", 1)]).program()
    with pytest.raises(IllegalSchedule, match="Op 'c' starts in cycle 5, but 'a' is not in 'pe'"):
        planned(fig1, work, [], [("c", "mac", 5)]).program()
    many = Workload(bits=8)
    for x in many.load("x", "y", at=fig1.sram, shape=4):
        many.need(x, at=fig1.reg, by=9)
    many.need(many.load("z", at=fig1.reg), at=fig1.reg, by=9)
    full = planned(fig1, many, [("x", "bus0", 0), ("y", "bus0", 3)])
    with pytest.raises(IllegalSchedule, match="Node 'reg': its 8 rows are not enough in cycle 4"):
        full.program()
    work = Workload(bits=8)
    work.load("x", at=star.main)
    with pytest.raises(IllegalSchedule, match="'x' leaves 'hub' in cycle 3, but is not there"):
        planned(star, work, [("x", "up", 0), ("x", "to_left", 3)]).program()
    work = Workload(bits=8)
    x = work.load("x", at=fig1.pe)
    work.op("mul", x, x, name="c")
    work.op("mul", x, x, name="d")
    with pytest.raises(IllegalSchedule, match="Actor 'mac': too few units are free in cycle 1"):
        planned(fig1, work, [], [("c", "mac", 1), ("d", "mac", 1)]).program()


def test_a_schedule_may_be_read_on_a_larger_machine(fig1, fig1_class, planned):
    class More(fig1_class):
        def __init__(self):
            super().__init__()
            self.another = Node(capacity=64)
            self.before = self.wire(self.another, self.sram, bandwidth=8, latency=1)

    work = Workload(bits=8)
    a, b = work.load("A", "B", at=fig1.sram)
    work.op("mul", a, b, name="C")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
    schedule = planned(fig1, work, moves, [("C", "mac", 3)])
    larger = Schedule.from_json(schedule.to_json(), More().freeze(), work)
    assert larger.to_json() == schedule.to_json()
    assert larger.program().cycles == 5
