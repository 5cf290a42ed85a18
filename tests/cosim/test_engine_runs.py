"""What surrounds a run: models kept on disk, engines that are missing, waveforms, failing tests."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine_needed import need
from vcd.reader import TokenKind, tokenize

import dtt
import rtl
from hwdsl import Fabric, Node
from hwdsl.__main__ import main
from hwdsl.errors import ToolMissing
from hwdsl.values import random_values
from rtl import engines, simulator, witness
from rtl.compiled import compiler, verilator
from rtl.compiled.cache import built
from rtl.engines import ENGINES


class Line(Fabric):
    """The smallest machine that moves something."""

    def __init__(self):
        self.word = 8
        self.a, self.b = Node(capacity=64), Node(capacity=64)
        self.wire(self.a, self.b, bandwidth=8, latency=2)


@pytest.fixture(scope="module")
def given():
    hardware = Line().freeze()
    work = dtt.Workload(bits=8)
    for datum in work.load(*(f"x{i}" for i in range(6)), at="a"):
        work.store(datum, at="b")
    schedule = dtt.schedule(hardware, work)
    return hardware, schedule.program(), random_values(work, 1)


def test_two_builds_of_the_same_model_leave_one(tmp_path):
    script = """
import sys, time
from pathlib import Path
from rtl.compiled.cache import built
def build(folder):
    (folder / "one").write_text("1")
    time.sleep(0.5)  # the other one begins meanwhile
    (folder / "two").write_text("2")
print(sorted(p.name for p in built(Path(sys.argv[1]), "model", build).iterdir()))
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [run.communicate()[0] for run in both] == ["['one', 'two']\n"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_build_that_fails_leaves_nothing(tmp_path):
    def build(folder):
        (folder / "half").write_text("")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        built(tmp_path, "model", build)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.engines
def test_two_processes_can_build_and_run_at_once(tmp_path, given):
    need("cxxrtl")
    script = f"""
import sys
sys.path.insert(0, {str(__file__.rpartition("/")[0])!r})
from test_engine_runs import Line
import dtt, rtl
from pathlib import Path
from hwdsl.values import random_values
work = dtt.Workload(bits=8)
for datum in work.load(*(f"x{{i}}" for i in range(6)), at="a"):
    work.store(datum, at="b")
hardware = Line().freeze()
program, values = dtt.schedule(hardware, work).program(), random_values(work, 1)
seen = rtl.simulate(hardware, program, values, engine="cxxrtl", cache=Path(sys.argv[1]))
print(seen == rtl.simulate(hardware, program, values))
"""
    command = [sys.executable, "-c", script, str(tmp_path)]

    def run(_):
        return subprocess.run(command, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(run, range(2)):
            assert done.stdout == "True\n", done.stderr
    assert len(list(tmp_path.iterdir())) == 1


def test_auto_without_a_compiler_says_what_it_does_without(monkeypatch, tmp_path, given):
    monkeypatch.setattr(compiler, "find", lambda: None)
    monkeypatch.setattr(verilator, "find", lambda: "here")  # so that a compiler is all that lacks
    hardware, program, values = given
    long = engines.choose(hardware, 10_000_000)
    assert long.engine == "pysim"
    assert long.reason.startswith("engine ")
    assert long.reason.endswith(f"would be faster: {compiler.HOW}")
    assert rtl.simulate(hardware, program, values, engine="auto").engine == "pysim"
    with pytest.raises(ToolMissing, match="compiled engines need a C\\+\\+ compiler: apt-get"):
        rtl.simulate(hardware, program, values, engine="cxxrtl", cache=tmp_path)


def test_an_engine_that_there_is_not_is_refused_before_anything_is_scheduled(monkeypatch, capsys):
    def never(*given, **options):
        raise AssertionError("scheduled")

    monkeypatch.setattr(dtt, "schedule", never)
    assert main(["check", "examples/four_pe.py", "--engine", "verilater"]) == 2
    told = capsys.readouterr()
    assert "scheduled" not in told.out
    assert "engine must be one of pysim, cxxrtl," in told.err


BROKEN = {
    "no test": "import cocotb\n",
    "a failing test": "import cocotb\n@cocotb.test()\nasync def t(dut):\n    assert False\n",
    "not Python": "this is not Python\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_what_cocotb_does_not_pass_is_no_result(text, tmp_path, monkeypatch, cache, given):
    need("icarus")
    rtl.simulate(*given, engine="icarus", cache=cache)
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "test_machine.py").write_text(text)
    monkeypatch.setattr(simulator, "BENCH", bench)
    with pytest.raises(ToolMissing, match="engine icarus through cocotb failed"):
        rtl.simulate(*given, engine="icarus", cache=cache)


def probed(file):
    """Return when the Wire's probe changes in a waveform, and to what: (time, value) each."""
    names, changes, time = {}, [], 0
    with open(file, "rb") as text:
        for token in tokenize(text):
            if token.kind is TokenKind.VAR:
                names[token.var.id_code] = token.var.reference
            elif token.kind is TokenKind.CHANGE_TIME:
                time = token.time_change
            elif token.kind is TokenKind.CHANGE_VECTOR or token.kind is TokenKind.CHANGE_SCALAR:
                change = token.vector_change if token.kind is TokenKind.CHANGE_VECTOR else None
                if change is not None and "probe" in names[change.id_code]:
                    changes.append((time, int(change.value)))
    return changes


def waves_show_the_window(engine, given, cache, tmp_path):
    whole, some = tmp_path / "whole.vcd", tmp_path / "some.vcd"
    seen = rtl.simulate(*given, engine=engine, cache=cache, vcd=whole)
    window = rtl.Wave(some, 3, 5)
    assert rtl.simulate(*given, engine=engine, cache=cache, vcd=window) == seen
    changes = probed(whole)
    assert changes
    assert len({value for _, value in changes}) > 4  # every word that passes
    fewer = probed(some)
    assert 0 < len({t for t, _ in fewer}) <= 4
    assert len(fewer) < len(changes)
    assert {value for _, value in fewer} <= {value for _, value in changes}


@pytest.mark.parametrize("engine", ["pysim", "cxxrtl", "icarus"])
def test_a_waveform_shows_the_probes_in_its_window(engine, given, cache, tmp_path):
    need(engine)
    waves_show_the_window(engine, given, cache, tmp_path)


@pytest.mark.engines
@pytest.mark.parametrize("engine", ["verilator", "verilator-cocotb"])
def test_a_waveform_of_verilator_shows_the_probes_in_its_window(engine, given, cache, tmp_path):
    need(engine)
    waves_show_the_window(engine, given, cache, tmp_path)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "pysim"])
def test_what_is_missing_is_named_with_the_command_that_brings_it(engine, monkeypatch, given):
    monkeypatch.setattr(compiler, "find", lambda: None)
    monkeypatch.setattr(verilator, "find", lambda: None)
    monkeypatch.setattr(witness, "has_cocotb", lambda: False)
    command = ENGINES[engine].missing()
    assert command.startswith(("apt-get install ", "pip install "))
    with pytest.raises(ToolMissing, match=r"needs?\b"):
        rtl.simulate(*given, engine=engine)
