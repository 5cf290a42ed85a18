"""The decoder: takes numbers, code by code, from a program memory that holds a program's bytes."""

from __future__ import annotations

from amaranth.hdl import Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import wiring

from hwdsl.bit_codes import GOLOMB

from .limits import WORD
from .tools import Store, log2

BUFFER = 4 * WORD
LARGEST = 32
"""Bits of the largest number that the controller takes."""


class Decoder(Elaboratable):
    """Reads one number in a cycle, once it has enough bits.

    Parameters
    ----------
    name : str
    words : int
        Words of program memory, a power of two. The memory is named ``ram``.

    Attributes
    ----------
    contents : MemoryData
    code, take : Signal
        The code of the next number (see `hwdsl.bit_codes`); whether it is taken now.
    align : Signal
        With ``take``: the rest of the byte is skipped, and the value means nothing.
    value, ready : Signal
        The number, and whether it is there.
    """

    def __init__(self, name: str, words: int):
        self._store = Store("ram", WORD, words)
        self.contents = self._store.contents
        self.words = words
        self.code = Signal(8, name=f"{name}_code")
        self.take = Signal(name=f"{name}_take")
        self.align = Signal(name=f"{name}_align")
        self.value = Signal(LARGEST, name=f"{name}_value")
        self.ready = Signal(name=f"{name}_ready")

    def load(self, m: Module, load: wiring.PureInterface) -> None:
        """Let the memory be written."""
        with m.If(load.write):
            self._store.put(m, load.address, load.data)

    def elaborate(self, platform) -> Module:
        m = Module()
        held, count, at = Signal(BUFFER), Signal(8), Signal(log2(self.words) + 1)
        phase = Signal(3)
        word = self._store.read(m, at)
        self._store.build(m)
        zeros, found = self._zeros(m, held)
        order = self.code[:5]
        used, value = Signal(8), Signal(LARGEST)
        with m.If(self.align):
            m.d.comb += used.eq(Mux(phase == 0, 0, 8 - phase))
        with m.Elif(self.code < GOLOMB):
            m.d.comb += [used.eq(self.code), value.eq(held & ((Const(1, 64) << self.code[:6]) - 1))]
        with m.Else():
            width = Signal(7)
            prefix = ((Const(1, LARGEST) << zeros) - 1) << order
            rest = (held >> (zeros + 1)) & ((Const(1, 64) << width[:6]) - 1)
            m.d.comb += [
                width.eq(zeros + order),
                used.eq(zeros + 1 + width),
                value.eq(rest + prefix),
            ]
        m.d.comb += [
            self.ready.eq((count >= used) & (self.align | (self.code < GOLOMB) | found)),
            self.value.eq(value),
        ]
        taken = Signal(8)
        m.d.comb += taken.eq(Mux(self.take & self.ready, used, 0))
        left = Signal(8)
        m.d.comb += left.eq(count - taken)
        room = (left <= BUFFER - WORD) & ~at[-1]
        m.d.sync += [
            held.eq((held >> taken) | Mux(room, word << left, 0)),
            count.eq(left + Mux(room, WORD, 0)),
            at.eq(at + room),
            phase.eq(phase + taken[:3]),
        ]
        return m

    def _zeros(self, m: Module, held: Value) -> tuple[Signal, Signal]:
        """Return how many zeros come first, and whether a one follows in sight."""
        zeros, found = Signal(5, name="zeros"), Signal(name="found")
        for i in reversed(range(LARGEST - 1)):
            with m.If(held[i]):
                m.d.comb += [zeros.eq(i), found.eq(1)]
        # Of several that are true, the last in the source counts: the lowest bit.
        return zeros, found
