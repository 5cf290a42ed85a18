"""Faults to plant in a machine, so that tests can show that they are caught. Not for users."""

from __future__ import annotations

from dataclasses import dataclass, replace

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring

from hwdsl import hardware

from .ports import Port
from .signals import lanes_of
from .tables import Table
from .wire import Wire


@dataclass(frozen=True)
class Faults:
    """What to build wrongly; nothing by default. Parts are given by name.

    Attributes
    ----------
    slow_wire : str
        A Wire with one register too many.
    swapped_lanes : str
        A Wire whose lanes 0 and 1 arrive swapped.
    stuck_bit : (str, int, int)
        Wire, lane and bit of the payload that arrives as 1 with every word.
    late_port : str
        A command port, written as `Port` prints: ``"send bus0[0]"``. Its commands act one cycle
        late.
    slow_actor : str
        An Actor that takes one cycle longer for every op.
    deaf_adder : str
        An Adder that leaves out what comes in on its third lane.
    short_engine : str
        A MAC engine that leaves out the last tap of each element.
    lost_beat : (str, int)
        A Wire, and the number (from 0) of the beat on its lane 0 that never arrives.
    packet : (str, int, int)
        What happens to which packet of a controller; see `rtl.control.faulty_network`.
    program_bit : (int, int)
        A bit of a controller's program memory (0, or 1: of the paths) that is flipped.
    """

    slow_wire: str = ""
    swapped_lanes: str = ""
    stuck_bit: tuple[str, int, int] | None = None
    late_port: str = ""
    slow_actor: str = ""
    deaf_adder: str = ""
    short_engine: str = ""
    lost_beat: tuple[str, int] | None = None
    packet: tuple[str, int, int] | None = None
    program_bit: tuple[int, int] | None = None

    def of_wire(self, wire: hardware.Wire) -> bool:
        """Return whether a Wire is to be built wrongly."""
        stuck = self.stuck_bit[0] if self.stuck_bit else ""
        leaky = self.lost_beat[0] if self.lost_beat else ""
        return wire.name in (self.slow_wire, self.swapped_lanes, stuck, leaky)

    def actor(self, actor: hardware.Actor) -> hardware.Actor:
        """Return the Actor as it is to be built."""
        if actor.name != self.slow_actor:
            return actor
        slow = {c: replace(t, latency=t.latency + 1) for c, t in actor.ops.items()}
        return replace(actor, ops=slow)


NONE = Faults()


def wire_of(wire: hardware.Wire, registered: bool, faults: Faults) -> Wire:
    """Return the Component of a Wire."""
    if wire.name == faults.slow_wire:
        return Wire(replace(wire, latency=wire.latency + 1), registered)
    if faults.lost_beat and faults.lost_beat[0] == wire.name:
        return _LeakyWire(wire, registered, faults.lost_beat[1])
    stuck = faults.stuck_bit
    if wire.name == faults.swapped_lanes or (stuck and stuck[0] == wire.name):
        return _CrossedWire(wire, registered, faults)
    return Wire(wire, registered)


def table_of(port: Port, depth: int, time_bits: int, loadable: bool, faults: Faults) -> Table:
    """Return the command table of a port."""
    kind = _LateTable if str(port) == faults.late_port else Table
    return kind(port, depth, time_bits, loadable)


class _CrossedWire(Wire):
    """A Wire that swaps lanes, or has a bit that is stuck."""

    def __init__(self, wire: hardware.Wire, registered: bool, faults: Faults):
        self._faults = faults
        super().__init__(wire, registered)

    def _carried(self, lanes: Value) -> Value:
        wire, faults = self._wire, self._faults
        carried = list(data.View(lanes_of(wire), lanes))
        if wire.name == faults.swapped_lanes:
            carried[0], carried[1] = carried[1], carried[0]
        values = [lane.as_value() for lane in carried]
        if faults.stuck_bit and wire.name == faults.stuck_bit[0]:
            _, lane, bit = faults.stuck_bit
            values[lane] = values[lane] | (carried[lane].valid << (1 + bit))
        return Cat(value[: 1 + wire.lane] for value in values)


class _LeakyWire(Wire):
    """A Wire that loses one beat on its lane 0."""

    def __init__(self, wire: hardware.Wire, registered: bool, beat: int):
        self._beat = beat
        super().__init__(wire, registered)

    def elaborate(self, platform) -> Module:
        self._count = Signal(range(self._beat + 2))
        self._first = Signal()
        m = super().elaborate(platform)
        with m.If(self._first & (self._count <= self._beat)):
            m.d.sync += self._count.eq(self._count + 1)
        m.d.comb += self._first.eq(self._valid)
        return m

    def _carried(self, lanes: Value) -> Value:
        carried = data.View(lanes_of(self._wire), lanes)
        self._valid = carried[0].valid
        lost = self._valid & (self._count == self._beat)
        return lanes & ~Mux(lost, (1 << (1 + self._wire.lane)) - 1, 0)


class _LateTable(Table):
    """A table whose commands act one cycle late."""

    def _told(self, m: Module) -> wiring.PureInterface:
        told = self.signature.members["out"].signature.create(path=("told",))
        m.d.sync += [
            self.out.fire.eq(told.fire),
            self.out.late.eq(told.late),
            self.out.command.eq(told.command),
        ]
        return told
