"""The closed forms of Algorithms 1 to 5 give every number that the paper prints, or say why not."""

from __future__ import annotations

import pytest

from dtt.manticore.forms import forms, largest_stack, least_words, printed
from dtt.manticore.layer import Layer
from hwdsl.errors import InputError


def conv(precision="single", **changed):
    return Layer.convolutional(
        **{"wi": 32, "di": 128, "do": 128, "f": 3, **changed}, precision=precision
    )


def full(do, precision="single"):
    return Layer.fully_connected(wi=7, di=128, do=do, batch=32, precision=precision)


CASES = [
    # algorithm, layer, stack: printed MAC/word and flop/B, computed MAC/word and flop/B
    (1, conv(), None, 8.9, 4.4, 8.853, 4.427),
    (1, conv("double"), None, 8.9, 2.2, 8.853, 2.213),
    (2, conv(), 24, 141.8, 70.9, 141.785, 70.892),
    (2, conv("double"), 12, 87.8, 21.9, 87.771, 21.943),
    (3, conv(), 23, 541.4, 270.7, 368.64, 184.32),
    (3, conv("double"), 11, 540.6, 135.2, 368.64, 92.16),
    (4, full(768), None, 30.7, 15.4, 30.720, 15.360),
    (4, full(384, "double"), None, 29.5, 7.4, 29.538, 7.385),
    (5, full(4096), 768, 30.6, 15.3, 30.567, 15.284),
    (5, full(4096, "double"), 384, 29.5, 7.4, 29.468, 7.367),
]


@pytest.mark.parametrize(("algorithm", "layer", "stack", "mac", "flop", "macs", "flops"), CASES)
def test_every_printed_figure(algorithm, layer, stack, mac, flop, macs, flops):
    found, paper = forms(algorithm, layer, stack), printed(algorithm, layer, stack)
    assert (paper.mac_per_word, paper.flop_per_byte) == (mac, flop)
    assert found.mac_per_word == pytest.approx(macs, abs=5e-4)
    assert found.flop_per_byte == pytest.approx(flops, abs=5e-4)
    if algorithm == 3:
        assert "409600 words already, 368.64 MAC/word" in paper.reason
        return
    assert paper.reason is None
    # A figure is printed with one digit after the point, cut or rounded.
    assert abs(found.mac_per_word - mac) < 0.1
    assert abs(found.flop_per_byte - flop) < 0.1


def test_where_algorithm_3s_printed_figures_come_from():
    for layer, stack, mac in ((conv(), 23, 541.4), (conv("double"), 11, 540.6)):
        stacks = -(-layer.do // stack)
        lost = layer.do * layer.wo**2 + layer.f**2 * layer.di * layer.do + stacks * layer.wi**2 / 16
        assert round(layer.macs / lost, 1) == mac
    assert least_words(3, conv()) == 409_600 == forms(3, conv(), 23).memory_words


def test_words_and_stacks_of_the_paper():
    assert forms(1, conv()).local_words == 2057
    assert forms(2, conv(), 24).memory_words == 1_064_960
    assert forms(4, full(4096)).local_words == 132_689
    assert forms(4, full(4096)).largest_stack == 768
    assert forms(4, full(4096, "double")).largest_stack == 384
    limits = {(2, "single"): 24, (2, "double"): 12, (3, "single"): 23, (3, "double"): 11}
    for (algorithm, precision), most in limits.items():
        assert largest_stack(algorithm, conv(precision)) == most
    # 518.3 KiB; the paper prints 519.
    assert forms(4, full(4096)).local_words * 4 / 1024 == pytest.approx(518.3, abs=0.05)


def test_nothing_is_printed_of_other_layers():
    assert printed(2, conv(), 12) is None
    assert printed(2, conv(wi=16), 24) is None
    assert printed(5, full(768), 768) is None


def test_strides_and_padding_count_by_the_output():
    layer = conv(wi=9, stride=2, padding=0)
    assert (layer.wo, layer.macs) == (4, 16 * 9 * 128 * 128)
    assert conv(wi=9, f=4).padding == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"f": 40}, "a filter of width 40 is wider than a slice of 32 with 0 around it"),
        ({"stride": 0}, "stride must be a whole number of at least 1, not 0"),
        ({"wi": 2.5}, "wi must be a whole number of at least 1, not 2.5"),
        ({"padding": -1}, "padding must be a whole number of at least 0, not -1"),
        ({"precision": "half"}, "precision must be 'single' or 'double', not 'half'"),
    ],
)
def test_layers_that_are_refused(change, why):
    given = {"wi": 32, "di": 128, "do": 128, "f": 3, "padding": 0, **change}
    with pytest.raises(InputError, match=why.replace("(", r"\(")):
        Layer(**given)


@pytest.mark.parametrize(
    ("algorithm", "layer", "stack", "why"),
    [
        (6, conv(), None, "algorithm must be from 1 to 5, not 6"),
        (1, conv(), 2, "Algorithm 1 has no stacks"),
        (2, conv(), 0, "stack must be a whole number of at least 1, not 0"),
        (4, conv(), None, "takes fully connected layers"),
        (2, Layer.fully_connected(wi=3, di=1, do=1, batch=2), None, "takes one image, not a batch"),
        (2, conv(wi=200), None, "no output slice fits: 61696 bytes short"),
    ],
)
def test_cases_that_are_refused(algorithm, layer, stack, why):
    with pytest.raises(InputError, match=why):
        forms(algorithm, layer, stack)
