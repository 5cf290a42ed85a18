"""What a unit computes for each op code: the hardware counterpart of `hwdsl.ops`.

Nothing here is imported by the scheduler, and Amaranth is imported only when a machine is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hwdsl.errors import InputError

if TYPE_CHECKING:
    from amaranth.hdl import Value


@dataclass(frozen=True)
class Operation:
    """The datapath of one op code.

    Attributes
    ----------
    arity : int
        Operand slots that it reads in a unit.
    compute : callable
        Takes the operands, signed and as wide as the Actor computes, and returns the value; what
        does not fit in that width is cut off.
    chained : bool
        The values of the units that start together are summed, from unit to unit, on top of the
        operand in the third slot of the ``first`` unit. Such an op has ``arity`` 3, and
        ``compute`` takes the first two.
    """

    arity: int
    compute: Callable[..., Value]
    chained: bool = False


def _max(a: Value, b: Value) -> Value:
    from amaranth.hdl import Mux

    return Mux(a > b, a, b)


def _relu(a: Value) -> Value:
    from amaranth.hdl import Mux

    return Mux(a < 0, 0, a)


OPERATIONS: dict[str, Operation] = {
    "add": Operation(2, lambda a, b: a + b),
    "mul": Operation(2, lambda a, b: a * b),
    "max": Operation(2, _max),
    "relu": Operation(1, _relu),
    "dot": Operation(3, lambda a, b: a * b, chained=True),
}


def operation(code: str) -> Operation:
    """Return the datapath of an op code.

    Raises
    ------
    InputError
        If there is none.
    """
    try:
        return OPERATIONS[code]
    except KeyError:
        known = ", ".join(sorted(OPERATIONS))
        raise InputError(f"op code {code!r} has no hardware; known are {known}") from None
