"""Pending commands of one port: each acts in the cycle in which its time to live reads 0."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..ports import Port
from ..tables import Command


def packet_layout(command_bits: int, ahead_bits: int) -> data.StructLayout:
    """Return the layout of a packet where it is delivered.

    ``ttl`` is the cycle of the command minus the present one; ``late`` is set for good when it
    would fall below 0.
    """
    return data.StructLayout({"command": command_bits, "ttl": ahead_bits, "late": 1})


class Pending(wiring.Component):
    """A list of commands, counting down.

    A packet that is offered while the list is not full is kept; it must come a cycle before its
    command acts. A command whose cycle has passed is given up as late, and so is the second of two
    for one cycle.

    Parameters
    ----------
    port : Port
    command_bits : int
        Of a packet; those of the port's commands are the lowest of them.
    depth : int
        Commands that it keeps.

    Members
    -------
    run, now : In
        Of every source of commands; ``now`` is not used.
    offer : In(1), packet : In, full : Out(1)
    out : Out(Command)
    """

    def __init__(self, port: Port, command_bits: int, depth: int, ahead_bits: int, time_bits: int):
        self._port, self._depth, self._ahead_bits = port, depth, ahead_bits
        super().__init__(
            {
                "run": In(1),
                "now": In(time_bits),
                "offer": In(1),
                "packet": In(packet_layout(command_bits, ahead_bits)),
                "full": Out(1),
                "out": Out(Command(port.fields)),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        width = self._port.width
        valid = [Signal(name=f"valid{i}") for i in range(self._depth)]
        ttl = [Signal(self._ahead_bits, name=f"ttl{i}") for i in range(self._depth)]
        late = [Signal(name=f"late{i}") for i in range(self._depth)]
        command = [Signal(width, name=f"command{i}") for i in range(self._depth)]
        fires, placed, told, given_up = 0, 0, 0, 0
        for i in range(self._depth):
            due = Signal(name=f"due{i}")
            acts = Signal(name=f"acts{i}")
            takes = Signal(name=f"takes{i}")
            m.d.comb += [
                due.eq(valid[i] & (ttl[i] == 0) & ~late[i]),
                acts.eq(due & ~fires),
                takes.eq(self.offer & ~valid[i] & ~placed),
            ]
            fires, placed = acts | fires, (self.offer & ~valid[i]) | placed
            told = Mux(acts, command[i], 0) | told
            given_up = (valid[i] & late[i]) | given_up
            with m.If(takes):
                m.d.sync += [
                    valid[i].eq(1),
                    command[i].eq(self.packet.command[:width]),
                    ttl[i].eq(self.packet.ttl - (self.packet.ttl != 0)),
                    late[i].eq(self.packet.late | (self.packet.ttl == 0)),
                ]
            with m.Elif(acts | late[i]):
                m.d.sync += [valid[i].eq(0), late[i].eq(0)]
            with m.Elif(valid[i]):
                m.d.sync += ttl[i].eq(ttl[i] - (ttl[i] != 0))
                with m.If(ttl[i] == 0):
                    m.d.sync += late[i].eq(1)
        full = 1
        for i in range(self._depth):
            full = valid[i] & full
        m.d.comb += [
            self.full.eq(full),
            self.out.fire.eq(self.run & fires),
            self.out.late.eq(self.run & given_up),
            self.out.command.eq(told),
        ]
        return m
