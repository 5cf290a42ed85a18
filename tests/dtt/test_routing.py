"""The reference routing: the paper's example, copies, Junctions, energies, and its limits."""

import pytest

import dtt
from dtt.reference import Reference
from dtt.routing import latency_to
from dtt.state import Path, Stay
from hwdsl import Fabric, Junction, Node
from hwdsl.errors import TimingFault


def scheduled(hardware, work, **options):
    schedule = dtt.schedule(hardware, work, engine="reference", **options)
    dtt.check(hardware, work, schedule)
    return schedule


def needing(hardware, *needs, load=("sram", ("A", "B")), bits=8):
    work = dtt.Workload(bits=bits)
    node, names = load
    data = {name: work.load(name, at=node) for name in names}
    for name, at, by in needs:
        work.need(data[name], at=at, by=by)
    return work


def moves_of(schedule, name):
    hardware, index = schedule.hardware, [d.name for d in schedule.workload.data].index(name)
    own = schedule.moves[schedule.moves["datum"] == index]
    return [(hardware.wires[m["wire"]].name, int(m["cycle"])) for m in own]


def test_the_first_example(fig1):
    schedule = scheduled(fig1, needing(fig1, ("A", "pe", 3), ("B", "pe", 3)))
    assert moves_of(schedule, "A") == [("bus0", 0), ("bus1", 1)]
    assert moves_of(schedule, "B") == [("bus0", 0), ("bus1", 2)]
    a, b = schedule.workload.data
    assert schedule.paths(a) == ("sram@0 -> reg@1 -> pe@2",)
    assert schedule.paths(b) == ("sram@0 -> reg@1 -> pe@3",)


def test_too_early_is_a_timing_fault(fig1):
    work = needing(fig1, ("A", "pe", 2), ("B", "pe", 2))
    schedule = scheduled(fig1, work)
    (unserved,) = schedule.unserved
    assert (unserved.request, unserved.earliest) == (1, 3)
    with pytest.raises(TimingFault, match=r"'B'.*'bus1' carries 'A' at 1.*works is 3"):
        dtt.schedule(fig1, work, strict=True)


class Forked(Fabric):
    """One memory, a Junction, two targets; the direct wire to one of them is dear."""

    def __init__(self, dear=10):
        self.source = Node(capacity=64)
        self.hub = Junction()
        self.left = Node(capacity=16)
        self.right = Node(capacity=16)
        self.stem = self.wire(self.source, self.hub, bandwidth=8, latency=2, pj_per_bit=1)
        self.to_left = self.wire(self.hub, self.left, bandwidth=8, latency=1, pj_per_bit=1)
        self.to_right = self.wire(self.hub, self.right, bandwidth=8, latency=3, pj_per_bit=1)
        self.direct = self.wire(self.source, self.right, bandwidth=8, latency=1, pj_per_bit=dear)


def test_multicast_through_a_junction_uses_the_stem_once():
    hardware = Forked().freeze()
    work = needing(hardware, ("A", "left", 3), ("A", "right", 5), load=("source", ("A",)))
    schedule = scheduled(hardware, work)
    assert moves_of(schedule, "A") == [("stem", 0), ("to_left", 2), ("to_right", 2)]


def test_a_dearer_wire_is_taken_only_in_haste():
    hardware = Forked(dear=2.5).freeze()
    leisure = needing(hardware, ("A", "right", 5), load=("source", ("A",)))
    haste = needing(hardware, ("A", "right", 4), load=("source", ("A",)))
    assert [w for w, _ in moves_of(scheduled(hardware, leisure), "A")] == ["stem", "to_right"]
    assert [w for w, _ in moves_of(scheduled(hardware, haste), "A")] == ["direct"]


def test_fewer_moves_break_ties_of_energy():
    hardware = Forked(dear=2).freeze()
    work = needing(hardware, ("A", "right", 5), load=("source", ("A",)))
    assert moves_of(scheduled(hardware, work), "A") == [("direct", 0)]


class Line(Fabric):
    """Three memories in a row; the middle one charges for stays."""

    def __init__(self, hold=1.0, middle=64, width=8):
        self.a = Node(capacity=256, pj_per_bit_cycle=0)
        self.b = Node(capacity=middle, pj_per_bit_cycle=hold)
        self.c = Node(capacity=256, pj_per_bit_cycle=2 * hold)
        self.ab = self.wire(self.a, self.b, bandwidth=width, latency=1, pj_per_bit=1)
        self.bc = self.wire(self.b, self.c, bandwidth=width, latency=1, pj_per_bit=1)


def test_waiting_is_done_where_it_is_cheapest():
    hardware = Line().freeze()
    work = needing(hardware, ("A", "c", 9), load=("a", ("A",)))
    schedule = scheduled(hardware, work)
    assert moves_of(schedule, "A") == [("ab", 7), ("bc", 8)]
    assert schedule.energy_pj == 16


def test_beats_hold_the_source_and_the_wire():
    hardware = Line(hold=0).freeze()
    work = dtt.Workload(bits=8)
    wide = work.load("wide", at="a", shape=3)
    narrow = work.load("narrow", at="a")
    work.need(wide, at="c")
    work.need(narrow, at="c")
    schedule = scheduled(hardware, work)
    assert moves_of(schedule, "wide") == [("ab", 0), ("bc", 3)]
    assert moves_of(schedule, "narrow") == [("ab", 3), ("bc", 6)]
    assert schedule.cycles == 7


def test_a_full_node_lets_nothing_through():
    hardware = Line(hold=0, middle=8).freeze()
    work = dtt.Workload(bits=8)
    one, other = work.load("one", "other", at="a")
    work.need(one, at="b", by=5)
    work.need(other, at="c", by=5)
    schedule = scheduled(hardware, work)
    (unserved,) = schedule.unserved
    assert unserved.request == 1
    assert "'b'" in unserved.reason
    assert unserved.earliest == 7


class Ring(Fabric):
    """A Junction ring beside the straight way, which only a path that must be late would use."""

    def __init__(self):
        self.a = Node(capacity=8)
        self.x = Junction()
        self.y = Junction()
        self.b = Node(capacity=8)
        for source, target in ((self.a, self.x), (self.x, self.y), (self.y, self.x)):
            self.wire(source, target, bandwidth=8, latency=1)
        self.wire(self.x, self.b, bandwidth=8, latency=1)


def test_a_path_passes_a_junction_once():
    hardware = Ring().freeze()
    state = Reference(hardware, [8, 8])
    state.stay(0, hardware.a.index, Stay(0, 0, 0))
    b = hardware.b.index
    # Something else fills a from cycle 1 and b to cycle 3: only the ring could bridge the time.
    state.stay(1, hardware.a.index, Stay(1, 1, 9))
    state.stay(1, b, Stay(0, 0, 3))
    assert state.route(0, b, 4, 4) is None
    assert state.route(0, b, 2, 2) is None
    state.rows[b].add(0, 3, -1)
    assert state.route(0, b, 2, 2) == Path(
        (hardware.a.index, 0), ((hardware["a->x"].index, 0), (hardware["x->b"].index, 1)), 0
    )


def test_source_names_the_node_to_take_it_from(fig1):
    work = dtt.Workload(bits=8)
    a = work.load("A", at="sram")
    work.need(a, at="pe", by=4)
    work.need(a, at="pe", by=9, source="sram")
    schedule = scheduled(fig1, work)
    assert len(schedule.moves) == 4


def test_without_reuse_each_request_is_carried_on_its_own(fig1):
    for reuse, reads in ((True, 1), (False, 3)):
        work = dtt.Workload(bits=8, reuse=reuse)
        a = work.load("A", at="sram")
        for by in (4, 6, 8):
            work.need(a, at="pe", by=by)
        assert scheduled(fig1, work).reads("sram") == reads


def test_distances_are_least_latencies():
    hardware = Forked().freeze()
    assert latency_to(hardware, hardware.right.index)[hardware.source.index] == 1
    assert latency_to(hardware, hardware.left.index)[hardware.source.index] == 3


def test_state_takes_everything_back(fig1):
    state = Reference(fig1, [8, 8])
    state.stay(0, fig1.sram.index, Stay(0, 0, 0, open=True))
    mark = state.mark()
    path = state.route(0, fig1.pe.index, 5, 7)
    state.commit(0, path, 7)
    state.close(0)
    state.start(0, 7, 1, 1)
    assert state.holds(0, fig1.pe.index, 5)
    state.rollback(mark)
    assert not state.holds(0, fig1.pe.index, 5)
    assert all(state.rows[p.index].peak(1, 99) == (p.name == "sram") for p in fig1.points)
    assert not state.departed
    assert all(o.peak(0, 99) == 0 for o in (*state.lanes, *state.units))
