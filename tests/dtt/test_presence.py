"""Presences: by hand for each clause of rule 3, and against a naive reading of it."""

import random
import time

import numpy as np
import pytest

from dtt.presence import INFINITE, Cause, derive, find
from dtt.schedule import FIRING, MOVE
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.workload import Workload


class Line(Fabric):
    """Two memories and a PE; ``wide`` brings what ``thin`` brings, in fewer beats."""

    def __init__(self):
        self.main = Node(capacity=1024)
        self.near = Node(capacity=1024)
        self.pe = Node(capacity=1024)
        self.thin = self.wire(self.main, self.near, bandwidth=8, latency=2)
        self.wide = self.wire(self.main, self.near, bandwidth=32, latency=3)
        self.feed = self.wire(self.near, self.pe, bandwidth=16, latency=1)
        self.back = self.wire(self.pe, self.near, bandwidth=16, latency=1)
        self.slow = Actor(at=self.pe, ops={"add": {"hold": 2}, "relu": {}}, latency=4)
        self.away = Actor(at=self.pe, ops={"relu"}, latency=2, result_at=self.near)


@pytest.fixture
def line():
    return Line().freeze()


def stays(schedule, datum, node):
    """Return begin, complete and end of each presence of a datum in a Node."""
    index = next(d.index for d in schedule.workload.data if d.name == datum)
    held = schedule.presences
    here = held[(held["datum"] == index) & (held["point"] == schedule.hardware[node].index)]
    return [
        (b, c, "end" if e == INFINITE else e)
        for b, c, e in zip(*(here[n].tolist() for n in ("begin", "complete", "end")), strict=True)
    ]


def test_fig1_waits_where_it_is_used(fig1, planned):
    work = Workload(bits=8)
    a, b = work.load("A", "B", at=fig1.sram)
    work.op("mul", a, b, name="C")
    moves = [("A", "bus0", 0), ("B", "bus0", 0), ("A", "bus1", 1), ("B", "bus1", 2)]
    schedule = planned(fig1, work, moves, [("C", "mac", 3)])
    assert stays(schedule, "A", "sram") == [(0, 0, 0)]
    assert stays(schedule, "A", "reg") == [(1, 1, 1)]
    assert stays(schedule, "B", "reg") == [(1, 1, 2)]
    assert stays(schedule, "A", "pe") == [(2, 2, 3)]
    assert stays(schedule, "B", "pe") == [(3, 3, 3)]
    assert stays(schedule, "C", "pe") == [(4, 4, 4)]


def test_space_is_taken_from_the_first_beat_to_the_last_of_a_departure(line, planned):
    work = Workload(bits=8)
    work.load("v", at=line.main, shape=4)
    schedule = planned(line, work, [("v", "thin", 3), ("v", "feed", 8)])
    assert stays(schedule, "v", "main") == [(0, 0, 6)]
    assert stays(schedule, "v", "near") == [(5, 8, 9)]
    assert stays(schedule, "v", "pe") == [(9, 10, 10)]


def test_arrivals_that_share_a_cycle_are_one_presence(line, planned):
    work = Workload(bits=8)
    work.load("v", at=line.main, shape=4)
    # wide brings it whole in cycle 6, while thin brings it in 5 .. 8.
    assert stays(planned(line, work, [("v", "thin", 3), ("v", "wide", 3)]), "v", "near") == [
        (5, 6, 8)
    ]
    # In 9 a new one begins: nothing kept the first one beyond 8.
    apart = planned(line, work, [("v", "thin", 3), ("v", "wide", 6)])
    assert stays(apart, "v", "near") == [(5, 8, 8), (9, 9, 9)]


def test_a_use_belongs_to_the_latest_arrival(line, planned):
    work = Workload(bits=8)
    work.load("s", at=line.main)
    moves = [("s", "thin", 0), ("s", "thin", 8), ("s", "feed", 12)]
    assert stays(planned(line, work, moves), "s", "near") == [(2, 2, 2), (10, 10, 12)]


def test_operands_are_held_and_results_take_space_when_the_hold_ends(line, planned):
    work = Workload(bits=8)
    a, b = work.load("a", "b", at=line.pe)
    work.op("add", a, b, name="c")
    schedule = planned(line, work, [], [("c", "slow", 5)])
    assert stays(schedule, "a", "pe") == [(0, 0, 6)]
    assert stays(schedule, "c", "pe") == [(8, 9, 9)]


def test_results_appear_at_result_at(line, planned):
    work = Workload(bits=8)
    a = work.load("a", at=line.pe)
    work.op("relu", a, name="c")
    schedule = planned(line, work, [("c", "feed", 9)], [("c", "away", 5)])
    assert stays(schedule, "c", "near") == [(7, 7, 9)]
    assert stays(schedule, "c", "pe") == [(10, 10, 10)]


def test_needs_and_stores(line, planned):
    work = Workload(bits=8)
    a, b, c = work.load("a", "b", "c", at=line.main)
    work.need(a, at=line.near, by=9)
    work.need(b, at=line.near)
    work.store(c, at=line.near)
    moves = [(d, "wide", 1) for d in "abc"] + [("c", "wide", 5)]
    schedule = planned(line, work, moves)
    assert stays(schedule, "a", "near") == [(4, 4, 9)]
    assert stays(schedule, "b", "near") == [(4, 4, 4)]
    # A store belongs to the last arrival.
    assert stays(schedule, "c", "near") == [(4, 4, 4), (8, 8, "end")]
    assert schedule.cycles == 8
    given_up = planned(line, work, moves, unserved=[0, 2])
    assert stays(given_up, "a", "near") == [(4, 4, 4)]
    assert stays(given_up, "c", "near") == [(4, 4, 4), (8, 8, 8)]
    assert given_up.cycles == 4


def test_in_place_hands_the_rows_over(line, planned):
    work = Workload(bits=8)
    a = work.load("a", at=line.main)
    work.op("relu", a, name="c", into=a)
    schedule = planned(line, work, [("a", "wide", 0), ("a", "feed", 3)], [("c", "slow", 7)])
    assert stays(schedule, "a", "pe") == [(4, 4, 6)]
    assert stays(schedule, "c", "pe") == [(7, 11, 11)]
    held = schedule.presences
    heir = held[held["datum"] == 1][0]
    assert held[heir["previous"]]["point"] == line.pe.index
    assert held[heir["previous"]]["datum"] == 0
    assert heir["cause"] == Cause.RESULT
    assert heir["part"] == line.slow.index


def test_in_place_in_the_cycle_of_the_arrival(line, planned):
    work = Workload(bits=8)
    a = work.load("a", at=line.main)
    work.op("relu", a, name="c", into=a)
    schedule = planned(line, work, [("a", "wide", 0), ("a", "feed", 3)], [("c", "slow", 4)])
    assert stays(schedule, "a", "pe") == [(4, 4, 3)]
    assert stays(schedule, "c", "pe") == [(4, 8, 8)]
    assert schedule.presences["previous"].max() >= 0


def test_nothing_stays_at_a_junction(planned):
    class Through(Fabric):
        def __init__(self):
            self.a, self.j, self.b = Node(capacity=64), Junction(), Node(capacity=64)
            self.i = self.wire(self.a, self.j, bandwidth=8, latency=1)
            self.o = self.wire(self.j, self.b, bandwidth=8, latency=2)

    hardware = Through().freeze()
    work = Workload(bits=16)
    work.load("x", at=hardware.a)
    schedule = planned(hardware, work, [("x", "i", 3), ("x", "o", 4)])
    assert stays(schedule, "x", "a") == [(0, 0, 4)]
    assert stays(schedule, "x", "j") == []
    assert stays(schedule, "x", "b") == [(6, 7, 7)]


def naive(hardware, work, moves, firings):
    """Read rule 3 aloud, with no thought of speed; no updates in place."""
    copies, uses = {}, []
    for d in work.data:
        if d.loaded_at is not None:
            copies.setdefault((d.index, hardware.point(d.loaded_at).index), []).append([0, 0])
    for op, _, index, s in firings:
        actor = hardware.actors[index]
        t = actor.timing(work.ops[op].code, work.ops[op].work, work.ops[op].parallel)
        key = (work.ops[op].result.index, actor.result_at)
        copies.setdefault(key, []).append([s + t.latency - t.hold + 1, s + t.latency])
        uses += [((d.index, actor.at), s, s + t.hold - 1) for d in work.ops[op].operands]
    for datum, index, t in moves:
        wire = hardware.wires[index]
        beats = wire.beats(work.data[datum].size)
        first = t + wire.latency
        copies.setdefault((datum, wire.target), []).append([first, first + beats - 1])
        uses.append(((datum, wire.source), t, t + beats - 1))
    uses += [((r.datum.index, hardware[r.node].index), r.by, r.by) for r in work.requests]
    found = []
    for key in sorted(copies):
        spans = [[begin, complete, complete] for begin, complete in copies[key]]
        for user, first, last in uses:
            ready = [span for span in spans if user == key and span[1] <= first]
            latest = max((span[1] for span in ready), default=None)
            for span in ready:
                if span[1] == latest:
                    span[2] = max(span[2], last)
        spans.sort()
        merged = spans[:1]
        for begin, complete, end in spans[1:]:
            if begin <= merged[-1][2]:
                merged[-1][1] = min(merged[-1][1], complete)
                merged[-1][2] = max(merged[-1][2], end)
            else:
                merged.append([begin, complete, end])
        found += [(*key, *span) for span in merged]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_against_a_naive_reading(line, seed):
    draw = random.Random(seed)
    work = Workload(bits=8)
    data = [work.load(f"d{i}", at=line.main, shape=draw.randint(1, 5)) for i in range(3)]
    for i in range(2):
        work.op("relu", data[i], name=f"r{i}")
    for _ in range(4):
        node = draw.choice([line.near, line.pe])
        work.need(draw.choice(work.data), at=node, by=draw.randint(0, 40))
    moves = {(draw.randrange(5), draw.randrange(4), draw.randrange(30)) for _ in range(20)}
    moves = sorted(moves, key=lambda m: (m[2], m[1], m[0]))
    firings = [(i, -1, draw.randrange(2), 10 * i + draw.randrange(9)) for i in range(2)]
    held = derive(line, work, np.array(moves, MOVE), np.array(firings, FIRING))
    names = ["datum", "point", "begin", "complete", "end"]
    assert held[names].tolist() == naive(line, work, moves, firings)


def test_find_looks_no_further_than_its_own_datum_and_node(line, planned):
    work = Workload(bits=8)
    work.load("a", "b", at=line.main)
    held = planned(line, work, [("a", "wide", 0), ("b", "wide", 5)]).presences
    near = line.near.index
    asked = find(held, np.array([0, 1, 1, 0]), np.full(4, near), np.array([2, 7, 8, 99]))
    assert [held[i]["begin"].item() if i >= 0 else None for i in asked] == [None, None, 8, 3]


def test_empty(line, planned):
    schedule = planned(line, Workload(bits=8), [])
    assert len(schedule.presences) == 0
    assert schedule.cycles == 0
    assert schedule.energy_pj == 0


def test_many_moves_take_little_time(line):
    work = Workload(bits=8)
    work.load(*(f"d{i}" for i in range(1000)), at=line.main)
    moves = np.zeros(200_000, MOVE)
    moves["datum"] = np.arange(len(moves)) % 1000
    moves["cycle"] = np.arange(len(moves)) // 4
    moves["wire"] = np.arange(len(moves)) % 4
    started = time.perf_counter()
    held = derive(line, work, moves, np.empty(0, FIRING))
    assert time.perf_counter() - started < 10
    assert len(held) > 50_000
