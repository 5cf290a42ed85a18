"""MAC engines: what may be declared, how many lanes an Op has, and how long it takes."""

import numpy as np
import pytest

from hwdsl import Actor, Fabric, Node
from hwdsl.errors import InputError
from hwdsl.slices import convolve_reads, convolve_spans, convolved_shape, lanes_for

OPS = {"conv_acc", "elem_mac", "add"}


class Cluster(Fabric):
    def __init__(self, *, ops=OPS, row=128, elsewhere=False, **figures):
        self.word = 16
        self.memory = Node(capacity=1 << 14, row=row)
        self.other = Node(capacity=1 << 14, row=row)
        figures = {"units": 8, "latency": 6} | figures
        if elsewhere:
            figures["result_at"] = self.other
        self.mac = Actor(at=self.memory, ops=ops, **figures)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ops": {"conv_acc", "mul"}}, r"knows add, conv_acc, elem_mac alone, not 'mul'"),
        ({"units": 6}, r"has a power of two units, at most the 8 words of a row, not 6"),
        ({"units": 16}, r"at most the 8 words of a row, not 16"),
        ({"row": 96, "units": 2}, r"needs rows of a power of two words, not of 6"),
        ({"latency": 3}, r"has a latency of at least 4 cycles, not 3"),
        ({"cooldown": 2}, r"has a cooldown of 1 cycle, not 2"),
        ({"bits": 32}, r"computes on words of 16 bits, not on 32"),
        ({"elsewhere": True}, r"has its results where its operands are, not in 'other'"),
        (
            {"ops": {"elem_mac": {"latency": 5}, "add": {}}},
            r"has one latency for all ops: add has 6, elem_mac has 5",
        ),
        (
            {"ops": {"elem_mac": {"hold": 2}}},
            r"op 'elem_mac': a MAC engine .* takes all of its units, .* leave hold out",
        ),
        ({"ops": {"elem_mac": {"units": 2}}}, r"takes all of its units, .* leave units out"),
    ],
)
def test_what_cannot_be_an_engine_is_refused(given, sentence):
    with pytest.raises(InputError, match=sentence):
        Cluster(**given).freeze()


def test_an_actor_without_ops_on_slices_is_none():
    assert Cluster().freeze().mac.is_mac_engine
    assert not Cluster(ops={"add", "mul"}, units=6, latency=1).freeze().mac.is_mac_engine


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize(("high", "wide"), [(3, 3), (5, 4), (4, 9), (8, 8)])
def test_two_rows_hold_what_the_lanes_read(high, wide, padding, stride):
    """Held against the reads of the op: no step reads beyond two neighbouring rows."""
    units, shapes, options = 8, [(high, wide), (1, 3, 3)], (0, stride, padding)
    shape = convolved_shape(shapes, *options)
    lanes = lanes_for(units, convolve_spans(shapes, shape, *options))
    reads = convolve_reads(shapes, shape, *options)[0].reshape(-1, 9)

    def span(count):
        return max(
            np.ptp(step[step >= 0])
            for first in range(0, len(reads), count)
            for step in reads[first : first + count].T
            if (step >= 0).any()
        )

    assert span(lanes) <= units
    if stride == 1 and padding == 1:
        assert lanes == units  # as wide as it was: outputs are spread as inputs are
    if lanes < units and not padding:
        assert span(2 * lanes) > units  # without an edge all of it is read


def test_an_op_takes_all_units_and_holds_for_its_latency():
    mac = Cluster().freeze().mac
    t = mac.timing("add", 3, False)
    assert (t.units, t.lanes, t.steps, t.latency, t.hold, t.cooldown) == (8, 8, 1, 6, 6, 1)
    t = mac.timing("elem_mac", 20 * 9, False, 9)
    assert (t.units, t.lanes, t.steps, t.latency, t.hold, t.cooldown) == (8, 8, 27, 32, 32, 27)
    t = mac.timing("conv_acc", 20 * 9, False, 9, (1, 3, 7, 15, 31))
    assert (t.units, t.lanes, t.steps) == (8, 4, 45)
