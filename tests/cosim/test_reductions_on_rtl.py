"""Reduction trees on the RTL: seen as foretold, every addition counted, sums equal to NumPy's."""

import random

import pytest
from reductions import dots, link_moves, packed, partitions

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.reduction.additions import additions
from hwdsl.additions import additions_seen
from hwdsl.compare import compare
from hwdsl.fabrics import ReductionTree
from hwdsl.fabrics.maeri_switch import blocked
from hwdsl.trace import Kind
from hwdsl.values import evaluate, random_values, unpack
from hwdsl.workload import Workload
from rtl.faults import Faults


def run(schedule, seed, faults=None):
    """Run a Schedule; return the Trace, the verdict, and the additions that were seen."""
    hardware, work = schedule.hardware, schedule.workload
    dtt.check(hardware, work, schedule)
    values = random_values(work, seed)
    program = schedule.program()
    # One depth for all, so that a tree is elaborated once.
    trace = rtl.simulate(hardware, program, values, depth=512, time_bits=16, faults=faults)
    expected = expected_trace(schedule, values)
    verdict = compare(hardware, expected.trace, trace, expected)
    if faults is None:
        results = evaluate(work, values)
        for final in program.finals.tolist():
            point, row, datum, _ = final
            (word,) = (f["value"] for f in trace.finals if (f["point"], f["row"]) == (point, row))
            assert unpack(int(word), work.data[datum]) == results[datum]
    return trace, verdict, additions_seen(hardware, program, trace)


def agree(schedule, seed=0):
    _, verdict, seen = run(schedule, seed)
    assert verdict.passed, str(verdict)
    pairs = sum(op.work - 1 for op in schedule.workload.ops)
    assert additions(schedule) == seen
    assert seen.total == pairs


def trees(leaves, **given):
    return [ReductionTree(leaves=leaves, augmented=a, **given).freeze() for a in (False, True)]


@pytest.fixture(scope="module")
def eight():
    return trees(8, collect="any")


def test_every_partition_of_eight_leaves(eight):
    for lengths in partitions(8):
        at = packed(lengths)
        work = dots(lengths, at)
        plain = dtt.schedule(eight[0], work, objective="time")
        augmented = dtt.schedule(eight[1], work, objective="time", start=plain)
        assert augmented.cycles <= plain.cycles
        agree(plain)
        agree(augmented)


def test_three_and_five(eight):
    assert blocked(8, (3, 5), augmented=False) is not None
    assert blocked(8, (3, 5), augmented=True) is None
    work = dots((3, 5), (0, 3))
    values = random_values(work, 7)
    sums = []
    for hardware in eight:
        schedule = dtt.schedule(hardware, work)
        agree(schedule, 7)
        trace = rtl.simulate(hardware, schedule.program(), values, depth=512, time_bits=16)
        sums.append(sorted(trace.finals["value"].tolist()))
    assert sums[0] == sums[1]


def test_an_adder_that_drops_its_third_input_is_found(eight):
    schedule = dtt.schedule(eight[1], dots((3, 5), (0, 3)))
    assert link_moves(schedule) == 1
    assert additions(schedule).three == 1
    _, verdict, _ = run(schedule, 3, Faults(deaf_adder="add[0][2]"))
    assert not verdict.passed
    assert verdict.first.kind == Kind.DEPART.name
    assert verdict.first.part.startswith("add[0][2]->")
    assert verdict.first.datum == "dot1"


FABRICS = (
    {"leaves": 2, "collect": "root"},
    {"leaves": 4, "collect": "any", "partial_sums": 1},
    {"leaves": 8, "collect": "any"},
    {"leaves": 8, "collect": "root", "latency": 2, "multiply_latency": 3},
    {"leaves": 8, "collect": "any", "link_latency": 2, "partial_sums": 2},
    {"leaves": 16, "collect": "any", "bandwidth": [32, 64, 32]},
    {"leaves": 16, "collect": "root", "out_bandwidth": 64, "feed_latency": 3},
    {"leaves": 8, "collect": "any", "feed_bandwidth": 8},  # the feed has to be routed
)


def random_work(leaves, seed):
    """Return dot products of every kind: short, long, shared operands, narrow sums, on a place."""
    chance = random.Random(seed)
    work = Workload(bits=8)
    shared = work.load(*(f"s{i}" for i in range(4)), at="feed")
    for i in range(chance.randint(1, 8)):
        length = chance.choice((1, 2, 3, chance.randint(1, leaves), chance.randint(1, 2 * leaves)))
        pairs = []
        for j in range(length):
            one = (
                chance.choice(shared)
                if chance.random() < 0.2
                else work.load(f"a{i}_{j}", at="feed")
            )
            two = one if chance.random() < 0.1 else work.load(f"b{i}_{j}", at="feed")
            pairs.append((one, two))
        result = work.dot(
            pairs,
            name=f"dot{i}",
            bits=chance.choice((8, 16, 24, 32)),
            on=f"mul[{chance.randrange(leaves)}]" if chance.random() < 0.3 else None,
            not_before=chance.choice((0, 0, 0, 9)),
        )
        if chance.random() < 0.8:
            work.store(result, at="out")
    return work


@pytest.fixture(scope="module")
def fabrics():
    return [trees(**given) for given in FABRICS]


def some(fabrics, seeds):
    """Run random workloads on each fabric, one after the other: few models are kept."""
    for number, trees_of_one in enumerate(fabrics):
        for hardware in trees_of_one:
            for seed in seeds:
                work = random_work(len(hardware.leaf), 100 * number + seed)
                agree(dtt.schedule(hardware, work), seed)


def test_random_dot_products(fabrics):
    some(fabrics[1:5:3], range(4))


@pytest.mark.campaign
def test_many_random_dot_products(fabrics):
    some(fabrics, range(13))  # 208 workloads


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(4))
def test_every_partition_of_sixteen_leaves(part):
    plain_tree, augmented_tree = trees(16, collect="any")
    for lengths in list(partitions(16))[part::4]:
        work = dots(lengths, packed(lengths))
        plain = dtt.schedule(plain_tree, work, objective="time")
        augmented = dtt.schedule(augmented_tree, work, objective="time", start=plain)
        assert augmented.cycles <= plain.cycles
        agree(plain)
        agree(augmented)


@pytest.mark.campaign
@pytest.mark.parametrize("leaves", [16, 32, 64])
def test_a_few_hundred_dot_products(leaves):
    chance = random.Random(leaves)
    work = dots([chance.randint(2, 25) for _ in range(300)])
    plain_tree, augmented_tree = trees(leaves, collect="any", feed_capacity=1 << 20)
    plain = dtt.schedule(plain_tree, work, objective="time")
    augmented = dtt.schedule(augmented_tree, work, objective="time", start=plain)
    assert augmented.cycles <= plain.cycles
    assert link_moves(augmented) > 0
    agree(plain)
    agree(augmented)
