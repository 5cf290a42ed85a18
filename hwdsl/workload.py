"""Workload: the deterministic stream of operations, and the data that they work on.

Nodes are held by name, so one Workload can be scheduled on every Hardware that has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, overload

from .errors import InputError
from .ops import WIDEST, Shape, kind_of

if TYPE_CHECKING:
    from .hardware import Point


@dataclass(frozen=True, eq=False, slots=True)
class Datum:
    """One unit of information.

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

    index: int
    name: str
    bits: int
    shape: Shape
    loaded_at: str | None
    made_by: int | None

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
class Op:
    """An operation on data.

    Attributes
    ----------
    operands : tuple of Datum
        For a dot product: a0, b0, a1, b1, ... and, with ``into``, the accumulator last.
    into : int or None
        Position of the operand that the result updates in place.
    not_before : int
        Earliest start, cycles.
    on : str or None
        The one Actor that may run it, by name.
    work, parallel
        Unit-steps, and whether they start together (see `hwdsl.ops.OpKind`).
    depth : int
        Unit-steps of one element of the result, which one unit takes in a row.
    options : tuple of int
        What its op code is told besides its operands, in the order of ``OpKind.options``.
    resident : bool
        Whether copies in its Actor's Node are the only ones that it may use.
    after : Datum or None
        What is brought for it takes no space in its Actor's Node before this result is complete.
    spans : tuple of int
        What `hwdsl.slices.lanes_for` asks for.
    """

    index: int
    code: str
    operands: tuple[Datum, ...]
    result: Datum
    into: int | None
    not_before: int
    on: str | None
    reuse: bool
    work: int
    parallel: bool
    options: tuple[int, ...] = ()
    depth: int = 1
    resident: bool = False
    after: Datum | None = None
    spans: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.result.name


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


class Workload:
    """The operations to schedule, in program order, on data of ``bits`` bits by default.

    Parameters
    ----------
    bits : int
        Default size of an element.
    reuse : bool
        ``False``: every request is carried on its own from where the datum was loaded or made.

    Attributes
    ----------
    data : list of Datum
    items : list of Op or Request
        In program order.
    """

    def __init__(self, *, bits: int = 8, reuse: bool = True):
        self.bits = _element(bits, "Workload")
        self.reuse = reuse
        self.data: list[Datum] = []
        self.ops: list[Op] = []
        self.requests: list[Request] = []
        self.items: list[Op | Request] = []
        self._names: set[str] = set()

    @overload
    def load(
        self, name: str, /, *, at: Point | str, bits: int | None = None, shape: Shape | int = ()
    ) -> Datum: ...
    @overload
    def load(
        self,
        name: str,
        second: str,
        /,
        *names: str,
        at: Point | str,
        bits: int | None = None,
        shape: Shape | int = (),
    ) -> tuple[Datum, ...]: ...
    def load(
        self,
        *names: str,
        at: Point | str,
        bits: int | None = None,
        shape: Shape | int = (),
    ) -> Datum | tuple[Datum, ...]:
        """Place data in a Node from cycle 0; return one Datum for one name, else a tuple."""
        node = _node(at)
        made = tuple(self._datum(name, bits, _shape(shape, name), node, None) for name in names)
        if not made:
            raise InputError("load needs at least one name")
        return made[0] if len(made) == 1 else made

    def op(
        self,
        code: str,
        *operands: Datum,
        name: str | None = None,
        into: Datum | None = None,
        bits: int | None = None,
        not_before: int = 0,
        on: str | None = None,
        reuse: bool | None = None,
        options: Sequence[int] = (),
        resident: bool = False,
        after: Datum | None = None,
    ) -> Datum:
        """Append an Op and return its result.

        Parameters
        ----------
        into : Datum, optional
            The operand that the result updates in place: same bits, same shape.
        bits : int, optional
            Of an element of the result; the Workload's by default (``into``'s if given).
        not_before : int
            Earliest start, cycles.
        on : Actor or str, optional
            The only Actor that may run it.
        reuse : bool, optional
            ``False``: its operands are carried on their own; the Workload's by default.
        options : sequence of int
            What the op code asks for besides operands, see ``OpKind.options`` and its
            ``defaults``.
        resident : bool
            Nothing is brought for it: its operands are loaded, made or needed (`need`) in its
            Actor's Node, and it waits for them there.
        after : Datum, optional
            The result of an earlier Op: nothing that is brought for this one takes space in its
            Actor's Node before that is complete.
        """
        index = len(self.ops)
        name = name if name is not None else f"{code}_{index}"
        for operand in operands:
            self._own(operand, f"Op {name!r}")
        kind = kind_of(code)
        told = tuple(options) or kind.defaults
        if len(told) != len(kind.options) or not all(type(n) is int for n in told):
            rule = f"{code} takes options ({', '.join(kind.options)}), whole numbers"
            raise InputError(f"Op {name!r}: {rule}, not {told}")
        try:
            shape = kind.result_shape([d.shape for d in operands], *told)
        except ValueError as error:
            raise InputError(f"Op {name!r}: {error}") from None
        if into is not None and into not in operands:
            raise InputError(f"Op {name!r}: into={into.name!r} must be one of its operands")
        if into is not None and operands.count(into) > 1:
            raise InputError(f"Op {name!r}: into={into.name!r} must be an operand only once")
        if into is not None and kind.reads is not None and operands.index(into) < 2:
            rule = f"into={into.name!r} must be what is added to the result, as {code} reads"
            raise InputError(f"Op {name!r}: {rule} the elements of its first operands again")
        width = bits if bits is not None else (into.bits if into is not None else self.bits)
        if into is not None and (into.shape, into.bits) != (shape, width):
            rule = f"into={into.name!r} must have the result's shape and bits"
            found = f"{into.shape} of {into.bits} against {shape} of {width}"
            raise InputError(f"Op {name!r}: {rule}: {found}")
        _cycle(not_before, f"Op {name!r}: not_before")
        if after is not None:
            self._result(after, f"Op {name!r}: after")
        result = self._datum(name, width, shape, None, index)
        made = Op(
            index,
            code,
            operands,
            result,
            None if into is None else operands.index(into),
            not_before,
            None if on is None else _name(on, f"Op {name!r}: on must be an Actor"),
            self.reuse if reuse is None else reuse,
            kind.work([d.shape for d in operands], shape, *told),
            kind.parallel,
            told,
            kind.depth([d.shape for d in operands], shape, *told),
            resident,
            after,
            kind.spans([d.shape for d in operands], shape, *told),
        )
        self.ops.append(made)
        self.items.append(made)
        return result

    def dot(
        self,
        pairs: Iterable[Sequence[Datum]],
        *,
        name: str | None = None,
        into: Datum | None = None,
        bits: int | None = None,
        not_before: int = 0,
        on: str | None = None,
        reuse: bool | None = None,
    ) -> Datum:
        """Append a dot product of pairs of scalars, added to ``into`` if given."""
        flat: list[Datum] = []
        for pair in pairs:
            if len(pair) != 2:
                raise InputError(f"dot takes pairs, not a group of {len(pair)}")
            flat += pair
        operands = flat if into is None else [*flat, into]
        return self.op(
            "dot",
            *operands,
            name=name,
            into=into,
            bits=bits,
            not_before=not_before,
            on=on,
            reuse=reuse,
        )

    def store(
        self,
        datum: Datum,
        *,
        at: Point | str,
        reuse: bool | None = None,
        after: Datum | None = None,
    ) -> None:
        """Ask for a datum to be in a Node at the end, from the first cycle in which it can be."""
        self._request(datum, at, None, None, reuse, True, after)

    def need(
        self,
        datum: Datum,
        *,
        at: Point | str,
        by: int | None = None,
        source: Point | str | None = None,
        reuse: bool | None = None,
        after: Datum | None = None,
    ) -> None:
        """Ask for a datum to be in a Node in cycle ``by`` (default: the first possible).

        With ``after``, the result of an earlier Op, nothing that is brought for it takes space in
        the Node before that result is complete; a copy that is there already will do.
        """
        self._request(datum, at, by, source, reuse, False, after)

    def _request(
        self,
        datum: Datum,
        at: Point | str,
        by: int | None,
        source: Point | str | None,
        reuse: bool | None,
        store: bool,
        after: Datum | None,
    ) -> None:
        self._own(datum, "store" if store else "need")
        if after is not None:
            self._result(after, f"{'store' if store else 'need'} of {datum.name!r}: after")
        if by is not None and not _is_cycle(by):
            _cycle(by, f"need of {datum.name!r}: by")
        made = Request(
            len(self.requests),
            datum,
            _node(at),
            by,
            None if source is None else _node(source),
            self.reuse if reuse is None else reuse,
            store,
            after,
        )
        self.requests.append(made)
        self.items.append(made)

    def _datum(
        self, name: str, bits: int | None, shape: Shape, at: str | None, op: int | None
    ) -> Datum:
        if not isinstance(name, str) or not name:
            raise InputError(f"a datum's name must be a non-empty string, not {name!r}")
        if name in self._names:
            raise InputError(f"two data are named {name!r}")
        self._names.add(name)
        width = self.bits if bits is None else _element(bits, f"Datum {name!r}")
        made = Datum(len(self.data), name, width, shape, at, op)
        self.data.append(made)
        return made

    def _result(self, after: Datum, user: str) -> None:
        self._own(after, user)
        if after.made_by is None:
            raise InputError(f"{user} must be the result of an Op, not {after!r}")

    def _own(self, datum: Datum, user: str) -> None:
        index = datum.index if isinstance(datum, Datum) else -1
        if not 0 <= index < len(self.data) or self.data[index] is not datum:
            raise InputError(f"{user}: {datum!r} is not a datum of this Workload")


def _node(part: Point | str) -> str:
    return _name(part, "a place must be a Node")


def _name(part: object, rule: str) -> str:
    name = part if isinstance(part, str) else getattr(part, "name", None)
    if not isinstance(name, str):
        raise InputError(f"{rule} of the Hardware or its name, not {part!r}")
    return name


def _element(bits: object, user: str) -> int:
    if not isinstance(bits, int) or isinstance(bits, bool) or not 1 <= bits <= WIDEST:
        raise InputError(f"{user}: bits must be a whole number from 1 to {WIDEST}, not {bits!r}")
    return bits


def _is_cycle(cycle: object) -> bool:
    return isinstance(cycle, int) and not isinstance(cycle, bool) and 0 <= cycle < 1 << 40


def _cycle(cycle: object, user: str) -> None:
    if not _is_cycle(cycle):
        raise InputError(f"{user} must be a cycle from 0 to 2^40 - 1, not {cycle!r}")


def _shape(shape: Shape | int, name: str) -> Shape:
    sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in sizes):
        raise InputError(f"Datum {name!r}: shape must be positive whole numbers, not {shape!r}")
    return sizes
