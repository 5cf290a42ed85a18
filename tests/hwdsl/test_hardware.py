import copy
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import machines

from hwdsl import Actor, Fabric, InputError, Node
from hwdsl.build import build, declarations_of, without


class Small(Fabric):
    def __init__(self, order=1):
        self.word = 8
        parts = [("a", 64), ("b[2]", 32), ("b[10]", 16)]
        made = {name: Node(capacity=size, pj_per_bit=0.1) for name, size in parts[::order]}
        self.b = [None] * 2 + [made["b[2]"]] + [None] * 7 + [made["b[10]"]]
        self.a = made["a"]
        wires = [("a", "b[2]"), ("b[2]", "b[10]"), ("a", "b[10]")]
        for source, target in wires[::order]:
            self.wire(made[source], made[target], bandwidth=8, latency=2)
        self.mac = Actor(at=self.a, ops={"mul", "add", "dot"}, units=4, latency=2, cooldown=3)


def test_parts_are_indexed_in_the_natural_order_of_their_names():
    hardware = Small().freeze()
    assert [p.name for p in hardware.points] == ["a", "b[2]", "b[10]"]
    assert [p.index for p in hardware.points] == [0, 1, 2]
    assert [w.name for w in hardware.wires] == ["a->b[2]", "a->b[10]", "b[2]->b[10]"]
    assert [w.name for w in hardware.outgoing[0]] == ["a->b[2]", "a->b[10]"]
    assert [w.name for w in hardware.incoming[2]] == ["a->b[10]", "b[2]->b[10]"]


def test_the_order_of_declaration_leaves_no_trace():
    one, other = Small().freeze(), Small(-1).freeze()
    assert one == other
    assert one.fingerprint == other.fingerprint
    assert hash(one) == hash(other)


@settings(max_examples=30)
@given(machines(), st.randoms(use_true_random=False))
def test_shuffled_declarations_build_the_same_machine(hardware, shuffler):
    declared = declarations_of(hardware)
    shuffled = shuffler.sample(declared, len(declared))
    assert build("Other", hardware.word, shuffled) == hardware


def test_the_hash_seed_leaves_no_trace():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_hardware import Small; print(Small().freeze().fingerprint)"
    )
    here = __file__.rpartition("/")[0]
    seen = {
        subprocess.run(
            [sys.executable, "-c", program, here],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert seen == {Small().freeze().fingerprint + "\n"}


def test_a_change_anywhere_changes_the_fingerprint():
    hardware = Small().freeze()
    seen = [hardware.fingerprint]
    for i, d in enumerate(declarations_of(hardware)):
        for field, value in d.fields.items():
            if isinstance(value, int | float):
                changed = declarations_of(hardware)
                changed[i].fields[field] = value * 2
                try:
                    seen.append(build("Small", 8, changed).fingerprint)
                except InputError:
                    continue
    assert len(seen) > 15
    assert len(set(seen)) == len(seen)


def test_hardware_is_frozen():
    hardware = Small().freeze()
    with pytest.raises(AttributeError, match="frozen"):
        hardware.word = 16
    with pytest.raises(AttributeError):
        hardware.a.capacity = 8


def test_what_is_not_there_is_named():
    hardware = Small().freeze()
    with pytest.raises(AttributeError, match="Small has no part named 'c'"):
        hardware.c
    with pytest.raises(IndexError, match=r"Small.b has no part \[3\]"):
        hardware.b[3]
    with pytest.raises(InputError, match="Small has no part named 'c'"):
        hardware["c"]
    with pytest.raises(InputError, match="Small has no Node named 'mac'"):
        hardware.point("mac")
    assert "c" not in hardware
    assert "a->b[2]" in hardware


def test_parts_are_offered_to_completion():
    assert {"a", "b", "mac", "points", "fingerprint"} <= set(dir(Small().freeze()))


def test_a_copy_and_a_pickle_are_the_same_machine():
    hardware = Small().freeze()
    assert copy.deepcopy(hardware) == hardware
    assert pickle.loads(pickle.dumps(hardware)) == hardware


def test_verilog_names_lead_back():
    names = Small().freeze().verilog_names
    assert names["b_10"] == "b[10]"
    assert names["a_to_b_2"] == "a->b[2]"


def test_without_takes_wires_out_and_nothing_else():
    less = without(Small().freeze(), "a->b[10]")
    assert [w.name for w in less.wires] == ["a->b[2]", "b[2]->b[10]"]
    assert [w.index for w in less.wires] == [0, 1]
    with pytest.raises(InputError, match="only a Wire can be taken out of Small, not 'a'"):
        without(less, "a")


@settings(max_examples=30)
@given(machines())
def test_declarations_lead_back_to_the_same_machine(hardware):
    assert build(hardware.name, hardware.word, declarations_of(hardware)) == hardware


@pytest.mark.parametrize(
    ("work", "parallel", "expected"),
    [
        (1, True, (2, 3, 1, 1, 1)),
        (3, True, (2, 3, 1, 3, 1)),
        (4, False, (2, 3, 1, 4, 1)),
        (5, False, (3, 4, 3, 4, 2)),
        (9, False, (4, 5, 4, 4, 3)),
    ],
)
def test_work_beyond_the_units_takes_further_steps(work, parallel, expected):
    t = Small().freeze().mac.timing("mul", work, parallel)
    assert (t.latency, t.cooldown, t.hold, t.units, t.steps) == expected


def test_a_declared_hold_lasts_at_least_as_long_as_the_steps():
    class Held(Fabric):
        def __init__(self):
            self.a = Node(capacity=64)
            self.mac = Actor(at=self.a, ops={"add": {"hold": 2, "units": 1}}, units=2, latency=4)

    mac = Held().freeze().mac
    assert mac.timing("add", 1, False).hold == 2
    assert mac.timing("add", 3, False).hold == 3
    assert mac.timing("add", 3, False).units == 1
