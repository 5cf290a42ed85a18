"""A control network with a fault, so that tests can show that it is caught. Not for users."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data

from .network import Network, a_cycle_later
from .topology import Topology

FAULTS = ("ttl", "dropped", "duplicated", "delayed")
"""What can happen to a packet: it acts a cycle late, never comes, comes twice, or comes so many
clock cycles later than it should."""


class FaultyNetwork(Network):
    """A `Network` in which something happens to one packet.

    Parameters
    ----------
    fault : (str, int, int)
        One of `FAULTS`, the number of the packet, from 0 on, and clock cycles of delay.
    """

    def __init__(
        self, topology: Topology, command_bits: int, ahead_bits: int, fault: tuple[str, int, int]
    ):
        super().__init__(topology, command_bits, ahead_bits)
        self._fault, self._number, self._delay = fault

    def entering(self, m: Module, room: Value) -> tuple[Value, data.View]:
        number, hit = Signal(16, name="number"), Signal(name="hit")
        m.d.sync += number.eq(number + (self.offered & self.ready))
        m.d.comb += [hit.eq(self.offered & (number == self._number)), self.ready.eq(room)]
        packet = Signal.like(self.packet, name="disturbed")
        m.d.comb += packet.eq(self.packet)
        if self._fault == "ttl":
            m.d.comb += packet.told.ttl.eq(self.packet.told.ttl + hit)
        elif self._fault == "dropped":
            return self.offered & ~hit, packet
        elif self._fault == "duplicated":
            twice = Signal(name="twice")
            m.d.sync += twice.eq(twice | (hit & room))
            m.d.comb += self.ready.eq(room & ~(hit & ~twice))
        elif self._fault == "delayed":
            return self._delayed(m, room, hit, packet)
        return self.offered, packet

    def _delayed(
        self, m: Module, room: Value, hit: Value, packet: data.View
    ) -> tuple[Value, data.View]:
        kept, left = Signal.like(packet, name="kept"), Signal(16, name="delay_left")
        with m.If(hit & room):
            m.d.sync += [kept.eq(packet), left.eq(self._delay)]
        with m.Elif(left > 1):
            m.d.sync += left.eq(left - 1)
        with m.Elif(room):
            m.d.sync += left.eq(0)
        with m.If(~hit):
            for name, value in a_cycle_later(kept).items():
                m.d.sync += getattr(kept.told, name).eq(value)
        with m.If(hit):
            for name, value in a_cycle_later(packet).items():
                m.d.sync += getattr(kept.told, name).eq(value)
        now = left == 1
        m.d.comb += self.ready.eq(room & ~now)
        chosen = Signal.like(packet, name="chosen")
        m.d.comb += chosen.eq(Mux(now, kept, packet))
        return Mux(now, 1, self.offered & ~hit), chosen
