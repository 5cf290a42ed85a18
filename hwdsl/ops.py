"""What each op code computes, and on what: the NumPy meaning that everything is held against.

Values are two's complement integers. Operands are sign-extended to the width of the result's
elements, and every element wraps modulo 2^bits (rule 0 of the contract).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import slices, tensors
from .errors import InputError
from .names import is_identifier

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, ...]

WIDEST = 64
"""Bits of the widest element; NumPy's integers hold no more."""


@dataclass(frozen=True)
class OpKind:
    """The meaning of one op code.

    Attributes
    ----------
    code : str
    result_shape : callable
        Takes the operands' shapes (the updated operand of ``into=`` is the last one of a dot
        product); returns the shape of the result, or raises ``ValueError`` with the rule.
    compute : callable
        Takes the operands as int64 arrays; returns the result before wrapping. int64 itself
        wraps modulo 2^64, which leaves every narrower result right.
    work : callable
        Takes operand shapes and result shape; returns the unit-steps (see `Actor.timing`).
    parallel : bool
        All of the work starts in one cycle.
    options : tuple of str
        Names of the whole numbers that an Op of this code is given besides its operands; the
        callables take them last.
    defaults : tuple of int
        Their values where an Op is given none.
    depth : callable
        Takes what ``work`` takes; returns how many unit-steps make one element of the result. One
        unit takes them, one after the other.
    reads : callable or None
        Takes what ``work`` takes; returns, for each operand, the element that is read in each
        unit-step (-1: none, which reads as 0), those of one result element in a row. ``None``:
        step k reads element k of every operand.
    spans : callable
        Takes what ``work`` takes; see `hwdsl.slices.lanes_for`.
    latency, arity, component
        Of an op that a user brings, see `hwdsl.user_ops.UserOp`: its least latency, the number of
        its operands, and what takes the bits of an element and returns its Amaranth Component.
    """

    code: str
    result_shape: Callable[..., Shape]
    compute: Callable[..., Any]
    work: Callable[..., int]
    parallel: bool = False
    options: tuple[str, ...] = ()
    defaults: tuple[int, ...] = ()
    depth: Callable[..., int] = lambda *_: 1
    reads: Callable[..., Sequence[np.ndarray]] | None = None
    spans: Callable[..., tuple[int, ...]] = lambda *_: ()
    latency: int = 1
    arity: int = 0
    component: Callable[[int], Any] | None = None


def _elementwise(code: str, arity: int) -> Callable[[Sequence[Shape]], Shape]:
    def result_shape(shapes: Sequence[Shape]) -> Shape:
        if len(shapes) != arity:
            raise ValueError(f"{code} takes {arity} operand{'s'[: arity > 1]}, not {len(shapes)}")
        if any(shape != shapes[0] for shape in shapes):
            raise ValueError(f"{code} takes operands of one shape, not {_listed(shapes)}")
        return shapes[0]

    return result_shape


def _dot_shape(shapes: Sequence[Shape]) -> Shape:
    if any(shape != () for shape in shapes):
        raise ValueError(f"dot takes pairs of scalars, not {_listed(shapes)}")
    if len(shapes) < 2:
        raise ValueError("dot takes at least one pair")
    return ()


def _listed(shapes: Sequence[Shape]) -> str:
    return ", ".join(map(str, dict.fromkeys(shapes)))


def _dot(operands: Sequence[Any]) -> Any:
    total = operands[-1] if len(operands) % 2 else 0
    for a, b in zip(operands[0:-1:2], operands[1::2], strict=False):
        total = total + a * b
    return total


def _relu(operands: Sequence[Any]) -> Any:
    import numpy as np

    return np.maximum(operands[0], 0)


def _max(operands: Sequence[Any]) -> Any:
    import numpy as np

    return np.maximum(operands[0], operands[1])


def _elements(_: Sequence[Shape], result: Shape, *_options: int) -> int:
    return math.prod(result)


def _folded(depth: Callable[..., int]) -> Callable[..., int]:
    """Return the work of an op each of whose result elements takes ``depth`` unit-steps."""
    return lambda shapes, result, *told: math.prod(result) * depth(shapes, result, *told)


KINDS: dict[str, OpKind] = {
    kind.code: kind
    for kind in (
        OpKind("add", _elementwise("add", 2), lambda x: x[0] + x[1], _elements),
        OpKind("mul", _elementwise("mul", 2), lambda x: x[0] * x[1], _elements),
        OpKind("max", _elementwise("max", 2), _max, _elements),
        OpKind("relu", _elementwise("relu", 1), _relu, _elements),
        OpKind("dot", _dot_shape, _dot, lambda shapes, _: len(shapes) // 2, parallel=True),
        OpKind(
            "conv_acc",
            slices.convolved_shape,
            slices.convolve,
            _folded(slices.convolve_depth),
            options=slices.CONVOLVE,
            depth=slices.convolve_depth,
            reads=slices.convolve_reads,
            spans=slices.convolve_spans,
        ),
        OpKind(
            "elem_mac",
            slices.multiplied_shape,
            slices.multiply,
            _folded(slices.multiply_depth),
            options=slices.MULTIPLY,
            depth=slices.multiply_depth,
            reads=slices.multiply_reads,
        ),
        OpKind(
            "matmul",
            tensors.matmul_shape,
            tensors.matmul,
            _folded(tensors.matmul_depth),
            depth=tensors.matmul_depth,
            reads=tensors.matmul_reads,
        ),
        OpKind(
            "conv2d",
            tensors.conv2d_shape,
            tensors.conv2d,
            _folded(tensors.conv2d_depth),
            options=tensors.CONVOLVE,
            defaults=(1, 0),
            depth=tensors.conv2d_depth,
            reads=tensors.conv2d_reads,
        ),
        OpKind(
            "maxpool",
            tensors.maxpool_shape,
            tensors.maxpool,
            _folded(tensors.maxpool_depth),
            options=tensors.POOL,
            defaults=(2,),
            depth=tensors.maxpool_depth,
            reads=tensors.maxpool_reads,
        ),
    )
}


def kind_of(code: str) -> OpKind:
    """Return the meaning of an op code.

    Raises
    ------
    InputError
        If nothing defines it.
    """
    try:
        return KINDS[code]
    except KeyError:
        known = ", ".join(sorted(KINDS))
        raise InputError(f"op code {code!r} is not defined; known are {known}") from None


def define(kind: OpKind) -> None:
    """Make an op code of a user known; one that a user brought before is replaced."""
    known = KINDS.get(kind.code)
    if known is not None and known.component is None:
        raise InputError(f"Op code {kind.code!r}: it is defined already, and not by a user")
    if not is_identifier(kind.code):
        raise InputError(f"an op code must be an identifier, not {kind.code!r}")
    KINDS[kind.code] = kind


def wrap(values: Any, bits: int) -> np.ndarray:
    """Return int64 ``values`` wrapped modulo 2^bits to two's complement."""
    import numpy as np

    array = np.asarray(values, dtype=np.int64)
    if bits >= WIDEST:
        return array
    shift = np.int64(WIDEST - bits)
    return np.asarray((array << shift) >> shift)
