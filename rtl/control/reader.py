"""Sections of a program, as they are taken from a decoder: their codes, and field after field."""

from __future__ import annotations

from amaranth.hdl import Array, Module, Signal, Value

from hwdsl.program_records import FIELDS

from .decoder import LARGEST, Decoder


class Section:
    """The codes and the number of records of one section.

    Parameters
    ----------
    decoder : Decoder
        That holds it.
    """

    def __init__(self, tag: str, decoder: Decoder):
        self._names, self._decoder = FIELDS[tag], decoder
        self.left = Signal(LARGEST, name=f"{tag}_left")
        self._codes = [Signal(8, name=f"{tag}_{name}_code") for name in self._names]
        self._tag = tag

    def head(self, m: Module, follow: str) -> None:
        """Add states that read what comes before the records; the first is named ``<tag>_TAG``.

        ``follow`` is the state after them.
        """
        decoder, tag = self._decoder, self._tag
        at = Signal(range(len(self._names) + 1), name=f"{tag}_at")
        for state, after in (("TAG", "LENGTH"), ("LENGTH", "COUNT"), ("COUNT", "CODES")):
            with m.State(f"{tag}_{state}"):
                m.d.comb += [decoder.code.eq(32), decoder.take.eq(1)]
                with m.If(decoder.ready):
                    m.d.sync += [self.left.eq(decoder.value), at.eq(0)]
                    m.next = f"{tag}_{after}"
        codes = Array(self._codes)
        with m.State(f"{tag}_CODES"):
            m.d.comb += [decoder.code.eq(8), decoder.take.eq(1)]
            with m.If(decoder.ready):
                m.d.sync += [codes[at].eq(decoder.value), at.eq(at + 1)]
                with m.If(at == len(self._names) - 1):
                    m.next = follow

    def field(self, m: Module, name: str) -> tuple[Value, Value]:
        """Ask for a field in this state; return whether it is there, and its value."""
        decoder = self._decoder
        m.d.comb += [decoder.code.eq(self._codes[self._names.index(name)]), decoder.take.eq(1)]
        return decoder.ready, decoder.value

    def take(self, m: Module, name: str, target: Value, follow: str) -> None:
        """Read a field into a register, then go on to another state."""
        ready, value = self.field(m, name)
        with m.If(ready):
            m.d.sync += target.eq(value)
            m.next = follow

    def close(self, m: Module, follow: str) -> None:
        """Skip to the next byte."""
        m.d.comb += [self._decoder.align.eq(1), self._decoder.take.eq(1)]
        with m.If(self._decoder.ready):
            m.next = follow
