"""A command source that reads timed commands from a memory; and the seam that any source has."""

from __future__ import annotations

from amaranth.hdl import MemoryData, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from .ports import Fields, Port, entry_fields


def layout_of(fields: Fields) -> data.StructLayout:
    return data.StructLayout(dict(fields))


class Command(wiring.Signature):
    """The seam between a command source and a datapath.

    Members
    -------
    fire : Out(1)
        The command acts in this cycle.
    command : Out(layout)
        Meaningful while ``fire``.
    late : Out(1)
        A command is given up because its cycle has passed.
    """

    def __init__(self, fields: Fields):
        super().__init__({"fire": Out(1), "command": Out(layout_of(fields)), "late": Out(1)})


class Load(wiring.Signature):
    """Writes one memory while the machine does not run.

    Members
    -------
    write : Out(1)
    address : Out
    data : Out
    """

    def __init__(self, depth: int, width: int):
        super().__init__({"write": Out(1), "address": Out(ceil_log2(depth)), "data": Out(width)})


class Table(wiring.Component):
    """The commands of one port, sorted by cycle.

    The next entry is always at the memory's output: it acts in the cycle ``now`` that equals its
    time, and is given up as late if that cycle has passed. While ``run`` is low everything but
    the memory is reset, and entry 0 is fetched.

    Parameters
    ----------
    port : Port
    depth : int
        Entries, a power of two; the first one without ``valid`` ends the list.
    time_bits : int
    loadable : bool
        Whether it has a ``load`` port.
    """

    def __init__(self, port: Port, depth: int, time_bits: int, loadable: bool):
        self._given = (port, depth, time_bits, loadable)
        self._layout = layout_of(entry_fields(port, time_bits))
        self.contents = MemoryData(shape=unsigned(self._layout.size), depth=depth, init=[])
        members = {"run": In(1), "now": In(time_bits), "out": Out(Command(port.fields))}
        if loadable:
            members["load"] = In(Load(depth, self._layout.size))
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(self.contents)
        read = memory.read_port()
        if hasattr(self, "load"):
            write = memory.write_port()
            m.d.comb += [
                write.en.eq(self.load.write & ~self.run),
                write.addr.eq(self.load.address),
                write.data.eq(self.load.data),
            ]
        entry = data.View(self._layout, read.data)
        at = Signal.like(read.addr)
        due = Signal()
        m.d.comb += [
            due.eq(self.run & entry.valid & (entry.time <= self.now)),
            self.out.fire.eq(due & (entry.time == self.now)),
            self.out.late.eq(due & (entry.time < self.now)),
            self.out.command.as_value().eq(entry.command),
            read.addr.eq(at + due),
            read.en.eq(due | ~self.run),
        ]
        m.d.sync += at.eq(read.addr)
        return m
