"""``hwdsl reduce`` and ``hwdsl compare``, as a user runs them."""

import json
import xml.etree.ElementTree as ET

import pytest

from hwdsl.__main__ import main


def said(capsys, *arguments):
    status = main(list(arguments))
    return status, json.loads(capsys.readouterr().out)


def test_reduce(capsys):
    status, found = said(
        capsys, "reduce", "--leaves", "8", "--augmented", "--lengths", "3,3", "--json"
    )
    assert status == 0
    wanted = {"blocked": False, "cycles": 4, "extra_cycles": 0, "adds2": 2, "adds3": 1}
    wanted |= {"link_moves": 1, "verdict": "pass"}
    assert {key: found[key] for key in wanted} == wanted
    assert (found["adds2_seen"], found["adds3_seen"]) == (2, 1)
    status, found = said(
        capsys, "reduce", "--leaves", "8", "--lengths", "3,5", "--at", "0,3", "--json"
    )
    assert (status, found["blocked"], found["extra_cycles"], found["link_moves"]) == (0, True, 1, 0)
    assert found["blocked_by"] == "add[0][1] must pass on dot products 0 and 1 together"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--leaves", "8", "--lengths", "5,5"), "do not fit on 8 leaves"),
        (("--leaves", "6", "--lengths", "3"), "must be a power of two"),
        (("--leaves", "8", "--lengths", "1,3"), "has at least 2 pairs"),
        (("--leaves", "8", "--lengths", "3,3", "--at", "0"), "need as many positions"),
    ],
)
def test_what_reduce_refuses(capsys, given, why):
    assert main(["reduce", *given]) == 2
    assert why in capsys.readouterr().err


TREE = """
import dtt
from hwdsl.fabrics import ReductionTree
hardware = ReductionTree(leaves=8, collect="any", augmented={augmented}, pj_per_bit=0.5)
workload = dtt.Workload(bits=8)
for i, (first, length) in enumerate(((0, 3), (3, 5))):
    pairs = [workload.load(f"a{{i}}{{j}}", f"b{{i}}{{j}}", at="feed") for j in range(length)]
    workload.store(workload.dot(pairs, name=f"d{{i}}", bits=32, on=f"mul[{{first}}]"), at="out")
"""


def test_compare(capsys, tmp_path):
    files = []
    for name, augmented in (("plain", False), ("augmented", True)):
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(TREE.format(augmented=augmented))
    picture = tmp_path / "tree.svg"
    status, found = said(capsys, "compare", *map(str, files), "--svg", str(picture), "--json")
    assert (status, found["verdict"]) == (0, "pass")
    assert [side["cycles"] for side in found["sides"]] == [6, 5]
    assert [side["wires"] for side in found["sides"]] == [21, 23]
    assert [side["adder_inputs"] for side in found["sides"]] == [14, 16]
    assert found["sides"][0]["blocked"] == [
        {"dot": "d1", "on": [["Wire 'add[0][1]->add[1][0]'", 2, "d0"]]}
    ]
    assert found["only_first"] == []
    assert [use["wire"] for use in found["only_second"]] == [
        "add[0][1]->add[0][2]",
        "add[0][2]->add[0][1]",
    ]
    assert [use["moves"] for use in found["only_second"]] == [1, 0]
    assert found["gain"]["cycles"] == 1
    drawing = ET.parse(picture).getroot()
    labels = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"ADD_01", "ADD_02"} <= set(labels)
    assert main(["compare", *map(str, files)]) == 0
    shown = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "add[0][1]->add[0][2] 1 20.0%" in lines
    assert "d1 Wire 'add[0][1]->add[1][0]' in cycle 2 (d0)" in lines


WIRE = """
import dtt
from hwdsl import Fabric, Node
class Pair(Fabric):
    def __init__(self):
        self.a = Node(capacity=64)
        self.b = Node(capacity={capacity})
        self.ab = self.wire(self.a, self.b, bandwidth={bandwidth}, latency=1)
hardware = Pair().freeze()
workload = dtt.Workload(bits=8)
for i in range(4):
    workload.need(workload.load(f"x{{i}}", at="a"), at="b")
"""


@pytest.mark.parametrize(("capacity", "bandwidth", "cycles"), [(64, 8, 4), (128, 16, 2)])
def test_compare_machines_of_the_same_parts(capsys, tmp_path, capacity, bandwidth, cycles):
    """Where the first one's Schedule is not legal on the second, it is left out of account."""
    files = [tmp_path / "wide.py", tmp_path / "other.py"]
    files[0].write_text(WIRE.format(capacity=64, bandwidth=16))
    files[1].write_text(WIRE.format(capacity=capacity, bandwidth=bandwidth))
    status, found = said(capsys, "compare", *map(str, files), "--json")
    assert (status, [side["cycles"] for side in found["sides"]]) == (0, [2, cycles])
