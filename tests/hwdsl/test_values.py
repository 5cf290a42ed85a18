import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwdsl import InputError
from hwdsl.ops import wrap
from hwdsl.values import evaluate, pack, random_values, unpack
from hwdsl.workload import Workload


def twos_complement(value, bits):
    """The rule in plain integers."""
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


@given(st.integers(1, 64), st.integers(-(1 << 63), (1 << 63) - 1))
def test_wrapping_is_twos_complement(bits, value):
    assert int(wrap(value, bits)) == twos_complement(value, bits)


PLAIN = {
    "add": lambda a, b, c: a + b,
    "mul": lambda a, b, c: a * b,
    "max": lambda a, b, c: max(a, b),
    "relu": lambda a, b, c: max(a, 0),
    "dot": lambda a, b, c: a * b + b * c,
}


@given(
    st.sampled_from(sorted(PLAIN)),
    st.integers(1, 64),
    st.integers(1, 64),
    st.integers(-(1 << 63), (1 << 64) - 1),
    st.integers(-(1 << 63), (1 << 64) - 1),
    st.integers(-(1 << 63), (1 << 64) - 1),
)
def test_every_op_is_what_plain_integers_make_it(code, bits, width, x, y, z):
    a, b, c = (twos_complement(v, bits) for v in (x, y, z))
    work = Workload(bits=bits)
    da, db, dc = work.load("a", "b", "c", at="ram")
    operands = {"relu": [da], "dot": [da, db, db, dc]}.get(code, [da, db])
    result = work.op(code, *operands, bits=width)
    expected = twos_complement(PLAIN[code](a, b, c), width)
    assert int(evaluate(work, {"a": a, "b": b, "c": c})[result.index]) == expected


def test_an_accumulator_is_added():
    work = Workload(bits=8)
    a, b = work.load("a", "b", at="ram")
    total = work.load("t", at="ram", bits=16)
    work.dot([(a, b)], into=total)
    assert int(evaluate(work, {a: -100, b: 100, "t": 7})[-1]) == -9993


def test_values_are_given_signed_or_unsigned():
    work = Workload(bits=8)
    work.load("a", at="ram")
    assert int(evaluate(work, {"a": 255})[0]) == -1
    assert int(evaluate(work, {"a": -128})[0]) == -128
    wide = Workload(bits=64)
    wide.load("a", at="ram")
    assert int(evaluate(wide, {"a": (1 << 64) - 1})[0]) == -1


@pytest.mark.parametrize(
    ("given_values", "sentence"),
    [
        ({}, "values: loaded datum 'a' has no value"),
        ({"a": [1, 2], "x": 1}, "values: 'x' is not a loaded datum of the Workload"),
        ({"a": [1, 2], "relu_0": 1}, "values: 'relu_0' is not a loaded datum"),
        ({"a": 1}, "values: 'a' has shape (2,), not ()"),
        ({"a": [1.0, 2.0]}, "values: 'a' must be integers, not float64"),
        ({"a": [True, False]}, "values: 'a' must be integers, not bool"),
        ({"a": [1, 256]}, "values: 'a' must fit in 8 bits, not 1 to 256"),
        ({"a": [-129, 0]}, "values: 'a' must fit in 8 bits, not -129 to 0"),
        ({"a": [[1], [2, 3]]}, "values: 'a' has rows of different lengths"),
    ],
)
def test_values_that_do_not_fit_are_named(given_values, sentence):
    work = Workload(bits=8)
    work.op("relu", work.load("a", at="ram", shape=2))
    with pytest.raises(InputError) as caught:
        evaluate(work, given_values)
    assert sentence in str(caught.value)


@given(st.integers(1, 64), st.sampled_from([(), (1,), (3,), (2, 3)]), st.integers(0, 99))
def test_packing_puts_element_0_lowest_and_can_be_undone(bits, shape, seed):
    work = Workload(bits=bits)
    datum = work.load("a", at="ram", shape=shape)
    value = random_values(work, seed)[datum]
    packed = pack(np.asarray(value), bits)
    assert 0 <= packed < 1 << datum.size
    first = int(np.asarray(value).reshape(-1)[0])
    assert twos_complement(packed, bits) == first
    assert np.array_equal(unpack(packed, datum), value)


def test_random_values_are_the_seeds_and_reach_both_ends():
    work = Workload(bits=2)
    datum = work.load("a", at="ram", shape=200)
    drawn = random_values(work, 7)[datum]
    assert np.array_equal(drawn, random_values(work, 7)[datum])
    assert set(drawn.tolist()) == {-2, -1, 0, 1}
