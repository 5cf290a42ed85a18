"""What is about the machine as a whole: its time, its first error, and its load bus."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from .probe import ERROR_BITS
from .signals import errors_of


class Time(wiring.Component):
    """Counts the cycles since ``run`` rose.

    Members
    -------
    now : Out
    """

    def __init__(self, time_bits: int):
        super().__init__({"now": Out(time_bits)})

    def elaborate(self, platform) -> Module:
        m = Module()
        m.d.sync += self.now.eq(self.now + 1)
        return m


class FirstError(wiring.Component):
    """Shows the first error in the order of parts and lanes.

    Parameters
    ----------
    first : int
        The number of the first part.
    lanes : sequence of int
        Lanes or units of each part.

    Members
    -------
    errors{i} : In
        Of the i-th part.
    error, error_kind, error_part, error_lane : Out
    """

    def __init__(self, first: int, lanes: Sequence[int]):
        self._first, self._lanes = first, lanes
        members = {f"errors{i}": In(errors_of(n)) for i, n in enumerate(lanes)}
        members |= {
            "error": Out(1),
            "error_kind": Out(ERROR_BITS),
            "error_part": Out(ceil_log2(first + len(lanes))),
            "error_lane": Out(ceil_log2(max([*lanes, 1]))),
        }
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.d.comb += self.error.eq(self.error_kind != 0)
        for i in reversed(range(len(self._lanes))):
            errors = data.View.as_value(getattr(self, f"errors{i}"))
            for lane in reversed(range(self._lanes[i])):
                kind = errors[lane * ERROR_BITS : (lane + 1) * ERROR_BITS]
                with m.If(kind != 0):
                    m.d.comb += [
                        self.error_kind.eq(kind),
                        self.error_part.eq(self._first + i),
                        self.error_lane.eq(lane),
                    ]
        return m


class Loading(wiring.Component):
    """Chooses the memory that the load bus writes, while the machine does not run.

    Members
    -------
    run, load_valid, load_select : In
    write : Out
        One bit for each memory.
    """

    def __init__(self, memories: int):
        self._memories = memories
        members = {"run": In(1), "load_valid": In(1), "load_select": In(ceil_log2(memories))}
        super().__init__(members | {"write": Out(memories)})

    def elaborate(self, platform) -> Module:
        m = Module()
        chosen = (self.load_valid & ~self.run) << self.load_select
        m.d.comb += self.write.eq(chosen)
        return m
