"""Dot products spread over a reduction tree: the search, the schedules, the rules they keep."""

from dataclasses import replace

import numpy as np
import pytest
from reductions import dots, link_moves, packed, partitions

import dtt
from dtt.reduction.additions import additions
from dtt.reduction.blocking import blocking
from dtt.reduction.calendar import Calendar, fill, spread_down
from dtt.schedule import FIRING, MOVE
from hwdsl import Actor
from hwdsl.errors import IllegalSchedule, InputError, NoSchedule
from hwdsl.fabrics import ReductionTree
from hwdsl.workload import Workload


@pytest.fixture(scope="module")
def plain():
    return ReductionTree(leaves=8, collect="any").freeze()


@pytest.fixture(scope="module")
def augmented():
    return ReductionTree(leaves=8, collect="any", augmented=True).freeze()


def scheduled(hardware, lengths, at=None, **given):
    work = dots(lengths, at)
    schedule = dtt.schedule(hardware, work, objective="time", **given)
    dtt.check(hardware, work, schedule)
    return schedule


def test_sets_of_cycles():
    assert fill(0b00100, 0b01100) == 0b01100
    assert fill(0b00100, 0b10100) == 0b00100
    assert fill(0b01010, 0b11110) == 0b11110
    assert spread_down(0b1000000, 5) == 0b1111110
    calendar = Calendar([1, 2, 0])
    assert calendar.full == [0, 0, -1]
    calendar.take(0, 0b101)
    calendar.take(1, 0b110)
    calendar.take(1, 0b011)
    assert calendar.full == [0b101, 0b010, -1]
    calendar.grow(3)
    assert calendar.full == [0b101000, 0b010000, -1]


def test_the_link_is_used_once(augmented):
    schedule = scheduled(augmented, (3, 3), (0, 3))
    assert link_moves(schedule) == 1
    assert schedule.cycles == 4
    assert schedule.paths(schedule.workload.ops[1].result)


def test_three_and_five(plain, augmented):
    before, after = (scheduled(h, (3, 5), (0, 3)) for h in (plain, augmented))
    assert (before.cycles, after.cycles) == (6, 5)
    assert (link_moves(before), link_moves(after)) == (0, 1)
    assert (additions(before).two, additions(before).three) == (6, 0)
    assert (additions(after).two, additions(after).three) == (4, 1)


def test_alone_it_takes_the_depth_of_the_tree(plain):
    # Fed in 1, multiplied in 1, and one Wire for each level and to the Node.
    assert scheduled(plain, (2,), (0,)).cycles == 3
    assert scheduled(plain, (2,), (1,)).cycles == 4
    assert scheduled(plain, (2,), (3,)).cycles == 5
    assert scheduled(plain, (8,)).cycles == 5
    assert scheduled(plain, (1,)).cycles == 3


@pytest.mark.parametrize("lengths", list(partitions(8)))
def test_augmented_is_never_worse(plain, augmented, lengths):
    at = packed(lengths)
    before = scheduled(plain, lengths, at)
    after = scheduled(augmented, lengths, at)
    assert after.cycles <= before.cycles
    for schedule in (before, after):
        assert additions(schedule).total == sum(lengths) - len(lengths)
        assert schedule.cycles >= schedule.bounds()[0].cycles


def test_start_is_never_left_behind(plain, augmented):
    before = scheduled(plain, (5, 3), (0, 3 + 2))
    after = scheduled(augmented, (5, 3), (0, 3 + 2), start=before)
    assert after.cycles <= before.cycles


@pytest.mark.parametrize("collect", ["root", "any"])
def test_many_share_the_network(collect):
    hardware = ReductionTree(
        leaves=16, augmented=True, collect=collect, pj_per_add=2, pj_per_bit=0.25
    ).freeze()
    lengths = [2 + 7 * i % 12 for i in range(40)]
    schedule = scheduled(hardware, lengths)
    assert additions(schedule).total == sum(lengths) - len(lengths)
    assert schedule.energy.additions == 2_000_000 * (sum(lengths) - len(lengths))
    assert schedule.cycles <= 1.5 * schedule.bounds()[0].cycles + 4
    assert schedule.to_json() == dtt.schedule(hardware, schedule.workload).to_json()


def test_a_dot_product_longer_than_the_tree(plain):
    schedule = scheduled(plain, (20,))
    assert additions(schedule).total == 19
    assert schedule.cycles <= 10


def test_one_wire_less_is_the_plain_tree_with_a_one_way_link(augmented):
    names = ["add[0][1]->add[0][2]", "add[0][2]->add[0][1]"]
    assert link_moves(scheduled(augmented.without(names[1]), (3, 3), (0, 3))) == 1
    assert link_moves(scheduled(augmented.without(*names), (3, 3), (0, 3))) == 0


class Loop(ReductionTree):
    """Narrow feed, and results that come back as operands."""

    def __init__(self):
        super().__init__(leaves=8, augmented=True, collect="any", feed_bandwidth=8)
        self.act = Actor(at=self.out, ops={"relu"}, bits=32, latency=2)
        self.wire(self.out, self.feed, bandwidth=8, latency=1)


def two_layers(hardware):
    work = Workload(bits=8)
    x = work.load(*(f"x{i}" for i in range(4)), at="feed")
    w = [work.load(*(f"w{i}_{j}" for j in range(4)), at="feed") for i in range(3)]
    y = [work.dot(zip(row, x, strict=True), name=f"y{i}", bits=8) for i, row in enumerate(w)]
    z = work.dot(zip(y, x[:3], strict=True), name="z", bits=32)
    work.store(work.op("relu", z, name="r", bits=32), at="out")
    return work


def test_operands_that_have_to_be_routed():
    hardware = Loop().freeze()
    work = two_layers(hardware)
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    assert (schedule.firings["part"] >= 0).sum() == 4 * 3 + 3
    assert schedule.bounds()


def test_who_stood_in_the_way(plain, augmented):
    blocked = blocking(scheduled(plain, (3, 5), (0, 3)))
    assert not blocked[0].on
    assert [part for part, _, _ in blocked[1].on] == ["Wire 'add[0][1]->add[1][0]'"]
    assert str(blocked[1]) == "Wire 'add[0][1]->add[1][0]' in cycle 2 (dot0)"
    assert blocked[1].by_wires
    assert not any(b.on for b in blocking(scheduled(augmented, (3, 5), (0, 3))))


def test_refusals(plain):
    work = dots((3,))
    work.ops[0] = work.ops[0]._replace(on="mul[9]")
    with pytest.raises(InputError, match=r"on must be an? (Actor|multiplier)"):
        dtt.schedule(plain, work)
    work = Workload(bits=8)
    a, b = work.load("a", "b", at="feed")
    work.op("mul", a, b)
    with pytest.raises(NoSchedule, match="no Actor knows the op code 'mul'"):
        dtt.schedule(plain, work)
    work = Workload(bits=8)
    work.dot([work.load("a", "b", at="feed")], bits=64)
    with pytest.raises(NoSchedule, match="no multiplier computes on 64 bits"):
        dtt.schedule(plain, work)


def broken(schedule, moves=None, firings=None):
    """Return the rules that a changed Schedule breaks."""
    moves = schedule.moves if moves is None else moves[np.argsort(moves, order=_MOVES)]
    firings = schedule.firings if firings is None else firings[np.argsort(firings, order=_FIRINGS)]
    with pytest.raises(IllegalSchedule) as caught:
        dtt.check(
            schedule.hardware, schedule.workload, replace(schedule, moves=moves, firings=firings)
        )
    return {v.rule for v in caught.value.violations}


_MOVES, _FIRINGS = ("cycle", "wire", "datum"), ("cycle", "actor", "op", "part")


def on_wire(schedule, name):
    return int(np.flatnonzero(schedule.moves["wire"] == schedule.hardware[name].index)[0])


def test_planted_faults_are_caught(augmented):
    schedule = scheduled(augmented, (3, 3), (0, 3))
    link = on_wire(schedule, "add[0][1]->add[0][2]")
    moves = np.delete(schedule.moves, link)
    assert "partial sum" in broken(schedule, moves)  # it never leaves, and the sum lacks a pair
    late = schedule.moves.copy()
    late["cycle"][link] += 3
    assert "partial sum" in broken(schedule, late)
    fork = np.concatenate((schedule.moves, schedule.moves[link : link + 1]))
    fork["wire"][-1] = augmented["add[0][1]->add[1][0]"].index
    assert "partial sum" in broken(schedule, fork)
    stray = np.concatenate((schedule.moves, schedule.moves[:1]))
    stray["wire"][-1], stray["cycle"][-1] = augmented["add[0][3]->add[1][1]"].index, 4
    assert "partial sum" in broken(schedule, stray)
    firings = schedule.firings.copy()
    firings["part"][0] = 1 - firings["part"][0] % 2
    assert "part" in broken(schedule, firings=firings)
    whole = schedule.firings.copy()
    whole["part"] = -1
    assert "fired once" in broken(schedule, firings=whole)


def test_more_than_an_adder_takes(augmented):
    schedule = scheduled(augmented, (3, 5), (0, 3))
    there = schedule.presences[schedule.presences["point"] == augmented.add[0][1].index]
    assert len(there) == 2  # leaf 2 and leaf 3, together for a cycle
    one_row = ReductionTree(leaves=8, collect="any", augmented=True, partial_sums=1).freeze()
    with pytest.raises(IllegalSchedule, match=r"'add\[0\]\[1\]' has 1 rows, but 2 are taken"):
        dtt.check(one_row, schedule.workload, schedule)
    assert scheduled(one_row, (3, 5), (0, 3)).cycles >= schedule.cycles


def test_too_many_inputs(augmented):
    schedule = scheduled(augmented, (3, 5), (0, 3))
    assert additions(schedule).three == 1
    points = [replace(p, inputs=2) if p.inputs == 3 else p for p in augmented.points]
    two = type(augmented)("Two", 8, points, augmented.wires, augmented.actors)
    with pytest.raises(IllegalSchedule, match="arrives more than 2 times at once"):
        dtt.check(two, schedule.workload, schedule)


def test_tables_have_the_declared_types(plain):
    schedule = scheduled(plain, (3,))
    assert schedule.moves.dtype == MOVE
    assert schedule.firings.dtype == FIRING
