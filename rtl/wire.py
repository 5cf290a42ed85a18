"""A Wire: so many registers between two ends, its probe, and the errors of its lanes."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hwdsl import hardware

from .probe import wire_width
from .ram import Ram, rows_of_zeros
from .signals import delay, errors_of, keep_errors, lanes_of

RING = 32
"""Registers in a row from which on a memory takes their place."""


class Wire(wiring.Component):
    """A pipeline of ``wire.latency`` stages.

    Parameters
    ----------
    wire : hardware.Wire
    registered : bool
        Whether what it is given is its first stage already: the read register of a memory.

    Members
    -------
    depart : In
        All lanes, in the cycle of the departure, or one later if ``registered``.
    arrive : Out
        All lanes, ``latency`` cycles after the departure.
    source_errors, target_errors : In
        What the parts at its ends find wrong in this cycle, for each lane.
    errors : Out
        The first of these for each lane, kept.
    probe : Out
        See `rtl.probe`.
    """

    def __init__(self, wire: hardware.Wire, registered: bool):
        self._wire, self._registered = wire, registered
        super().__init__(
            {
                "depart": In(lanes_of(wire)),
                "arrive": Out(lanes_of(wire)),
                "source_errors": In(errors_of(wire.lanes)),
                "target_errors": In(errors_of(wire.lanes)),
                "errors": Out(errors_of(wire.lanes)),
                "probe": Out(wire_width(wire)),
            }
        )

    def elaborate(self, platform) -> Module:
        m = Module()
        first = self.depart.as_value()
        if not self._registered:
            given, first = first, Signal(len(first), name="first")
            m.d.sync += first.eq(given)
        carried, arrive = self._carried(first), self.arrive.as_value()
        rest = self._wire.latency - 1
        if rest < RING:
            delay(m, carried, arrive, rest)
        else:
            self._ring(m, carried, arrive, rest)
        keep_errors(m, [self.source_errors, self.target_errors], self.errors)
        m.d.comb += self.probe.eq(Cat(first, arrive, self.errors.as_value()))
        return m

    def _carried(self, lanes: Value) -> Value:
        """Return what comes out for ``lanes``: the same; a faulty Wire (`rtl.faults`) differs."""
        return lanes

    def _ring(self, m: Module, carried: Value, arrive: Value, cycles: int) -> None:
        """Delay through a memory that is read and written at one address, and goes round."""
        depth = cycles - 1
        m.submodules.ring = ring = Ram(rows_of_zeros(len(carried), depth))
        at = Signal(range(depth))
        round_over, filled = Signal(), Signal()  # what an earlier run left behind must not arrive
        kept = Signal.like(carried, name="kept")
        ring.write(words=C(1), row=at, data=carried)
        ring.read(enable=C(1), row=at, data=kept, transparent=False)
        m.d.sync += [at.eq(at + 1), filled.eq(round_over)]
        with m.If(at == depth - 1):
            m.d.sync += [at.eq(0), round_over.eq(1)]
        with m.If(filled):
            m.d.comb += arrive.eq(kept)
