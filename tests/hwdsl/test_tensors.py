"""matmul, conv2d and maxpool: plain loops, the NumPy meaning, and the reads agree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hwdsl import InputError
from hwdsl.ops import kind_of
from hwdsl.workload import Workload

CASES = [
    ("matmul", [(3, 4), (4, 5)], ()),
    ("matmul", [(4,), (4, 5)], ()),
    ("matmul", [(3, 4), (4,)], ()),
    ("matmul", [(4,), (4,)], ()),
    ("matmul", [(1, 1), (1, 1)], ()),
    ("matmul", [(3, 4), (4, 5), (5,)], ()),
    ("matmul", [(3, 4), (4, 5), (3, 5)], ()),
    ("matmul", [(4,), (4,), ()], ()),
    ("conv2d", [(2, 5, 6), (3, 2, 3, 2)], (1, 0)),
    ("conv2d", [(2, 5, 6), (3, 2, 3, 2)], (2, 1)),
    ("conv2d", [(1, 2, 2), (1, 1, 1, 1)], (1, 2)),
    ("conv2d", [(2, 5, 6), (3, 2, 3, 2), (3, 1, 1)], (3, 0)),
    ("conv2d", [(4, 2, 5, 6), (3, 2, 3, 2)], (2, 1)),
    ("conv2d", [(4, 2, 5, 6), (3, 2, 3, 2), (4, 3, 3, 4)], (2, 1)),
    ("maxpool", [(2, 5, 6)], (2,)),
    ("maxpool", [(5, 6)], (3,)),
    ("maxpool", [(2, 3, 2, 2)], (1,)),
]


def drawn(shapes):
    generator = np.random.default_rng(1)
    return [generator.integers(-9, 9, shape) for shape in shapes]


def folded(code, operands, shape, told):
    """Compute a result from the reads alone."""
    kind, shapes = kind_of(code), [o.shape for o in operands]
    depth = kind.depth(shapes, shape, *told)
    reads = kind.reads(shapes, shape, *told)
    assert {len(r) for r in reads} == {kind.work(shapes, shape, *told)}
    taken = [np.where(r < 0, 0, o.reshape(-1)[r]) for r, o in zip(reads, operands, strict=True)]
    if code == "maxpool":
        return taken[0].reshape(-1, depth).max(axis=1).reshape(shape)
    products = taken[0] * taken[1] + (taken[2] if len(taken) == 3 else 0)
    return products.reshape(-1, depth).sum(axis=1).reshape(shape)


@pytest.mark.parametrize(("code", "shapes", "told"), CASES)
def test_reads_make_what_numpy_makes(code, shapes, told):
    kind, operands = kind_of(code), drawn(shapes)
    shape = kind.result_shape(shapes, *told)
    made = np.asarray(kind.compute(operands, *told))
    assert made.shape == shape
    assert np.array_equal(folded(code, operands, shape, told), made)


def test_conv2d_is_the_one_of_neural_networks():
    image, filters, bias = drawn([(2, 5, 6), (3, 2, 3, 2), (3, 1, 1)])
    stride, padding = 2, 1
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    made = kind_of("conv2d").compute([image, filters, bias], stride, padding)
    for f, y, x in itertools.product(*map(range, made.shape)):
        total = bias[f, 0, 0]
        for c, i, j in itertools.product(range(2), range(3), range(2)):
            total += padded[c, y * stride + i, x * stride + j] * filters[f, c, i, j]
        assert made[f, y, x] == total


def test_maxpool_drops_what_does_not_fill_a_window():
    image = -np.arange(15).reshape(3, 5)
    assert kind_of("maxpool").compute([image], 2).tolist() == [[0, -2]]


def test_work_depth_and_options_of_an_op():
    work = Workload(bits=32)
    x = work.load("x", at="m", shape=(2, 5, 6))
    k = work.load("k", at="m", shape=(3, 2, 3, 2))
    y = work.op("conv2d", x, k)
    work.op("conv2d", x, k, options=(2, 1))
    work.op("maxpool", y)
    assert [op.options for op in work.ops] == [(1, 0), (2, 1), (2,)]
    assert [(op.depth, op.work) for op in work.ops] == [(12, 12 * 45), (12, 12 * 36), (4, 4 * 6)]


@pytest.mark.parametrize(
    ("code", "shapes", "told", "sentence"),
    [
        ("matmul", [(3, 4), (5, 3)], (), r"matmul takes .*, not \(3, 4\) and \(5, 3\)"),
        ("matmul", [(2, 3, 4), (4, 3)], (), "matmul takes"),
        ("matmul", [(), (3,)], (), "matmul takes"),
        ("matmul", [(3, 4)], (), "two operands, and a third to add, not 1"),
        ("matmul", [(3, 4), (4, 5), (3, 4)], (), r"must have shape \(3, 5\) or \(5,\), not \(3, 4"),
        ("conv2d", [(5, 6), (3, 2, 3, 2)], (1, 0), "conv2d takes images"),
        ("conv2d", [(3, 5, 6), (3, 2, 3, 2)], (1, 0), "conv2d takes images"),
        ("conv2d", [(2, 5, 6), (3, 2, 3, 2)], (0, 0), "stride of at least 1 .* not 0 and 0"),
        ("conv2d", [(2, 2, 2), (3, 2, 3, 2)], (1, 0), "do not fit in images of"),
        ("conv2d", [(2, 5, 6), (3, 2, 3, 2), (3,)], (1, 0), r"or \(3, 1, 1\), not \(3,\)"),
        ("maxpool", [(5,)], (2,), "at least two dimensions"),
        ("maxpool", [(5, 3)], (4,), "window from 1 to 3"),
        ("conv2d", [(2, 5, 6), (3, 2, 3, 2)], (1,), r"takes options \(stride, padding\)"),
    ],
)
def test_what_is_refused(code, shapes, told, sentence):
    work = Workload()
    operands = [work.load(f"d{i}", at="m", shape=shape) for i, shape in enumerate(shapes)]
    with pytest.raises(InputError, match=sentence):
        work.op(code, *operands, options=told)


def test_only_what_is_added_may_be_updated_in_place():
    work = Workload()
    a, b = work.load("a", "b", at="m", shape=(2, 2))
    work.op("matmul", a, b, work.load("c", at="m", shape=(2, 2)), into=work.data[2])
    with pytest.raises(InputError, match="into='a' must be what is added to the result"):
        work.op("matmul", a, b, into=a)
