"""A command source that reads timed commands from a memory; and the seam that any source has."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from .ports import LIST_BITS, Fields, Port, entry_fields
from .ram import Ram, rows_of_zeros


def layout_of(fields: Fields) -> data.StructLayout:
    return data.StructLayout(dict(fields))


def field(command: data.View, name: str) -> Value:
    """Return a field of a command; 0 for one that could only be 0."""
    return command[name] if name in command.shape().members else Const(0, 0)


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


class Look(wiring.Signature):
    """Looks up a row in a list; it is there a cycle later. Seen from who asks."""

    def __init__(self, row_bits: int):
        super().__init__({"index": Out(LIST_BITS), "row": In(row_bits)})


class List(wiring.Component):
    """The list of rows of a MAC engine: which address each row of a datum has.

    Parameters
    ----------
    port : Port
    depth : int
        Entries, a power of two.
    looks : int
        How many are looked up in a cycle.
    loadable : bool
        Whether it has a ``load`` port.

    Members
    -------
    look{i} : In(Look)

    Attributes
    ----------
    contents : MemoryData
    """

    def __init__(self, port: Port, depth: int, looks: int, loadable: bool):
        self._looks = looks
        self.contents = rows_of_zeros(port.width, depth)
        members = {f"look{i}": In(Look(port.width)) for i in range(looks)}
        if loadable:
            members["load"] = In(Load(depth, port.width))
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.ram = ram = Ram(self.contents)
        if hasattr(self, "load"):
            ram.write(words=self.load.write, row=self.load.address, data=self.load.data)
        for i in range(self._looks):
            look = getattr(self, f"look{i}")
            ram.read(enable=Const(1), row=look.index, data=look.row, transparent=False)
        return m


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

    Attributes
    ----------
    contents : MemoryData
    """

    def __init__(self, port: Port, depth: int, time_bits: int, loadable: bool):
        width = sum(bits for _, bits in entry_fields(port, time_bits))
        self.contents = rows_of_zeros(width, depth)
        members = {"run": In(1), "now": In(time_bits), "out": Out(Command(port.fields))}
        if loadable:
            members["load"] = In(Load(depth, width))
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.ram = ram = Ram(self.contents)
        at = Signal(ceil_log2(self.contents.depth))
        time, valid = Signal.like(self.now, name="time"), Signal()
        out = self._told(m)
        fire, late = out.fire, out.late
        m.d.comb += [
            fire.eq(self.run & valid & (time == self.now)),
            late.eq(self.run & valid & (time < self.now)),
        ]
        following = (at + (fire | late))[: len(at)]
        m.d.sync += at.eq(following)
        ram.read(
            enable=fire | late | ~self.run,
            row=following,
            data=Cat(out.command.as_value(), time, valid),
        )
        if hasattr(self, "load"):
            ram.write(words=self.load.write, row=self.load.address, data=self.load.data)
        return m

    def _told(self, m: Module) -> wiring.PureInterface:
        """Return where commands are put; a faulty Table (`rtl.faults`) has them wait."""
        return self.out
