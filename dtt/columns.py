"""Columns of a Workload as arrays: asking each item one by one takes longer than routing it."""

from __future__ import annotations

from collections.abc import Sequence
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


def identities(things: Sequence[Any]) -> np.ndarray:
    """Return for each thing a number, from 0 on; the same thing has the same."""
    numbers: np.ndarray = np.unique(
        np.fromiter(map(id, things), np.int64, len(things)), return_inverse=True
    )[1]
    return numbers


def forms(workload: Workload) -> np.ndarray:
    """Return for each Op a number that it shares with the Ops of its `Form`."""
    return identities([*map(attrgetter("form"), workload.ops)])


def data_sizes(workload: Workload) -> np.ndarray:
    """Return the bits of each datum."""
    shapes = map(attrgetter("shape"), workload.data)
    elements = np.fromiter(map(prod, shapes), np.int64, len(workload.data))
    return column(workload.data, "bits") * elements


def operands(workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return how many operands each Op has, and the data of all, Op after Op."""
    return _operands(workload)[0]


def distinct_operands(workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Return what `operands` does, with each datum of an Op once."""
    return _operands(workload)[1]


_Operands = tuple[np.ndarray, np.ndarray]
_KNOWN: WeakKeyDictionary[Workload, tuple[int, _Operands, _Operands]] = WeakKeyDictionary()


def _operands(workload: Workload) -> tuple[_Operands, _Operands]:
    """Return all operands and the distinct ones; Ops are only ever added, so they are kept."""
    ops = len(workload.ops)
    known = _KNOWN.get(workload)
    if known is None or known[0] != ops:
        listed = [*map(attrgetter("operands"), workload.ops)]
        counts = np.fromiter(map(len, listed), np.int64, ops)
        data = column([*chain.from_iterable(listed)], "index")
        owner = np.repeat(np.arange(ops), counts)
        first = np.sort(np.unique(owner * len(workload.data) + data, return_index=True)[1])
        distinct = np.bincount(owner[first], minlength=ops), data[first]
        known = _KNOWN[workload] = (ops, (counts, data), distinct)
    return known[1], known[2]
