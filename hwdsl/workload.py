"""Workload: the deterministic stream of operations, and the data that they work on.

Nodes are held by name, so one Workload can be scheduled on every Hardware that has them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, overload

from .errors import InputError
from .items import Datum, Form, Op, Request
from .ops import WIDEST, OpKind, Shape, kind_of

if TYPE_CHECKING:
    from .hardware import Point

__all__ = ["Datum", "Form", "Op", "Request", "Workload"]

_KIND_OF_DATA = attrgetter("bits", "shape")
_WHOLE = frozenset({int})


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
        self._forms: dict[Hashable, Form] = {}

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
        data = self.data
        for operand in operands:
            if type(operand) is not Datum or data[operand.index : operand.index + 1] != [operand]:
                self._own(operand, f"Op {name!r}")
        form = self._form(name, code, operands, into, bits, options)
        if not _is_cycle(not_before):
            _cycle(not_before, f"Op {name!r}: not_before")
        if after is not None:
            self._result(after, f"Op {name!r}: after")
        if on is not None and type(on) is not str:
            on = _name(on, f"Op {name!r}: on must be an Actor")
        result = self._datum(name, form.bits, form.shape, None, index)
        tied = self.reuse if reuse is None else reuse
        made = Op(index, operands, result, form, not_before, on, tied, resident, after)
        self.ops.append(made)
        self.items.append(made)
        return result

    def _form(
        self,
        name: str,
        code: str,
        operands: Sequence[Datum],
        into: Datum | None,
        bits: int | None,
        options: Sequence[int],
    ) -> Form:
        """Return the form of an Op, checked with the first Op of it."""
        kind = kind_of(code)
        told = tuple(options) or kind.defaults
        if len(told) != len(kind.options) or not {*map(type, told)} <= _WHOLE:
            rule = f"{code} takes options ({', '.join(kind.options)}), whole numbers"
            raise InputError(f"Op {name!r}: {rule}, not {told}")
        at = None
        if into is not None:
            places = [i for i, operand in enumerate(operands) if operand is into]
            if len(places) != 1:
                rule = "an operand only once" if places else "one of its operands"
                raise InputError(f"Op {name!r}: into={into.name!r} must be {rule}")
            at = places[0]
        if bits is not None:
            _element(bits, f"Datum {name!r}")
        key = (code, at, bits, told, *map(_KIND_OF_DATA, operands))
        form = self._forms.get(key)
        if form is None or form.kind is not kind:
            try:
                form = self._forms[key] = self._new_form(kind, operands, at, bits, told)
            except (InputError, ValueError) as error:
                raise InputError(f"Op {name!r}: {error}") from None
        return form

    def _new_form(
        self,
        kind: OpKind,
        operands: Sequence[Datum],
        into: int | None,
        bits: int | None,
        told: tuple[int, ...],
    ) -> Form:
        shapes = [d.shape for d in operands]
        shape = kind.result_shape(shapes, *told)
        width = self.bits if bits is None else bits
        if into is not None:
            updated = operands[into]
            width = updated.bits if bits is None else bits
            if kind.reads is not None and into < 2:
                rule = f"into={updated.name!r} must be what is added to the result, as {kind.code}"
                raise InputError(f"{rule} reads the elements of its first operands again")
            if (updated.shape, updated.bits) != (shape, width):
                rule = f"into={updated.name!r} must have the result's shape and bits"
                found = f"{updated.shape} of {updated.bits} against {shape} of {width}"
                raise InputError(f"{rule}: {found}")
        data = tuple((d.bits, d.shape) for d in operands)
        work, depth = kind.work(shapes, shape, *told), kind.depth(shapes, shape, *told)
        spans = kind.spans(shapes, shape, *told)
        return Form(kind, data, width, shape, into, work, depth, told, spans)

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
