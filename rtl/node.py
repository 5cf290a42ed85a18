"""A Node: a memory that sends words, lands words, and serves the Actors around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hwdsl import hardware
from hwdsl.trace import ErrorKind

from .ports import Port, row_bits
from .ram import Ram, rows_of_zeros
from .signals import errors_of, first_error, lanes_of
from .tables import Command, Load, field


class Read(wiring.Signature):
    """Asks a Node for a row; ``data`` is there a cycle later. Seen from who asks."""

    def __init__(self, point: hardware.Point):
        super().__init__({"enable": Out(1), "row": Out(row_bits(point)), "data": In(point.row)})


class Write(wiring.Signature):
    """Writes words of a row.

    Members
    -------
    words : Out
        Which words of the row; none: nothing is written.
    row : Out
    data : Out
        In place, and 0 in all other words.
    first : Out(1)
        In an Adder: starts a sum.
    """

    def __init__(self, point: hardware.Point, word: int):
        super().__init__(
            {
                "words": Out(point.row // word),
                "row": Out(row_bits(point)),
                "data": Out(point.row),
                "first": Out(1),
            }
        )


Access = Mapping[str, Value]
"""The members of a `Read` or a `Write`, as values."""


@dataclass(frozen=True)
class Neighbours:
    """Who reads and writes a Node: the Wires with their ports, and ports of Actors by number."""

    outgoing: Sequence[tuple[hardware.Wire, Sequence[Port]]]
    incoming: Sequence[tuple[hardware.Wire, Sequence[Port]]]
    reads: int
    writes: int


class Node(wiring.Component):
    """A memory of ``point.rows`` rows; a word that is written in a cycle can be read in it.

    Members
    -------
    send{i}_{lane} : In(Command)
        For lane ``lane`` of the i-th outgoing Wire.
    depart{i} : Out
        Its lanes, one cycle after the command: the memory's read register.
    land{i}_{lane} : In(Command)
        Where what arrives on lane ``lane`` of the i-th incoming Wire is written.
    arrive{i} : In
        Its lanes.
    depart_errors{i}, arrive_errors{i} : Out
    read{i} : In(Read), write{i} : In(Write)
        For Actors.
    load : In(Load)
        If ``loadable``.
    """

    def __init__(
        self, point: hardware.Point, word: int, neighbours: Neighbours, loadable: bool = False
    ):
        self._point, self._word, self._neighbours = point, word, neighbours
        members = {}
        for ends, kind, end, lanes in (
            (neighbours.outgoing, "send", "depart", Out),
            (neighbours.incoming, "land", "arrive", In),
        ):
            for i, (wire, ports) in enumerate(ends):
                members[f"{end}{i}"] = lanes(lanes_of(wire))
                members[f"{end}_errors{i}"] = Out(errors_of(wire.lanes))
                for port in ports:
                    members[f"{kind}{i}_{port.lane}"] = In(Command(port.fields))
        members |= {f"read{i}": In(Read(point)) for i in range(neighbours.reads)}
        members |= {f"write{i}": In(Write(point, word)) for i in range(neighbours.writes)}
        if loadable:
            members["load"] = In(Load(max(2, point.rows), point.row))
        super().__init__(members)
        self._store()

    def _store(self) -> None:
        self.contents = rows_of_zeros(self._point.row, self._point.rows)

    def elaborate(self, platform) -> Module:
        m = Module()
        reads = [self._members(f"read{i}") for i in range(self._neighbours.reads)]
        writes = [self._members(f"write{i}") for i in range(self._neighbours.writes)]
        for i, (wire, _) in enumerate(self._neighbours.outgoing):
            reads += [self._send(m, i, wire, lane) for lane in range(wire.lanes)]
        for i, (wire, _) in enumerate(self._neighbours.incoming):
            writes += [self._land(m, i, wire, lane) for lane in range(wire.lanes)]
        self._access(m, reads, writes)
        return m

    def _members(self, name: str) -> Access:
        port = getattr(self, name)
        return {member: getattr(port, member) for member in port.signature.members}

    def _inside(self, row: Value) -> Value:
        return row < self._point.rows

    def _bits(self, offset: Value) -> Value:
        """Return the bits in so many words of a row, in no more bits than they take."""
        return (offset * self._word)[: ceil_log2(self._point.row)]

    def _send(self, m: Module, i: int, wire: hardware.Wire, lane: int) -> Access:
        command = getattr(self, f"send{i}_{lane}")
        departing = getattr(self, f"depart{i}")[lane]
        row = command.command.row
        data = Signal(self._point.row, name=f"data{i}_{lane}")
        valid = Signal(name=f"valid{i}_{lane}")
        kept = Signal.like(command.command, name=f"command{i}_{lane}")
        m.d.sync += valid.eq(command.fire & self._inside(row))
        with m.If(command.fire):
            m.d.sync += kept.eq(command.command)
        with m.If(valid):
            words = data >> self._bits(field(kept, "offset"))
            lane_words = range(wire.lane // self._word)
            whole = (1 << self._word) - 1
            sent = Cat(Mux(k < kept.size, Const(whole, self._word), 0) for k in lane_words)
            m.d.comb += [departing.valid.eq(1), departing.payload.eq(words & sent)]
        error = first_error(
            (command.late, ErrorKind.LATE),
            (command.fire & ~self._inside(row), ErrorKind.ADDRESS),
        )
        m.d.comb += getattr(self, f"depart_errors{i}")[lane].eq(error)
        return {"enable": command.fire, "row": row, "data": data}

    def _land(self, m: Module, i: int, wire: hardware.Wire, lane: int) -> Access:
        command = getattr(self, f"land{i}_{lane}")
        arrived = getattr(self, f"arrive{i}")[lane]
        row, offset = command.command.row, field(command.command, "offset")
        lands = Signal(name=f"lands{i}_{lane}")
        m.d.comb += lands.eq(command.fire & arrived.valid & self._inside(row))
        error = first_error(
            (command.late, ErrorKind.LATE),
            (command.fire & ~arrived.valid, ErrorKind.MISSING),
            (~command.fire & arrived.valid, ErrorKind.UNEXPECTED),
            (command.fire & ~self._inside(row), ErrorKind.ADDRESS),
        )
        m.d.comb += getattr(self, f"arrive_errors{i}")[lane].eq(error)
        words = self._point.row // self._word
        lane_words = wire.lane // self._word
        return {
            "words": (Mux(lands, (1 << lane_words) - 1, 0) << offset)[:words],
            "row": row,
            "data": (arrived.payload << self._bits(offset))[: self._point.row],
            "first": command.command.first if self._point.kind == "Adder" else Const(0),
        }

    def _access(self, m: Module, reads: Sequence[Access], writes: Sequence[Access]) -> None:
        """Connect all accesses to the memory: each is a port of its own."""
        m.submodules.ram = ram = Ram(self.contents)
        ports = [{name: write[name] for name in ("words", "row", "data")} for write in writes]
        if hasattr(self, "load"):
            whole = self.load.write.replicate(self._point.row // self._word)
            load = {"words": whole, "row": self.load.address, "data": self.load.data}
            if ports:  # while the machine stands still, nothing else is written
                first = {k: Mux(self.load.write, load[k], ports[0][k]) for k in load}
                ports[0] = first
            else:
                ports = [load]
        for port in ports:
            ram.write(**port)
        for read in reads:
            ram.read(**read)
