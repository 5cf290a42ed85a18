"""The butterfly example: a larger array never takes longer, and the bus is not the butterfly."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl.compare import compare
from hwdsl.values import random_values

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(EXAMPLES))
    try:
        return importlib.import_module("butterfly")
    finally:
        sys.path.remove(str(EXAMPLES))


def test_a_larger_array_never_takes_longer(example):
    largest, cycles = None, []
    for count in (1, 2, 4, 7):
        largest = example.scheduled(example.Fig6(count), example.workload, start=largest)
        cycles.append(largest.cycles)
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[-1] < cycles[0] / 2


def test_a_schedule_stays_legal_on_a_larger_array(example):
    small = example.scheduled(example.Fig6(1), example.workload)
    hardware = example.Fig6(7).freeze()
    kept = dtt.Schedule.from_json(small.to_json(), hardware, example.workload)
    dtt.check(hardware, example.workload, kept)
    assert kept.cycles == small.cycles


def test_only_the_processor_does_the_rare_function(example):
    placed = example.placing(example.scheduled(example.Fig6(), example.workload))
    assert {placed[f"s{i}"] for i in range(4)} == {"cpu"}
    assert len(set(placed.values())) == 8


def test_the_bus_tells_more_cycles_than_the_butterfly_takes(example):
    bus = example.scheduled(example.Fig7(), example.workload)
    guess = example.scheduled(example.Fig6(), example.network(example.placing(bus)))
    assert guess.cycles < bus.cycles


@pytest.mark.campaign
@pytest.mark.parametrize("accelerators", [1, 2, 4, 7])
@pytest.mark.parametrize("network", ["Fig6", "Fig7"])
def test_every_array_runs_on_the_rtl(example, network, accelerators):
    schedule = example.scheduled(getattr(example, network)(accelerators), example.workload)
    values = random_values(example.workload, accelerators)
    seen = rtl.simulate(schedule.hardware, schedule.program(), values)
    expected = expected_trace(schedule, values)
    assert compare(schedule.hardware, expected.trace, seen, expected).passed
