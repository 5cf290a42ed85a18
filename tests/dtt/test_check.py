"""Every rule of the contract, broken by a small change to a small legal Schedule."""

import pytest
from handmade import planned

import dtt
from dtt.check import check
from dtt.schedule import MOVE, Schedule, Unserved
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.errors import IllegalSchedule
from hwdsl.workload import Workload


class Fig1(Fabric):
    def __init__(self, *, datum=8, pe=8):
        self.word = datum
        self.sram = Node(capacity=64 * datum)
        self.reg = Node(capacity=8 * datum)
        self.pe = Node(capacity=pe * datum)
        self.mac = Actor(at=self.pe, ops={"mul", "dot"})
        self.other = Actor(at=self.pe, ops={"add"}, bits=datum)
        self.bus0 = self.wire(self.sram, self.reg, bandwidth=4 * datum, latency=1)
        self.bus1 = self.wire(self.reg, self.pe, bandwidth=datum, latency=1)
        self.back = self.wire(self.pe, self.sram, bandwidth=datum, latency=1)


class Fork(Fabric):
    """src -> hub -> (left, right), hub <-> side; bandwidth 16 bits, so 32 bits take two beats."""

    def __init__(self):
        self.word = 8
        self.src = Node(capacity=256)
        self.left = Node(capacity=64)
        self.right = Node(capacity=64)
        self.hub = Junction()
        self.side = Junction()
        self.into = self.wire(self.src, self.hub, bandwidth=16, latency=1)
        self.to_left = self.wire(self.hub, self.left, bandwidth=16, latency=1)
        self.to_right = self.wire(self.hub, self.right, bandwidth=16, latency=2)
        self.out = self.wire(self.hub, self.side, bandwidth=16, latency=1)
        self.home = self.wire(self.side, self.hub, bandwidth=16, latency=1)
        self.back = self.wire(self.left, self.right, bandwidth=16, latency=1)


def broken(hardware, work, *args, **kwargs):
    """Return the rules that a Schedule breaks, in the order in which they are told."""
    try:
        check(hardware, work, planned(hardware, work, *args, **kwargs))
    except IllegalSchedule as error:
        return [v.rule for v in error.violations]
    return []


MOVES = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
FIRED = [("C", "mac", 3)]


def fig1(**kwargs):
    hardware = Fig1(**kwargs).freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="sram")
    c = work.op("mul", a, b, name="C")
    work.store(c, at="pe")
    return hardware, work


def test_the_first_example_is_legal():
    assert broken(*fig1(), MOVES, FIRED) == []
    assert broken(*fig1(pe=3), MOVES, FIRED) == []


@pytest.mark.parametrize(
    ("moves", "fired", "rules"),
    [
        (MOVES[1:], FIRED, ["source"]),
        (MOVES[:3], FIRED, ["operand"]),
        (MOVES, [], ["fired once"]),
        (MOVES, FIRED * 2, ["fired once"]),
        (MOVES, [("C", "mac", 2)], ["operand"]),
        (MOVES, [("C", "other", 3)], ["op code"]),
        ([*MOVES[:3], ("B", "bus1", 1)], FIRED, ["lanes"]),
        ([*MOVES[:3], ("B", "bus1", 3)], FIRED, ["operand"]),
        ([("A", "bus0", 1), *MOVES[1:]], FIRED, ["source"]),
        ([*MOVES, MOVES[0]], FIRED, ["twice"]),
        ([*MOVES, ("C", "back", 3)], FIRED, ["source"]),
    ],
)
def test_mutants_of_the_first_example(moves, fired, rules):
    assert broken(*fig1(), moves, fired) == rules


def test_the_message_names_rule_part_datum_and_cycle():
    hardware, work = fig1()
    with pytest.raises(IllegalSchedule) as caught:
        check(hardware, work, planned(hardware, work, MOVES[1:], FIRED))
    (violation,) = caught.value.violations
    assert (violation.part, violation.datum, violation.cycle) == ("bus1", "A", 1)
    assert str(caught.value) == (
        "source: datum 'A' leaves Node 'reg' on Wire 'bus1' in cycle 1, "
        "but it is not complete in Node 'reg'"
    )


def test_only_the_first_violations_are_told_but_all_are_counted():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    names = work.load(*(f"d{i}" for i in range(30)), at="sram")
    with pytest.raises(IllegalSchedule, match="and 10 more") as caught:
        check(
            hardware,
            work,
            planned(hardware, work, [(d.name, "bus1", i) for i, d in enumerate(names)]),
        )
    assert (caught.value.count, len(caught.value.violations)) == (30, 20)


def test_a_node_is_full_while_what_it_holds_is_used():
    hardware, work = fig1(pe=2)
    # C comes when A and B have just been used: cycle 4.
    assert broken(hardware, work, MOVES, FIRED) == []
    work.need(work.data[0], at="pe", by=5)
    work.need(work.data[1], at="pe", by=4)
    assert broken(hardware, work, MOVES, FIRED) == ["capacity"]


def test_a_result_takes_space_while_it_is_made():
    class Slow(Fabric):
        def __init__(self, hold):
            self.word = 8
            self.pe = Node(capacity=32)
            self.alu = Actor(at=self.pe, ops={"add": {"hold": hold}}, latency=3, units=2)

    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe", shape=2)
    work.op("add", a, b, name="C")
    # Held 1 cycle, the operands are gone when C comes; held 3, C finds no room.
    assert broken(Slow(1).freeze(), work, [], [("C", "alu", 0)]) == []
    assert broken(Slow(3).freeze(), work, [], [("C", "alu", 0)]) == ["capacity"]


def test_indices_and_order():
    hardware, work = fig1()
    good = planned(hardware, work, MOVES, FIRED)

    def rules(moves=good.moves, firings=good.firings, unserved=()):
        with pytest.raises(IllegalSchedule) as caught:
            check(hardware, work, Schedule(hardware, work, moves, firings, unserved, ""))
        return [v.rule for v in caught.value.violations]

    for field, value in (("datum", 9), ("datum", -1), ("wire", 3), ("cycle", -1)):
        moves = good.moves.copy()
        moves[field][0] = value
        assert rules(moves) == ["index"], field
    for field, value in (("op", 1), ("actor", 2), ("cycle", -1)):
        firings = good.firings.copy()
        firings[field][0] = value
        assert rules(firings=firings) == ["index"], field
    assert rules(good.moves[[0, 1, 3, 2]]) == ["order"]
    assert rules(good.moves.astype([(n, "<i8") for n in MOVE.names])) == ["index"]
    assert rules(unserved=(Unserved(7, "", None),)) == ["index"]
    parts = good.firings.copy()
    parts["part"] = 0
    assert rules(firings=parts) == ["part"]


def test_what_an_actor_can_do():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    work.dot([(a, b), (b, a)], name="two")
    assert broken(hardware, work, [], [("two", "mac", 0)]) == ["units"]
    work = Workload(bits=16)
    a, b = work.load("A", "B", at="pe")
    work.op("mul", a, b, name="C", on="other", not_before=1)
    assert broken(hardware, work, [], [("C", "mac", 0)]) == ["on", "not before"] + ["bits"] * 3
    work = Workload(bits=4)
    work.load("A", at="pe")
    assert broken(hardware, work) == ["word"]


def test_units_are_kept_for_the_cooldown():
    class Pair(Fabric):
        def __init__(self):
            self.word = 8
            self.pe = Node(capacity=80)
            self.mac = Actor(at=self.pe, ops={"dot"}, units=4, latency=2, cooldown=3)

    hardware = Pair().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    for name in ("p", "q", "r"):
        work.dot([(a, b), (b, a)], name=name)
    for cycle, rules in ((0, ["units"]), (2, ["units"]), (3, [])):
        fired = [("p", "mac", 0), ("q", "mac", 0), ("r", "mac", cycle)]
        assert broken(hardware, work, [], fired) == rules


FORKED = [("X", "into", 0), ("X", "to_left", 1), ("X", "to_right", 1)]


def fork(**kwargs):
    work = Workload(bits=8)
    x = work.load("X", at="src", shape=4)
    work.need(x, at="left", by=3)
    work.need(x, at="right", by=4)
    return Fork().freeze(), work


@pytest.mark.parametrize(
    ("moves", "rules"),
    [
        (FORKED, []),
        (FORKED[1:], ["junction", "junction"]),
        (FORKED[:1], ["junction end", "request", "request"]),
        (FORKED[:2], ["request"]),
        ([FORKED[0], FORKED[1], ("X", "to_right", 2)], ["junction", "request"]),
        ([FORKED[0], ("X", "to_right", 1), ("X", "to_left", 2)], ["junction", "request"]),
        # Two beats: complete in cycle 3, so it cannot go on in cycle 2.
        ([FORKED[0], FORKED[1], ("X", "back", 2)], ["source"]),
        ([FORKED[0], FORKED[1], ("X", "back", 3)], ["request"]),
        # The second beat of X and the first of a copy of it share no cycle of a full Wire.
        ([*FORKED, ("X", "into", 1), ("X", "to_left", 2)], ["lanes", "lanes"]),
        ([*FORKED, ("X", "into", 2), ("X", "to_left", 3)], []),
        # Through hub, side and hub again.
        (
            [*FORKED, ("X", "out", 1), ("X", "home", 2), ("X", "to_left", 3)],
            ["junction twice"],
        ),
    ],
)
def test_junctions_and_beats(moves, rules):
    assert broken(*fork(), moves) == rules


def test_what_is_unserved_asks_for_nothing():
    hardware, work = fork()
    assert broken(hardware, work, FORKED[:2], unserved=[1]) == []
    assert broken(hardware, work, FORKED, unserved=[1]) == []


def test_an_operand_that_is_updated_in_place_is_gone():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    work.op("add", a, b, name="S", into=a)
    fired = [("S", "other", 4)]
    assert broken(hardware, work, [], fired) == []
    work.need(a, at="pe", by=3)
    assert broken(hardware, work, [], fired) == []
    assert broken(hardware, work, [("A", "back", 3)], fired) == []
    assert broken(hardware, work, [("A", "back", 4)], fired) == ["in place"]
    # Brought back, it is there again.
    again = [("A", "back", 0), ("A", "bus0", 1), ("A", "bus1", 3), ("A", "back", 4)]
    assert broken(hardware, work, again, fired) == ["in place"]
    again[2:] = [("A", "bus1", 4), ("A", "back", 5)]
    assert broken(hardware, work, again, fired) == []
    work.need(a, at="pe", by=4)
    assert broken(hardware, work, [], fired) == ["in place"]


def test_two_updates_of_one_copy_or_a_store_of_the_old_value():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    work.op("add", a, b, name="S", into=a)
    work.op("add", a, b, name="T", into=a)
    assert broken(hardware, work, [], [("S", "other", 4), ("T", "other", 5)]) == ["in place"]
    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    work.op("add", a, b, name="S", into=a)
    work.store(a, at="pe")
    assert broken(hardware, work, [], [("S", "other", 4)]) == ["in place"]


def test_an_update_in_place_needs_no_further_row():
    class Tight(Fabric):
        def __init__(self):
            self.word = 8
            self.pe = Node(capacity=16)
            self.alu = Actor(at=self.pe, ops={"add"}, latency=3)

    work = Workload(bits=8)
    a, b = work.load("A", "B", at="pe")
    s = work.op("add", a, b, name="S", into=a)
    work.op("add", s, b, name="T", into=s)
    work.store(b, at="pe")
    hardware = Tight().freeze()
    assert broken(hardware, work, [], [("S", "alu", 0), ("T", "alu", 3)]) == []
    assert broken(hardware, work, [], [("S", "alu", 0), ("T", "alu", 2)])[0] == "operand"


def test_source_is_honoured():
    hardware = Fork().freeze()
    work = Workload(bits=8)
    x = work.load("X", at="src", shape=4)
    work.need(x, at="right", by=9, source="left")
    assert broken(hardware, work, FORKED) == ["source node"]
    assert broken(hardware, work, [*FORKED, ("X", "back", 3)]) == []
    assert broken(hardware, work, [FORKED[0], FORKED[1], ("X", "back", 4)]) == []
    # Too late: complete in cycle 10.
    assert broken(hardware, work, [*FORKED, ("X", "back", 8)]) == ["source node"]


def test_reuse_false_wants_a_way_of_its_own():
    hardware = Fork().freeze()
    work = Workload(bits=8, reuse=False)
    x = work.load("X", at="src", shape=4)
    work.need(x, at="left", by=9)
    work.need(x, at="right", by=9)
    apart = [FORKED[0], FORKED[1], ("X", "into", 2), ("X", "to_right", 3)]
    assert broken(hardware, work, apart) == []
    assert broken(hardware, work, FORKED) == ["reuse", "reuse"]
    onward = [FORKED[0], FORKED[1], ("X", "back", 4)]
    assert broken(hardware, work, onward) == ["reuse", "reuse"]


def test_reuse_false_counts_each_request_of_one_node():
    hardware = Fork().freeze()
    work = Workload(bits=8)
    x = work.load("X", at="src", shape=4)
    work.need(x, at="left", by=3, reuse=False)
    work.need(x, at="left", by=9, reuse=False)
    work.need(x, at="right")
    assert broken(hardware, work, FORKED) == ["reuse", "reuse"]
    assert broken(hardware, work, [*FORKED, ("X", "into", 2), ("X", "to_left", 3)]) == []
    assert broken(hardware, work, [*FORKED, ("X", "into", 8), ("X", "to_left", 9)]) == ["reuse"]


def test_requests_that_name_no_node():
    hardware = Fork().freeze()
    work = Workload(bits=8)
    x = work.load("X", at="hub")
    work.need(x, at="nowhere")
    assert broken(hardware, work) == ["index", "index"]


def test_an_element_must_not_straddle_rows():
    class Rows(Fabric):
        def __init__(self):
            self.word = 8
            self.pe = Node(capacity=160, row=16)
            self.alu = Actor(at=self.pe, ops={"relu"}, bits=24)

    work = Workload(bits=24)
    a = work.load("A", at="pe", shape=2)
    work.op("relu", a, name="R")
    assert broken(Rows().freeze(), work, [], [("R", "alu", 0)]) == ["row", "row"]


def test_reuse_false_begins_at_the_source_that_is_named():
    hardware = Fork().freeze()
    work = Workload(bits=8, reuse=False)
    x = work.load("X", at="src", shape=4)
    work.need(x, at="left", by=3)
    work.need(x, at="right", by=9, source="left")
    assert broken(hardware, work, [FORKED[0], FORKED[1], ("X", "back", 3)]) == []
    assert broken(hardware, work, FORKED) == ["source node"]
    work.need(x, at="right", by=9, source="left")
    assert broken(hardware, work, [FORKED[0], FORKED[1], ("X", "back", 3)]) == ["reuse"]
    twice = [FORKED[0], FORKED[1], ("X", "back", 3), ("X", "back", 7)]
    assert broken(hardware, work, twice) == []


def test_after_is_honoured():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a = work.load("A", at="sram")
    work.need(a, at="reg", after=work.op("mul", *work.load("X", "Y", at="pe"), name="C"))
    fired = [("C", "mac", 2)]
    assert broken(hardware, work, [("A", "bus0", 1)], fired) == ["after"]
    assert broken(hardware, work, [("A", "bus0", 2)], fired) == []
    # Whoever else wants it there may have brought it.
    work.need(a, at="reg", by=2)
    assert broken(hardware, work, [("A", "bus0", 1)], fired) == []


def test_after_of_an_op_is_honoured():
    hardware = Fig1().freeze()
    work = Workload(bits=8)
    a, (x, y) = work.load("A", at="reg"), work.load("X", "Y", at="pe")
    c = work.op("mul", x, y, name="C")
    work.op("mul", a, y, name="D", after=c)
    early = [("A", "bus1", 1)], [("C", "mac", 2), ("D", "mac", 4)]
    assert broken(hardware, work, *early) == ["after"]
    assert broken(hardware, work, [("A", "bus1", 2)], [("C", "mac", 2), ("D", "mac", 4)]) == []
    # For a resident Op nothing is brought, so it is no reason to come sooner; another Op is.
    work.op("mul", a, x, name="E", resident=True)
    early[1].append(("E", "mac", 6))
    assert broken(hardware, work, *early) == ["after"]
    work.op("mul", a, x, name="F")
    early[1].append(("F", "mac", 8))
    assert broken(hardware, work, *early) == []


class Twofold(Fabric):
    """Two wires from one memory to one Junction."""

    def __init__(self):
        self.ram = Node(capacity=64)
        self.hub = Junction()
        self.end = [Node(capacity=64) for _ in range(2)]
        self.into = [self.wire(self.ram, self.hub, bandwidth=8, latency=2) for _ in range(2)]
        self.out = [self.wire(self.hub, end, bandwidth=8, latency=1) for end in self.end]


def test_a_datum_arrives_at_a_junction_on_one_wire_at_a_time(planned):
    hardware = Twofold().freeze()
    work = Workload(bits=8, reuse=False)
    a = work.load("A", at="ram")
    for end in ("end[0]", "end[1]"):
        work.need(a, at=end, by=9)
    moves = [("A", "into[0]", 0), ("A", "out[0]", 2), ("A", "into[1]", 0), ("A", "out[1]", 2)]
    with pytest.raises(IllegalSchedule, match=r"'into\[1\]'.*arrives at.*as another copy does"):
        check(hardware, work, planned(hardware, work, moves))
    apart = [*moves[:2], ("A", "into[1]", 1), ("A", "out[1]", 3)]
    check(hardware, work, planned(hardware, work, apart))
    check(hardware, work, dtt.schedule(hardware, work))
