"""At the ends of the integers: a clear refusal or the right number, never a wrap."""

import pytest

import dtt
from dtt import native
from dtt.limits import LATEST
from hwdsl import Fabric, Node
from hwdsl.errors import LimitReached, NoSchedule

LAST = (1 << 40) - 1
needs_native = pytest.mark.skipif(native.why_not() is not None, reason=str(native.why_not()))


class Line(Fabric):
    def __init__(self, nodes, latency=1, row=8, hold=None):
        self.word = 8
        self.n = [
            Node(capacity=row << 12, row=row, pj_per_bit_cycle=hold, pj_per_bit=hold)
            for _ in range(nodes)
        ]
        for a, b in zip(self.n, self.n[1:], strict=False):
            self.wire(a, b, bandwidth=row, latency=latency, pj_per_bit=hold)


def asking(hardware, by=None, elements=1):
    work = dtt.Workload(bits=8)
    points = hardware.points
    work.need(work.load("d", at=points[0], shape=elements), at=points[-1], by=by)
    return work


def test_long_latencies_add_up(engine):
    hardware = Line(3, latency=LAST).freeze()
    work = asking(hardware)
    schedule = dtt.schedule(hardware, work, engine=engine)
    dtt.check(hardware, work, schedule)
    assert schedule.cycles == 2 * LAST


def test_a_schedule_beyond_the_last_cycle_is_refused(engine):
    hardware = Line(8, latency=LAST).freeze()
    with pytest.raises(
        LimitReached, match=f"Move would be in cycle {6 * LAST}; the limit is {LATEST}"
    ):
        dtt.schedule(hardware, asking(hardware), engine=engine)


@needs_native
@pytest.mark.filterwarnings("ignore::hwdsl.errors.HardwareWarning")
def test_bits_times_cycles_do_not_wrap():
    hardware = Line(2, row=1 << 20, hold=1e-6).freeze()
    elements = 1 << 27  # 2^30 bits, held for almost 2^40 cycles
    work = asking(hardware, by=LAST, elements=elements)
    schedule = dtt.schedule(hardware, work, engine="native")
    dtt.check(hardware, work, schedule)
    assert schedule.energy.moves == 2 * 8 * elements
    assert schedule.energy.stays == (LAST - 1) * 8 * elements > 1 << 63


def test_data_beyond_every_memory_are_refused(engine):
    hardware = Line(2).freeze()
    with pytest.raises(NoSchedule, match="take 36893488147419103232 bits, and it holds 32768"):
        dtt.schedule(hardware, asking(hardware, elements=1 << 62), engine=engine)


def test_nothing_asked(engine):
    hardware, work = Line(3).freeze(), dtt.Workload(bits=8)
    schedule = dtt.schedule(hardware, work, engine=engine)
    dtt.check(hardware, work, schedule)
    assert (len(schedule.moves), schedule.cycles, schedule.energy.total) == (0, 0, 0)


@pytest.mark.parametrize(("by", "moves"), [(None, 2), (2, 2), (7, 2), (1, 0)])
def test_one_request(engine, by, moves):
    hardware = Line(3).freeze()
    work = asking(hardware, by=by)
    schedule = dtt.schedule(hardware, work, engine=engine)
    dtt.check(hardware, work, schedule)
    assert len(schedule.moves) == moves
    assert [u.earliest for u in schedule.unserved] == ([] if moves else [2])


def test_a_request_for_what_is_there(engine):
    hardware = Line(1).freeze()
    work = asking(hardware, by=0)
    schedule = dtt.schedule(hardware, work, engine=engine)
    assert (len(schedule.moves), schedule.unserved) == (0, ())
