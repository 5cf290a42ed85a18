"""Layers become a Workload: values, names, tiles, and what is refused before any search."""

from __future__ import annotations

import numpy as np
import pytest

import dtt
from dtt.layers import Activation, Convolution, Dense, MaxPool
from dtt.network import infer, layer_by_layer
from hwdsl import Actor, Fabric, InputError, Node
from hwdsl.errors import NoSchedule

CODES = ("matmul", "conv2d", "maxpool", "relu")


class Chip(Fabric):
    """DRAM, a level between, and two cores."""

    def __init__(self, *, dram=1 << 20, level=1 << 15, core=1 << 14, ops=CODES, bits=32):
        self.word = 8
        self.dram = Node(capacity=dram, row=32, pj_per_bit=10)
        self.level = Node(capacity=level, row=32, pj_per_bit=1)
        self.core = [Node(capacity=core, row=32, pj_per_bit=0.1) for _ in range(2)]
        self.actor = [Actor(at=c, ops=ops, units=4, bits=bits, latency=2) for c in self.core]
        self.duplex(self.dram, self.level, bandwidth=32, latency=8, lane=32)
        for core in self.core:
            self.duplex(self.level, core, bandwidth=32, latency=1, lane=32)


def drawn(*shape, high=9):
    return np.random.default_rng(sum(shape)).integers(-high, high, shape)


def perceptron(**second):
    return [
        Dense(drawn(12, 6), drawn(6), split=3, name="hidden"),
        Activation(),
        Dense(drawn(6, 4), name="last", **second),
    ]


def convolved(x, w):
    high, wide = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
    return sum(
        np.einsum("nchw,fc->nfhw", x[:, :, i : i + high, j : j + wide], w[:, :, i, j])
        for i in range(w.shape[2])
        for j in range(w.shape[3])
    )


@pytest.mark.parametrize("tiles", [1, 2, 5])
@pytest.mark.parametrize("split", [1, 4])
def test_a_perceptron_of_any_tiling_is_numpys(tiles, split):
    layers, x = perceptron(split=split), drawn(5, 12)
    network = infer(Chip().freeze(), layers, x, at="dram", tiles=tiles)
    hidden = np.maximum(x @ layers[0].weights + layers[0].bias, 0)
    assert np.array_equal(network.numpy(), hidden @ layers[2].weights)


@pytest.mark.parametrize("split", [1, 2])
def test_a_convolutional_network_is_numpys(split):
    first, bias = drawn(4, 2, 3, 3), drawn(4)
    layers = [
        Convolution(first, bias, split=split),
        Activation(),
        MaxPool(2),
        Dense(drawn(16, 5), drawn(5), split=split),
        Dense(drawn(5, 3)),
    ]
    x = drawn(3, 2, 6, 6)
    network = infer(Chip().freeze(), layers, x, at="dram", tiles=2)
    h = np.maximum(convolved(x, first) + bias[:, None, None], 0)
    h = h.reshape(3, 4, 2, 2, 2, 2).max(axis=(3, 5)).reshape(3, 16)
    h = (h @ layers[3].weights + layers[3].bias) @ layers[4].weights
    assert np.array_equal(network.numpy().reshape(3, 3), h)


def test_stride_and_padding_of_a_convolution():
    layer = Convolution(drawn(2, 1, 3, 3), stride=2, padding=1)
    network = infer(Chip().freeze(), [layer], drawn(1, 1, 5, 5), at="dram")
    assert network.numpy().shape == (1, 2, 3, 3)
    assert network.workload.ops[0].options == (2, 1)


def test_names_tell_layer_tile_and_block():
    network = infer(Chip().freeze(), perceptron(), drawn(4, 12), at="dram", tiles=2)
    names = [d.name for d in network.workload.data]
    assert names[:4] == ["images[0]", "hidden.bias[0]", "hidden.weights[0][0]", "hidden[0][0]"]
    assert names[-3:] == ["last[1][0].sum0", "last[1][0].sum1", "last[1][0]"]
    assert len(network.weights) == 3 + 3 + 3


def test_weights_are_read_once_and_results_stay_on_the_chip():
    hardware = Chip().freeze()
    layers, x = perceptron(), drawn(6, 12)
    network = infer(hardware, layers, x, at="dram", tiles=3)
    schedule = dtt.schedule(hardware, network.workload)
    dtt.check(hardware, network.workload, schedule)
    assert schedule.reads("dram") == len(network.values)
    apart = layer_by_layer(hardware, layers, x, at="dram", tiles=3)
    assert np.array_equal(apart[-1].numpy(), network.numpy())
    single = [dtt.schedule(hardware, part.workload) for part in apart]
    assert sum(s.reads("dram") for s in single) > schedule.reads("dram")
    assert sum(s.cycles for s in single) > schedule.cycles


@pytest.mark.parametrize(
    ("chip", "sentence"),
    [
        (
            {"ops": {"matmul"}},
            r"Layer 'activation2': no Actor of Chip knows the op code 'relu', which makes "
            r"'activation2\[0\]\[0\]' \(40 bytes\)",
        ),
        ({"bits": 16}, r"Layer 'hidden': .* \(40 bytes\), computes on elements of 32 bits"),
        (
            {"dram": 1024},
            r"Layer 'hidden': 'hidden.bias\[2\]' needs 8 bytes of Node 'dram', which has 4 bytes "
            r"left of 128 bytes",
        ),
        (
            {"core": 512},
            r"Layer 'hidden': 'images\[0\]' needs 60 bytes, and with all else of 'matmul' 132 "
            r"bytes, and Node 'core\[0\]', the largest at an Actor .* holds 64 bytes; split",
        ),
        (
            {"level": 256},
            r"Layer 'hidden': 'images\[0\]' needs 60 bytes, and on the roomiest way to an Actor "
            r"that knows 'matmul' Node 'level' holds 32 bytes; split it further",
        ),
    ],
)
def test_what_can_never_fit_is_told_before_any_search(chip, sentence):
    with pytest.raises(NoSchedule, match=sentence):
        infer(Chip(**chip).freeze(), perceptron(), drawn(5, 12), at="dram")


def test_weights_larger_than_the_chip():
    hardware = Chip(core=1 << 11).freeze()
    layers = [Dense(drawn(64, 16), split=8, name="wide")]
    infer(hardware, layers, drawn(1, 64), at="dram")
    sentence = r"Layer 'wide': .* all of them need 1024 bytes, and the memories .* hold 512 bytes"
    with pytest.raises(NoSchedule, match=sentence):
        infer(hardware, layers, drawn(1, 64), at="dram", resident=True)


@pytest.mark.parametrize(
    ("layers", "shape", "sentence"),
    [
        ([Dense(drawn(5, 2))], (2, 4), "'dense1': weights for 5 inputs do not fit an input of 4"),
        ([Dense(drawn(5, 2, 1))], (2, 5), "'dense1': weights must have 2 dimensions, not 3"),
        ([Dense(drawn(4, 2), drawn(3))], (2, 4), "'dense1': bias must be one for each of 2"),
        ([Dense(drawn(4, 2), split=3)], (2, 4), "'dense1': split must be from 1 to 2, not 3"),
        ([Convolution(drawn(1, 2, 2, 2))], (1, 3, 4, 4), "filters of 2 channels do not fit"),
        ([Activation(name="a"), Activation(name="a")], (2, 4), "two layers have one name"),
    ],
)
def test_layers_that_do_not_fit_each_other(layers, shape, sentence):
    with pytest.raises(InputError, match=sentence):
        infer(Chip().freeze(), layers, drawn(*shape), at="dram")


def test_tiles_are_at_most_the_images():
    with pytest.raises(InputError, match="tiles must be from 1 to the 2 images, not 3"):
        infer(Chip().freeze(), perceptron(), drawn(2, 12), at="dram", tiles=3)
