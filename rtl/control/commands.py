"""Commands as they are put together: fields by name, packed as their port has them."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value

from hwdsl.hardware import Hardware

from ..ports import Fields, ports_of
from .tools import chosen, log2


class Commands:
    """The command that is being made, and the port that it is for.

    Attributes
    ----------
    ports : tuple of Port
    port : Signal
        Number of the port.
    width : int
        Bits of the widest command.
    """

    def __init__(self, hardware: Hardware):
        self.hardware, self.ports = hardware, ports_of(hardware)
        self.port = Signal(log2(len(self.ports)), name="port")
        self.width = max((port.width for port in self.ports), default=1) or 1
        widths: dict[str, int] = {}
        for port in self.ports:
            for name, bits in port.fields:
                widths[name] = max(bits, widths.get(name, 0))
        self._fields = {name: Signal(bits, name=name) for name, bits in widths.items()}
        self._layouts: list[Fields] = sorted({port.fields for port in self.ports})

    def first(self, kind: str) -> list[int]:
        """Return the number of the first port of each Wire or Actor; 0 where there is none."""
        many = self.hardware.actors if kind in ("fire", "result") else self.hardware.wires
        found = [0] * max(1, len(many))
        for number, port in reversed(list(enumerate(self.ports))):
            if port.kind == kind:
                found[port.part] = number
        return found

    def set(self, m: Module, name: str, value: Value | int) -> None:
        """Give a field its value; one that no command has is left out."""
        if name in self._fields:
            m.d.sync += self._fields[name].eq(value)

    def clear(self, m: Module) -> None:
        for field in self._fields.values():
            m.d.sync += field.eq(0)

    def packed(self, m: Module) -> Signal:
        """Return the command in the layout of its port."""
        command = Signal(self.width, name="packed")
        layout_of = [self._layouts.index(port.fields) for port in self.ports]
        with m.Switch(chosen(layout_of or [0], self.port)):
            for number, layout in enumerate(self._layouts):
                with m.Case(number):
                    parts = [self._fields[name][:bits] for name, bits in layout]
                    m.d.comb += command.eq(Cat(*parts))
        return command


def split(
    m: Module, hardware: Hardware, words: Value, point: Value, name: str
) -> tuple[Value, Value]:
    """Return the row of a datum, and the word in it, in which word ``words`` lies in a Node."""
    sizes = [max(1, p.row // hardware.word) for p in hardware.points]
    part, offset = Signal(len(words), name=f"{name}_part"), Signal(16, name=f"{name}_offset")
    kinds = sorted(set(sizes))
    with m.Switch(chosen([kinds.index(size) for size in sizes], point)):
        for number, size in enumerate(kinds):
            with m.Case(number):
                if size & (size - 1):
                    m.d.comb += [part.eq(words // size), offset.eq(words % size)]
                else:
                    bits = size.bit_length() - 1
                    m.d.comb += [part.eq(words >> bits), offset.eq(words & (size - 1))]
    return part, offset
