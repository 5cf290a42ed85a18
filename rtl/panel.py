"""What is about the machine as a whole: its time, its first error, and its load bus."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
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


RADIX_BITS = 4
RADIX = 1 << RADIX_BITS
"""How many candidates each step of the choice of the first error looks at."""


class Found(wiring.Signature):
    """The first error of a group of parts.

    Members
    -------
    kind : Out
        An `ErrorKind`, or 0.
    number : Out
        Of the part, counted from the first of the group.
    lane : Out
    """

    def __init__(self, number_bits: int, lane_bits: int):
        members = {"kind": Out(ERROR_BITS), "number": Out(number_bits), "lane": Out(lane_bits)}
        super().__init__(members)


class FirstOfParts(wiring.Component):
    """Finds the first error of up to `RADIX` parts, in the order of parts and lanes.

    Parameters
    ----------
    lanes : sequence of int
        Lanes or units of each part.
    lane_bits : int

    Members
    -------
    errors{i} : In
        Of the i-th part.
    found : Out(Found)
    """

    def __init__(self, lanes: Sequence[int], lane_bits: int):
        self._lanes = lanes
        members = {f"errors{i}": In(errors_of(n)) for i, n in enumerate(lanes)}
        super().__init__(members | {"found": Out(Found(RADIX_BITS, lane_bits))})

    def elaborate(self, platform) -> Module:
        m = Module()
        found = self.found
        for i in reversed(range(len(self._lanes))):
            for lane in reversed(range(self._lanes[i])):
                kind = getattr(self, f"errors{i}")[lane]
                with m.If(kind != 0):
                    m.d.comb += [found.kind.eq(kind), found.number.eq(i), found.lane.eq(lane)]
        return m


class FirstOfGroups(wiring.Component):
    """Finds the first error of up to `RADIX` groups.

    Parameters
    ----------
    groups : int
    number_bits : int
        Of a number in each of the groups.
    lane_bits : int

    Members
    -------
    found{i} : In(Found)
        Of the i-th group.
    found : Out(Found)
    """

    def __init__(self, groups: int, number_bits: int, lane_bits: int):
        self._groups = groups
        members = {f"found{i}": In(Found(number_bits, lane_bits)) for i in range(groups)}
        super().__init__(members | {"found": Out(Found(number_bits + RADIX_BITS, lane_bits))})

    def elaborate(self, platform) -> Module:
        m = Module()
        for i in reversed(range(self._groups)):
            group = getattr(self, f"found{i}")
            with m.If(group.kind != 0):
                m.d.comb += [
                    self.found.kind.eq(group.kind),
                    self.found.number.eq(Cat(group.number, C(i, RADIX_BITS))),
                    self.found.lane.eq(group.lane),
                ]
        return m


class FirstError(wiring.Component):
    """Shows the first error of all.

    Parameters
    ----------
    first, parts : int
        The number of the first part that may have one, and how many there are.
    number_bits, lane_bits : int
        Of what is found.

    Members
    -------
    found : In(Found)
    error, error_kind, error_part, error_lane : Out
    """

    def __init__(self, first: int, parts: int, number_bits: int, lane_bits: int):
        self._first = first
        members = {
            "found": In(Found(number_bits, lane_bits)),
            "error": Out(1),
            "error_kind": Out(ERROR_BITS),
            "error_part": Out(ceil_log2(first + parts)),
            "error_lane": Out(lane_bits),
        }
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        m.d.comb += [
            self.error.eq(self.found.kind != 0),
            self.error_kind.eq(self.found.kind),
            self.error_lane.eq(self.found.lane),
        ]
        with m.If(self.error):
            m.d.comb += self.error_part.eq(self._first + self.found.number)
        return m


GROUP_BITS = 6


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
        valid = self.load_valid & ~self.run
        # In two steps: a shift by all of it would cost the square of its width to write down.
        inner, outer = self.load_select[:GROUP_BITS], self.load_select[GROUP_BITS:]
        one = Signal(1 << len(inner))
        m.d.comb += one.eq(valid << inner)
        groups = [one & (outer == i).replicate(len(one)) for i in range(1 << len(outer))]
        m.d.comb += self.write.eq(Cat(groups))
        return m
