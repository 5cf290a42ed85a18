"""The plan of a machine: which parts it is made of, and which signals they share.

A part is a function and its arguments, in which nothing tells it from others of its kind: parts of
equal function and arguments are alike, and one module can serve for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from amaranth.lib import wiring
from amaranth.utils import ceil_log2

from hwdsl import hardware
from hwdsl.hardware import Hardware, Point, Record, Wire
from hwdsl.names import verilog_name

from .actor import Actor, access_members
from .adder import Adder
from .control.limits import Limits
from .control.pending import Pending
from .control.source import Control
from .control.topology import Topology
from .faults import NONE, Faults, table_of, wire_of
from .junction import Junction
from .mac_engine import LOOKS, READS, MacEngine
from .node import Neighbours, Node
from .panel import RADIX, RADIX_BITS, FirstError, FirstOfGroups, FirstOfParts, Loading, Time
from .ports import Port, ports_of
from .probe import probed_parts
from .tables import List

ANY = "any"
"""Stands for a name where names do not matter; not the name of a planted fault, which may be ""."""


RESERVED = (
    *("run", "now", "error", "error_kind", "error_part", "error_lane"),
    *("load_valid", "load_select", "load_address", "load_data", "control_error"),
)
"""Ports of every machine, beside its clock and its probes."""

Owned = Mapping[tuple[str, int], Sequence[Port]]
"""Ports by kind, and by the Wire or Actor that they belong to."""


@dataclass(eq=False, repr=False)
class Place:
    """One part of the machine.

    Attributes
    ----------
    kind, name : str
        Of the part; of its instance.
    make : callable
        Returns a Component from ``given``.
    given : tuple
        Hashable; equal for parts that are alike.
    """

    kind: str
    name: str
    make: Callable[..., wiring.Component]
    given: tuple[Hashable, ...]

    @property
    def pattern(self) -> tuple[Hashable, ...]:
        return self.make, self.given

    def component(self) -> wiring.Component:
        return self.make(*self.given)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


@dataclass(frozen=True, eq=False)
class Join:
    """Member ``member`` of ``user`` is the very ``source`` of ``owner``."""

    user: Place
    member: str
    owner: Place
    source: str


@dataclass(eq=False, repr=False)
class Site:
    """A Node, Adder, Junction or Actor together with the sources of its commands.

    Attributes
    ----------
    core : Place
        The part itself; its ``kind`` and ``name`` are those of the site.
    sources : dict of str to Place
        By the member of the core that they command.
    wires : dict of str to Place
        The Wires that belong to it, by their name here.
    """

    core: Place
    sources: dict[str, Place]
    wires: dict[str, Place]

    @property
    def places(self) -> dict[str, Place]:
        """All that is here, by its name here."""
        return {"core": self.core, **self.sources, **self.wires}


class Plan:
    """All parts of a machine, and how they are joined.

    Parameters
    ----------
    hardware, depth, time_bits, loadable, faults, most_rows
        As for `rtl.top.Machine`.
    compact : bool
        For engines that look at nothing but the probes: there are no error outputs, and a Wire
        belongs to the site that it leads to. So no site waits, within a cycle, for what another
        makes of what this one tells it.
    control : Limits, optional
        Of a controller that sends the commands; without it they come from tables.

    Attributes
    ----------
    ports : tuple of Port
    time : Place
    choosing : list of Place
        What finds the first error, ``first_error`` last; empty if ``compact``.
    loading : Place or None
    controller : Place or None
    sources : dict of Port to Place
        Where the commands of each port come from.
    parts : dict of Point, Wire or Actor to Place
    sites : dict of Point or Actor to Site
    joins : list of Join
    """

    def __init__(
        self,
        hardware: Hardware,
        depth: int,
        time_bits: int,
        *,
        loadable: bool = False,
        faults: Faults = NONE,
        most_rows: int,
        compact: bool = False,
        control: Limits | None = None,
    ):
        self.hardware, self.depth, self.time_bits = hardware, depth, time_bits
        self.control = control
        self.loadable, self.compact = loadable, compact
        self.ports = ports_of(hardware)
        self.points = tuple(_at_most(p, most_rows) for p in hardware.points)
        self.faults, self.most_rows = faults, most_rows
        self._reads: list[list[tuple[Place, str]]] = [[] for _ in self.points]
        self._writes: list[list[tuple[Place, str]]] = [[] for _ in self.points]
        self.joins: list[Join] = []
        self._place_all()
        self._join_all()
        self.choosing: list[Place] = []
        if not compact:
            self._choose_error()
        self._name_apart()

    @property
    def memories(self) -> list[tuple[Place, str]]:
        """The parts that have a memory to load, each with its member for that, in bus order."""
        stores = [self.parts[p] for p in self.hardware.points if p.stores]
        if self.controller is not None:
            programs = [(self.controller, "load"), (self.controller, "path_load")]
        else:
            programs = [(table, "load") for table in self.sources.values()]
        return [*programs, *((store, "load") for store in stores)]

    @property
    def alone(self) -> list[Place]:
        """The parts that belong to no site."""
        wires = [] if self.compact else [self.parts[wire] for wire in self.hardware.wires]
        return [*wires, *self.own]

    @property
    def first_error(self) -> Place:
        return self.choosing[-1]

    @property
    def own(self) -> list[Place]:
        """The parts that no user declared, but for the sources of commands."""
        rest = [p for p in (self.loading, self.controller) if p is not None]
        return [self.time, *self.choosing, *rest]

    @property
    def probes(self) -> dict[str, Place]:
        """Probe outputs of the machine, and the parts that they show."""
        parts = probed_parts(self.hardware)
        return {f"probe_{verilog_name(part.name)}": self.parts[part] for part in parts}

    def _place_all(self) -> None:
        owned: dict[tuple[str, int], list[Port]] = {}
        for port in self.ports:
            owned.setdefault((port.kind, port.part), []).append(port)
        source = self._table if self.control is None else self._pending
        self.sources = {port: source(port) for port in self.ports}
        self.controller = None
        if self.control is not None:
            given = (self.hardware, self.control, self.loadable, self.faults.packet)
            self.controller = Place("controller", "controller", Control, given)
        self.parts: dict[Record, Place] = {}
        for actor in self.hardware.actors:
            self.parts[actor] = self._actor(actor, owned)
        for wire in self.hardware.wires:
            self.parts[wire] = self._wire(wire)
        for point in self.points:
            self.parts[self.hardware.points[point.index]] = self._point(point, owned)
        self.time = Place("time", "time", Time, (self.time_bits,))
        self.loading = None
        if self.loadable:
            self.loading = Place("loading", "loading", Loading, (len(self.memories),))

    def _table(self, port: Port) -> Place:
        if port.kind == "list":
            alike = replace(port, part=0, owner=ANY)
            given = (alike, self.depth, len(LOOKS), self.loadable)
            return Place(port.kind, f"list_{verilog_name(port.owner)}", List, given)
        faults = self.faults
        late = str(port) == faults.late_port
        name = f"{port.kind}_{port.lane}_{verilog_name(port.owner)}"
        alike = port if late else replace(port, part=0, lane=0, owner=ANY)
        given = (alike, self.depth, self.time_bits, self.loadable, faults if late else NONE)
        return Place(port.kind, name, table_of, given)

    def _pending(self, port: Port) -> Place:
        limits = self.control
        name = f"{port.kind}_{port.lane}_{verilog_name(port.owner)}"
        width = max(port.width for port in self.ports) or 1
        alike = replace(port, part=0, lane=0, owner=ANY)
        given = (alike, width, limits.depth, limits.ahead_bits, self.time_bits)
        return Place(port.kind, name, Pending, given)

    def _actor(self, actor: hardware.Actor, owned: Owned) -> Place:
        at, result_at = self.points[actor.at], self.points[actor.result_at]
        if actor.is_mac_engine:
            return self._mac_engine(actor, owned["launch", actor.index][0])
        fires, results = owned["fire", actor.index], owned["result", actor.index]
        built = replace(self.faults.actor(actor), index=0, name=ANY, at=0, result_at=0)
        given = (
            built,
            _any_point(at),
            _any_point(result_at),
            self.hardware.word,
            _any_ports(fires),
            _any_ports(results),
        )
        place = Place("actor", verilog_name(actor.name), Actor, given)
        reads, writes = access_members(built, at, result_at)
        self._reads[actor.at] += [(place, name) for name in reads]
        self._writes[actor.result_at] += [(place, name) for name in writes]
        return place

    def _mac_engine(self, actor: hardware.Actor, launch: Port) -> Place:
        built = replace(self.faults.actor(actor), index=0, name=ANY, at=0, result_at=0)
        at = _any_point(self.points[actor.at])
        short = actor.name == self.faults.short_engine
        given = (built, at, self.hardware.word, *_any_ports([launch]), short)
        place = Place("mac_engine", verilog_name(actor.name), MacEngine, given)
        self._reads[actor.at] += [(place, f"read_{name}") for name in READS]
        self._writes[actor.at].append((place, "write"))
        return place

    def _wire(self, wire: Wire) -> Place:
        registered = self.hardware.points[wire.source].stores
        faulty = self.faults.of_wire(wire)
        given = (wire if faulty else _any_wire(wire), registered, self.faults if faulty else NONE)
        return Place("wire", verilog_name(wire.name), wire_of, given)

    def _point(self, point: Point, owned: Owned) -> Place:
        name, alike = verilog_name(point.name), _any_point(point)
        outgoing = self.hardware.outgoing[point.index]
        incoming = self.hardware.incoming[point.index]
        if not point.stores:
            fields = next((owned["steer", w.index][0].fields for w in outgoing), ())
            ends = (tuple(map(_any_wire, incoming)), tuple(map(_any_wire, outgoing)))
            return Place("junction", name, Junction, (*ends, fields))
        neighbours = Neighbours(
            tuple((_any_wire(w), _any_ports(owned["send", w.index])) for w in outgoing),
            tuple((_any_wire(w), _any_ports(owned["land", w.index])) for w in incoming),
            len(self._reads[point.index]),
            len(self._writes[point.index]),
        )
        given = (alike, self.hardware.word, neighbours, self.loadable)
        if point.kind == "Adder":
            deaf = self.faults.deaf_adder == point.name
            return Place("adder", name, Adder, (*given, 2 if deaf else None))
        return Place("node", name, Node, given)

    def _name_apart(self) -> None:
        """See to it that no two instances and no instance and port of the machine are named alike.

        A user's part gets ``$1``, which no other name has, behind its name; the others step aside.
        """
        reserved = {"clk", *RESERVED, *self.probes}
        for place in self.parts.values():
            if place.name in reserved:
                place.name += "$1"
        reserved |= {place.name for place in self.parts.values()}
        for place in self.own:
            place.name = _unused(place.name, reserved)

    def _join_all(self) -> None:
        for point in self.hardware.points:
            self._join_point(point, self.parts[point])
        sited = [*self.hardware.actors, *self.hardware.points]
        self.sites = {part: Site(self.parts[part], {}, {}) for part in sited}
        for port, table in self.sources.items():
            if port.kind == "list":
                self._join_list(self.hardware.actors[port.part], table)
                continue
            self.joins.append(Join(table, "now", self.time, "now"))
            part, member = self._commanded(port)
            self.sites[part].sources[member] = table
            self.joins.append(Join(self.parts[part], member, table, "out"))
        if self.controller is not None:
            places = Topology(self.hardware).places
            for number, (table, (router, _)) in enumerate(
                zip(self.sources.values(), places, strict=True)
            ):
                self.joins += [
                    Join(table, "offer", self.controller, f"offer{number}"),
                    Join(table, "packet", self.controller, f"delivered{router}"),
                    Join(self.controller, f"full{number}", table, "full"),
                ]
        for point in self.hardware.points if self.compact else ():
            wires = enumerate(self.hardware.incoming[point.index])
            self.sites[point].wires |= {f"wire{i}": self.parts[wire] for i, wire in wires}

    def _join_list(self, actor: hardware.Actor, place: Place) -> None:
        self.sites[actor].sources["list"] = place
        for i, name in enumerate(LOOKS):
            self.joins.append(Join(place, f"look{i}", self.parts[actor], f"look_{name}"))

    def _choose_error(self) -> None:
        """Place a tree that finds the first error, and join it."""
        parts = probed_parts(self.hardware)
        lanes = [p.lanes if isinstance(p, Wire) else p.units for p in parts]
        lane_bits, bits = ceil_log2(max([*lanes, 1])), RADIX_BITS
        found = []
        for i in range(0, max(1, len(parts)), RADIX):
            given = (tuple(lanes[i : i + RADIX]), lane_bits)
            place = Place("first_of_parts", f"first_of_parts_{i}", FirstOfParts, given)
            for k, part in enumerate(parts[i : i + RADIX]):
                self.joins.append(Join(place, f"errors{k}", self.parts[part], "errors"))
            found.append(place)
        self.choosing += found
        while len(found) > 1:
            level, found = found, []
            for i in range(0, len(level), RADIX):
                groups = level[i : i + RADIX]
                name = f"first_of_groups_{bits}_{i}"
                given = (len(groups), bits, lane_bits)
                place = Place("first_of_groups", name, FirstOfGroups, given)
                for k, group in enumerate(groups):
                    self.joins.append(Join(place, f"found{k}", group, "found"))
                found.append(place)
            self.choosing += found
            bits += RADIX_BITS
        given = (len(self.points), len(parts), bits, lane_bits)
        self.choosing.append(Place("first_error", "first_error", FirstError, given))
        self.joins.append(Join(self.first_error, "found", found[0], "found"))

    def _join_point(self, point: Point, place: Place) -> None:
        joins = self.joins
        for i, wire in enumerate(self.hardware.outgoing[point.index]):
            line = self.parts[wire]
            joins.append(Join(line, "depart", place, f"depart{i}"))
            joins.append(Join(line, "source_errors", place, f"depart_errors{i}"))
        for i, wire in enumerate(self.hardware.incoming[point.index]):
            line = self.parts[wire]
            joins.append(Join(place, f"arrive{i}", line, "arrive"))
            joins.append(Join(line, "target_errors", place, f"arrive_errors{i}"))
        for i, (actor, name) in enumerate(self._reads[point.index]):
            joins.append(Join(place, f"read{i}", actor, name))
        for i, (actor, name) in enumerate(self._writes[point.index]):
            joins.append(Join(place, f"write{i}", actor, name))

    def _commanded(self, port: Port) -> tuple[Point | hardware.Actor, str]:
        """Return the part that takes the commands of a port, and its member for them."""
        if port.kind == "launch":
            return self.hardware.actors[port.part], "launch"
        if port.kind in ("fire", "result"):
            return self.hardware.actors[port.part], f"{port.kind}{port.lane}"
        wire = self.hardware.wires[port.part]
        end, ends = (
            (wire.target, self.hardware.incoming)
            if port.kind == "land"
            else (wire.source, self.hardware.outgoing)
        )
        return self.hardware.points[end], f"{port.kind}{ends[end].index(wire)}_{port.lane}"


def _any_wire(wire: Wire) -> Wire:
    return replace(wire, index=0, name=ANY, source=0, target=0, energy=None)


def _any_point(point: Point) -> Point:
    same = {"energy": None, "hold_energy": None, "add_energy": None}
    return replace(point, index=0, name=ANY, **same)


def _any_ports(ports: Sequence[Port]) -> tuple[Port, ...]:
    return tuple(replace(port, part=0, owner=ANY) for port in ports)


def _at_most(point: Point, rows: int) -> Point:
    return replace(point, capacity=rows * point.row) if point.rows > rows else point


def _unused(name: str, names: Container[str]) -> str:
    while name in names:
        name += "_"
    return name
