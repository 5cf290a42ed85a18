"""Every engine shows the same bytes; faults are caught on each with the same words."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_machines import Seeded, random_workload
from test_random_pairs import machine

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl.compare import compare
from hwdsl.errors import LimitReached, NoSchedule
from hwdsl.values import random_values
from rtl.engines import ENGINES, here
from rtl.faults import Faults
from rtl.load import fit, image_of
from rtl.probe import Encoder, joined
from rtl.pysim import Run as PysimRun

ROOT = Path(__file__).parents[2]
OTHERS = [name for name in ENGINES if name != "pysim"]
QUICK = ["cxxrtl", "icarus"]
"""Engines whose models are made in seconds; `make engines` runs all of them."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


def need(engine):
    if here()[engine]:
        pytest.skip(f"engine {engine} is not here: {here()[engine]}")


def planned(seed, most=1):
    """Yield scheduled pairs of a fabric: hardware, schedule, values."""
    hardware = machine(Seeded(seed))
    for i in range(20):
        workload = random_workload(Seeded(7_000_000 + 20 * seed + i), hardware)
        try:
            schedule = dtt.schedule(hardware, workload)
        except (NoSchedule, LimitReached):
            continue
        if most and len(schedule.moves) and len(schedule.firings):
            most -= 1
            yield hardware, schedule, random_values(workload, seed)


@pytest.mark.parametrize("engine", QUICK)
def test_a_random_pair_shows_the_same(engine, cache):
    need(engine)
    ((hardware, schedule, values),) = planned(31)
    given = (hardware, schedule.program(), values)
    seen = rtl.simulate(*given)
    other = rtl.simulate(*given, engine=engine, cache=cache)
    assert other.engine == engine
    assert other == seen
    expected = expected_trace(schedule, values).trace
    assert rtl.follow(*given, expected, engine=engine, cache=cache) == seen


@pytest.mark.engines
@pytest.mark.parametrize(
    ("engine", "count"),
    [(name, 60 if name in QUICK else 6) for name in OTHERS],  # Verilator builds for a minute
)
def test_many_random_pairs_show_the_same(engine, count, cache):
    need(engine)
    pairs = (pair for seed in itertools.count(100) for pair in planned(seed, most=6))
    for hardware, schedule, values in itertools.islice(pairs, count):
        # One size of table, so that a fabric's pairs run on one model.
        given, size = (hardware, schedule.program(), values), {"depth": 64, "time_bits": 12}
        other = rtl.simulate(*given, engine=engine, cache=cache, **size)
        assert other == rtl.simulate(*given, **size), hardware


@pytest.mark.engines
@pytest.mark.parametrize(
    "faults", [Faults(slow_wire="feed"), Faults(swapped_lanes="feed")], ids=str
)
def test_a_planted_fault_is_told_in_the_same_words(faults, cache):
    need("cxxrtl")
    from test_planted_faults import Machine

    hardware = Machine().freeze()
    work = dtt.Workload(bits=8)
    a, b, c, d = work.load(*"abcd", at="ram")
    work.store(work.dot([(a, b), (c, d)], on="mac[0]"), at="ram")
    schedule = dtt.schedule(hardware, work)
    values = dict(zip("abcd", (7, -3, 100, 5), strict=True))
    expected = expected_trace(schedule, values)
    told = []
    for engine in ("pysim", "cxxrtl"):
        options = {"engine": engine, "faults": faults, "cache": cache}
        seen = rtl.simulate(hardware, schedule.program(), values, **options)
        verdict = compare(hardware, expected.trace, seen, expected)
        assert not verdict.passed
        told.append(str(verdict))
        going = rtl.follow(
            hardware, schedule.program(), values, expected.trace, keep_going=True, **options
        )
        assert going == seen
    assert told[0] == told[1]


@pytest.mark.parametrize("seed", [31, 33, 34])
def test_what_is_foretold_is_what_probes_show(seed):
    ((hardware, schedule, values),) = planned(seed)
    program = schedule.program()
    image = image_of(hardware, program, values)
    run = PysimRun(hardware, program, image, *fit(image, program, None, None))
    seen = joined([piece for piece in run.records() if piece.end <= program.cycles])
    encoder = Encoder(hardware, expected_trace(schedule, values).trace.events)
    whole = encoder.records(0, program.cycles)
    assert np.array_equal(whole.keys, seen.keys)
    assert np.array_equal(whole.words, seen.words)
    half = program.cycles // 2
    pieces = joined([encoder.records(0, half), encoder.records(half, program.cycles)])
    assert np.array_equal(whole.words, pieces.words)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    ((hardware, schedule, values),) = planned(31)
    folder = tmp_path_factory.mktemp("bench")
    expected = expected_trace(schedule, values).trace
    rtl.write_testbench(folder, hardware, schedule.program(), values, expected)
    return folder


def run_bench(folder):
    """Run a test bench where hwdsl, dtt and rtl cannot be imported."""
    blocked = folder / "blocked"
    for name in ("hwdsl", "dtt", "rtl"):
        (blocked / name).mkdir(parents=True, exist_ok=True)
        (blocked / name / "__init__.py").write_text("raise ImportError('blocked')\n")
    return subprocess.run(
        [sys.executable, folder / "run.py", "icarus"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(blocked)},
        capture_output=True,
        text=True,
    )


def test_a_test_bench_works_with_cocotb_alone(bench):
    need("icarus")
    done = run_bench(bench)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"


def test_a_test_bench_fails_on_what_is_not_as_expected(bench):
    need("icarus")
    file = bench / "expected.json"
    text = file.read_text()
    file.write_text('{"records": [], "finals": []}')
    try:
        done = run_bench(bench)
    finally:
        file.write_text(text)
    assert done.returncode == 1
    assert "was expected" in done.stdout + done.stderr
