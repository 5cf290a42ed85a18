"""One MAC engine beside one memory: every form of its ops, and Programs that it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from engine_needed import need

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.waypoints import waypoints
from hwdsl import Actor, Fabric, Node
from hwdsl.compare import compare
from hwdsl.errors import InputError
from hwdsl.program import LAUNCH_COLUMNS
from hwdsl.trace import ErrorKind, Kind
from hwdsl.values import random_values


class Cluster(Fabric):
    def __init__(self):
        self.word = 16
        self.memory = Node(capacity=1 << 15, row=128)
        ops = {"conv_acc", "elem_mac", "add"}
        self.mac = Actor(at=self.memory, ops=ops, units=8, latency=5)
        self.loop = Node(capacity=1 << 10, row=128)
        self.duplex(self.memory, self.loop, bandwidth=128, lane=128, latency=1)


@pytest.fixture(scope="module")
def hardware():
    return Cluster().freeze()


@pytest.fixture
def work():
    return dtt.Workload(bits=16)


def judged(hardware, work, change=lambda program: program):
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    values = random_values(work, 1)
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, change(schedule.program()), values)
    return compare(hardware, expected.trace, seen, expected), seen, schedule


def kept(work, hardware, *data):
    for datum in data:
        work.store(datum, at=hardware.memory)


def test_what_is_added_need_not_be_updated_in_place(hardware, work):
    image = work.load("image", at="memory", shape=(5, 6))
    group = work.load("group", at="memory", shape=(3, 2, 2))
    total = work.load("total", at="memory", shape=(4, 5))
    fresh = work.op("conv_acc", image, group, options=(2, 1, 0))
    other = work.op("conv_acc", image, group, total, options=(1, 1, 0))
    again = work.op("conv_acc", image, group, other, into=other, options=(0, 1, 0))
    kept(work, hardware, fresh, total, again)
    verdict, _, _ = judged(hardware, work)
    assert verdict.passed, str(verdict)


def test_either_operand_of_an_add_may_be_updated_in_place(hardware, work):
    a, b, c, d = work.load(*"abcd", at="memory", shape=(3, 7))
    sums = [work.op("add", a, b), work.op("add", c, d, into=d)]
    sums.append(work.op("add", sums[0], sums[1], into=sums[0]))
    sums.append(work.op("add", c, c))
    kept(work, hardware, *sums[1:])
    verdict, _, _ = judged(hardware, work)
    assert verdict.passed, str(verdict)


def test_ops_follow_upon_each_other_without_a_gap(hardware, work):
    images = work.load("images", at="memory", shape=(2, 2, 11))
    group = work.load("group", at="memory", shape=(6, 2, 2))
    made = [work.op("elem_mac", images, group, options=(i,)) for i in range(6)]
    kept(work, hardware, *made)
    verdict, seen, schedule = judged(hardware, work)
    assert verdict.passed, str(verdict)
    assert np.diff(schedule.firings["cycle"]).tolist() == [8] * 5
    fires = seen.events[seen.events["kind"] == Kind.FIRE]
    assert fires["cycle"].tolist() == schedule.firings["cycle"].tolist()


def changed(column, which, value):
    def change(program):
        launches = program.launches.copy()
        launches[which, LAUNCH_COLUMNS.index(column)] = value
        return replace(program, launches=launches)

    return change


def beyond(program):
    lists = program.lists.copy()
    lists[0, 2] = 1 << 20
    return replace(program, lists=lists)


@pytest.mark.parametrize(
    ("change", "cycle", "kind"),
    [
        (changed("cycle", 1, 5), 5, ErrorKind.BUSY),
        (changed("cycle", 1, 0), 1, ErrorKind.LATE),
        (beyond, 2, ErrorKind.ADDRESS),
    ],
)
def test_what_an_engine_refuses(hardware, work, change, cycle, kind):
    images = work.load("images", at="memory", shape=(2, 2, 11))
    group = work.load("group", at="memory", shape=(2, 2, 2))
    made = [work.op("elem_mac", images, group, options=(i,)) for i in range(2)]
    kept(work, hardware, *made)
    verdict, seen, _ = judged(hardware, work, change)
    assert not verdict.passed
    (error,) = seen.events[seen.events["kind"] == Kind.ERROR]
    assert (int(error["cycle"]), int(error["lane"]), error["value"]) == (cycle, 0, kind)


def test_a_controller_does_not_command_engines(hardware, work):
    schedule = dtt.schedule(hardware, work)
    with pytest.raises(InputError, match="'mac': way-points do not command MAC engines"):
        waypoints(schedule)


def gap(program):
    return replace(program, lists=np.delete(program.lists, 1, axis=0))


def stray(program):
    fires = np.zeros((1, program.fires.shape[1]), np.int64)
    return replace(program, fires=fires)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (gap, r"list mac\[0\]: entry 1 is missing or given twice"),
        (stray, r"actor 0 has no fire port 0"),
        (changed("elements", 0, -1), r"launch mac\[0\]: elements must be from 0 to"),
    ],
)
def test_programs_that_no_engine_is_given(hardware, work, change, sentence):
    a, b = work.load(*"ab", at="memory", shape=(9,))
    kept(work, hardware, work.op("add", a, b))
    with pytest.raises(InputError, match=sentence):
        judged(hardware, work, change)


@pytest.mark.engines
@pytest.mark.parametrize("engine", ["cxxrtl", "verilator", "icarus", "verilator-cocotb"])
def test_every_engine_shows_the_same(hardware, work, engine, cache):
    need(engine)
    image = work.load("image", at="memory", shape=(5, 7))
    group = work.load("group", at="memory", shape=(2, 3, 3))
    batch = work.load("batch", at="memory", shape=(3, 3, 9))
    first = work.op("conv_acc", image, group, options=(1, 1, 1))
    total = work.op("conv_acc", image, group, first, into=first, options=(0, 1, 1))
    sums = work.op("elem_mac", batch, group, options=(1,))
    kept(work, hardware, total, work.op("add", sums, sums))
    verdict, seen, schedule = judged(hardware, work)
    assert verdict.passed, str(verdict)
    values = random_values(work, 1)
    assert rtl.simulate(hardware, schedule.program(), values, engine, cache=cache) == seen
