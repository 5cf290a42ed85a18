"""Constants and memories as the parts of the controller use them."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import (
    Array,
    Cat,
    Const,
    MemoryData,
    MemoryInstance,
    Module,
    Signal,
    Value,
    unsigned,
)
from amaranth.utils import ceil_log2


def chosen(values: Sequence[int], index: Value, bits: int | None = None) -> Value:
    """Return ``values[index]`` of a list that is known when the machine is built."""
    width = max(1, max(values).bit_length()) if bits is None else bits
    if len(set(values)) == 1:
        return Const(values[0], width)
    return Array([Const(value, width) for value in values])[index]


def log2(entries: int) -> int:
    """Return the bits that count so many entries; at least one."""
    return max(1, ceil_log2(entries))


class Store:
    """A memory that is read in the cycle in which it is asked.

    Parameters
    ----------
    name : str
    width, depth : int
        Of its rows, and how many there are at least: there is one for every address.
    """

    def __init__(self, name: str, width: int, depth: int):
        self.name, self.width = name, width
        self._bits = ceil_log2(max(2, depth))
        self.contents = MemoryData(shape=unsigned(width), depth=1 << self._bits, init=[])
        self._reads: list[tuple[Signal, Signal]] = []
        self.write_enable = Signal(name=f"{name}_write")
        self.write_row = Signal(self._bits, name=f"{name}_write_row")
        self.write_data = Signal(width, name=f"{name}_write_data")

    def read(self, m: Module, row: Value) -> Signal:
        """Add a port, and return what the row holds."""
        number = len(self._reads)
        address = Signal(self._bits, name=f"{self.name}_row{number}")
        data = Signal(self.width, name=f"{self.name}_data{number}")
        m.d.comb += address.eq(row)
        self._reads.append((address, data))
        return data

    def put(self, m: Module, row: Value, data: Value) -> None:
        """Write a row at the end of this cycle; under the conditions of the call."""
        m.d.comb += [
            self.write_enable.eq(1),
            self.write_row.eq(row),
            self.write_data.eq(data),
        ]

    def build(self, m: Module) -> None:
        """Make the memory, once all its ports are asked for."""
        memory = MemoryInstance(data=self.contents)
        memory.write_port(
            domain="sync",
            en=self.write_enable,
            addr=self.write_row,
            data=self.write_data,
        )
        for address, data in self._reads:
            memory.read_port(
                domain="comb", en=Const(1), addr=address, data=data, transparent_for=[]
            )
        m.submodules[self.name] = memory


def lowest(bits: Value) -> Value:
    """Return a value with only the lowest one that is set in ``bits``."""
    return (bits & -bits)[: len(bits)]


def from_lowest_on(bits: Value) -> Value:
    """Return ones from the lowest one that is set on."""
    return (bits | -bits)[: len(bits)]


def position(one_hot: Value) -> Value:
    """Return where the only one of some bits is; 0 if there is none."""
    found = []
    for k in range(log2(len(one_hot))):
        found.append(Cat(one_hot[i] for i in range(len(one_hot)) if i >> k & 1).any())
    return Cat(*found)
