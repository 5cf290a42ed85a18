"""Pending commands of one port: each acts in the cycle in which its time to live reads 0."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from ..ports import Port
from ..ram import Ram, rows_of_zeros
from ..tables import Command


def packet_layout(command_bits: int, ahead_bits: int) -> data.StructLayout:
    """Return the layout of a packet where it is delivered.

    ``ttl`` is the cycle of the command minus the present one; ``late`` is set for good when it
    would fall below 0.
    """
    return data.StructLayout({"command": command_bits, "ttl": ahead_bits, "late": 1})


class Pending(wiring.Component):
    """A list of commands, counting down.

    Commands come in the order of their cycles, so a command is kept with its distance to the one
    before it, and one counter counts down for all: the time to live of the first is ``gap -
    elapsed``. A packet that is offered while the list is not full is kept; it must come a cycle
    before its command acts. What comes too late for that, or after a command of the same cycle or
    a later one, is given up as late.

    Parameters
    ----------
    port : Port
    command_bits : int
        Of a packet; those of the port's commands are the lowest of them.
    depth : int
        Commands that it keeps, a power of two.

    Members
    -------
    run, now : In
        Of every source of commands; ``now`` is not used.
    offer : In(1), packet : In, full : Out(1)
    out : Out(Command)
    """

    def __init__(self, port: Port, command_bits: int, depth: int, ahead_bits: int, time_bits: int):
        self._port, self._ahead_bits = port, ahead_bits
        self.contents = rows_of_zeros(port.width + ahead_bits, depth)
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
        m.submodules.ram = ram = Ram(self.contents)
        depth = self.contents.depth
        first, end = Signal(ceil_log2(depth)), Signal(ceil_log2(depth))
        count = Signal(range(depth + 1))
        gap, elapsed, last = (Signal(self._ahead_bits) for _ in range(3))
        acts, keeps, empty = Signal(), Signal(), Signal()
        ttl = self.packet.ttl
        m.d.comb += [
            acts.eq((count != 0) & (gap == elapsed)),
            empty.eq(count == acts),  # but for what acts now
            self.full.eq(count == depth),
            keeps.eq(self.offer & ~self.packet.late & (ttl > Mux(empty, 0, last))),
            self.out.fire.eq(self.run & acts),
            self.out.late.eq(self.run & self.offer & ~keeps),
        ]
        following = (first + acts)[: len(first)]
        m.d.sync += [
            first.eq(following),
            end.eq(end + keeps),
            count.eq(count + keeps - acts),
            elapsed.eq(Mux(acts | (count == 0), 1, elapsed + 1)),
            last.eq(Mux(keeps, ttl, last) - 1),
        ]
        distance = (ttl - Mux(empty, 0, last))[: self._ahead_bits]
        command = self.packet.command[: self._port.width]
        ram.write(words=keeps, row=end, data=Cat(command, distance))
        ram.read(enable=1, row=following, data=Cat(self.out.command.as_value(), gap))
        return m
