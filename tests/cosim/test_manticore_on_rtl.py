"""Layers on a Manticore quadrant: schedule, RTL and NumPy agree in every cycle, word and count."""

from __future__ import annotations

import random

import pytest
from layers_on_rtl import run_layer
from random_layers import WORDS, random_layer

from dtt.manticore.layer import Layer
from hwdsl.errors import InputError
from hwdsl.fabrics import Manticore
from rtl.faults import Faults

CONVOLUTION = Layer.convolutional(wi=7, di=3, do=5, f=3)
CONNECTED = Layer.fully_connected(wi=3, di=5, do=3, batch=18)


@pytest.fixture(scope="module")
def quadrant():
    """One L1 quadrant of four clusters; main memory is near, so that a run is short."""
    return Manticore(4, 1, 1, 1, hbm_latency=40).freeze()


@pytest.mark.parametrize("algorithm", range(1, 6))
def test_every_algorithm_on_four_clusters(quadrant, algorithm):
    layer = CONVOLUTION if algorithm < 4 else CONNECTED
    stack = 2 if algorithm in (2, 3, 5) else None
    run_layer(quadrant, layer, algorithm, stack=stack, time_bits=16, depth=256).check()


def test_algorithm_2_with_every_copy_allowed(quadrant):
    ran = run_layer(quadrant, CONVOLUTION, 2, stack=2, reuse=True, time_bits=16, depth=256)
    ran.check()
    # Each input slice is read from main memory once, though three clusters want it.
    filters, images = 3 * 5 * 9, 3 * 49
    assert ran.seen.loads == filters + images


@pytest.fixture(scope="module")
def pair():
    return Manticore(2, 1, 1, 1, hbm_latency=40).freeze()


SMALL = Layer.convolutional(wi=4, di=1, do=2, f=3)


def test_an_engine_that_leaves_out_a_tap_is_named(pair):
    name = pair.cluster[1].mac.name
    ran = run_layer(pair, SMALL, 1, faults=Faults(short_engine=name))
    first = ran.verdict.first
    assert (first.kind, first.part) == ("RESULT", name)
    assert ran.stored[1].tolist() != ran.reference[1].tolist()
    assert ran.stored[0].tolist() == ran.reference[0].tolist()


def test_a_beat_that_is_lost_is_named_with_its_wire(pair):
    wire = pair.cluster_down[1].name
    ran = run_layer(pair, SMALL, 1, faults=Faults(lost_beat=(wire, 0)))
    first = ran.verdict.first
    assert (first.kind, first.part, first.seen) == ("ARRIVE", wire, None)
    assert any(m.kind == "ERROR" and m.part == wire for m in ran.verdict.mismatches)
    assert ran.stored[1].tolist() != ran.reference[1].tolist()
    assert ran.stored[0].tolist() == ran.reference[0].tolist()


def drawn(seed):
    """Return a random quadrant and layer, and by which algorithm it runs."""
    rng = random.Random(seed)
    precision, word = rng.choice([*WORDS.items()])
    shape = rng.choice([(1, 1, 1, 1), (2, 1, 1, 1), (3, 1, 1, 1), (2, 2, 1, 1), (1, 2, 2, 1)])
    narrow = rng.choice([None, None, {"l1": 256}, {"cluster": 128}])
    hardware = Manticore(
        *shape,
        word,
        narrow=narrow,
        hbm_latency=rng.randint(15, 40),
        units=rng.choice([None, None, 1, 2, 4]),
        mac_latency=rng.randint(4, 9),
    ).freeze()
    algorithm = rng.randint(1, 5)
    most = {"f": 4, "wi": 9, "di": 3} if algorithm < 4 else {"wi": 4, "di": 6, "batch": 20}
    layer = random_layer(rng, algorithm, precision, most, rng.randint(1, 5))
    return hardware, layer, algorithm, rng.random() < 0.5


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(20))
def test_random_layers_and_quadrants(seed):
    hardware, layer, algorithm, reuse = drawn(seed)
    run_layer(hardware, layer, algorithm, seed=seed, reuse=reuse).check()


@pytest.mark.campaign
@pytest.mark.parametrize("algorithm", range(1, 6))
def test_an_l2_quadrant_on_a_compiled_engine(algorithm):
    hardware = Manticore(4, 4, 1, 1).freeze()
    if algorithm < 4:
        layer = Layer.convolutional(wi=16, di=16, do=16, f=3)
    else:
        layer = Layer.fully_connected(wi=4, di=16, do=16, batch=16)
    stack = 1 if algorithm in (2, 3) else None
    sizes = {"depth": 1 << 13, "time_bits": 16}
    reuse = algorithm == 2
    ran = run_layer(hardware, layer, algorithm, stack=stack, reuse=reuse, engine="cxxrtl", **sizes)
    ran.check()
    if reuse:  # the exchange between clusters is found: every word is read once
        assert ran.seen.loads == 16 * (16**2 + 16 * 9)


def test_a_word_of_another_width_is_refused(quadrant):
    layer = Layer.convolutional(wi=4, di=1, do=1, f=3, precision="double")
    with pytest.raises(InputError, match="takes a word of 64 bits"):
        run_layer(quadrant, layer, 1)
