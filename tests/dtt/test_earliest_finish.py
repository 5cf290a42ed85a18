"""earliest-finish: the Actor that would be done first, by its speed, its queue and the way."""

from __future__ import annotations

import dtt
from dtt.earliest_finish import earliest_finish
from hwdsl import Actor, Fabric, Node


class Pair(Fabric):
    """A memory, a quick core, and a slow one that is nearer."""

    def __init__(self, *, far=1, slow=10, quick_pj=1):
        self.memory = Node(capacity=512)
        self.near, self.away = Node(capacity=256), Node(capacity=256)
        self.slow = Actor(at=self.near, ops={"add"}, latency=slow, pj_per_op=5)
        self.quick = Actor(at=self.away, ops={"add"}, latency=2, cooldown=2, pj_per_op=quick_pj)
        self.duplex(self.memory, self.near, bandwidth=32, latency=1)
        self.duplex(self.memory, self.away, bandwidth=32, latency=far)


def chosen(fabric, count=1):
    hardware = fabric.freeze()
    work = dtt.Workload()
    a, b = work.load("a", "b", at=hardware.memory)
    for i in range(count):
        work.op("add", a, b, name=f"c{i}")
    return [actor.name for ((actor, _),) in earliest_finish(hardware, work)]


def test_the_quick_one_is_worth_waiting_for():
    assert chosen(Pair(), 4) == ["quick"] * 4


def test_until_its_queue_is_longer():
    assert chosen(Pair(), 7) == [*["quick"] * 5, "slow", "slow"]


def test_the_way_there_counts():
    assert chosen(Pair(far=8)) == ["quick"]
    assert chosen(Pair(far=10)) == ["slow"]


def test_of_two_that_end_together_the_cheaper_one():
    assert chosen(Pair(slow=2)) == ["quick"]
    assert chosen(Pair(slow=2, quick_pj=9)) == ["slow"]


def test_results_are_where_they_were_made():
    hardware = Pair(far=6, slow=3).freeze()
    work = dtt.Workload()
    a, b = work.load("a", "b", at=hardware.away)
    c = work.op("add", a, b)
    d = work.op("add", c, c)
    able = earliest_finish(hardware, work)
    assert [way[0][0].name for way in able] == ["quick", "quick"]
    work.store(d, at=hardware.memory)
    schedule = dtt.schedule(hardware, work, placing="earliest-finish")
    dtt.check(hardware, work, schedule)
    assert schedule.firings["cycle"].tolist() == [0, 2]


def test_it_beats_the_default_where_one_is_slow():
    hardware = Pair(far=2).freeze()
    work = dtt.Workload()
    total, b = work.load("a", "b", at=hardware.memory)
    for _ in range(6):
        total = work.op("add", total, b)
    default = dtt.schedule(hardware, work)
    better = dtt.schedule(hardware, work, placing="earliest-finish")
    dtt.check(hardware, work, better)
    assert better.cycles < default.cycles
