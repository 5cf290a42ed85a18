"""Columns of a Workload against a look at each item."""

import numpy as np
import pytest

import dtt
from dtt.columns import alike, distinct_operands, forms, operands, results


@pytest.mark.parametrize("span", [1, 7, 300, 1 << 40])
@pytest.mark.parametrize("count", [0, 1, 500])
def test_alike(span, count):
    numbers = np.random.default_rng(count).integers(0, span, count)
    first, kind = alike(numbers)
    different = sorted({*numbers.tolist()})
    assert [numbers.tolist().index(n) for n in different] == first.tolist()
    assert [different.index(n) for n in numbers.tolist()] == kind.tolist()


def squares(count):
    work = dtt.Workload(bits=8)
    a, b, c = work.load("a", "b", "c", at="ram")
    for i in range(count):
        pair, total = (((a, a), b), ((a, b), c), ((c, b), None))[i % 3]
        work.dot([pair], into=total)
        work.op("add", a, work.ops[-1].result)
    return work


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_ops(count):
    work = squares(count)
    listed = [[d.index for d in op.operands] for op in work.ops]
    once = [[*dict.fromkeys(data)] for data in listed]
    for told, wanted in ((operands(work), listed), (distinct_operands(work), once)):
        assert told[0].tolist() == [len(data) for data in wanted]
        assert told[1].tolist() == [d for data in wanted for d in data]
    assert results(work).tolist() == [op.result.index for op in work.ops]
    shared = forms(work)
    for i, op in enumerate(work.ops):
        same = [other.form is op.form for other in work.ops]
        assert (shared == shared[i]).tolist() == same


def test_ops_that_come_later_are_seen():
    work = squares(1)
    assert len(results(work)) == 2
    work.op("add", *work.data[:2])
    assert results(work).tolist() == [op.result.index for op in work.ops]
