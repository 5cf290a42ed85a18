"""Array ops of which one result element takes several elements: matmul, conv2d and maxpool.

Each is told in two ways that tests hold against each other: as NumPy computes it, and by its
*reads*, the elements that a unit is fed step after step for one element of the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, ...]

CONVOLVE = ("stride", "padding")
"""Options of ``conv2d``: step of the window; zeros around the image."""

POOL = ("window",)
"""Options of ``maxpool``: side of the square window, which is also its step."""


def matmul_shape(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of ``a @ b``, as NumPy has it for vectors and matrices."""
    a, b = _two("matmul", shapes)
    if not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2 or a[-1] != b[0]:
        raise ValueError(f"matmul takes (m, k) and (k, n), or vectors of k, not {a} and {b}")
    shape = a[:-1] + b[1:]
    return _addend("matmul", shapes, shape, shape[-1:])


def matmul(operands: Sequence[Any]) -> Any:
    """Return ``a @ b``, plus ``c`` if given (of the result's shape, or one row of it)."""
    a, b, *c = operands
    return a @ b + (c[0] if c else 0)


def matmul_depth(shapes: Sequence[Shape], _result: Shape) -> int:
    """Return the products in one element."""
    return shapes[0][-1]


def matmul_reads(shapes: Sequence[Shape], result: Shape) -> list[np.ndarray]:
    import numpy as np

    a, b = _indices(shapes[0]), _indices(shapes[1])
    depth = shapes[0][-1]
    a, b = a.reshape(-1, depth), b.reshape(depth, -1)
    each = (len(a), b.shape[1], depth)
    reads = [np.broadcast_to(a[:, None, :], each), np.broadcast_to(b.T[None, :, :], each)]
    return _steps(reads, shapes, result, depth)


def conv2d_shape(shapes: Sequence[Shape], stride: int, padding: int) -> Shape:
    """Return ``(filters, h, w)``, behind the images' number if there are several."""
    image, filters = _two("conv2d", shapes)
    if len(image) not in (3, 4) or len(filters) != 4 or image[-3] != filters[1]:
        raise ValueError(
            "conv2d takes images of ([n,] channels, h, w) and filters of (filters, channels, "
            f"fh, fw), not {image} and {filters}"
        )
    if stride < 1 or padding < 0:
        rule = "conv2d takes a stride of at least 1 and a padding of at least 0"
        raise ValueError(f"{rule}, not {stride} and {padding}")
    sides = tuple(
        (n + 2 * padding - field) // stride + 1
        for n, field in zip(image[-2:], filters[2:], strict=True)
    )
    if min(sides) < 1:
        raise ValueError(f"conv2d: filters of {filters[2:]} do not fit in images of {image[-2:]}")
    shape = (*image[:-3], filters[0], *sides)
    return _addend("conv2d", shapes, shape, (filters[0], 1, 1))


def conv2d(operands: Sequence[Any], stride: int, padding: int) -> Any:
    """Return the cross-correlation, as neural networks have it, plus ``c`` if given."""
    import numpy as np

    image, filters, *c = operands
    sides = ((0, 0),) * (image.ndim - 2) + ((padding, padding),) * 2
    taps = _windows(np.pad(image, sides), filters.shape[2:], stride)
    made = np.einsum("...chwij,fcij->...fhw", taps, filters)
    return made + (c[0] if c else 0)


def conv2d_depth(shapes: Sequence[Shape], _result: Shape, *_: int) -> int:
    """Return the taps of one element, those beyond the edge as well."""
    return math.prod(shapes[1][1:])


def conv2d_reads(
    shapes: Sequence[Shape], result: Shape, stride: int, padding: int
) -> list[np.ndarray]:
    import numpy as np

    image, filters = _indices(shapes[0]), _indices(shapes[1])
    sides = ((0, 0),) * (image.ndim - 2) + ((padding, padding),) * 2
    around = np.pad(image, sides, constant_values=-1)
    taps = np.moveaxis(_windows(around, shapes[1][2:], stride), -5, -3)  # ... h w c i j
    depth = math.prod(shapes[1][1:])
    each = (-1, *result[-3:], depth)
    there = taps.reshape(-1, 1, *result[-2:], depth)
    weights = filters.reshape(len(filters), 1, 1, depth)
    number = len(there)
    reads = [np.broadcast_to(r, (number, *each[1:])) for r in (there, weights)]
    return _steps(reads, shapes, result, depth)


def maxpool_shape(shapes: Sequence[Shape], window: int) -> Shape:
    """Return the operand's shape, both last sides divided by the window (the rest is dropped)."""
    if len(shapes) != 1 or len(shapes[0]) < 2:
        found = ", ".join(map(str, shapes))
        raise ValueError(f"maxpool takes one operand of at least two dimensions, not {found}")
    if not 1 <= window <= min(shapes[0][-2:]):
        rule = f"maxpool takes a window from 1 to {min(shapes[0][-2:])}"
        raise ValueError(f"{rule} in images of {shapes[0][-2:]}, not {window}")
    return (*shapes[0][:-2], *(n // window for n in shapes[0][-2:]))


def maxpool(operands: Sequence[Any], window: int) -> Any:
    """Return the largest element of each window."""
    return _windows(operands[0], (window, window), window).max(axis=(-2, -1))


def maxpool_depth(_shapes: Sequence[Shape], _result: Shape, window: int) -> int:
    """Return the elements of one window."""
    return window * window


def maxpool_reads(shapes: Sequence[Shape], _result: Shape, window: int) -> list[np.ndarray]:
    return [_windows(_indices(shapes[0]), (window, window), window).reshape(-1)]


def _windows(array: np.ndarray, field: Sequence[int], stride: int) -> np.ndarray:
    """Return the windows of both last axes, as two more axes."""
    import numpy as np

    view = np.lib.stride_tricks.sliding_window_view(array, tuple(field), axis=(-2, -1))
    strided: np.ndarray = view[..., ::stride, ::stride, :, :]
    return strided


def _indices(shape: Shape) -> np.ndarray:
    import numpy as np

    return np.arange(math.prod(shape)).reshape(shape)


def _steps(
    reads: list[np.ndarray], shapes: Sequence[Shape], result: Shape, depth: int
) -> list[np.ndarray]:
    """Return reads as flat arrays, with those of the addend: in the first step of an element."""
    import numpy as np

    steps = [read.reshape(-1) for read in reads]
    if len(shapes) == 3:
        addend = np.full((math.prod(result), depth), -1)
        addend[:, 0] = np.broadcast_to(_indices(shapes[2]), result).reshape(-1)
        steps.append(addend.reshape(-1))
    return steps


def _two(code: str, shapes: Sequence[Shape]) -> tuple[Shape, Shape]:
    if len(shapes) not in (2, 3):
        raise ValueError(f"{code} takes two operands, and a third to add, not {len(shapes)}")
    return shapes[0], shapes[1]


def _addend(code: str, shapes: Sequence[Shape], result: Shape, bias: Shape) -> Shape:
    if len(shapes) == 3 and shapes[2] not in (result, bias):
        allowed = " or ".join(str(s) for s in dict.fromkeys((result, bias)))
        raise ValueError(f"{code}: what is added must have shape {allowed}, not {shapes[2]}")
    return result
