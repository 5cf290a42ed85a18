"""A known Schedule as a start: on more hardware it never becomes worse."""

import sys
from collections import Counter

import pytest
from grown import pair

import dtt
from dtt.goals import key
from dtt.starting import translate
from hwdsl import Fabric, InputError, Node
from hwdsl.errors import IllegalSchedule, LimitReached, NoSchedule


def outcomes(seeds, effort=0):
    """Hold both objectives; count how often a Schedule from scratch would have been worse."""
    counts = Counter()
    for seed in seeds:
        small, large, work, kind = pair(seed)
        for objective in ("energy", "time"):
            try:
                start = dtt.schedule(small, work, objective=objective, effort=effort)
            except (LimitReached, NoSchedule):
                counts["none"] += 1
                continue
            found = dtt.schedule(large, work, objective=objective, effort=effort, start=start)
            dtt.check(large, work, found)
            assert key(found, objective) <= key(start, objective), f"seed {seed}, {kind}"
            try:
                scratch = dtt.schedule(large, work, objective=objective, effort=effort)
                worse = key(scratch, objective)[:2] > key(start, objective)[:2]
            except LimitReached:
                worse = True
            counts["worse from scratch" if worse else "as good from scratch"] += 1
    return counts


def test_more_hardware_never_worsens():
    counts = outcomes(range(60))
    assert counts["worse from scratch"]
    assert counts["as good from scratch"] > counts["none"]


@pytest.mark.campaign
def test_more_hardware_never_worsens_many(capsys):
    for effort in (0, 1):
        counts = outcomes(range(1_000, 1_200), effort)
        total = counts["worse from scratch"] + counts["as good from scratch"]
        with capsys.disabled():
            sys.stdout.write(
                f"\n  effort {effort}: from scratch {counts['worse from scratch']} of {total} "
                "grown machines would have had a worse schedule; from a start, none\n"
            )


class Line(Fabric):
    def __init__(self, bandwidth=8, capacity=64):
        self.a = Node(capacity=capacity)
        self.b = Node(capacity=capacity)
        self.ab = self.wire(self.a, self.b, bandwidth=bandwidth, latency=1)


def line_work(count=3):
    work = dtt.Workload(bits=8)
    for i in range(count):
        work.need(work.load(f"x{i}", at="a"), at="b")
    return work


def test_a_start_that_does_not_fit_is_refused():
    hardware, work = Line(bandwidth=16).freeze(), line_work()
    start = dtt.schedule(hardware, work)
    with pytest.raises(
        InputError, match="start: must be a Schedule of this Workload, but its data"
    ):
        dtt.schedule(hardware, line_work(2), start=start)
    with pytest.raises(InputError, match="uses Wire 'ab', which the Hardware lacks"):
        translate(start, Renamed().freeze(), work)
    with pytest.raises(IllegalSchedule, match="lanes"):
        dtt.schedule(Line().freeze(), work, start=start)


class Renamed(Line):
    def __init__(self):
        self.a = Node(capacity=64)
        self.b = Node(capacity=64)
        self.other = self.wire(self.a, self.b, bandwidth=16, latency=1)


def test_a_workload_declared_again_is_the_same():
    start = dtt.schedule(Line().freeze(), line_work())
    found = dtt.schedule(Line(capacity=128).freeze(), line_work(), start=start)
    assert found.to_json() == start.to_json()
