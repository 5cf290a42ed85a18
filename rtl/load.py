"""What the memories of a machine hold before cycle 0: a Program and values as plain integers.

Independent of the engine, and free of Amaranth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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

from .ports import Port, entry_fields, ports_of

LEAST_DEPTH = 32


@dataclass(frozen=True)
class Image:
    """The contents of all memories.

    Attributes
    ----------
    tables : list of (array of int64, array of int)
        For each port of `ports_of`: the cycle and the packed command of each entry, by cycle.
    stores : dict of int to dict of int to int
        For each Node and Adder, by point index: the rows that hold something.
    """

    tables: list[tuple[np.ndarray, np.ndarray]]
    stores: dict[int, dict[int, int]]

    def depth(self) -> int:
        """Return the least table depth: a power of two, with one entry to spare."""
        most = max((len(cycles) for cycles, _ in self.tables), default=0)
        return max(LEAST_DEPTH, 1 << most.bit_length())

    def time_bits(self, cycles: int) -> int:
        """Return the bits of time that a run of so many cycles needs, in steps of 16."""
        last = max((int(c[-1]) for c, _ in self.tables if len(c)), default=0)
        return -(-max(last, cycles + 1).bit_length() // 16) * 16

    def entries(self, ports: Sequence[Port], time_bits: int) -> Iterator[list[int]]:
        """Yield the rows of each table, in port order."""
        for port, (cycles, commands) in zip(ports, self.tables, strict=True):
            (_, command_bits), _, (_, timed) = entry_fields(port, time_bits)
            if not timed:
                yield commands.tolist()
                continue
            times = cycles.astype(object) | (1 << time_bits)
            yield ((times << command_bits) | commands).tolist()

    def words(self, ports: Sequence[Port], time_bits: int) -> Iterator[np.ndarray]:
        """Yield the rows of each table as words of 64 bits, the least significant first."""
        for port, (cycles, commands) in zip(ports, self.tables, strict=True):
            (_, bits), _, (_, timed) = entry_fields(port, time_bits)
            if not timed:
                yield commands.astype(np.uint64).reshape(-1, 1)
            elif bits + time_bits + 1 <= 64:
                words = commands.astype(np.uint64)
                words |= (cycles.astype(np.uint64) | np.uint64(1 << time_bits)) << np.uint64(bits)
                yield words.reshape(-1, 1)
            else:
                times = cycles.astype(object) | (1 << time_bits)
                yield words_of((times << bits) | commands, bits + time_bits + 1)


def table_bytes(hardware: Hardware, program: Program) -> int:
    """Return the bytes of all commands of a Program, as they stand in tables.

    Each takes the bits of its port's commands, and those of its cycle.
    """
    time = max(program.cycles, 1).bit_length()
    ports = ports_of(hardware)
    tables = _tables(hardware, program, ports)
    bits = sum(len(t) * (p.width + time) for p, (t, _) in zip(ports, tables, strict=True))
    return -(-bits // 8)


MOST_STAGES = 1 << 16
"""Stages of the longest Wire that is simulated: each is a row of a memory."""


def words_of(values: Sequence[int], bits: int) -> np.ndarray:
    """Return integers of ``bits`` bits as rows of uint64, least significant first."""
    size = -(-bits // 64)
    raw = b"".join(int(value).to_bytes(8 * size, "little") for value in values)
    return np.frombuffer(raw, "<u8").reshape(-1, size)


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
    tables = _tables(hardware, program, ports_of(hardware))
    return Image(tables, _stores(hardware, program, values))


def _tables(
    hardware: Hardware, program: Program, ports: Sequence[Port]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the cycle and the packed command of each entry, for each port."""
    numbers = {(p.kind, p.part, p.lane): i for i, p in enumerate(ports)}
    tables: list[tuple[np.ndarray, np.ndarray]] = [_NO_COMMANDS] * len(ports)
    for kind in _COMMANDS:
        rows, names = _rows(kind, program), _columns(kind, program)
        for number, some in _by_port(kind, rows, numbers):
            given = {name: some[:, i] for i, name in enumerate(names)}
            if kind == "steer":
                given["choice"] = _choices(hardware, ports[number], given)
            if kind == "list":
                given["cycle"] = _no_gaps(ports[number], given["index"])
            tables[number] = (given["cycle"], _packed(ports[number], given))
    return tables


_NO_COMMANDS = (np.empty(0, np.int64), np.empty(0, object))
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


def _no_gaps(port: Port, index: np.ndarray) -> np.ndarray:
    """Return when the entries of a list act, which is at no time; refuse a list with gaps."""
    gaps = np.flatnonzero(index != np.arange(len(index)))
    if len(gaps):
        raise InputError(f"Program: {port}: entry {gaps[0]} is missing or given twice")
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


def _by_port(
    kind: str, rows: np.ndarray, numbers: Mapping[tuple[str, int, int], int]
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the number of each port that has commands, and these by cycle."""
    rows = rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1]))]
    starts = np.flatnonzero(np.any(np.diff(rows[:, 1:3], axis=0), axis=1)) + 1
    for some in np.split(rows, starts) if len(rows) else []:
        part, lane = int(some[0, 1]), int(some[0, 2])
        number = numbers.get((kind, part, lane))
        if number is None:
            owner = "wire" if kind in ("send", "steer", "land") else "actor"
            raise InputError(f"Program: {owner} {part} has no {kind} port {lane}")
        if some[0, 0] < 0:
            raise InputError(f"Program: a {kind} is in cycle {some[0, 0]}, before cycle 0")
        yield number, some


def _choices(hardware: Hardware, port: Port, given: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the numbers of incoming lanes, as a Junction counts them."""
    junction = hardware.wires[port.part].source
    lanes = [(w.index, i) for w in hardware.incoming[junction] for i in range(w.lanes)]
    numbers = {lane: number for number, lane in enumerate(lanes)}
    chosen = zip(given["from_wire"].tolist(), given["from_lane"].tolist(), strict=True)
    try:
        return np.array([numbers[lane] for lane in chosen], np.int64)
    except KeyError as error:
        wire, lane = error.args[0]
        point = hardware.points[junction].name
        rule = f"Program: {port}: lane {lane} of wire {wire} does not lead to Junction {point!r}"
        raise InputError(rule) from None


def _packed(port: Port, given: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the commands as integers. A row beyond the memory stays beyond it."""
    commands = np.zeros(len(given["cycle"]), object)
    widths = dict(port.fields)
    for name, values in given.items():
        unused = name not in widths and (name == "first" or name.startswith("row"))
        if unused or name in _ELSEWHERE:
            continue
        largest = (1 << widths.get(name, 0)) - 1
        if name.startswith("row"):
            values = np.minimum(values, largest)
        if np.any((values < 0) | (values > largest)):
            wrong = values[(values < 0) | (values > largest)][0]
            raise InputError(f"Program: {port}: {name} must be from 0 to {largest}, not {wrong}")
    at = 0
    for name, width in port.fields:
        values = given.get(name, np.zeros(len(commands), np.int64))
        commands |= np.minimum(values, (1 << width) - 1).astype(object) << at
        at += width
    return commands


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
    if depth is not None:
        most = max((len(cycles) for cycles, _ in image.tables), default=0)
        if most >= depth:
            rule = f"a table of depth {depth} takes {depth - 1} commands"
            raise LimitReached(f"Program: {rule}, and a port has {most}")
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
