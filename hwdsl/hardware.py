"""The frozen machine: what every scheduler, checker, drawing and RTL generator reads.

A `Hardware` is made by `Fabric.freeze` or from YAML, never by hand. Parts are indexed in the
natural order of their names. Sizes are bits, times are cycles, energies are integers of
1e-6 pJ (``None`` where undeclared).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .errors import InputError
from .names import parse_path, verilog_name
from .slices import ENGINE_CODES, lanes_for

MICRO_PJ = 1_000_000
"""Integer energy units in one pJ."""


@dataclass(frozen=True)
class Point:
    """A vertex of the machine: a Node, an Adder or a Junction.

    Attributes
    ----------
    kind : str
        ``"Node"``, ``"Adder"`` or ``"Junction"``; a Junction has no capacity and no row.
    energy, hold_energy, add_energy : int or None
        1e-6 pJ per bit that leaves, per bit and cycle that stays, per two-input addition.
    inputs : int
        Adder: partial sums of one result that may arrive in one cycle.
    transit : bool
        Whether paths to elsewhere may lead through it.
    """

    index: int
    name: str
    kind: str
    capacity: int = 0
    row: int = 0
    energy: int | None = None
    hold_energy: int | None = None
    inputs: int = 0
    add_energy: int | None = None
    transit: bool = True

    @property
    def stores(self) -> bool:
        """Whether data can stay here."""
        return self.kind != "Junction"

    @property
    def rows(self) -> int:
        """Number of addresses."""
        return self.capacity // self.row if self.row else 0

    def rows_of(self, bits: int) -> int:
        """Return how many rows a datum of ``bits`` takes here."""
        return -(-bits // self.row)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Wire:
    """A one-way connection between two Points, by their indices."""

    index: int
    name: str
    source: int
    target: int
    bandwidth: int
    latency: int
    lane: int
    energy: int | None = None

    @property
    def lanes(self) -> int:
        return self.bandwidth // self.lane

    def beats(self, bits: int) -> int:
        """Return the cycles for which a datum of ``bits`` occupies the Wire."""
        return -(-bits // self.bandwidth)

    def lanes_of(self, bits: int, beat: int) -> int:
        """Return how many lanes beat ``beat`` (from 0) of a datum of ``bits`` takes."""
        return -(-min(self.bandwidth, bits - beat * self.bandwidth) // self.lane)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OpTiming:
    """How one Actor runs one op code, for the first step of its work.

    An Op that needs more unit-steps than the Actor gives it in a cycle works on: `Actor.timing`
    adds the further steps to latency and cooldown.
    """

    latency: int
    cooldown: int
    hold: int | None = None
    units: int | None = None
    energy: int | None = None


@dataclass(frozen=True)
class Timing:
    """How one Op runs on one Actor: everything rule 4 of the contract asks for.

    Attributes
    ----------
    units : int
        Units in use for ``cooldown`` cycles.
    steps : int
        Cycles in which the units start something new.
    lanes : int
        How many elements of the result are worked on at a time.
    """

    latency: int
    cooldown: int
    hold: int
    units: int
    steps: int
    energy: int | None
    lanes: int


@dataclass(frozen=True)
class Actor:
    """Something that computes at Point ``at``, with results at Point ``result_at``."""

    index: int
    name: str
    at: int
    result_at: int
    units: int
    bits: int
    ops: Mapping[str, OpTiming] = field(hash=False)

    @property
    def is_mac_engine(self) -> bool:
        """Whether it takes one Op at a time, with all of its units (rule 4 of the contract)."""
        return not ENGINE_CODES.isdisjoint(self.ops)

    def timing(
        self, code: str, work: int, parallel: bool, depth: int = 1, spans: tuple[int, ...] = ()
    ) -> Timing:
        """Return the timing of an Op of ``work`` unit-steps.

        Parameters
        ----------
        code : str
            An op code that the Actor knows.
        work : int
            Unit-steps: pairs of a dot product, elements of an elementwise result, and so on.
        parallel : bool
            Whether all of the work must start in one cycle (a dot product of scalars).
        depth : int
            Unit-steps of one element of the result, which one unit takes in a row.
        spans : tuple of int
            See `hwdsl.slices.lanes_for`; of a MAC engine.

        Notes
        -----
        With ``u`` units and ``steps = depth * ceil(work / depth / u)``, latency and cooldown are
        the declared ones plus ``steps - 1``. Hold is the declared one, at least ``steps``;
        undeclared, it is 1 for one step, else the latency. A MAC engine takes all of its units
        for as many elements at a time as it reads in a cycle, and holds for the latency.
        """
        op = self.ops[code]
        elements = work // depth
        if self.is_mac_engine:
            lanes = lanes_for(self.units, spans)
            steps = depth * -(-elements // lanes)
            latency = op.latency + steps - 1
            cooldown = op.cooldown + steps - 1
            return Timing(latency, cooldown, latency, self.units, steps, op.energy, lanes)
        units = work if parallel else min(elements, op.units or self.units)
        steps = depth * -(-elements // units)
        latency = op.latency + steps - 1
        hold = max(op.hold, steps) if op.hold is not None else (1 if steps == 1 else latency)
        return Timing(latency, op.cooldown + steps - 1, hold, units, steps, op.energy, units)

    def __str__(self) -> str:
        return self.name


Record = Point | Wire | Actor


class Hardware:
    """A frozen, checked, indexed Fabric.

    Parts are reached as in Python, ``hardware.cluster[4].tcdm``, or by name,
    ``hardware["sram->reg"]``. Two Hardwares are equal when they describe the same machine.

    Attributes
    ----------
    name : str
    word : int
        Bits.
    points, wires, actors : tuple
        In the natural order of their names; ``points[i].index == i``.
    """

    def __init__(
        self,
        name: str,
        word: int,
        points: Iterable[Point],
        wires: Iterable[Wire],
        actors: Iterable[Actor],
    ):
        vars(self).update(
            name=name,
            word=word,
            points=tuple(points),
            wires=tuple(wires),
            actors=tuple(actors),
        )

    name: str
    word: int
    points: tuple[Point, ...]
    wires: tuple[Wire, ...]
    actors: tuple[Actor, ...]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Hardware is frozen: {name!r} cannot be set")

    @property
    def parts(self) -> Iterator[Record]:
        yield from self.points
        yield from self.wires
        yield from self.actors

    @cached_property
    def outgoing(self) -> tuple[tuple[Wire, ...], ...]:
        """For each Point, the Wires that leave it."""
        out: list[list[Wire]] = [[] for _ in self.points]
        for wire in self.wires:
            out[wire.source].append(wire)
        return tuple(tuple(wires) for wires in out)

    @cached_property
    def incoming(self) -> tuple[tuple[Wire, ...], ...]:
        """For each Point, the Wires that arrive there."""
        into: list[list[Wire]] = [[] for _ in self.points]
        for wire in self.wires:
            into[wire.target].append(wire)
        return tuple(tuple(wires) for wires in into)

    @cached_property
    def _by_name(self) -> dict[str, Record]:
        return {part.name: part for part in self.parts}

    def __getitem__(self, name: str) -> Record:
        try:
            return self._by_name[name]
        except KeyError:
            raise InputError(f"{self.name} has no part named {name!r}") from None

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def point(self, part: Point | str) -> Point:
        """Return the Node, Adder or Junction of that name; refuse any other thing."""
        name = part if isinstance(part, str) else getattr(part, "name", None)
        found = self._by_name.get(name) if isinstance(name, str) else None
        if not isinstance(found, Point):
            raise InputError(f"{self.name} has no Node named {name if name else part!r}")
        return found

    def without(self, *names: str) -> Hardware:
        """Return the same machine without the Wires of these names; see `hwdsl.build.without`."""
        from .build import without

        return without(self, *names)

    @cached_property
    def _tree(self) -> Any:
        root: dict[str | int, Any] = {}
        for part in self.parts:
            try:
                path = parse_path(part.name)
            except ValueError:
                continue  # a wire that is named by its ends
            here = root
            for step in path[:-1]:
                here = here.setdefault(step, {})
            here[path[-1]] = part
        return _group(self.name, root)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in Hardware.__annotations__:
            raise AttributeError(name)
        return getattr(self._tree, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(n for n in dir(self._tree) if n[0] != "_")})

    def description(self) -> dict[str, Any]:
        """Return the whole machine as plain data; equal machines give equal data."""
        return {
            "word": self.word,
            "points": [_plain(p) for p in self.points],
            "wires": [_plain(w) for w in self.wires],
            "actors": [
                {**_plain(a), "ops": {code: _plain(t) for code, t in sorted(a.ops.items())}}
                for a in self.actors
            ],
        }

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 over the description, in hexadecimal; the name of the class is not in it."""
        text = json.dumps(self.description(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def verilog_names(self) -> dict[str, str]:
        """Verilog identifier to the user's name, for every part."""
        return {verilog_name(part.name): part.name for part in self.parts}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hardware) and self.description() == other.description()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return (
            f"<Hardware {self.name}: {len(self.points)} points, {len(self.wires)} wires, "
            f"{len(self.actors)} actors>"
        )


def _plain(record: Point | Wire | Actor | OpTiming) -> dict[str, Any]:
    return {k: getattr(record, k) for k in record.__dataclass_fields__ if k != "ops"}


class _Group:
    """A nested Fabric, or a list of parts, of a Hardware."""

    def __init__(self, path: str, parts: Mapping[str | int, Any]):
        self._path = path
        self._parts = parts

    def __getattr__(self, name: str) -> Any:
        try:
            return self._parts[name]
        except KeyError:
            raise AttributeError(f"{self._path} has no part named {name!r}") from None

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        try:
            return self._parts[index if index >= 0 else len(self) + index]
        except KeyError:
            raise IndexError(f"{self._path} has no part [{index}]") from None

    def __iter__(self) -> Iterator[Any]:
        return (self._parts[i] for i in sorted(k for k in self._parts if isinstance(k, int)))

    def __len__(self) -> int:
        return sum(isinstance(k, int) for k in self._parts)

    def __dir__(self) -> list[str]:
        return [k for k in self._parts if isinstance(k, str)]

    def __repr__(self) -> str:
        return f"<{self._path}: {len(self._parts)} parts>"


def _group(path: str, tree: Mapping[str | int, Any]) -> _Group:
    parts: dict[str | int, Any] = {}
    for step, below in tree.items():
        here = f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}"
        parts[step] = _group(here, below) if isinstance(below, dict) else below
    return _Group(path, parts)
