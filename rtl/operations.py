"""What a unit computes for each op code: the hardware counterpart of `hwdsl.ops`.

Nothing here is imported by the scheduler, and Amaranth is imported only when a machine is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hwdsl.errors import InputError
from hwdsl.ops import KINDS

if TYPE_CHECKING:
    from amaranth.hdl import Value
    from amaranth.lib.wiring import Component


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
    fold : callable or None
        Of an op whose result elements take several steps of a unit: takes what has been found so
        far and the value of this step, and returns what is found now.
    component : callable or None
        Of an op that a user brought: takes the bits of an element and returns its Component.
    registers : int
        Clock edges from the operands to the value.
    """

    arity: int
    compute: Callable[..., Value] | None = None
    chained: bool = False
    fold: Callable[[Value, Value], Value] | None = None
    component: Callable[[int], Component] | None = None
    registers: int = 0


def _max(a: Value, b: Value) -> Value:
    from amaranth.hdl import Mux

    return Mux(a > b, a, b)


def _relu(a: Value) -> Value:
    from amaranth.hdl import Mux

    return Mux(a < 0, 0, a)


def _add(a: Value, b: Value) -> Value:
    return a + b


def _mac(a: Value, b: Value, c: Value) -> Value:
    return a * b + c


OPERATIONS: dict[str, Operation] = {
    "add": Operation(2, _add),
    "mul": Operation(2, lambda a, b: a * b),
    "max": Operation(2, _max),
    "relu": Operation(1, _relu),
    "dot": Operation(3, lambda a, b: a * b, chained=True),
    # What is added to the sum is read in its first step only; no operand reads as 0.
    "matmul": Operation(3, _mac, fold=_add),
    "conv2d": Operation(3, _mac, fold=_add),
    "maxpool": Operation(1, lambda a: a, fold=_max),
}


def operation(code: str) -> Operation:
    """Return the datapath of an op code.

    Raises
    ------
    InputError
        If there is none.
    """
    if code in OPERATIONS:
        return OPERATIONS[code]
    kind = KINDS.get(code)
    if kind is None or kind.component is None:
        known = ", ".join(sorted([*OPERATIONS, *(c for c, k in KINDS.items() if k.component)]))
        raise InputError(f"op code {code!r} has no hardware; known are {known}")
    return Operation(kind.arity, component=kind.component, registers=kind.latency - 1)
