"""Signals that several kinds of part have in common: lanes, errors and delays."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from hwdsl import hardware
from hwdsl.trace import ErrorKind

from .probe import ERROR_BITS


def lanes_of(wire: hardware.Wire) -> data.ArrayLayout:
    """Return the layout of what a Wire carries in a cycle; a payload is 0 where not valid."""
    return data.ArrayLayout(data.StructLayout({"valid": 1, "payload": wire.lane}), wire.lanes)


def errors_of(lanes: int) -> data.ArrayLayout:
    """Return the layout of one `ErrorKind` (or 0) for each lane or unit."""
    return data.ArrayLayout(ERROR_BITS, lanes)


def first_error(*conditions: tuple[Value, ErrorKind]) -> Value:
    """Return the kind of the first condition that is true, else 0."""
    error: Value | int = 0
    for condition, kind in reversed(conditions):
        error = Mux(condition, int(kind), error)
    return error


def keep_errors(m: Module, found: Sequence[data.View], kept: data.View) -> None:
    """Keep for each lane the first error found, until reset; of two at once the earlier listed."""
    for errors in reversed(found):
        with m.If(errors.as_value() != 0):
            for lane in range(len(errors)):
                with m.If((kept[lane] == 0) & (errors[lane] != 0)):
                    m.d.sync += kept[lane].eq(errors[lane])


def delay(m: Module, source: Value, target: Value, cycles: int) -> None:
    """Drive ``target`` with what ``source`` was so many cycles before."""
    for _ in range(cycles - 1):
        stage = Signal.like(source, name="stage")
        m.d.sync += stage.eq(source)
        source = stage
    domain = m.d.sync if cycles else m.d.comb
    domain += target.eq(source)


def share(component: wiring.Component, name: str, interface: object) -> None:
    """Give a component's input the very signals that drive it.

    `wiring.connect` would copy each of them in the enclosing module, and a simulator pays for
    every copy in every cycle.
    """
    assert component.signature.members[name].flow is In
    setattr(component, name, interface)
