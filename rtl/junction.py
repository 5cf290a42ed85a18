"""A Junction: a crossbar that commands steer, one for each outgoing lane."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hwdsl import hardware
from hwdsl.trace import ErrorKind

from .ports import Fields
from .signals import errors_of, first_error, lanes_of
from .tables import Command, field


class Junction(wiring.Component):
    """Passes lanes on in the cycle in which they arrive.

    Parameters
    ----------
    incoming, outgoing : sequence of hardware.Wire
    steer : Fields
        Layout of a command; its ``choice`` counts the lanes of all incoming Wires.

    Members
    -------
    arrive{i}, depart{i} : In, Out
        Lanes of the i-th incoming and outgoing Wire.
    steer{i}_{lane} : In(Command)
        For lane ``lane`` of the i-th outgoing Wire.
    arrive_errors{i}, depart_errors{i} : Out
    """

    def __init__(
        self,
        incoming: Sequence[hardware.Wire],
        outgoing: Sequence[hardware.Wire],
        steer: Fields,
    ):
        self._incoming, self._outgoing = incoming, outgoing
        members = {}
        for i, wire in enumerate(incoming):
            members[f"arrive{i}"] = In(lanes_of(wire))
            members[f"arrive_errors{i}"] = Out(errors_of(wire.lanes))
        for i, wire in enumerate(outgoing):
            members[f"depart{i}"] = Out(lanes_of(wire))
            members[f"depart_errors{i}"] = Out(errors_of(wire.lanes))
            for lane in range(wire.lanes):
                members[f"steer{i}_{lane}"] = In(Command(steer))
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        arriving, lost = [], []
        for i, wire in enumerate(self._incoming):
            for lane in range(wire.lanes):
                arriving.append(getattr(self, f"arrive{i}")[lane])
                lost.append(getattr(self, f"arrive_errors{i}")[lane])
        taken = [Signal(name=f"taken{i}") for i in range(len(arriving))]
        for i, wire in enumerate(self._outgoing):
            for lane in range(wire.lanes):
                steer = getattr(self, f"steer{i}_{lane}")
                departing = getattr(self, f"depart{i}")[lane]
                with m.If(steer.fire), m.Switch(field(steer.command, "choice")):
                    for choice, arrived in enumerate(arriving):
                        with m.Case(choice):
                            m.d.comb += [departing.eq(arrived), taken[choice].eq(1)]
                error = first_error(
                    (steer.late, ErrorKind.LATE),
                    (steer.fire & ~departing.valid, ErrorKind.STEER),
                )
                m.d.comb += getattr(self, f"depart_errors{i}")[lane].eq(error)
        for arrived, took, error in zip(arriving, taken, lost, strict=True):
            m.d.comb += error.eq(first_error((arrived.valid & ~took, ErrorKind.LOST)))
        return m
