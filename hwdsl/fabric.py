"""Fabric: what a user writes. Assignment in ``__init__`` names the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from .build import build
from .declaration import Declaration
from .errors import Fault
from .hardware import Hardware
from .names import is_identifier
from .parts import Part, Wire


class Fabric:
    """A collection of parts and of other Fabrics.

    Write a subclass whose ``__init__`` assigns parts, lists of parts and other Fabrics to
    attributes; the attribute is the name. ``self.word`` sets the word in bits, in the outermost
    Fabric (8 if nobody sets it). `freeze` turns it into the Hardware that everything else reads.
    """

    word: int
    _wires: list[Wire]
    _refused: list[tuple[str, str]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Fabric:
        self = super().__new__(cls)
        object.__setattr__(self, "_wires", [])
        object.__setattr__(self, "_refused", [])
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__.get(name)
        if hasattr(Fabric, name) and _holds_parts(value):
            self._refused.append((name, "is a method of every Fabric; take another name"))
        elif held is not value and _holds_parts(held):
            self._refused.append((name, "was assigned twice; a name holds one part"))
        else:
            object.__setattr__(self, name, value)

    def wire(
        self,
        source: Part,
        target: Part,
        *,
        bandwidth: int,
        latency: int,
        lane: int | None = None,
        pj_per_bit: float | None = None,
    ) -> Wire:
        """Declare a one-way Wire; assign it to an attribute to name it.

        See `hwdsl.parts.Wire` for the parameters and their units.
        """
        made = Wire(
            source=source,
            target=target,
            bandwidth=bandwidth,
            latency=latency,
            lane=lane,
            pj_per_bit=pj_per_bit,
        )
        self._wires.append(made)
        return made

    def duplex(self, one: Part, other: Part, **fields: Any) -> tuple[Wire, Wire]:
        """Declare two Wires, one each way, with the same fields."""
        return self.wire(one, other, **fields), self.wire(other, one, **fields)

    def freeze(self) -> Hardware:
        """Check the Fabric and return its Hardware.

        Raises
        ------
        InputError
            With every fault that the fabric has.
        """
        walk = _Walk(type(self).__name__)
        walk.visit("", self)
        word = self.__dict__.get("word", 8)
        return build(walk.name, word, walk.declarations(), *walk.faults(word))

    def without(self, *names: str) -> Hardware:
        """Freeze the Fabric, and take out the Wires of these names."""
        return self.freeze().without(*names)


def _holds_parts(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_parts(v) for v in value)
    return isinstance(value, Part | Fabric)


class _Walk:
    """Finds every part of a Fabric, with its path."""

    def __init__(self, name: str):
        self.name = name
        self.named: dict[int, tuple[str, Part]] = {}
        self.nameless: list[Wire] = []
        self.words: list[tuple[str, Any]] = []
        self.sentences: list[str] = []
        self._fabrics: dict[int, str] = {}

    def visit(self, path: str, value: Any) -> None:
        if isinstance(value, Part):
            self._name(path, value)
        elif isinstance(value, Fabric):
            self._enter(path, value)
        elif isinstance(value, list | tuple) and _holds_parts(value):
            for i, item in enumerate(value):
                self.visit(f"{path}[{i}]", item)
        elif isinstance(value, dict | set | frozenset) and any(map(_holds_parts, _items(value))):
            kind = type(value).__name__
            self.sentences.append(f"{path!r} is a {kind} of parts; use a list, whose order names")

    def _name(self, path: str, part: Part) -> None:
        if id(part) in self.named:
            first = self.named[id(part)][0]
            kind = type(part).__name__
            self.sentences.append(f"{kind} {first!r}: one part under two names, also {path!r}")
        else:
            self.named[id(part)] = (path, part)

    def _enter(self, path: str, fabric: Fabric) -> None:
        if id(fabric) in self._fabrics:
            first = self._fabrics[id(fabric)] or "the outermost"
            self.sentences.append(f"Fabric {first!r}: one Fabric under two names, also {path!r}")
            return
        self._fabrics[id(fabric)] = path
        prefix = f"{path}." if path else ""
        for name, sentence in fabric._refused:
            self.sentences.append(f"{prefix + name!r} {sentence}")
        for name, value in fabric.__dict__.items():
            if name == "word":
                self.words.append((path, value))
            elif name not in ("_wires", "_refused"):
                if not is_identifier(name) and _holds_parts(value):
                    self.sentences.append(f"{prefix + name!r} is not an identifier")
                self.visit(prefix + name, value)
        self.nameless += fabric._wires

    def declarations(self) -> list[Declaration]:
        parts = [self._declare(path, part) for path, part in self.named.values()]
        wires = {id(w): w for w in self.nameless if id(w) not in self.named}
        return parts + [self._declare("", w) for w in wires.values()]

    def _declare(self, path: str, part: Part) -> Declaration:
        own = {f.name: self._reference(getattr(part, f.name)) for f in fields(part)}
        if "ops" in own:
            own["ops"] = _in_order(own["ops"])
        kind = next(c.__name__ for c in type(part).__mro__ if c.__module__ == Part.__module__)
        return Declaration(path, kind, {k: v for k, v in own.items() if v is not None})

    def _reference(self, value: Any) -> Any:
        if isinstance(value, Part):
            return self.named[id(value)][0] if id(value) in self.named else value
        return value

    def faults(self, word: Any) -> Iterator[Fault]:
        yield from (Fault(s) for s in self.sentences)
        for path, own in self.words:
            if path and own != word:
                yield Fault(f"Fabric {path!r}: word is set to {own}, the outermost has {word}")


def _in_order(ops: Any) -> Any:
    """Return op codes as they can be read again and again, whatever the hash seed."""
    if isinstance(ops, str | Mapping) or not isinstance(ops, Iterable):
        return ops
    return tuple(sorted(ops, key=repr))


def _items(value: Any) -> Iterator[Any]:
    yield from value.values() if isinstance(value, dict) else value
