"""What a Workload is made of: data, Ops and requests. They are immutable.

Workloads have millions of them, so they are tuples underneath, and Ops share their `Form`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from .ops import OpKind, Shape


class _Itself:
    """Equal to itself alone, whatever is in it."""

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


class _DatumFields(NamedTuple):
    index: int  # type: ignore[assignment]  # tuple.index, which nobody asks of a datum
    name: str
    bits: int
    shape: Shape
    loaded_at: str | None
    made_by: int | None


class Datum(_Itself, _DatumFields):
    """One unit of information; equal to itself alone.

    Attributes
    ----------
    index : int
        Position in ``Workload.data``.
    bits : int
        Of one element; two's complement.
    shape : tuple of int
        ``()`` is a scalar. Element order is C order.
    loaded_at : str or None
        The Node that holds it at cycle 0; ``None`` for the result of an Op.
    made_by : int or None
        Index of the Op whose result it is.
    """

    __slots__ = ()

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bits of the whole datum."""
        return math.prod(self.shape, start=self.bits)

    def __repr__(self) -> str:
        return f"<Datum {self.name}: {self.bits} bits {self.shape or ''}>"


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """What Ops have in common that differ only in their data, and in when and where they run.

    Attributes
    ----------
    operands : tuple of (int, tuple of int)
        Bits of an element, and shape, of each.
    bits, shape
        Of the result.
    into : int or None
        Position of the operand that the result updates in place.
    work : int
        Unit-steps (see `hwdsl.ops.OpKind`).
    depth : int
        Unit-steps of one element of the result, which one unit takes in a row.
    options : tuple of int
        What the op code is told besides its operands, in the order of ``OpKind.options``.
    spans : tuple of int
        See `hwdsl.slices.lanes_for`.
    """

    kind: OpKind
    operands: tuple[tuple[int, Shape], ...]
    bits: int
    shape: Shape
    into: int | None
    work: int
    depth: int
    options: tuple[int, ...]
    spans: tuple[int, ...]


class _OpFields(NamedTuple):
    index: int  # type: ignore[assignment]
    operands: tuple[Datum, ...]
    result: Datum
    form: Form
    not_before: int
    on: str | None
    reuse: bool
    resident: bool
    after: Datum | None


class Op(_Itself, _OpFields):
    """An operation on data; equal to itself alone.

    Attributes
    ----------
    operands : tuple of Datum
        For a dot product: a0, b0, a1, b1, ... and, with ``into``, the accumulator last.
    form : Form
        What is computed, apart from the data; what it says, the Op says too.
    not_before : int
        Earliest start, cycles.
    on : str or None
        The one Actor that may run it, by name.
    resident : bool
        Whether copies in its Actor's Node are the only ones that it may use.
    after : Datum or None
        What is brought for it takes no space in its Actor's Node before this result is complete.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        return self.result.name

    @property
    def code(self) -> str:
        return self.form.kind.code

    @property
    def parallel(self) -> bool:
        """Whether all of its work starts together."""
        return self.form.kind.parallel

    @property
    def into(self) -> int | None:
        return self.form.into

    @property
    def work(self) -> int:
        return self.form.work

    @property
    def depth(self) -> int:
        return self.form.depth

    @property
    def options(self) -> tuple[int, ...]:
        return self.form.options

    @property
    def spans(self) -> tuple[int, ...]:
        return self.form.spans

    def __repr__(self) -> str:
        return f"<Op {self.name}: {self.code} of {', '.join(d.name for d in self.operands)}>"


class Request(NamedTuple):
    """That a datum be in a Node, by a cycle (``need``) or from some cycle to the end (``store``).

    Attributes
    ----------
    by : int or None
        The cycle in which it must be there; ``None``: the first in which it can be.
    source : str or None
        The one Node from which it may be taken.
    store : bool
        Whether it stays there to the end.
    after : Datum or None
        What is brought for it takes no space there before this result is complete.
    """

    index: int  # type: ignore[assignment]  # tuple.index, which nobody asks of a request
    datum: Datum
    node: str
    by: int | None
    source: str | None
    reuse: bool
    store: bool
    after: Datum | None = None
