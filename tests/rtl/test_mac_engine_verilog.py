"""MAC engines as Verilog: lint, and Yosys, on one cluster and on a whole L1 quadrant."""

import pytest
from verilog_tools import linted, synthesized

import rtl
from hwdsl import Actor, Fabric, Node
from hwdsl.fabrics import Manticore


class Cluster(Fabric):
    def __init__(self):
        self.word = 16
        self.memory = Node(capacity=1 << 13, row=64)
        ops = {"conv_acc", "elem_mac", "add"}
        self.mac = Actor(at=self.memory, ops=ops, units=4, latency=5)
        self.far = Node(capacity=1 << 13, row=64)
        self.duplex(self.memory, self.far, bandwidth=64, lane=64, latency=2)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("verilog") / "cluster.v"
    path.write_text(rtl.emit(Cluster().freeze(), depth=32))
    return path


def test_lint_finds_nothing_but_what_is_waived(file):
    linted(file)


def test_yosys_synthesizes_a_cluster(file):
    synthesized(file)


@pytest.mark.campaign
def test_yosys_synthesizes_an_l1_quadrant(tmp_path):
    path = tmp_path / "quadrant.v"
    # Main memory is not on the chip: as many rows of it are written as local memories have.
    path.write_text(rtl.emit(Manticore(4, 1, 1, 1).freeze(), most_rows=1 << 11))
    synthesized(path)
