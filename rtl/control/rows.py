"""Rows: which data are in which Node, and in which of its rows; each by docs/rebuild.md."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Elaboratable, Module, Signal, Value

from hwdsl.hardware import Hardware

from .limits import Limits
from .tools import Store, chosen, log2, lowest, position


class Rows(Elaboratable):
    """Takes and gives back rows, one in a clock cycle.

    A datum in a Node is known by the bits of its Node (a Point's index) and its own. What ends in
    a cycle is found in a ring of lists: an entry whose time is later is put into its list again.

    Attributes
    ----------
    come, hand, sweep : Signal
        A datum comes; its rows become those of ``heir``; what ended before ``cycle`` goes.
        ``busy`` until that is done.
    datum, heir, point, end, cycle : Signal
        What that is about.
    ending : Signal
        Whether a sweep has anything to look at.
    missed : Signal
        Nothing was there to be handed over.
    asked, size : Signal
        A datum, and how many words it has; ``size`` is to be driven.
    failed : Signal
        A Node had no row left. Kept.
    """

    def __init__(self, hardware: Hardware, limits: Limits):
        self._hardware, self._limits = hardware, limits
        self._data, self._points = log2(limits.data), log2(len(hardware.points))
        self._parts = log2(limits.parts)
        time = limits.time_bits
        self.come, self.hand, self.sweep = Signal(), Signal(), Signal()
        self.datum, self.heir = Signal(self._data), Signal(self._data)
        self.point = Signal(self._points)
        self.end, self.cycle = Signal(time), Signal(time)
        self.busy, self.missed, self.failed = Signal(), Signal(), Signal()
        self.ending = Signal()
        self.asked, self.size = Signal(self._data), Signal(limits.size_bits)
        entries = 1 << (self._data + self._points)
        self._row_bits = log2(limits.rows)
        self._rows = Store("rows", self._row_bits, entries << self._parts)
        self._ends = Store("ends", time, entries)
        self._begins = Store("begins", time, entries)
        self._nexts = Store("nexts", 1 + self._data + self._points, entries)
        self._heads = Store("heads", self._data + self._points, limits.ring)

    def row(self, m: Module, datum: Value, point: Value, part: Value) -> Value:
        """Return where a part of a datum lies, or lay last."""
        address = Cat(self._fit(part, self._parts), self._entry(datum, point))
        return self._rows.read(m, address)

    def begun(self, m: Module, datum: Value, point: Value) -> Value:
        """Return the cycle in which the datum came."""
        return self._begins.read(m, self._entry(datum, point))

    def _entry(self, datum: Value, point: Value) -> Value:
        return Cat(self._fit(datum, self._data), self._fit(point, self._points))

    @staticmethod
    def _fit(value: Value, bits: int) -> Value:
        return Cat(value, Const(0, bits))[:bits]

    def elaborate(self, platform) -> Module:
        m = Module()
        limits, hardware = self._limits, self._hardware
        forever = (1 << limits.time_bits) - 1
        ring = log2(limits.ring)
        row_words = [max(1, p.row // hardware.word) for p in hardware.points]
        datum, point = Signal(self._data, name="now_datum"), Signal(self._points, name="now_point")
        end, heir = Signal(limits.time_bits, name="now_end"), Signal(self._data, name="now_heir")
        entry = self._entry(datum, point)
        left, part = Signal(limits.size_bits + 1, name="left"), Signal(self._parts, name="part")
        words = chosen(row_words, point)
        last = left <= words
        live, linked, used = self._state()
        there = self._flag(m, live, datum, point, "there")
        tied = self._flag(m, linked, datum, point, "tied")
        free = Signal(limits.rows, name="free")
        with m.Switch(point):
            for p, rows in used.items():
                with m.Case(p):
                    m.d.comb += free.eq(lowest(~rows))
        row = self._rows.read(m, Cat(part, entry))
        known_end = self._ends.read(m, entry)
        follows = self._nexts.read(m, entry)
        slot = Signal(ring, name="slot")
        head = self._heads.read(m, slot)
        filled = Signal(limits.ring, name="filled")
        after, chain = Signal(self._data + self._points, name="after"), Signal(name="chain")
        sweeping = Signal()
        past = self.cycle - 1
        m.d.comb += [self.asked.eq(datum), self.ending.eq(filled.bit_select(past[:ring], 1))]

        def mark(flags: dict[int, Signal], which: Value, value: int) -> None:
            with m.Switch(point):
                for p, bits in flags.items():
                    with m.Case(p):
                        bit = Const(1, 1) << which
                        m.d.sync += bits.eq(bits | bit if value else bits & ~bit)

        with m.FSM(name="rows") as machine:
            with m.State("IDLE"):
                m.d.sync += [
                    datum.eq(self.datum),
                    point.eq(self.point),
                    end.eq(self.end),
                    heir.eq(self.heir),
                    part.eq(0),
                    sweeping.eq(0),
                ]
                with m.If(self.come):
                    m.next = "COME"
                with m.If(self.hand):
                    m.next = "HAND"
                with m.If(self.sweep):
                    m.d.comb += slot.eq(past[:ring])
                    m.d.sync += [
                        sweeping.eq(1),
                        datum.eq(head[: self._data]),
                        point.eq(head[self._data :]),
                    ]
                    with m.If(self.ending):
                        m.d.sync += filled.eq(filled & ~(Const(1, 1) << past[:ring]))
                        m.next = "WALK"
            with m.State("COME"):
                m.d.sync += left.eq(self.size)
                with m.If(there):
                    with m.If(end > known_end):
                        self._ends.put(m, entry, end)
                    m.next = "IDLE"
                with m.Else():
                    self._ends.put(m, entry, end)
                    self._begins.put(m, entry, self.cycle)
                    mark(live, datum, 1)
                    m.next = "TAKE"
            with m.State("TAKE"):
                self._rows.put(m, Cat(part, entry), position(free))
                with m.Switch(point):
                    for p, rows in used.items():
                        with m.Case(p):
                            m.d.sync += rows.eq(rows | free)
                m.d.sync += [left.eq(left - words), part.eq(part + 1)]
                with m.If(free == 0):
                    m.d.sync += self.failed.eq(1)
                with m.If(last):
                    m.next = "LINK"
            with m.State("LINK"):
                m.d.comb += slot.eq(end[:ring])
                m.next = "IDLE"
                with m.If(sweeping):
                    m.next = "ON"
                with m.If((end != forever) & ~tied):
                    occupied = filled.bit_select(slot, 1)
                    self._nexts.put(m, entry, Cat(head, occupied))
                    self._heads.put(m, slot, entry)
                    m.d.sync += filled.eq(filled | (Const(1, 1) << slot))
                    mark(linked, datum, 1)
            with m.State("HAND"):
                m.d.sync += [left.eq(self.size), self.missed.eq(~there)]
                m.next = "IDLE"
                with m.If(there):
                    mark(live, datum, 0)
                    m.next = "COPY"
            with m.State("COPY"):
                heirs = self._entry(heir, point)
                self._rows.put(m, Cat(part, heirs), row)
                m.d.sync += [left.eq(left - words), part.eq(part + 1)]
                with m.If(last):
                    self._ends.put(m, heirs, end)
                    self._begins.put(m, heirs, self.cycle)
                    mark(live, heir, 1)
                    m.d.sync += datum.eq(heir)
                    m.next = "LINK"
            with m.State("WALK"):
                m.d.sync += [
                    after.eq(follows[:-1]),
                    chain.eq(follows[-1]),
                    end.eq(known_end),
                    left.eq(self.size),
                    part.eq(0),
                ]
                mark(linked, datum, 0)
                m.next = "ON"
                with m.If(there & (known_end == past[: limits.time_bits])):
                    mark(live, datum, 0)
                    m.next = "FREE"
                with m.Elif(there):
                    m.next = "LINK"
            with m.State("FREE"):
                with m.Switch(point):
                    for p, rows in used.items():
                        with m.Case(p):
                            m.d.sync += rows.eq(rows & ~(Const(1, 1) << row))
                m.d.sync += [left.eq(left - words), part.eq(part + 1)]
                with m.If(last):
                    m.next = "ON"
            with m.State("ON"):
                m.d.sync += [datum.eq(after[: self._data]), point.eq(after[self._data :])]
                m.next = "WALK"
                with m.If(~chain):
                    m.next = "IDLE"
        m.d.comb += self.busy.eq(~machine.ongoing("IDLE"))
        for store in (self._rows, self._ends, self._begins, self._nexts, self._heads):
            store.build(m)
        return m

    def _state(self) -> tuple[dict[int, Signal], dict[int, Signal], dict[int, Signal]]:
        """Return which data are in each Node, which are in a list, and which rows are taken."""
        nodes = [p for p in self._hardware.points if p.stores]
        data = self._limits.data
        live = {p.index: Signal(data, name=f"live{p.index}") for p in nodes}
        linked = {p.index: Signal(data, name=f"linked{p.index}") for p in nodes}
        used = {
            p.index: Signal(min(p.rows, self._limits.rows), name=f"used{p.index}") for p in nodes
        }
        return live, linked, used

    def _flag(
        self, m: Module, flags: dict[int, Signal], datum: Value, point: Value, name: str
    ) -> Signal:
        found = Signal(name=name)
        with m.Switch(point):
            for p, bits in flags.items():
                with m.Case(p):
                    m.d.comb += found.eq(bits.bit_select(datum, 1))
        return found
