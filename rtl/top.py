"""The whole machine: one Component for each part, and a source of commands behind one seam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amaranth.hdl import ClockDomain, Module, ResetInserter
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hwdsl.hardware import Hardware, Point, Record
from hwdsl.names import verilog_name

from .actor import Actor
from .adder import Adder
from .faults import NONE, Faults, table_of, wire_of
from .junction import Junction
from .node import Neighbours, Node
from .ports import Port, entry_fields, ports_of
from .probe import ERROR_BITS, probed_parts
from .signals import share

MOST_ROWS = 1 << 20
"""Rows of the largest memory that is built in full: what is larger is not on a chip."""


class Machine(wiring.Component):
    """A Hardware as RTL, run by tables of commands.

    Parameters
    ----------
    hardware : Hardware
    depth : int
        Entries of every table, a power of two; a port takes one command fewer.
    time_bits : int
        Bits of the cycle counter: a run is shorter than 2^time_bits cycles.
    loadable : bool
        Whether there is a load bus.
    faults : Faults
        For tests.
    most_rows : int
        A larger memory is built with so many rows; for the others it knows no commands.

    Members
    -------
    run : In(1)
        While low, all but the memories is reset, and they can be loaded. The first clock cycle in
        which it is high is cycle 0; it must have been low for one clock cycle before.
    now : Out
        The cycle.
    load_valid, load_select, load_address, load_data : In
        Write one row of one memory. ``load_select`` counts the tables in the order of `ports_of`,
        then the Nodes and Adders in point order.
    error : Out(1)
        Something went wrong since ``run`` rose.
    error_kind, error_part, error_lane : Out
        The first of them in part order: an `ErrorKind`, the index of the part among
        ``Hardware.parts``, and its lane or unit.
    probe_<part> : Out
        One for each Wire and Actor; see `rtl.probe`.

    Attributes
    ----------
    domain : ClockDomain
        The only one, with no reset of its own.
    tables : list of MemoryData
        In the order of `ports_of`.
    stores : dict of int to MemoryData or list of Signal
        Contents of each Node and Adder, by point index.
    """

    def __init__(
        self,
        hardware: Hardware,
        depth: int,
        time_bits: int,
        loadable: bool = False,
        faults: Faults = NONE,
        most_rows: int = MOST_ROWS,
    ):
        self.hardware, self.depth, self.time_bits = hardware, depth, time_bits
        self.domain = ClockDomain("sync", reset_less=True)
        self.ports = ports_of(hardware)
        self._word, self._loadable, self._faults = hardware.word, loadable, faults
        self._points = tuple(_at_most(p, most_rows) for p in hardware.points)
        parts = list(hardware.parts)
        lanes = [*(w.lanes for w in hardware.wires), *(a.units for a in hardware.actors), 1]
        members = {
            "run": In(1),
            "now": Out(time_bits),
            "error": Out(1),
            "error_kind": Out(ERROR_BITS),
            "error_part": Out(ceil_log2(len(parts))),
            "error_lane": Out(ceil_log2(max(lanes))),
        }
        if loadable:
            rows = [depth, *(p.rows for p in self._points), 2]
            widths = [sum(w for _, w in entry_fields(p, time_bits)) for p in self.ports]
            widths += [p.row for p in hardware.points]
            memories = len(self.ports) + sum(p.stores for p in hardware.points)
            members |= {
                "load_valid": In(1),
                "load_select": In(ceil_log2(memories)),
                "load_address": In(ceil_log2(max(rows))),
                "load_data": In(max(widths)),
            }
        self._build()
        for part in probed_parts(hardware):
            width = len(self._parts[part].probe)
            members[f"probe_{verilog_name(part.name)}"] = Out(width)
        super().__init__(members)
        self._join()

    def _build(self) -> None:
        """Make a Component for each part, none of them joined yet."""
        hardware, faults = self.hardware, self._faults
        owned: dict[tuple[str, int], list[Port]] = {}
        for port in self.ports:
            owned.setdefault((port.kind, port.part), []).append(port)
        self._sources = {
            port: table_of(port, self.depth, self.time_bits, self._loadable, faults)
            for port in self.ports
        }
        self._parts: dict[Record, wiring.Component] = {}
        self._reads: dict[int, list[tuple[Actor, str]]] = {p.index: [] for p in hardware.points}
        self._writes: dict[int, list[tuple[Actor, str]]] = {p.index: [] for p in hardware.points}
        for actor in hardware.actors:
            at, result_at = self._points[actor.at], self._points[actor.result_at]
            fires, results = owned["fire", actor.index], owned["result", actor.index]
            made = Actor(faults.actor(actor), at, result_at, self._word, fires, results)
            self._parts[actor] = made
            self._reads[actor.at] += [(made, name) for name in made.reads]
            self._writes[actor.result_at] += [(made, name) for name in made.writes]
        for wire in hardware.wires:
            stores = hardware.points[wire.source].stores
            self._parts[wire] = wire_of(wire, stores, faults)
        for point in hardware.points:
            self._parts[point] = self._point(self._points[point.index], owned)

    def _point(
        self, point: Point, owned: Mapping[tuple[str, int], Sequence[Port]]
    ) -> wiring.Component:
        outgoing = self.hardware.outgoing[point.index]
        incoming = self.hardware.incoming[point.index]
        if not point.stores:
            fields = next((owned["steer", w.index][0].fields for w in outgoing), ())
            return Junction(incoming, outgoing, fields)
        neighbours = Neighbours(
            [(w, owned["send", w.index]) for w in outgoing],
            [(w, owned["land", w.index]) for w in incoming],
            len(self._reads[point.index]),
            len(self._writes[point.index]),
        )
        if point.kind == "Adder":
            deaf = self._faults.deaf_adder == point.name
            return Adder(point, self._word, neighbours, self._loadable, 2 if deaf else None)
        return Node(point, self._word, neighbours, self._loadable)

    def _join(self) -> None:
        """Let every part see the very signals that drive it."""
        for point in self.hardware.points:
            part = self._parts[point]
            for i, wire in enumerate(self.hardware.outgoing[point.index]):
                line = self._parts[wire]
                share(line, "depart", getattr(part, f"depart{i}"))
                share(line, "source_errors", getattr(part, f"depart_errors{i}"))
            for i, wire in enumerate(self.hardware.incoming[point.index]):
                line = self._parts[wire]
                share(part, f"arrive{i}", line.arrive)
                share(line, "target_errors", getattr(part, f"arrive_errors{i}"))
            for i, (actor, name) in enumerate(self._reads[point.index]):
                share(part, f"read{i}", getattr(actor, name))
            for i, (actor, name) in enumerate(self._writes[point.index]):
                share(part, f"write{i}", getattr(actor, name))
        for port, table in self._sources.items():
            share(table, "run", self.run)
            share(table, "now", self.now)
            self._command(port, table.out)
        for part in probed_parts(self.hardware):
            setattr(self, f"probe_{verilog_name(part.name)}", self._parts[part].probe)

    def _command(self, port: Port, command: wiring.PureInterface) -> None:
        if port.kind in ("fire", "result"):
            share(self._parts[self.hardware.actors[port.part]], f"{port.kind}{port.lane}", command)
            return
        wire = self.hardware.wires[port.part]
        end, ends = (
            (wire.target, self.hardware.incoming)
            if port.kind == "land"
            else (wire.source, self.hardware.outgoing)
        )
        i = ends[end].index(wire)
        share(self._parts[self.hardware.points[end]], f"{port.kind}{i}_{port.lane}", command)

    @property
    def tables(self):
        return [table.contents for table in self._sources.values()]

    @property
    def stores(self):
        made = {}
        for point in self.hardware.points:
            if point.stores:
                part = self._parts[point]
                made[point.index] = part.sums if point.kind == "Adder" else part.contents
        return made

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = self.domain
        names = self.hardware.verilog_names
        control = Module()
        for port, table in self._sources.items():
            name = f"{port.kind}_{port.lane}_{verilog_name(port.owner)}"
            control.submodules[name] = table
        m.submodules[_unused("control", names)] = control
        for part, component in self._parts.items():
            m.submodules[verilog_name(part.name)] = component
        m.d.sync += self.now.eq(self.now + 1)
        self._errors(m)
        if self._loadable:
            self._load(m)
        return ResetInserter(~self.run)(m)

    def _errors(self, m: Module) -> None:
        """Show the first error in part order."""
        m.d.comb += self.error.eq(self.error_kind != 0)
        parts = list(enumerate(probed_parts(self.hardware), len(self.hardware.points)))
        for number, part in reversed(parts):
            errors = self._parts[part].errors
            for lane in reversed(range(len(errors))):
                with m.If(errors[lane] != 0):
                    m.d.comb += [
                        self.error_kind.eq(errors[lane]),
                        self.error_part.eq(number),
                        self.error_lane.eq(lane),
                    ]

    def _load(self, m: Module) -> None:
        stores = [self._parts[p] for p in self.hardware.points if p.stores]
        for select, part in enumerate([*self._sources.values(), *stores]):
            chosen = self.load_valid & ~self.run & (self.load_select == select)
            m.d.comb += [
                part.load.write.eq(chosen),
                part.load.address.eq(self.load_address),
                part.load.data.eq(self.load_data),
            ]


def _at_most(point: Point, rows: int) -> Point:
    return replace(point, capacity=rows * point.row) if point.rows > rows else point


def _unused(name: str, names: Mapping[str, str]) -> str:
    while name in names:
        name += "_"
    return name
