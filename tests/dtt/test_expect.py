"""The Trace that small Schedules foretell, written out by hand from the contract."""

import numpy as np
from handmade import planned

from dtt.expect import expected_trace
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.trace import WIRE_KINDS, Kind
from hwdsl.workload import Workload

D, A, F, R = Kind.DEPART, Kind.ARRIVE, Kind.FIRE, Kind.RESULT


class Fig1(Fabric):
    def __init__(self):
        self.word = 8
        self.sram = Node(capacity=512)
        self.reg = Node(capacity=64)
        self.pe = Node(capacity=64)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"})
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=32, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=8, latency=1)


def events(hardware, expected):
    """Return the events with the names of parts, values last."""
    named = []
    for cycle, kind, part, lane, chunk, value in expected.trace.events.tolist():
        parts = hardware.wires if kind in WIRE_KINDS else hardware.actors
        named.append((cycle, kind, parts[part].name, lane, chunk, value))
    return named


def test_the_first_example():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="sram")
    work.store(work.op("mul", a, b, name="C"), at="pe")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
    schedule = planned(hardware, work, moves, [("C", "mac", 3)])
    expected = expected_trace(schedule, {a: -7, b: 6})
    assert events(hardware, expected) == [
        (0, D, "bus0", 0, 0, 249),
        (0, D, "bus0", 1, 0, 6),
        (1, A, "bus0", 0, 0, 249),
        (1, A, "bus0", 1, 0, 6),
        (1, D, "bus1", 0, 0, 249),
        (2, A, "bus1", 0, 0, 249),
        (2, D, "bus1", 0, 0, 6),
        (3, A, "bus1", 0, 0, 6),
        (3, F, "mac", 0, 0, 1),
        (4, R, "mac", 0, 0, 256 - 42),
    ]
    assert expected.trace.cycles == 5
    # A takes row 0 at cycle 2 and is used to 3, B takes row 1 at 3; both are free for C at 4.
    assert expected.trace.finals.tolist() == [(hardware.pe.index, 0, 0, 256 - 42)]
    assert expected.datum.tolist() == [0, 1, 0, 1, 0, 0, 1, 1, 2, 2]
    assert [expected.name(int(d)) for d in expected.final_datum] == ["C"]
    assert expected.way(5) == "A: sram@0 -> reg@1 -> pe@2"
    assert expected.way(7) == "B: sram@0 -> reg@1 -> pe@3"
    assert expected.way(8) == (
        "C = mul(A, B); A: sram@0 -> reg@1 -> pe@2; B: sram@0 -> reg@1 -> pe@3"
    )
    assert expected.final_way(0) == "C: pe@4"


def test_data_take_the_lowest_lanes_by_departure_then_by_index():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    v = work.load("V", at="sram", shape=6)
    x, y = work.load("X", "Y", at="sram")
    moves = [("V", "bus0", 0), ("Y", "bus0", 1), ("X", "bus0", 2), ("Y", "bus0", 2)]
    expected = expected_trace(
        planned(hardware, work, moves), {v: [1, 2, 3, 4, 5, 6], x: 0x55, y: 0x66}
    )
    # V has 6 words on 4 lanes: its second beat, in cycle 1, takes the two lowest, then comes Y.
    assert [
        (c, lane, value) for c, k, _, lane, _, value in events(hardware, expected) if k == D
    ] == [
        (0, 0, 1),
        (0, 1, 2),
        (0, 2, 3),
        (0, 3, 4),
        (1, 0, 5),
        (1, 1, 6),
        (1, 2, 0x66),
        (2, 0, 0x55),
        (2, 1, 0x66),
    ]
    departs = expected.trace.events[expected.trace.events["kind"] == D]
    arrives = expected.trace.events[expected.trace.events["kind"] == A]
    assert arrives["cycle"].tolist() == (departs["cycle"] + 1).tolist()
    assert arrives[["lane", "value"]].tolist() == departs[["lane", "value"]].tolist()


class Fork(Fabric):
    def __init__(self):
        self.word = 8
        self.src = Node(capacity=256)
        self.left, self.right = Node(capacity=64), Node(capacity=64)
        self.hub = Junction()
        self.into = self.wire(self.src, self.hub, bandwidth=16, latency=1)
        self.to_left = self.wire(self.hub, self.left, bandwidth=16, latency=1)
        self.to_right = self.wire(self.hub, self.right, bandwidth=16, latency=2)


def test_a_fork_passes_beats_as_they_come():
    hardware = Fork().freeze()
    work = Workload(bits=24)
    x = work.load("X", at="src")
    moves = [("X", "into", 0), ("X", "to_left", 1), ("X", "to_right", 1)]
    expected = expected_trace(planned(hardware, work, moves), {x: 0x123456})
    seen = {name: [] for name in ("into", "to_left", "to_right")}
    for cycle, kind, name, lane, _, value in events(hardware, expected):
        seen[name].append((cycle, kind, lane, value))
    start = [(0, 0x56), (0, 0x34), (1, 0x12)]
    for name, first, latency in (("into", 0, 1), ("to_left", 1, 1), ("to_right", 1, 2)):
        lanes = [0, 1, 0]
        leave = [(first + c, D, n, v) for (c, v), n in zip(start, lanes, strict=True)]
        come = [(first + c + latency, A, n, v) for (c, v), n in zip(start, lanes, strict=True)]
        assert seen[name] == sorted(leave + come)
    right = expected.trace.events["part"] == hardware.to_right.index
    assert expected.way(int(np.flatnonzero(right)[0])) == "X: src@0 -> hub@1 -> right@4"


def test_lanes_wider_than_64_bits_take_several_events():
    class Wide(Fabric):
        def __init__(self):
            self.word = 8
            self.a = Node(capacity=1600, row=160)
            self.b = Node(capacity=1600, row=160)
            self.bus = self.wire(self.a, self.b, bandwidth=160, lane=80, latency=1)

    hardware = Wide().freeze()
    work = Workload(bits=8)
    x = work.load("X", at="a", shape=12)
    work.store(x, at="b")
    expected = expected_trace(planned(hardware, work, [("X", "bus", 0)]), {x: list(range(1, 13))})
    assert events(hardware, expected)[:4] == [
        (0, D, "bus", 0, 0, 0x0807060504030201),
        (0, D, "bus", 0, 1, 0x0A09),
        (0, D, "bus", 1, 0, 0x0C0B),
        (0, D, "bus", 1, 1, 0),
    ]
    assert [f[2:] for f in expected.trace.finals.tolist()] == [
        (0, 0x0807060504030201),
        (1, 0x0C0B0A09),
        (2, 0),
    ]
    assert expected.final_mask.tolist() == [2**64 - 1, 2**32 - 1, 0]


class Array(Fabric):
    def __init__(self):
        self.word = 8
        self.pe = Node(capacity=256)
        self.alu = Actor(at=self.pe, ops={"add", "dot"}, units=4, latency=2, cooldown=2)


def test_units_are_the_lowest_free_in_the_order_of_ops():
    hardware = Array().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    work.dot([(a, b), (b, a)], name="P")
    work.dot([(a, b)], name="Q")
    work.dot([(a, a), (b, b)], name="S")
    fired = [("Q", "alu", 0), ("P", "alu", 0), ("S", "alu", 2)]
    expected = expected_trace(planned(hardware, work, [], fired), {a: 2, b: 3})
    assert events(hardware, expected) == [
        *((0, F, "alu", unit, 0, 1) for unit in (0, 1, 2)),
        (2, R, "alu", 1, 0, 12),  # P: its last unit writes
        (2, R, "alu", 2, 0, 6),
        (2, F, "alu", 0, 0, 1),
        (2, F, "alu", 1, 0, 1),
        (4, R, "alu", 1, 0, 13),
    ]


def test_units_in_use_are_passed_over():
    hardware = Array().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    for name in ("P", "Q", "S"):
        work.dot([(a, b)], name=name)
    work.dot([(a, b), (b, a)], name="T")
    fired = [("P", "alu", 0), ("Q", "alu", 1), ("S", "alu", 1), ("T", "alu", 2)]
    expected = expected_trace(planned(hardware, work, [], fired), {a: 2, b: 3})
    units = [(e[0], e[3]) for e in events(hardware, expected) if e[1] == F]
    assert units == [(0, 0), (1, 1), (1, 2), (2, 0), (2, 3)]


def test_the_steps_of_an_array():
    hardware = Array().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe", shape=6)
    work.op("add", a, b, name="C")
    expected = expected_trace(
        planned(hardware, work, [], [("C", "alu", 1)]), {a: range(6), b: [10] * 6}
    )
    assert events(hardware, expected) == [
        *((1, F, "alu", unit, 0, 0) for unit in range(4)),
        (2, F, "alu", 0, 0, 0),
        (2, F, "alu", 1, 0, 0),
        *((3, R, "alu", unit, 0, 10 + unit) for unit in range(4)),
        (4, R, "alu", 0, 0, 14),
        (4, R, "alu", 1, 0, 15),
    ]
    assert expected.trace.cycles == 5


def test_rows_are_given_out_in_the_order_of_the_contract():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    b = work.load("B", at="sram")
    x = work.load("X", at="pe")
    pair = work.load("pair", at="pe", shape=2)
    a = work.load("A", at="sram")
    work.need(x, at="pe", by=1)
    c = work.op("mul", x, x, name="C")
    for datum in (pair, c, a, b):
        work.store(datum, at="pe")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 3)]
    expected = expected_trace(
        planned(hardware, work, moves, [("C", "mac", 1)]), _some(b, x, pair, a)
    )
    rows = [
        (row, expected.name(d)) for row, d in zip(_rows(expected), _data(expected), strict=True)
    ]
    # X has row 0 to cycle 1; in cycle 2 the result comes before what arrives; then B.
    assert rows == [(0, "C"), (1, "pair"), (2, "pair"), (3, "A"), (4, "B")]


def test_a_result_takes_over_the_rows_of_its_operand():
    hardware = Array().freeze()
    work = Workload(bits=8)
    x, a, b = work.load("X", "A", "B", at="pe")
    s = work.op("add", a, b, name="S", into=a)
    t = work.op("add", s, b, name="T", into=s)
    work.store(t, at="pe")
    work.store(b, at="pe")
    fired = [("S", "alu", 3), ("T", "alu", 5)]
    expected = expected_trace(planned(hardware, work, [], fired), {x: 1, a: 2, b: 3})
    assert _rows(expected) == [1, 2]
    assert [expected.name(d) for d in _data(expected)] == ["T", "B"]
    assert expected.trace.finals["value"].tolist() == [8, 3]


def test_what_is_unserved_is_not_expected():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a = work.load("A", at="sram")
    work.store(a, at="pe")
    expected = expected_trace(planned(hardware, work, unserved=[0]), {a: 1})
    assert (expected.trace.cycles, expected.trace.events.size) == (0, 0)
    assert expected.trace.finals.size == 0


def _some(*data):
    return {d: np.arange(1, d.elements + 1).reshape(d.shape) for d in data}


def _rows(expected):
    return expected.trace.finals["row"].tolist()


def _data(expected):
    return expected.final_datum.tolist()
