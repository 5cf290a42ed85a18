"""A small convolutional network, all layers in one schedule: what the RTL leaves is NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.layers import Activation, Convolution, Dense, MaxPool
from dtt.network import infer
from hwdsl import Actor, Fabric, Node
from hwdsl.compare import compare
from hwdsl.fabrics import Crossbar
from hwdsl.readback import stored

CODES = ("matmul", "conv2d", "maxpool", "relu")


class Chip(Fabric):
    def __init__(self, row):
        self.word = 8
        self.dram = Node(capacity=1 << 14, row=row, pj_per_bit=10)
        self.core = [Node(capacity=1 << 13, row=row, pj_per_bit=0.1) for _ in range(2)]
        self.actor = [Actor(at=c, ops=CODES, units=4, bits=32, latency=2) for c in self.core]
        self.net = Crossbar(inputs=3, outputs=3, bandwidth=row, lane=row)
        for port, node in enumerate((self.dram, *self.core)):
            self.net.attach(node, port)


@pytest.mark.parametrize("row", [32, 64])
def test_a_convolutional_network(row):
    draw = np.random.default_rng(row)
    layers = [
        Convolution(draw.integers(-9, 9, (2, 1, 3, 3)), draw.integers(-9, 9, 2), split=2),
        Activation("relu"),
        MaxPool(2),
        Dense(draw.integers(-9, 9, (8, 3)), draw.integers(-9, 9, 3)),
    ]
    images = draw.integers(0, 16, (4, 1, 6, 6))
    hardware = Chip(row).freeze()
    network = infer(hardware, layers, images, at="dram", tiles=2, resident=True)
    schedule = dtt.schedule(hardware, network.workload)
    dtt.check(hardware, network.workload, schedule)
    program = schedule.program()
    trace = rtl.simulate(hardware, program, network.values)
    expected = expected_trace(schedule, network.values)
    assert compare(hardware, expected.trace, trace, expected).passed
    left = stored(hardware, program, trace)
    assert np.array_equal(network.gather(lambda d: left[d.name]), network.numpy())
