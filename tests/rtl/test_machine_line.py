"""Hand-written Programs, and random ones held against a plain Python model."""

import random

import numpy as np
import pytest

import rtl
from hwdsl import Fabric, Node
from hwdsl.trace import Kind
from tests.rtl import model
from tests.rtl.builder import Builder
from tests.rtl.machines import Cross, Fig1, FourPe, Sum, Tile


def events(trace, kind):
    """Return (cycle, part, lane, value) of one kind."""
    some = trace.events[trace.events["kind"] == kind]
    return [tuple(int(e[k]) for k in ("cycle", "part", "lane", "value")) for e in some]


def fig1(a_row=0, b_row=1):
    h = Fig1().freeze()
    b = Builder(h)
    b.datum("A", h.sram, a_row)
    b.datum("B", h.sram, b_row)
    b.datum("C")
    b.move(0, h.bus0, a_row, 0, lane=0)
    b.move(0, h.bus0, b_row, 1, lane=1)
    b.move(1, h.bus1, 0, 0)
    b.move(2, h.bus1, 1, 1)
    b.fire(3, h.mac, "mul", (1, 0, 0), (1, 0, 1))
    b.result(4, h.mac, 2)
    b.final("C", h.pe, 2)
    return h, b


def test_fig1_is_seen_as_the_paper_draws_it():
    h, b = fig1()
    trace = rtl.simulate(h, b.program(5), {"A": 7, "B": -6})
    bus0, bus1 = h.bus0.index, h.bus1.index
    assert events(trace, Kind.DEPART) == [
        (0, bus0, 0, 7),
        (0, bus0, 1, 250),
        (1, bus1, 0, 7),
        (2, bus1, 0, 250),
    ]
    assert events(trace, Kind.ARRIVE) == [
        (1, bus0, 0, 7),
        (1, bus0, 1, 250),
        (2, bus1, 0, 7),
        (3, bus1, 0, 250),
    ]
    assert events(trace, Kind.FIRE) == [(3, 0, 0, 1)]
    assert events(trace, Kind.RESULT) == [(4, 0, 0, -42 & 255)]
    assert trace.finals["value"].tolist() == [-42 & 255]
    assert (trace.cycles, trace.engine, trace.control) == (5, "pysim", "tables")


def test_one_model_runs_many_programs_without_memory_of_the_last():
    h, b = fig1()
    first = rtl.simulate(h, b.program(5), {"A": 7, "B": -6})
    other = rtl.simulate(h, fig1(5, 6)[1].program(5), {"A": 1, "B": 2})
    again = rtl.simulate(h, b.program(5), {"A": 7, "B": -6})
    assert other.finals["value"].tolist() == [2]
    assert again.tobytes() == first.tobytes()
    nothing = rtl.simulate(h, Builder(h).program(9), {})
    assert (nothing.cycles, len(nothing.events), len(nothing.finals)) == (9, 0, 0)


def check(h, b, cycles, values, **options):
    program = b.program(cycles)
    trace = rtl.simulate(h, program, values, **options)
    expected = model.run(h, program, b.packed(values))
    assert events(trace, Kind.ERROR) == []
    assert trace.events.tolist() == expected.events.tolist()
    assert trace.finals.tolist() == expected.finals.tolist()
    return trace


def fill(b, point, rng, values):
    """Load a random datum over all rows of a point."""
    bits, size = b.hardware.word, point.capacity // b.hardware.word
    name = f"all_{point.name}"
    b.datum(name, point, 0, shape=(size,))
    values[name] = [rng.randrange(1 << bits) for _ in range(size)]
    b.final(name, point)


def free_row(taken, cycle, wire, rng, point):
    """Return a row of a point to which nothing else is written in that cycle."""
    while True:
        row = rng.randrange(point.rows)
        if (cycle, point, row) not in taken:
            taken.add((cycle, point, row))
            return row


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("latency", [1, 33, 34, 40])
def test_random_moves_through_a_junction(seed, latency):
    rng = random.Random(seed)
    h = Cross(latency=latency).freeze()
    b, values, taken = Builder(h), {}, set()
    for point in h.points:
        if point.stores:
            fill(b, point, rng, values)
    words = {w.name: w.lane // 4 for w in h.wires}
    hub = h["hub"].index
    landings = []
    for cycle in range(60):
        arriving = []
        for wire in h.wires:
            source = h.points[wire.source]
            if not source.stores:
                continue
            for lane in range(wire.lanes):
                if rng.random() < 0.5:
                    size = rng.randint(1, words[wire.name])
                    offset = rng.randrange(0, source.row // 4, words[wire.name])
                    b.send(cycle, wire, rng.randrange(source.rows), lane, offset, size)
                    if wire.target == hub:
                        arriving.append((wire, lane))
                    else:
                        landings.append((cycle + wire.latency, wire, lane))
        outgoing = [(w, lane) for w in h.outgoing[hub] for lane in range(w.lanes)]
        rng.shuffle(outgoing)
        for from_wire, from_lane in arriving:
            # A fork now and then; every word is taken at least once.
            for _ in range(rng.choice((1, 1, 2))):
                if outgoing:
                    wire, lane = outgoing.pop()
                    b.steer(cycle + 1, wire, from_wire, lane, from_lane)
                    landings.append((cycle + 1 + wire.latency, wire, lane))
            if not outgoing:
                break
        b.rows["sends"] = [
            s
            for s in b.rows["sends"]
            if s["cycle"] != cycle
            or h.wires[s["wire"]].target != hub
            or any(
                (t["cycle"], t["from_wire"], t["from_lane"]) == (cycle + 1, s["wire"], s["lane"])
                for t in b.rows["steers"]
            )
        ]
    for cycle, wire, lane in landings:
        point = h.points[wire.target]
        offset = rng.randrange(0, point.row // 4, words[wire.name])
        b.land(cycle, wire, free_row(taken, cycle, wire, rng, point), lane, offset)
    trace = check(h, b, 110, values)
    assert len(events(trace, Kind.ARRIVE)) > 100


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "shape",
    [
        {"units": 3, "row": 16, "bits": 32, "result_row": 8},
        {"units": 1, "row": 32, "bits": 16, "result_row": 32},
        {"units": 4, "row": 8, "bits": 64, "result_row": 16},
    ],
)
def test_random_ops_on_all_units(seed, shape):
    rng = random.Random(seed)
    h = Tile(**shape).freeze()
    b, values, taken = Builder(h), {}, set()
    fill(b, h.near, rng, values)
    fill(b, h.far, rng, values)
    free = [0] * h.alu.units
    done = set()

    def slot(point, size):
        width = point.row // 8
        if size > width:
            rows = rng.sample(range(point.rows), -(-size // width))
            return size, 0, *rows
        return size, rng.randint(0, width - size), rng.randrange(point.rows)

    def operand():
        return slot(h.near, rng.choice([s for s in (1, 2, 4, 8) if s * 8 <= h.alu.bits]))

    def write(cycle, unit):
        while True:
            size, offset, *rows = slot(
                h.far, rng.choice([s for s in (1, 2, 4, 8) if s * 8 <= h.alu.bits])
            )
            if not any((cycle, row) in taken for row in rows):
                taken.update((cycle, row) for row in rows)
                b.result(cycle, h.alu, *rows, unit=unit, size=size, offset=offset)
                return

    for cycle in range(80):
        units = [u for u in range(h.alu.units) if free[u] <= cycle and rng.random() < 0.7]
        while units:
            code = rng.choice(["add", "mul", "max", "relu", "dot"])
            group = units[: rng.randint(1, len(units))] if code == "dot" else units[:1]
            units = units[len(group) :]
            timing = h.alu.ops[code]
            end = (cycle + timing.latency, group[-1])
            if end in done:
                continue
            done.add(end)
            for i, unit in enumerate(group):
                slots = [operand() for _ in range(1 if code == "relu" else 2)]
                if code == "dot" and i == 0 and rng.random() < 0.5:
                    slots.append(operand())
                b.fire(
                    cycle,
                    h.alu,
                    code,
                    *slots,
                    unit=unit,
                    first=int(i == 0),
                    last=int(unit == group[-1]),
                )
                free[unit] = cycle + timing.cooldown
            write(*end)
    trace = check(h, b, 90, values)
    assert len(events(trace, Kind.RESULT)) > 20


def test_dot_products_that_start_together_share_the_units():
    h = FourPe().freeze()
    b, pe, mac = Builder(h), h.pe[1], h.mac[1]
    b.datum("X", pe, 0, shape=(6,))
    b.datum("Y")
    for unit, (x, y) in enumerate([(0, 1), (2, 3), (4, 5), (0, 5)]):
        b.fire(
            2,
            mac,
            "dot",
            (1, 0, x),
            (1, 0, y),
            unit=unit,
            first=int(unit in (0, 3)),
            last=int(unit in (2, 3)),
        )
    b.result(4, mac, 6, unit=2)
    b.result(4, mac, 7, unit=3)
    b.final("Y", pe, 6)
    b.final("Y", pe, 7)
    trace = check(h, b, 5, {"X": [2, 3, -4, 5, 6, 7]})
    assert trace.finals["value"].tolist() == [2 * 3 - 4 * 5 + 6 * 7, 14]


def test_an_array_op_fires_its_unit_in_every_step():
    h = Tile(units=2, row=8, bits=8).freeze()
    b = Builder(h)
    b.datum("X", h.near, 0, shape=(5,))
    b.datum("Y", shape=(5,))
    for element in range(5):
        step, unit = divmod(element, 2)
        more = int(element + 2 < 5)
        b.fire(1 + step, h.alu, "relu", (1, 0, element), unit=unit, more=more)
        b.result(5 + step, h.alu, element, unit=unit)
    # The last step of unit 0 is in cycle 3: it cools down until 6.
    b.fire(7, h.alu, "mul", (1, 0, 0), (1, 0, 1), unit=0)
    b.result(9, h.alu, 9, unit=0)
    b.final("Y", h.far)
    trace = check(h, b, 10, {"X": [1, -2, 3, -4, 5]})
    assert trace.finals["value"].tolist() == [1, 0, 3, 0, 5]


def test_an_adder_sums_what_lands_together_and_what_is_there():
    h = Sum().freeze()
    b = Builder(h)
    for i in range(3):
        b.datum(f"X{i}", h.leaf[i], 0, bits=16, shape=(2,))
        b.move(1, h.up[i], i % 2, 2)
        b.rows["lands"][-1]["first"] = int(i == 1)
    b.send(4, h.up[2], 0)
    b.land(5, h.up[2], 2)
    b.fire(4, h.mac, "mul", (2, 0, 0), (2, 0, 1))  # its product is a summand too
    b.result(5, h.mac, 2, size=2)
    b.datum("S", bits=16)
    for lane in range(2):  # the sum leaves in the cycle in which its last summands arrive
        b.send(5, h.out, 2, lane, lane)
        b.land(7, h.out, 1, lane, lane)
    b.move(7, h.up[0], 1, 2)
    b.rows["lands"][-1]["first"] = 1  # another sum begins in the same row
    b.final("S", h.root, 1)
    b.final("S", h.adder, 2)
    values = {"X0": [100, -7], "X1": [3, 30000], "X2": [-20000, 9]}
    trace = check(h, b, 9, values)
    total = 100 + 30000 - 20000 - 20000 - 700
    assert trace.finals["value"].tolist() == [total & 0xFFFF, -7 & 0xFFFF]


@pytest.mark.parametrize("seed", range(3))
def test_random_sums(seed):
    rng = random.Random(seed)
    h = Sum().freeze()
    b, values = Builder(h), {}
    for point in h.points:
        fill(b, point, rng, values)
    for cycle in range(40):
        first = [rng.random() < 0.3 for _ in range(3)]
        for wire in h.up:
            if rng.random() < 0.6:
                row = rng.randrange(3)
                b.move(cycle, wire, rng.randrange(8), row)
                b.rows["lands"][-1]["first"] = int(first[row])
        if rng.random() < 0.5:
            b.fire(cycle, h.mac, "mul", (2, 0, rng.randrange(8)), (1, 1, rng.randrange(8)))
            row = rng.randrange(3)
            b.result(cycle + 1, h.mac, row, size=2, first=int(first[row]))
        row, to = rng.randrange(3), rng.randrange(8)
        for lane in range(2):
            b.send(cycle, h.out, row, lane, lane)
            b.land(cycle + 2, h.out, to, lane, lane)
    check(h, b, 50, values)


class Wide(Fabric):
    def __init__(self, row, lanes):
        self.word = row // 4
        self.a = Node(capacity=2 * row, row=row)
        self.b = Node(capacity=2 * row, row=row)
        self.bus = self.wire(self.a, self.b, bandwidth=row, lane=row // lanes, latency=2)


@pytest.mark.parametrize(("row", "lanes"), [(256, 2), (8192, 1)])
def test_wide_lanes_are_seen_in_chunks_of_64_bits(row, lanes):
    """The wider probe is an integer of more digits than Python likes to print."""
    h = Wide(row, lanes).freeze()
    b = Builder(h)
    rng = np.random.default_rng(1)
    b.datum("X", h.a, 1, bits=8, shape=(row // 8,))
    for lane in range(lanes):
        words = 4 // lanes
        b.send(0, h.bus, 1, lane, words * lane)
        b.land(2, h.bus, 0, lane, words * lane)
    b.final("X", h.b, 0)
    values = {"X": rng.integers(0, 256, row // 8)}
    trace = check(h, b, 3, values)
    assert len(trace.events) == 2 * row // 64
    assert trace.finals["value"].tobytes() == values["X"].astype(np.uint8).tobytes()
