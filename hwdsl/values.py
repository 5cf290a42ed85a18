"""The value of every datum, computed in NumPy, and its packing into bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError
from .ops import kind_of, wrap
from .workload import Datum, Workload

Given = Mapping[Any, Any]
"""From a Datum or its name to an integer or an array of the datum's shape."""

Values = list[np.ndarray]
"""For each datum of a Workload, by index: int64 elements in the datum's shape."""


def evaluate(workload: Workload, given: Given) -> Values:
    """Compute all data of a Workload from the values of those that are loaded.

    Parameters
    ----------
    given : mapping of Datum or its name to an integer or an array of the datum's shape
        Must hold every loaded datum. Values from ``-2^(bits-1)`` to ``2^bits - 1`` are taken
        (the upper half wraps, so unsigned data can be given as they are).

    Raises
    ------
    InputError
        If a loaded datum has no value, or a value does not fit.
    """
    named = {k.name if isinstance(k, Datum) else k: v for k, v in given.items()}
    loaded = {d.name for d in workload.data if d.loaded_at is not None}
    for name in named:
        if name not in loaded:
            raise InputError(f"values: {name!r} is not a loaded datum of the Workload")
    values: Values = []
    for datum in workload.data:
        if datum.loaded_at is not None:
            if datum.name not in named:
                raise InputError(f"values: loaded datum {datum.name!r} has no value")
            values.append(checked(datum, named[datum.name]))
        else:
            assert datum.made_by is not None
            op = workload.ops[datum.made_by]
            operands = [values[d.index] for d in op.operands]
            with np.errstate(over="ignore"):
                made = kind_of(op.code).compute(operands, *op.options)
                values.append(wrap(made, datum.bits))
    return values


def checked(datum: Datum, value: Any) -> np.ndarray:
    """Return a given value as int64 elements of the datum's shape; refuse one that does not fit."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(f"values: {datum.name!r} has rows of different lengths") from None
    if array.shape != datum.shape:
        raise InputError(f"values: {datum.name!r} has shape {datum.shape}, not {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"values: {datum.name!r} must be integers, not {array.dtype}")
    low, high = int(array.min()), int(array.max())
    if low < -(1 << (datum.bits - 1)) or high >= 1 << datum.bits:
        raise InputError(
            f"values: {datum.name!r} must fit in {datum.bits} bits, not {low} to {high}"
        )
    return wrap(array.astype(np.uint64 if high >= 1 << 63 else np.int64).view(np.int64), datum.bits)


def random_values(workload: Workload, seed: int) -> dict[Datum, np.ndarray]:
    """Return uniform random values for every loaded datum, the same for the same seed."""
    generator = np.random.default_rng(seed)
    drawn = {}
    for datum in workload.data:
        if datum.loaded_at is not None:
            low, high = -(1 << (datum.bits - 1)), (1 << (datum.bits - 1)) - 1
            drawn[datum] = generator.integers(low, high, datum.shape, np.int64, endpoint=True)
    return drawn


def pack(value: np.ndarray, bits: int) -> int:
    """Return a datum's elements as one integer: element 0 in the least significant bits."""
    mask = (1 << bits) - 1
    if bits % 8 == 0 and value.size > 1:
        little = np.ascontiguousarray(value.reshape(-1)).astype("<i8").view(np.uint8)
        return int.from_bytes(little.reshape(-1, 8)[:, : bits // 8].tobytes(), "little")
    packed = 0
    for i, element in enumerate(value.reshape(-1).tolist()):
        packed |= (element & mask) << (i * bits)
    return packed


def unpack(packed: int, datum: Datum) -> np.ndarray:
    """Return the elements of a datum from its bits; the reverse of `pack`."""
    mask = (1 << datum.bits) - 1
    flat = [(packed >> (i * datum.bits)) & mask for i in range(datum.elements)]
    return wrap(np.array(flat, np.uint64).view(np.int64), datum.bits).reshape(datum.shape)
