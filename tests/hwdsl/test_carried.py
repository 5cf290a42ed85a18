"""Words counted in a Trace: data apart from what pads beats, through Junctions and forks."""

import numpy as np
import pytest

import dtt
import rtl
from hwdsl import Fabric, Junction, Node
from hwdsl.carried import carried
from hwdsl.errors import InputError
from hwdsl.trace import Kind, Trace


class Fork(Fabric):
    def __init__(self):
        self.word = 8
        self.ram = Node(capacity=1 << 12, row=32)
        self.hub = Junction()
        self.ends = [Node(capacity=1 << 10, row=32) for _ in range(2)]
        self.feed = self.wire(self.ram, self.hub, bandwidth=32, lane=32, latency=1)
        self.out = [self.wire(self.hub, end, bandwidth=32, lane=32, latency=2) for end in self.ends]


@pytest.fixture(scope="module")
def ran():
    hardware = Fork().freeze()
    work = dtt.Workload(bits=8)
    pages = [work.load(f"p{n}", at="ram", shape=n) for n in (4, 5, 11)]
    for page in pages:
        work.need(page, at="ends[0]")
    work.need(pages[2], at="ends[1]")
    program = dtt.schedule(hardware, work).program()
    values = {page: np.arange(page.elements) for page in pages}
    return hardware, program, rtl.simulate(hardware, program, values)


def test_data_and_padding_are_counted_apart(ran):
    hardware, program, trace = ran
    found = carried(hardware, program, trace)
    named = {
        wire.name: (int(found.words[wire.index]), int(found.padding[wire.index]))
        for wire in hardware.wires
    }
    assert named == {"feed": (20, 4), "out[0]": (20, 4), "out[1]": (11, 1)}


def test_what_is_not_seen_is_not_counted(ran):
    hardware, program, trace = ran
    of_feed = (trace.events["kind"] == Kind.DEPART) & (trace.events["part"] == hardware.feed.index)
    rest = np.delete(trace.events, np.flatnonzero(of_feed)[0])
    found = carried(hardware, program, Trace(trace.cycles, rest, trace.finals, "", ""))
    assert found.words[hardware.feed.index] == 16


def test_what_nobody_sent_is_an_error(ran):
    hardware, program, trace = ran
    events = trace.events.copy()
    at = np.flatnonzero(events["kind"] == Kind.DEPART)[0]
    events["cycle"][at] += 100
    with pytest.raises(InputError, match="departs on Wire 'feed' in cycle 100"):
        carried(hardware, program, Trace(trace.cycles, events, trace.finals, "", ""))
