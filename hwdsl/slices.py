"""What a MAC engine computes on whole depth slices: shapes, work and NumPy meaning.

A *group of filters* is one datum of shape ``(n, F, F)``; the option ``filter`` picks one of them,
so that one transfer can carry the filters of several Ops. *Reads* are as in `hwdsl.tensors`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, ...]

ENGINE_CODES = frozenset({"conv_acc", "elem_mac"})
"""An Actor that knows one of these is a MAC engine: it reads and writes whole rows (rule 4)."""

LANE_ROWS = 2
"""Rows of the input that a MAC engine reads in a cycle."""

CONVOLVE = ("filter", "stride", "padding")
"""Options of ``conv_acc``: which filter of the group; step of the window; zeros around it."""

MULTIPLY = ("filter",)
"""Options of ``elem_mac``: which filter of the group."""


def output_width(width: int, field: int, stride: int, padding: int) -> int:
    """Return how many positions a window of ``field`` has along an input of ``width``."""
    return (width + 2 * padding - field) // stride + 1


def convolved_shape(shapes: Sequence[Shape], filter: int, stride: int, padding: int) -> Shape:
    """Return the shape of the output slice of ``conv_acc``."""
    image, group = _pair("conv_acc", shapes, 2)
    _pick("conv_acc", group, filter)
    if stride < 1 or padding < 0:
        raise ValueError(
            f"conv_acc takes a stride of at least 1 and a padding of at least 0, "
            f"not {stride} and {padding}"
        )
    shape = tuple(output_width(width, group[1], stride, padding) for width in image)
    if min(shape) < 1:
        raise ValueError(f"conv_acc: a filter of {group[1:]} does not fit in a slice of {image}")
    return _accumulator("conv_acc", shapes, shape)


def convolve(operands: Sequence[Any], filter: int, stride: int, padding: int) -> Any:
    """Return the convolution of a slice with one filter, on top of the accumulator if given."""
    import numpy as np

    image, group = operands[:2]
    taps = group[filter]
    padded = np.pad(image, padding)
    high, wide = (output_width(n, len(taps), stride, padding) for n in image.shape)
    total = operands[2].copy() if len(operands) == 3 else np.zeros((high, wide), np.int64)
    for y in range(len(taps)):
        for x in range(len(taps)):
            rows = slice(y, y + (high - 1) * stride + 1, stride)
            columns = slice(x, x + (wide - 1) * stride + 1, stride)
            total += padded[rows, columns] * taps[y, x]
    return total


def convolve_depth(shapes: Sequence[Shape], _result: Shape, *_: int) -> int:
    """Return the taps of one output."""
    return shapes[1][1] * shapes[1][2]


def convolve_spans(
    shapes: Sequence[Shape], result: Shape, filter: int, stride: int, padding: int
) -> tuple[int, ...]:
    """Return over how many words of the slice 1, 2, 4, ... outputs in a row are spread."""
    return _spans(shapes[0][1], result, stride)


@lru_cache(maxsize=256)
def _spans(width: int, result: Shape, stride: int) -> tuple[int, ...]:
    import numpy as np

    line, column = np.divmod(np.arange(math.prod(result)), result[1])
    origin = (line * width + column) * stride
    found = []
    for power in range((len(origin) - 1).bit_length() + 1):
        first = np.arange(0, len(origin), 1 << power)
        last = np.minimum(first + (1 << power), len(origin)) - 1
        found.append(int((origin[last] - origin[first]).max()) + 1)
    return tuple(found)


def lanes_for(units: int, spans: Sequence[int]) -> int:
    """Return how many outputs a MAC engine of so many units works on at a time.

    Parameters
    ----------
    spans : sequence of int
        Words over which the inputs of 1, 2, 4, ... of them are spread; empty: as many as outputs.

    Returns
    -------
    int
        The most, a power of two, for which the inputs surely lie in `LANE_ROWS` rows of ``units``
        words each.
    """
    most = (LANE_ROWS - 1) * units + 1
    lanes = 1
    while lanes < units:
        wider = min(lanes.bit_length(), len(spans) - 1)
        if spans and spans[wider] > most:
            break
        lanes *= 2
    return lanes


def convolve_reads(
    shapes: Sequence[Shape], result: Shape, filter: int, stride: int, padding: int
) -> list[np.ndarray]:
    import numpy as np

    field = shapes[1][1:]
    around = np.pad(_indices(shapes[0]), padding, constant_values=-1)
    view = np.lib.stride_tricks.sliding_window_view(around, field)
    there = view[::stride, ::stride].reshape(-1, math.prod(field))
    return _reads(there, _indices(shapes[1])[filter], shapes)


def multiplied_shape(shapes: Sequence[Shape], filter: int) -> Shape:
    """Return the shape of the outputs of ``elem_mac``: one for each image of the batch."""
    images, group = _pair("elem_mac", shapes, 3)
    _pick("elem_mac", group, filter)
    if images[:2] != group[1:]:
        raise ValueError(
            f"elem_mac takes images and filters of one size, not {images[:2]} and {group[1:]}"
        )
    return _accumulator("elem_mac", shapes, images[2:])


def multiply(operands: Sequence[Any], filter: int) -> Any:
    """Return the products of each image with one filter, summed; the batch is innermost."""
    images, group, *total = operands
    made = (images * group[filter][:, :, None]).sum(axis=(0, 1))
    return made + total[0] if total else made


def multiply_depth(shapes: Sequence[Shape], _result: Shape, *_: int) -> int:
    """Return the elements of one image."""
    return shapes[1][1] * shapes[1][2]


def multiply_reads(shapes: Sequence[Shape], result: Shape, filter: int) -> list[np.ndarray]:
    there = _indices(shapes[0]).reshape(-1, result[0]).T
    return _reads(there, _indices(shapes[1])[filter], shapes)


def _indices(shape: Shape) -> np.ndarray:
    import numpy as np

    return np.arange(math.prod(shape)).reshape(shape)


def _reads(there: np.ndarray, taps: np.ndarray, shapes: Sequence[Shape]) -> list[np.ndarray]:
    """Return the reads of inputs (outputs x taps), filter and accumulator, step after step."""
    import numpy as np

    reads = [there.reshape(-1), np.tile(taps.reshape(-1), len(there))]
    if len(shapes) == 3:
        total = np.full(there.shape, -1)
        total[:, 0] = np.arange(len(there))
        reads.append(total.reshape(-1))
    return reads


def _pair(code: str, shapes: Sequence[Shape], dimensions: int) -> tuple[Shape, Shape]:
    if len(shapes) not in (2, 3):
        raise ValueError(
            f"{code} takes input, filters and, if it goes on, an accumulator; "
            f"not {len(shapes)} operands"
        )
    given = shapes[0], shapes[1]
    if (len(given[0]), len(given[1])) != (dimensions, 3):
        raise ValueError(
            f"{code} takes an input of {dimensions} dimensions and filters of 3, "
            f"not {given[0]} and {given[1]}"
        )
    return given


def _pick(code: str, group: Shape, filter: int) -> None:
    if not 0 <= filter < group[0]:
        raise ValueError(f"{code}: filter must be from 0 to {group[0] - 1}, not {filter}")


def _accumulator(code: str, shapes: Sequence[Shape], result: Shape) -> Shape:
    if len(shapes) == 3 and shapes[2] != result:
        raise ValueError(f"{code}: the accumulator must have shape {result}, not {shapes[2]}")
    return result
