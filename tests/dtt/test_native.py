"""The native engine against the reference: same state, same question, same cost."""

import numpy as np
import pytest
from nets import Duel

import dtt
from dtt import native
from dtt.engine import make_engine
from hwdsl import Fabric, Node
from hwdsl.errors import InputError, LimitReached, TimingFault, ToolMissing

needs_native = pytest.mark.skipif(native.why_not() is not None, reason=str(native.why_not()))


def duels(seeds, requests, rival=native.Native):
    asked, faults = 0, []
    for seed in seeds:
        duel = Duel(seed, rival)
        faults += [f"seed {seed}: {fault}" for fault in duel.run(requests)]
        asked += duel.asked
    return asked, faults


CLOSE = (101, 168)
"""Seeds for which a bound that is too high by a twentieth shows in few requests."""


@needs_native
def test_equal_cost():
    asked, faults = duels(range(20), 40)
    assert asked == 800
    assert not faults, faults[0]


@needs_native
@pytest.mark.campaign
def test_equal_cost_at_length():
    asked, faults = duels(range(1_000, 1_300), 60)
    assert asked == 18_000
    assert not faults, faults[0]


@needs_native
@pytest.mark.parametrize("percent", [105, 120])
def test_an_inadmissible_bound_is_caught(percent):
    def stretched(hardware, sizes):
        engine = native.Native(hardware, sizes)
        engine.stretch_bound(percent)
        return engine

    _, faults = duels(CLOSE, 40, stretched)
    assert any("against" in fault for fault in faults)


@needs_native
def test_a_way_to_an_end_may_pass_it_and_come_back():
    """Waiting in the end costs more than to leave it and come back; no other way may pass it."""
    hardware = Loop().freeze()
    for name in ("reference", "native"):
        engine = make_engine(name, hardware, [8])
        engine.load(*(np.array([x]) for x in (0, hardware.home.index, 1)))
        path = engine.route(0, hardware.end.index, 20, 20, floor=0)
        assert (path.energy, len(path.moves)) == (0, 3), name
        work = dtt.Workload(bits=8)
        work.need(work.load("x", at="home"), at="end", by=20)
        schedule = dtt.schedule(hardware, work, engine=name)
        dtt.check(hardware, work, schedule)
        assert schedule.energy.total == 0


class Line(Fabric):
    def __init__(self):
        self.a = Node(capacity=64)
        self.b = Node(capacity=64)
        self.ab = self.wire(self.a, self.b, bandwidth=8, latency=1)


class Loop(Fabric):
    """Only from `end` a datum comes to `aside`, where waiting costs nothing."""

    def __init__(self):
        self.home = Node(capacity=8, pj_per_bit_cycle=1e-6)
        self.end = Node(capacity=64, transit=False, pj_per_bit_cycle=1e-6)
        self.aside = Node(capacity=64)
        self.wire(self.home, self.end, bandwidth=8, latency=1)
        self.duplex(self.end, self.aside, bandwidth=8, latency=1)


def line_work(*deadlines):
    work = dtt.Workload(bits=8)
    for i, by in enumerate(deadlines):
        work.need(work.load(f"x{i}", at="a"), at="b", by=by)
    return work


def test_every_engine_names_itself_and_lists_the_same(engine):
    line = Line().freeze()
    schedule = dtt.schedule(line, line_work(1, 1, 2, 0), engine=engine)
    dtt.check(line, schedule.workload, schedule)
    assert schedule.engine == engine
    assert [u.request for u in schedule.unserved] == [1, 3]
    assert [u.earliest for u in schedule.unserved] == [3, 3]
    assert schedule.unserved[0].reason.startswith("'x1' cannot be in 'b' at cycle 1: Wire")


def test_strict_raises_at_the_first(engine):
    with pytest.raises(TimingFault, match="need of 'x1' at 'b'"):
        dtt.schedule(Line().freeze(), line_work(1, 1, 0), engine=engine, strict=True)


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_anything_to_do(engine, count):
    line = Line().freeze()
    schedule = dtt.schedule(line, line_work(*[5] * count), engine=engine)
    assert len(schedule.moves) == count
    assert not schedule.unserved
    assert schedule.cycles == count


def test_no_such_engine():
    with pytest.raises(InputError, match="engine must be one of auto, reference, native, not 'c'"):
        dtt.schedule(Line().freeze(), line_work(1), engine="c")


def test_without_the_kernel_the_reference_serves(monkeypatch):
    monkeypatch.setattr(native, "why_not", lambda: "it was not built")
    assert make_engine("auto", Line().freeze(), []).name == "reference"
    with pytest.raises(ToolMissing, match="engine 'native': it was not built"):
        make_engine("native", Line().freeze(), [])


@needs_native
def test_the_last_cycle_of_all():
    """Deadlines at the limit are cycles like others; beyond, they are refused."""
    line, last = Line().freeze(), (1 << 40) - 1
    work = line_work(last, last, last)
    schedule = dtt.schedule(line, work, engine="native")
    dtt.check(line, work, schedule)
    assert not schedule.unserved
    with pytest.raises(InputError, match="by must be a cycle from 0 to 2\\^40 - 1"):
        line_work(last + 1)


class Dear(Fabric):
    def __init__(self):
        self.a = Node(capacity=1 << 38, row=1 << 20, pj_per_bit=1e9)
        self.b = Node(capacity=1 << 38, row=1 << 20, pj_per_bit=1e9)
        self.c = Node(capacity=1 << 38, row=1 << 20)
        self.ab = self.wire(self.a, self.b, bandwidth=1 << 30, latency=1, pj_per_bit=1e9)
        self.bc = self.wire(self.b, self.c, bandwidth=1 << 30, latency=1, pj_per_bit=1e9)


@needs_native
def test_costs_beyond_64_bits_do_not_wrap():
    hardware, size = Dear().freeze(), 1 << 28
    paths = []
    for name in ("reference", "native"):
        engine = make_engine(name, hardware, [size])
        engine.load(*(np.array([x]) for x in (0, hardware.a.index, 1)))
        paths.append(engine.route(0, hardware.c.index, 9, 9))
    assert paths[0].energy == paths[1].energy == 2 * (2 * 10**15) * size > 1 << 63
    assert len(paths[0].moves) == len(paths[1].moves) == 2


@needs_native
def test_costs_beyond_the_kernel_are_refused():
    hardware, size = Dear().freeze(), 1 << 36
    assert make_engine("auto", hardware, [size]).name == "reference"
    with pytest.raises(LimitReached, match="cost more than it can add up exactly"):
        make_engine("native", hardware, [size])


@needs_native
def test_moves_are_the_same_bytes_in_every_run():
    line = Line().freeze()
    runs = [dtt.schedule(line, line_work(9, 3, 5), engine="native") for _ in range(2)]
    assert runs[0].moves.tobytes() == runs[1].moves.tobytes()
