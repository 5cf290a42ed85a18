"""Unlike cores on every kind of network: schedules are legal, and the RTL does what they say."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from pairs import run_pair
from random_machines import Seeded
from random_networks import KINDS, Cores, random_tensors

FIRST_SEED = 70_000
PLACINGS = ("in-order", "earliest-finish")


def run_fabrics(kind, seeds):
    """Run a workload on each fabric for each placing; return how many passed and were refused."""
    outcomes = Counter()
    for seed in seeds:
        choose = Seeded(seed)
        hardware = Cores(choose, kind).freeze()
        for placing in PLACINGS:
            outcome = run_pair(hardware, random_tensors(choose, hardware), seed, placing)
            if outcome.verdict is None:
                outcomes["refused"] += 1
            else:
                assert outcome.verdict.passed, f"{kind}, seed {seed}, {placing}: {outcome.verdict}"
                outcomes["passed"] += 1
    return outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_a_fabric_of_each_kind_agrees(kind):
    assert run_fabrics(kind, [FIRST_SEED])["passed"] == len(PLACINGS)


@pytest.mark.campaign
def test_210_fabrics_agree(capsys):
    outcomes = Counter()
    for i, kind in enumerate(KINDS):
        first = FIRST_SEED + 1_000 * (i + 1)
        outcomes += run_fabrics(kind, range(first, first + 30))
    with capsys.disabled():
        sys.stdout.write(
            f"\n  {outcomes['passed']} random workloads on {30 * len(KINDS)} fabrics over "
            f"{len(KINDS)} kinds of network: 0 mismatches, 0 legality faults "
            f"({outcomes['refused']} more have no schedule)\n"
        )
    assert outcomes["passed"] > 10 * outcomes["refused"]
