"""What the memories of a machine hold before cycle 0: a Program and values as plain integers.

Independent of the engine, and free of Amaranth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hwdsl import ops
from hwdsl.errors import InputError, LimitReached
from hwdsl.hardware import Hardware
from hwdsl.program import (
    FIRE_COLUMNS,
    LAND_COLUMNS,
    LAUNCH_COLUMNS,
    RESULT_COLUMNS,
    SEND_COLUMNS,
    STEER_COLUMNS,
    Program,
)
from hwdsl.trace import CHUNK, FINAL
from hwdsl.values import checked, pack
from hwdsl.workload import Datum

from .packing import integers_of, packed
from .ports import KINDS, Fields, Port, ports_of

LEAST_DEPTH = 32


@dataclass(frozen=True)
class Commands:
    """Commands of ports that lay them out alike.

    Attributes
    ----------
    port : array of int64
        Number of the port of each; rising, and of each port by cycle.
    cycle : array of int64
    words : array of uint64
        A row for each: what `rtl.packing.packed` makes of its fields.
    bits : int
        Of a command.
    timed : bool
        Whether each is given with its cycle; a list is not.
    """

    port: np.ndarray
    cycle: np.ndarray
    words: np.ndarray
    bits: int
    timed: bool

    @property
    def row(self) -> np.ndarray:
        """The place of each in the table of its port."""
        counts = np.bincount(self.port)
        first = np.cumsum(counts) - counts
        return np.arange(len(self.port)) - first[self.port]

    def entries(self, time_bits: int) -> np.ndarray:
        """Return the rows of the tables, as `rtl.ports.entry_fields` lays them out."""
        if not self.timed:
            return self.words
        one = np.ones(len(self.cycle), np.int64)
        return packed([(self.cycle, time_bits), (one, 1)], self.words, self.bits)


@dataclass(frozen=True)
class Image:
    """The contents of all memories.

    Attributes
    ----------
    commands : list of Commands
    stores : dict of int to dict of int to int
        For each Node and Adder, by point index: the rows that hold something.
    ports : int
        How many command ports there are.
    """

    commands: list[Commands]
    stores: dict[int, dict[int, int]]
    ports: int

    @property
    def most(self) -> int:
        """How many commands a port has at most."""
        counts = [np.bincount(some.port).max(initial=0) for some in self.commands]
        return int(max(counts, default=0))

    def depth(self) -> int:
        """Return the least table depth: a power of two, with one entry to spare."""
        return max(LEAST_DEPTH, 1 << self.most.bit_length())

    def time_bits(self, cycles: int) -> int:
        """Return the bits of time that a run of so many cycles needs, in steps of 16."""
        last = max((int(some.cycle.max(initial=0)) for some in self.commands), default=0)
        return -(-max(last, cycles + 1).bit_length() // 16) * 16

    def entries(self, time_bits: int) -> list[list[int]]:
        """Return the rows of each table, in port order."""
        tables: list[list[int]] = [[] for _ in range(self.ports)]
        for some in self.commands:
            rows = integers_of(some.entries(time_bits))
            for port, row in zip(some.port.tolist(), rows, strict=True):
                tables[port].append(row)
        return tables


def table_bytes(hardware: Hardware, program: Program) -> int:
    """Return the bytes of all commands of a Program, as they stand in tables.

    Each takes the bits of its port's commands, and those of its cycle.
    """
    time = max(program.cycles, 1).bit_length()
    commands = _commands(hardware, program)
    return -(-sum(len(some.port) * (some.bits + time) for some in commands) // 8)


MOST_STAGES = 1 << 16
"""Stages of the longest Wire that is simulated: each is a row of a memory."""


def image_of(hardware: Hardware, program: Program, values: Mapping[Any, Any]) -> Image:
    """Pack a Program for a Hardware, and the values of its loaded data.

    Parameters
    ----------
    values : mapping of Datum or its name to an integer or an array of the datum's shape
        Must hold every datum that the Program loads.

    Raises
    ------
    InputError
        If the Program is for another Hardware or asks for what it does not have; if a value is
        missing, is of an unknown datum, or does not fit.
    """
    for wire in hardware.wires:
        if wire.latency > MOST_STAGES:
            rule = f"the RTL simulates at most {MOST_STAGES} cycles of latency"
            raise LimitReached(f"Wire {wire.name!r}: {rule}, not {wire.latency}")
    if program.hardware != hardware.fingerprint:
        raise InputError(f"Program: it is for another Hardware than {hardware.name}")
    commands = _commands(hardware, program)
    ports = len(_numbers(hardware).ports)
    return Image(commands, _stores(hardware, program, values), ports)


def _commands(hardware: Hardware, program: Program) -> list[Commands]:
    """Return all commands of a Program."""
    numbers, commands = _numbers(hardware), []
    for kind in _COMMANDS:
        rows = _rows(kind, program)
        if len(rows):
            commands += _alike(hardware, numbers, kind, rows, _columns(kind, program))
    return commands


_COMMANDS = {
    "send": SEND_COLUMNS,
    "steer": STEER_COLUMNS,
    "land": LAND_COLUMNS,
    "fire": FIRE_COLUMNS,
    "result": RESULT_COLUMNS,
    "launch": LAUNCH_COLUMNS,
    "list": ("index", "actor", "unit", "row"),
}


_ELSEWHERE = ("cycle", "index", "wire", "lane", "from_wire", "from_lane", "actor", "unit")
"""Columns that say when and where, and are not part of a command."""


def _rows(kind: str, program: Program) -> np.ndarray:
    """Return the table of a Program with the commands of a kind: when, part, lane or unit, ..."""
    if kind == "list":
        actor, index, row = program.lists.T
        return np.stack([index, actor, np.zeros_like(index), row], axis=1)
    rows: np.ndarray = program.launches if kind == "launch" else getattr(program, kind + "s")
    return rows


def _no_gaps(ports: Sequence[Port], port: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Return when the entries of lists act, which is at no time; refuse a list with gaps."""
    counts = np.bincount(port)
    place = np.arange(len(port)) - (np.cumsum(counts) - counts)[port]
    gaps = np.flatnonzero(index != place)
    if len(gaps):
        missing = f"entry {place[gaps[0]]} is missing or given twice"
        raise InputError(f"Program: {ports[port[gaps[0]]]}: {missing}")
    return np.zeros_like(index)


def _columns(kind: str, program: Program) -> list[str]:
    """Name the columns of a Program's table as the fields of the ports are named."""
    names = list(_COMMANDS[kind])
    if kind == "fire":
        slots = (program.fires.shape[1] - len(names)) // (2 + program.width)
        for slot in range(slots):
            names += [f"size{slot}", f"offset{slot}"]
            names += [f"row{slot}_{i}" for i in range(program.width)]
    elif kind == "result":
        names += [f"row{i}" for i in range(program.width)]
    return names


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Numbers of the ports of a Hardware: ``of_kind[kind][part, lane]``, -1 where there is none."""

    ports: tuple[Port, ...]
    of_kind: dict[str, np.ndarray]
    layouts: list[Fields]
    layout: np.ndarray

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, hardware: Hardware, kinds: tuple[ops.OpKind | None, ...]) -> _Numbers:
        """Return those of a Hardware; ``kinds`` because users may declare an op code anew."""
        ports = ports_of(hardware)
        parts = max(len(hardware.wires), len(hardware.actors))
        lanes = max((port.lane + 1 for port in ports), default=0)
        of_kind = {kind: np.full((parts, lanes), -1, np.int64) for kind in KINDS}
        layouts: dict[Fields, int] = {}
        for number, port in enumerate(ports):
            of_kind[port.kind][port.part, port.lane] = number
            layouts.setdefault(port.fields, len(layouts))
        layout = np.array([layouts[port.fields] for port in ports], np.int64)
        return cls(ports, of_kind, list(layouts), layout)


def _numbers(hardware: Hardware) -> _Numbers:
    codes = sorted({code for actor in hardware.actors for code in actor.ops})
    return _Numbers.of(hardware, tuple(ops.KINDS.get(code) for code in codes))


def _alike(
    hardware: Hardware, numbers: _Numbers, kind: str, rows: np.ndarray, names: list[str]
) -> Iterator[Commands]:
    """Yield the commands of all ports of a kind, those that are laid out alike together."""
    if np.any(np.diff(rows[:, 0]) < 0):
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
    port = _ports(numbers, kind, rows)
    # Small numbers are sorted many times faster.
    order = np.argsort(port.astype(np.min_scalar_type(len(numbers.ports))), kind="stable")
    rows, port = rows[order], port[order]
    given = dict(zip(names, rows.T, strict=True))
    if kind == "steer":
        given["choice"] = _choices(hardware, numbers.ports, port, given)
    if kind == "list":
        given["cycle"] = _no_gaps(numbers.ports, port, given["index"])
    layout = numbers.layout[port]
    for number in np.flatnonzero(np.bincount(layout)).tolist():
        some = layout == number
        some = slice(None) if some.all() else np.flatnonzero(some)
        told = {name: values[some] for name, values in given.items()}
        fields = _fields(numbers.ports, port[some], numbers.layouts[number], told)
        bits = sum(width for _, width in fields)
        words = packed(fields, np.zeros((len(port[some]), 0), np.uint64), 0)
        yield Commands(port[some], told["cycle"], words, bits, kind != "list")


def _ports(numbers: _Numbers, kind: str, rows: np.ndarray) -> np.ndarray:
    """Return the number of each command's port."""
    known = numbers.of_kind[kind]
    part, lane = rows[:, 1], rows[:, 2]
    inside = (part >= 0) & (part < known.shape[0]) & (lane >= 0) & (lane < known.shape[1])
    port = np.full(len(rows), -1, np.int64)
    port[inside] = known[part[inside], lane[inside]]
    if port.min() < 0:
        wrong = rows[int(np.flatnonzero(port < 0)[0])]
        owner = "wire" if kind in ("send", "steer", "land") else "actor"
        raise InputError(f"Program: {owner} {wrong[1]} has no {kind} port {wrong[2]}")
    if rows[:, 0].min() < 0:
        raise InputError(f"Program: a {kind} is in cycle {rows[:, 0].min()}, before cycle 0")
    return port


def _choices(
    hardware: Hardware, ports: Sequence[Port], port: np.ndarray, given: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return the numbers of incoming lanes, as a Junction counts them."""
    first = np.zeros(len(hardware.wires), np.int64)
    for wires in hardware.incoming:
        first[[w.index for w in wires]] = np.cumsum([0, *(w.lanes for w in wires)])[:-1]
    wires = hardware.wires
    lanes, source, target = np.array([(w.lanes, w.source, w.target) for w in wires], np.int64).T
    wire, lane = given["from_wire"], given["from_lane"]
    good = (wire >= 0) & (wire < len(wires)) & (lane >= 0)
    known = np.where(good, wire, 0)
    good &= (lane < lanes[known]) & (target[known] == source[given["wire"]])
    if not good.all():
        bad = int(np.flatnonzero(~good)[0])
        junction = hardware.points[source[given["wire"][bad]]].name
        rule = f"lane {lane[bad]} of wire {wire[bad]} does not lead to Junction {junction!r}"
        raise InputError(f"Program: {ports[port[bad]]}: {rule}")
    return first[wire] + lane


def _fields(
    ports: Sequence[Port], port: np.ndarray, layout: Fields, given: dict[str, np.ndarray]
) -> list[tuple[np.ndarray, int]]:
    """Return the fields of commands and their widths. A row beyond the memory stays beyond it."""
    widths = dict(layout)
    for name, values in given.items():
        unused = name not in widths and (name == "first" or name.startswith("row"))
        if unused or name in _ELSEWHERE:
            continue
        largest = (1 << widths.get(name, 0)) - 1
        if name.startswith("row"):
            values = given[name] = np.minimum(values, largest)
        if values.min() < 0 or values.max() > largest:
            wrong = int(np.flatnonzero((values < 0) | (values > largest))[0])
            rule = f"{name} must be from 0 to {largest}, not {values[wrong]}"
            raise InputError(f"Program: {ports[port[wrong]]}: {rule}")
    none = np.zeros(len(port), np.int64)
    return [(given.get(name, none), width) for name, width in layout]


def _stores(
    hardware: Hardware, program: Program, values: Mapping[Any, Any]
) -> dict[int, dict[int, int]]:
    for point, row, datum, _ in [*program.contents.tolist(), *program.finals.tolist()]:
        if not 0 <= point < len(hardware.points) or not 0 <= row < hardware.points[point].rows:
            name = program.data[datum][0]
            raise InputError(f"Program: {name!r} is in row {row} of point {point}, which has none")
    packed = _values(program, values)
    stores: dict[int, dict[int, int]] = {p.index: {} for p in hardware.points if p.stores}
    for point, row, datum, part in program.contents.tolist():
        width = hardware.points[point].row
        stores[point][row] = packed[datum] >> (part * width) & ((1 << width) - 1)
    return stores


def _values(program: Program, values: Mapping[Any, Any]) -> dict[int, int]:
    """Return the bits of every datum that is loaded, by index."""
    named = {k.name if isinstance(k, Datum) else k: v for k, v in values.items()}
    known = {name for name, _, _ in program.data}
    for name in named:
        if name not in known:
            raise InputError(f"values: {name!r} is not a datum of the Program")
    packed = {}
    for index in sorted({int(i) for i in program.contents[:, 2]}):
        name, bits, shape = program.data[index]
        if name not in named:
            raise InputError(f"values: loaded datum {name!r} has no value")
        datum = Datum(index, name, bits, tuple(shape), None, None)
        packed[index] = pack(checked(datum, named[name]), bits)
    return packed


def fit(
    image: Image, program: Program, depth: int | None, time_bits: int | None
) -> tuple[int, int]:
    """Return table depth and bits of time for a run; as small as they can be where not given.

    Raises
    ------
    LimitReached
        If what is given does not do.
    """
    least_depth, least_bits = image.depth(), image.time_bits(program.cycles)
    if depth is not None and image.most >= depth:
        rule = f"a table of depth {depth} takes {depth - 1} commands"
        raise LimitReached(f"Program: {rule}, and a port has {image.most}")
    if time_bits is not None and program.cycles + 1 >= 1 << time_bits:
        rule = f"a time of {time_bits} bits holds fewer than {program.cycles + 1} cycles"
        raise LimitReached(f"Program: {rule}")
    return depth or least_depth, time_bits or least_bits


def finals_of(
    hardware: Hardware, program: Program, stores: Mapping[int, Mapping[int, int]]
) -> np.ndarray:
    """Return the finals of a Trace from the rows (by point, by row) that `Program.finals` names.

    Bits of a row beyond the datum's own are 0.
    """
    found = []
    for point, row, datum, part in program.finals.tolist():
        width = hardware.points[point].row
        _, bits, shape = program.data[datum]
        own = min(width, bits * int(np.prod(shape, dtype=np.int64)) - part * width)
        value = stores[point][row] & ((1 << own) - 1)
        chunks = range(-(-width // CHUNK))
        found += [(point, row, k, value >> (k * CHUNK) & ((1 << CHUNK) - 1)) for k in chunks]
    return np.array(found, FINAL)
