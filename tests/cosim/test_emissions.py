"""Where parts share modules, the machine is the one that Amaranth writes as a whole: proven."""

import re
import sys

import pytest
from engines import Words
from netlists import differences, flat
from random_machines import Seeded
from test_engines import EXAMPLES, FABRICS
from test_random_pairs import machine
from test_rebuild import example
from test_verilog import Medley

import dtt
from dtt.waypoints import waypoints
from hwdsl.cli.subject import read_subject
from hwdsl.rebuild import rebuild
from rtl.control.source import instruction
from rtl.rtlil import rtlil_of

SIZE = {"depth": 4, "time_bits": 16, "most_rows": 64}


@pytest.fixture(autouse=True)
def deep(monkeypatch):
    """Netlists are walked along their longest path."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


def alike(hardware, **limits):
    plain, shared = (
        flat(rtlil_of(hardware, shared=shared, **SIZE, **limits)) for shared in (False, True)
    )
    assert plain.state
    assert plain.memories
    assert list(differences(plain, shared)) == []


def test_one_part_of_every_kind():
    alike(Medley().freeze())


def test_a_mesh():
    alike(Words(3).freeze())


@pytest.mark.engines
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.stem)
def test_every_example(file, monkeypatch):
    monkeypatch.syspath_prepend(str(file.parent))
    alike(read_subject(str(file)).hardware)


@pytest.mark.engines
@pytest.mark.parametrize("seed", FABRICS)
def test_every_random_fabric_that_the_engines_run(seed):
    alike(machine(Seeded(seed)))


@pytest.mark.engines
def test_a_machine_with_a_controller():
    hardware, workload = example("fig1")
    program = waypoints(dtt.schedule(hardware, workload))
    told = instruction(hardware, program, rebuild(hardware, program))
    alike(hardware, control=told.limits)


@pytest.fixture(scope="module")
def texts():
    hardware = Medley().freeze()
    return [rtlil_of(hardware, shared=shared, **SIZE) for shared in (False, True)]


def module(text, kind):
    """Return where the first module of a kind begins and ends."""
    start = text.index(f"module \\machine_{kind}_0\n")
    return start, text.index("\nend\n", start)


def changed(text, kind, pattern, replacement):
    start, end = module(text, kind)
    made, count = re.subn(pattern, replacement, text[start:end], count=1)
    assert count == 1
    return text[:start] + made + text[end:]


def test_a_fault_in_a_shared_part_is_found(texts):
    plain, shared = texts
    for kind, pattern, replacement, found in (
        ("actor", r"cell \$ge ", "cell $gt ", "mul"),
        ("wire", r"cell \$eq ", "cell $ne ", "_to_"),
        ("send", r"parameter \\CLK_POLARITY 1", r"parameter \\CLK_POLARITY 0", "send"),
        ("time", r"(init 16'0{15})0", r"\g<1>1", "time"),
    ):
        told = list(differences(flat(plain), flat(changed(shared, kind, pattern, replacement))))
        assert told
        assert any(found in name for name in told), told


def test_crossed_nets_are_found(texts):
    plain, shared = texts
    start = shared.index("module \\machine\n")
    end = shared.index("\nend\n", start)
    top = shared[start:end]
    crossed = re.sub(
        r"(connect \\probe \\probe_)(far|now)\n",
        lambda found: f"{found[1]}{'now' if found[2] == 'far' else 'far'}\n",
        top,
    )
    assert crossed != top
    told = list(differences(flat(plain), flat(shared[:start] + crossed + shared[end:])))
    assert {"\\probe_far", "\\probe_now"} <= set(told)
