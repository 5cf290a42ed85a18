"""Every engine shows the same bytes; faults are caught on each with the same words."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from engine_needed import need
from random_machines import Seeded, random_workload
from test_planted_faults import Machine as FaultyMachine
from test_random_pairs import machine

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl.cli.check import complete_values
from hwdsl.cli.subject import read_subject
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
FABRICS = (103, 104, 105, 108, 115, 118, 121, 123, 130, 142, 156, 158)
"""Seeds; their machines have up to two Junctions and three Actors, and all op codes among them."""
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


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
    ((hardware, schedule, values),) = planned(158)
    given = (hardware, schedule.program(), values)
    seen = rtl.simulate(*given)
    other = rtl.simulate(*given, engine=engine, cache=cache)
    assert other.engine == engine
    assert other == seen
    expected = expected_trace(schedule, values).trace
    assert rtl.follow(*given, expected, engine=engine, cache=cache) == seen


def others():
    """Return the engines that are here, beside pysim."""
    found = [name for name in OTHERS if not here()[name]]
    if not found:
        pytest.skip("pysim is the only engine here")
    return found


@pytest.mark.engines
@pytest.mark.parametrize("seed", FABRICS)
def test_five_random_pairs_of_a_fabric_show_the_same_on_every_engine(seed, cache):
    pairs = list(planned(seed, most=5))
    assert len(pairs) == 5
    for hardware, schedule, values in pairs:
        # One size of table, so that a fabric's pairs run on one model.
        given, size = (hardware, schedule.program(), values), {"depth": 64, "time_bits": 12}
        expected = expected_trace(schedule, values)
        seen = rtl.simulate(*given, **size)
        assert compare(hardware, expected.trace, seen, expected).passed
        for engine in others():
            options = {"engine": engine, "cache": cache, **size}
            assert rtl.simulate(*given, **options).tobytes() == seen.tobytes(), engine
            assert rtl.follow(*given, expected.trace, **options).tobytes() == seen.tobytes()


@pytest.mark.engines
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_shows_the_same_on_every_engine(example, cache, monkeypatch):
    """pysim runs what Amaranth makes of the whole machine; of all others, parts share modules."""
    monkeypatch.syspath_prepend(str(example.parent))
    subject = read_subject(str(example))
    schedule = dtt.schedule(subject.hardware, subject.workload)
    given = (subject.hardware, schedule.program(), complete_values(subject, 0))
    expected = expected_trace(schedule, given[2])
    seen = rtl.simulate(*given)
    assert compare(subject.hardware, expected.trace, seen, expected).passed
    for engine in others():
        assert rtl.simulate(*given, engine=engine, cache=cache).tobytes() == seen.tobytes(), engine


@pytest.mark.engines
@pytest.mark.parametrize(
    "faults",
    [Faults(slow_wire="feed"), Faults(swapped_lanes="feed"), Faults(late_port="send feed[0]")],
    ids=("a register too many", "swapped lanes", "a late command"),
)
def test_a_planted_fault_is_told_in_the_same_words(faults, cache):
    hardware = FaultyMachine().freeze()
    work = dtt.Workload(bits=8)
    a, b, c, d = work.load(*"abcd", at="ram")
    work.store(work.dot([(a, b), (c, d)], on="mac[0]"), at="ram")
    schedule = dtt.schedule(hardware, work)
    values = dict(zip("abcd", (7, -3, 100, 5), strict=True))
    given, expected = (hardware, schedule.program(), values), expected_trace(schedule, values)
    told = {}
    for engine in ("pysim", *others()):
        options = {"engine": engine, "faults": faults, "cache": cache}
        seen = rtl.simulate(*given, **options)
        verdict = compare(hardware, expected.trace, seen, expected)
        assert not verdict.passed
        told[engine] = str(verdict)
        assert rtl.follow(*given, expected.trace, keep_going=True, **options) == seen
        stopped = rtl.follow(*given, expected.trace, **options)
        assert stopped.cycles < seen.cycles or stopped == seen
        early = compare(hardware, expected.trace.until(stopped.cycles), stopped, expected)
        assert early.first.sentence.startswith(f"cycle {verdict.first.cycle}, ")
    assert set(told.values()) == {told["pysim"]}


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
    ((hardware, schedule, values),) = planned(158)
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
