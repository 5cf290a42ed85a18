"""A memory whose ports take any value.

The ports of `amaranth.lib.memory` have signals of their own, to be driven by copies; with dozens
of ports a memory, a simulator would spend much of its time on these.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Elaboratable, MemoryData, MemoryInstance, Value, unsigned
from amaranth.utils import ceil_log2


def rows_of_zeros(width: int, depth: int) -> MemoryData:
    """Return contents of ``depth`` rows of ``width`` bits."""
    # Yosys has no memory of a single row.
    return MemoryData(shape=unsigned(width), depth=max(2, depth), init=[])


class Ram(Elaboratable):
    """A memory with as many ports as are added.

    Parameters
    ----------
    contents : MemoryData
    """

    def __init__(self, contents: MemoryData):
        self._contents = contents
        self._writes: list[dict[str, Value]] = []
        self._reads: list[dict[str, Value]] = []

    def write(self, *, words: Value, row: Value, data: Value) -> None:
        """Add a port; ``words`` has one bit for each equal piece of the row to be written."""
        self._writes.append({"en": words, "addr": self._address(row), "data": data})

    def read(self, *, enable: Value, row: Value, data: Value, transparent: bool = True) -> None:
        """Add a port: ``data`` is what the row holds one cycle later, and else does not change.

        ``transparent``: including what is written to it in the cycle of the request.
        """
        port = {"en": enable, "addr": self._address(row), "data": data}
        self._reads.append(port | {"transparent_for": transparent})

    def _address(self, row: Value) -> Value:
        bits = ceil_log2(self._contents.depth)
        return Cat(row, Const(0, max(0, bits - len(row))))[:bits]

    def elaborate(self, platform) -> MemoryInstance:
        memory = MemoryInstance(data=self._contents)
        writes = [memory.write_port(domain="sync", **port) for port in self._writes]
        for port in self._reads:
            seen = writes if port["transparent_for"] else []
            memory.read_port(domain="sync", **(port | {"transparent_for": seen}))
        return memory
