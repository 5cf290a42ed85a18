"""Columns of a Workload as arrays: asking each item one by one takes longer than routing it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import chain
from math import prod
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hwdsl.workload import Workload


def column(things: Sequence[Any], name: str) -> np.ndarray:
    """Return a whole-number attribute of each thing."""
    return np.fromiter(map(attrgetter(name), things), np.int64, len(things))


def numbered(things: Sequence[Hashable]) -> tuple[np.ndarray, dict[Hashable, int]]:
    """Return a number for each thing, from 0 on; equal things have the same."""
    numbers = {thing: i for i, thing in enumerate(dict.fromkeys(things))}
    return np.fromiter(map(numbers.__getitem__, things), np.int64, len(things)), numbers


def alike(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each different number stands first, and which of them stands where.

    Parameters
    ----------
    numbers : array of int
        From 0 on.

    Returns
    -------
    first : array
        For each different number, in their order, the first position.
    kind : array
        For each position, an index into ``first``.
    """
    span = 1 + int(numbers.max(initial=-1))
    if span > 2 * len(numbers) + _FEW:
        _, first, kind = np.unique(numbers, return_index=True, return_inverse=True)
        return first, kind
    first = np.full(span, len(numbers))
    np.minimum.at(first, numbers, np.arange(len(numbers)))
    there = first < len(numbers)
    return first[there], (np.cumsum(there) - 1)[numbers]


_FEW = 1_000
"""A table of so many numbers is made in a moment."""


def forms(workload: Workload) -> np.ndarray:
    """Return for each Op a number that it shares with the Ops of its `Form`."""
    return _known(workload).forms


def results(workload: Workload) -> np.ndarray:
    """Return the index of the result of each Op."""
    return _known(workload).results


def data_sizes(workload: Workload) -> np.ndarray:
    """Return the bits of each datum."""
    shapes = map(attrgetter("shape"), workload.data)
    elements = np.fromiter(map(prod, shapes), np.int64, len(workload.data))
    return column(workload.data, "bits") * elements


def operands(workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return how many operands each Op has, and the data of all, Op after Op."""
    return _known(workload).operands


def distinct_operands(workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return what `operands` does, with each datum of an Op once."""
    return _known(workload).distinct


class _OfOps:
    """Columns of the Ops that there are, each made when it is asked for."""

    def __init__(self, workload: Workload):
        self.count, self._data = len(workload.ops), len(workload.data)
        self._ops = workload.ops

    @cached_property
    def forms(self) -> np.ndarray:
        return numbered([*map(id, map(attrgetter("form"), self._ops))])[0]

    @cached_property
    def results(self) -> np.ndarray:
        return column([*map(attrgetter("result"), self._ops)], "index")

    @cached_property
    def operands(self) -> tuple[np.ndarray, np.ndarray]:
        listed = [*map(attrgetter("operands"), self._ops)]
        counts = np.fromiter(map(len, listed), np.int64, self.count)
        return counts, column([*chain.from_iterable(listed)], "index")

    @cached_property
    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        counts, data = self.operands
        owner = np.repeat(np.arange(self.count), counts)
        keys = owner * self._data + data
        in_order = np.sort(keys)
        if (in_order[1:] != in_order[:-1]).all():
            return counts, data
        first = np.sort(np.unique(keys, return_index=True)[1])
        return np.bincount(owner[first], minlength=self.count), data[first]


_KNOWN: WeakKeyDictionary[Workload, _OfOps] = WeakKeyDictionary()


def _known(workload: Workload) -> _OfOps:
    """Return the columns of a Workload; Ops are only ever added, so they are kept."""
    known = _KNOWN.get(workload)
    if known is None or known.count != len(workload.ops):
        known = _KNOWN[workload] = _OfOps(workload)
    return known
