"""Placing: the four-PE example, the paper's First Best Fit, affinity, spills, refusals."""

import itertools

import numpy as np
import pytest

import dtt
from hwdsl import Actor, Fabric, InputError, Node
from hwdsl.errors import NoSchedule, TimingFault


def scheduled(hardware, work, **options):
    schedule = dtt.schedule(hardware, work, **options)
    dtt.check(hardware, work, schedule)
    return schedule


PAIRS = {
    "100": "01 23",
    "101": "14 25",
    "102": "02 13 45",
    "103": "05 14 23",
}


def four_pe_work(stored=("100", "101", "102", "103", "104"), offsets=(0, 0), **options):
    work = dtt.Workload(bits=8, **options)
    data = dict(zip("012345", work.load(*"012345", at="dram"), strict=True))
    for name, pairs in PAIRS.items():
        chosen = [(data[a], data[b]) for a, b in pairs.split()]
        data[name] = work.dot(chosen, name=name, not_before=offsets[0])
    last = [(data["100"], data["101"]), (data["102"], data["103"])]
    data["104"] = work.dot(last, name="104", not_before=offsets[1])
    for name in stored:
        work.store(data[name], at="out")
    return work


def placed(schedule):
    ops, actors = schedule.workload.ops, schedule.hardware.actors
    return {ops[f["op"]].name: (actors[f["actor"]].name, int(f["cycle"])) for f in schedule.firings}


def test_the_four_pe_example(four_pe):
    schedule = scheduled(four_pe, four_pe_work())
    assert schedule.energy.moves == 715_000_000
    assert schedule.reads("dram") == 6
    assert schedule.cycles == 22
    assert placed(schedule) == {
        "100": ("mac[0]", 11),
        "101": ("mac[0]", 12),
        "102": ("mac[1]", 12),
        "103": ("mac[2]", 12),
        "104": ("mac[0]", 19),
    }
    in_place = {(op.name, d.name) for op, d in schedule.in_place}
    assert {("104", "100"), ("104", "101"), ("101", "1")} <= in_place


def test_only_the_last_result_stored(four_pe):
    assert scheduled(four_pe, four_pe_work(stored=("104",))).energy.moves == 713_000_000


def test_every_operand_from_dram(four_pe):
    schedule = scheduled(four_pe, four_pe_work(stored=("104",), reuse=False))
    assert schedule.reads("dram") == 20  # all operands but the four results


def test_first_best_fit_with_offsets(four_pe):
    work = four_pe_work(offsets=(12, 19))
    schedule = scheduled(four_pe, work, placing="first-best-fit", strict=True)
    assert placed(schedule) == {
        "100": ("mac[0]", 12),
        "101": ("mac[0]", 12),
        "102": ("mac[1]", 12),
        "103": ("mac[2]", 12),
        "104": ("mac[0]", 19),
    }
    assert (schedule.energy.moves, schedule.cycles) == (715_000_000, 22)


@pytest.mark.parametrize(
    ("offsets", "fault"), [((11, 19), "Op '101'.*cycle 11"), ((12, 18), "Op '104'.*cycle 18")]
)
def test_one_cycle_earlier_is_a_timing_fault(four_pe, offsets, fault):
    work = four_pe_work(offsets=offsets)
    with pytest.raises(TimingFault, match=fault + ".*the first cycle that works is"):
        dtt.schedule(four_pe, work, placing="first-best-fit", strict=True)
    mended = scheduled(four_pe, work, placing="first-best-fit")
    assert mended.cycles == 22


def test_affinity_can_be_replaced(four_pe):
    last = scheduled(four_pe, four_pe_work(), affinity=lambda op, actor, held: actor.index)
    assert placed(last)["100"] == ("mac[3]", 11)


def chain(hardware, length, seed=0):
    """Dot products over earlier results and loaded data, through PEs that hold eight data."""
    random = np.random.default_rng(seed)
    work = dtt.Workload(bits=8)
    data = list(work.load(*(f"x{i}" for i in range(12)), at="dram"))
    for i in range(length):
        pairs = random.integers(0, len(data), (random.integers(1, 5), 2))
        data.append(work.dot([(data[a], data[b]) for a, b in pairs], name=f"r{i}"))
    work.store(data[-1], at="out")
    return work


class Looped(Fabric):
    """The four-PE machine with a way back to DRAM, so that results can be spilled."""

    def __init__(self):
        self.dram = Node(capacity=8 * 1024, pj_per_bit=12.5)
        self.sram = Node(capacity=64, pj_per_bit=0.625)
        self.pe = [Node(capacity=64, pj_per_bit=0.125) for _ in range(2)]
        self.out = Node(capacity=64, pj_per_bit=0.625)
        self.mac = [Actor(at=pe, ops={"dot"}, units=4, latency=2, cooldown=4) for pe in self.pe]
        self.wire(self.dram, self.sram, bandwidth=16, latency=2)
        self.wire(self.out, self.dram, bandwidth=8, latency=2)
        for pe in self.pe:
            self.wire(self.sram, pe, bandwidth=8, latency=1)
            self.wire(pe, self.out, bandwidth=8, latency=1)


def test_a_long_chain_runs_to_its_end_by_spilling():
    hardware = Looped().freeze()
    schedule = scheduled(hardware, chain(hardware, 60))
    assert len(schedule.firings) == 60
    assert not schedule.unserved
    results = {op.result.index for op in schedule.workload.ops}
    back = hardware["out->dram"].index
    spilled = schedule.moves[schedule.moves["wire"] == back]
    assert len(spilled)
    assert set(spilled["datum"].tolist()) <= results


def test_ops_wait_for_units(four_pe):
    work = dtt.Workload(bits=8)
    a, b = work.load("a", "b", at="dram")
    for i in range(6):
        work.dot([(a, b), (b, a), (a, a)], name=f"d{i}", on="mac[1]")
    schedule = scheduled(four_pe, work)
    starts = sorted(cycle for _, cycle in placed(schedule).values())
    assert all(late - early >= 4 for early, late in itertools.pairwise(starts))


class Two(Fabric):
    def __init__(self, bits=8):
        self.ram = Node(capacity=64)
        self.far = Node(capacity=64)
        self.tiny = Node(capacity=16)
        self.mac = Actor(at=self.tiny, ops={"dot", "add"}, units=2, latency=1, bits=bits)
        self.wire(self.ram, self.tiny, bandwidth=8, latency=1)
        self.wire(self.far, self.ram, bandwidth=8, latency=1)


def refused(build, message, error=NoSchedule):
    hardware = Two().freeze()
    work = dtt.Workload(bits=8)
    build(work)
    with pytest.raises(error, match=message):
        dtt.schedule(hardware, work)


def test_proofs_before_any_search():
    def unknown(work):
        work.op("mul", *work.load("a", "b", at="ram"))

    def many(work):
        data = work.load(*"abcdef", at="ram")
        work.dot([data[:2], data[2:4], data[4:]], name="sum")

    def crowded(work):
        data = work.load(*"abcd", at="ram")
        work.dot([data[:2], data[2:]], name="sum")

    def wide(work):
        work.op("add", *work.load("a", "b", at="ram", bits=16), name="sum", bits=16)

    def stranded(work):
        work.need(work.load("a", at="tiny"), at="ram")

    def large(work):
        work.need(work.load("a", at="ram", shape=3), at="tiny")

    def overfull(work):
        work.load(*"abcdefghi", at="ram")

    refused(unknown, "no Actor knows the op code 'mul'")
    refused(many, "'sum': 3 pairs.*more than 2 units; split it and add up with into=")
    refused(crowded, "'sum': its data take 32 bits of Node 'tiny'.*which holds 16")
    refused(wide, r"'sum': it has elements of 16 bits.*declare Actor\(bits=16\)")
    refused(stranded, "'a' has no path from Node 'tiny' to Node 'ram'")
    refused(large, "'a' of 24 bits is larger than every memory on the way")
    refused(overfull, "Node 'ram': the data loaded there at cycle 0 take 72 bits")


def test_faults_of_the_workload():
    refused(lambda work: work.load("a", at="nowhere"), "no Node named 'nowhere'", InputError)
    refused(lambda work: work.load("a", at="ram", bits=12), "multiple of the word", InputError)
    refused(
        lambda work: work.op("add", *work.load("a", "b", at="ram"), on="ram"),
        "on must be an Actor",
        InputError,
    )
    with pytest.raises(InputError, match="placing must be one of"):
        dtt.schedule(Two().freeze(), dtt.Workload(), placing="best")


def test_empty_workload():
    hardware = Two().freeze()
    schedule = scheduled(hardware, dtt.Workload())
    assert (schedule.cycles, len(schedule.moves)) == (0, 0)


def test_update_in_place_accumulates(four_pe):
    work = dtt.Workload(bits=8)
    data = work.load(*"abcd", at="dram")
    acc = work.load("acc", at="dram")
    for i in range(5):
        acc = work.dot([data[:2], data[2:]], into=acc, name=f"acc{i}")
    work.store(acc, at="out")
    schedule = scheduled(four_pe, work)
    assert schedule.reads("dram") == 5
    assert len({actor for actor, _ in placed(schedule).values()}) == 1


def test_an_updated_datum_that_others_want_is_kept_elsewhere():
    hardware = Looped().freeze()
    work = dtt.Workload(bits=8)
    a, b = work.load("a", "b", at="dram")
    first = work.dot([(a, b)], name="first")
    second = work.dot([(a, a)], into=first, name="second")
    work.store(first, at="out")
    work.store(second, at="out")
    schedule = scheduled(hardware, work)
    assert not schedule.unserved
