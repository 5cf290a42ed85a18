"""Random fabrics and workloads: the schedule is legal and the RTL does what it says."""

import sys
import warnings
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import run_pair
from random_machines import Machine, Seeded, random_workload

from hwdsl.errors import HardwareWarning

FIRST_SEED = 20_000
WORKLOADS = 8
"""For one fabric: elaborating it costs more than running a schedule on it."""


class Drawn:
    """A Chooser whose choices Hypothesis makes, and makes smaller when a test fails."""

    def __init__(self, draw):
        self._draw = draw

    def whole(self, low, high):
        return self._draw(st.integers(low, high))


def machine(choose):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HardwareWarning)
        return Machine(choose).freeze()


def run_fabrics(seeds):
    """Run `WORKLOADS` pairs on each fabric; return how many passed and how many were refused."""
    outcomes = Counter()
    for seed in seeds:
        hardware = machine(Seeded(seed))
        for i in range(WORKLOADS):
            workload = random_workload(Seeded(1_000_000 + seed * WORKLOADS + i), hardware)
            outcome = run_pair(hardware, workload, seed)
            if outcome.verdict is None:
                outcomes["refused"] += 1
            else:
                assert outcome.verdict.passed, f"seed {seed}, workload {i}: {outcome.verdict}"
                outcomes["passed"] += 1
    return outcomes


@given(st.data())
@settings(max_examples=12)
def test_drawn_pairs_agree(data):
    choose = Drawn(data.draw)
    hardware = machine(choose)
    outcome = run_pair(hardware, random_workload(choose, hardware))
    assert outcome.verdict is None or outcome.verdict.passed, str(outcome.verdict)


def test_seeded_pairs_agree(capsys):
    outcomes = run_fabrics(range(FIRST_SEED, FIRST_SEED + 5))
    with capsys.disabled():
        sys.stdout.write(
            f"\n  {outcomes['passed']} random pairs from seed {FIRST_SEED}: 0 mismatches\n"
        )
    assert outcomes["passed"] >= 25


@pytest.mark.campaign
def test_300_pairs_agree(capsys):
    passed = refused = 0
    seed = FIRST_SEED + 1_000
    while passed < 300:
        outcomes = run_fabrics([seed])
        passed += outcomes["passed"]
        refused += outcomes["refused"]
        seed += 1
    with capsys.disabled():
        sys.stdout.write(
            f"\n  {passed} random pairs from seeds {FIRST_SEED + 1_000} to {seed - 1}: "
            f"0 mismatches, 0 legality faults ({refused} more have no schedule)\n"
        )
    assert refused < passed
