"""UserOp: an op that a user brings, as a NumPy function and an Amaranth Component."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .ops import OpKind, Shape, define

if TYPE_CHECKING:
    import numpy as np


class UserOp:
    """An op of which every element of the result takes one step of one unit.

    Write a subclass, and hand an instance to `bring`; its code is then an op code like any other::

        class Half(UserOp):
            code = "half"

            def compute(self, x):
                return x >> 1

            def component(self, bits):
                return HalfUnit(bits)  # operand0: In(signed(bits)), result: Out(signed(bits))

    The Component is used in each unit of each Actor that knows the op. It has the members
    ``operand0``, ``operand1`` (up to ``operands``), all ``In(signed(bits))``, and ``result``,
    ``Out(signed(bits))``, where ``bits`` are the Actor's. Its operands may change in every cycle.

    *Latency.* ``latency - 1`` is the number of clock edges from the operands to the result; the
    operands are there one cycle after the Op starts, so no Actor can have a lower latency for the
    op. An Actor that declares a higher one delays the result. Where a machine is built, the
    Component is held against `compute`, and its latency against what is said here.

    Attributes
    ----------
    code : str
    operands : int
        1 to 3.
    latency : int
        Cycles from the start of an Op to its first result, at least 1.
    """

    code: str
    operands: int = 1
    latency: int = 1

    def compute(self, *operands: np.ndarray) -> Any:
        """Return the result, before wrapping, of int64 arrays of the operands' shapes."""
        raise NotImplementedError

    def component(self, bits: int) -> Any:
        """Return the Amaranth Component for elements of so many bits."""
        raise NotImplementedError

    def result_shape(self, *shapes: Shape) -> Shape:
        """Return the shape of the result; raise ``ValueError`` with the rule if there is none."""
        if any(shape != shapes[0] for shape in shapes):
            found = ", ".join(map(str, shapes))
            raise ValueError(f"{self.code} takes operands of one shape, not {found}")
        return shapes[0]

    def reads(self, *shapes: Shape) -> Sequence[np.ndarray] | None:
        """Return, for each operand, which element each element of the result is made of.

        ``None`` (the default): element k of each for element k. Override it with `result_shape`.
        """
        return None


def bring(op: UserOp) -> None:
    """Make an op known, from now on, to all Workloads and machines of this process.

    Raises
    ------
    InputError
        If its code is taken, or what it says of itself cannot be.
    """
    if not 1 <= op.operands <= 3:
        raise InputError(f"Op code {op.code!r}: operands must be from 1 to 3, not {op.operands}")
    if not isinstance(op.latency, int) or op.latency < 1:
        raise InputError(f"Op code {op.code!r}: latency must be at least 1, not {op.latency!r}")

    def result_shape(shapes: Sequence[Shape]) -> Shape:
        if len(shapes) != op.operands:
            raise ValueError(f"{op.code} takes operands: {op.operands}, not {len(shapes)}")
        return op.result_shape(*shapes)

    def reads(shapes: Sequence[Shape], _result: Shape) -> Sequence[np.ndarray]:
        import numpy as np

        found = op.reads(*shapes)
        return found or [np.arange(math.prod(shape)) for shape in shapes]

    define(
        OpKind(
            op.code,
            result_shape,
            lambda operands: op.compute(*operands),
            lambda _, result: math.prod(result),
            reads=None if type(op).reads is UserOp.reads else reads,
            latency=op.latency,
            component=op.component,
            arity=op.operands,
        )
    )
