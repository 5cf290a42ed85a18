"""Reserved lanes: what a search asks of every Wire at once, and who is on which lane when."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import data

from hwdsl.hardware import Hardware

from .limits import Limits
from .tools import Store, chosen, log2


def classes_of(hardware: Hardware) -> list[tuple[int, int]]:
    """Return every bandwidth and lane that Wires have, in words."""
    found = {(w.bandwidth // hardware.word, w.lane // hardware.word) for w in hardware.wires}
    return sorted(found)


class Shape(Elaboratable):
    """How many beats a datum takes on each class of Wire, and how many lanes its last one.

    Attributes
    ----------
    start, words, busy : Signal
    beats, rest : list of Signal
        By class.
    """

    def __init__(self, hardware: Hardware, limits: Limits):
        self._classes = classes_of(hardware)
        self._limits = limits
        self.start, self.busy = Signal(), Signal()
        self.words = Signal(limits.size_bits)
        self.beats = [Signal(log2(limits.beats) + 1, name=f"beats{i}") for i in self._each]
        self.rest = [Signal(8, name=f"rest{i}") for i in self._each]

    @property
    def _each(self) -> range:
        return range(len(self._classes))

    def elaborate(self, platform) -> Module:
        m = Module()
        more = []
        for i, (bandwidth, lane) in enumerate(self._classes):
            left = Signal(self._limits.size_bits, name=f"left{i}")
            over = Signal(name=f"over{i}")
            m.d.comb += over.eq(left > bandwidth)
            more.append(over)
            with m.If(self.start):
                m.d.sync += [left.eq(self.words), self.beats[i].eq(1)]
            with m.Elif(over):
                m.d.sync += [left.eq(left - bandwidth), self.beats[i].eq(self.beats[i] + 1)]
            lanes: Value | int = 1
            for k in range(1, bandwidth // lane):
                lanes = lanes + (left > k * lane)
            m.d.comb += self.rest[i].eq(lanes)
        m.d.comb += self.busy.eq(Cat(*more).any())
        return m


class Lanes(Elaboratable):
    """The ring of reservations.

    Attributes
    ----------
    now : Signal
        A cycle; what is older than the longest latency is forgotten when ``forget`` is set.
    view, departing : Signal, list of Signal
        Look at the window from the ring's place ``view`` on: in which of its cycles a datum of
        ``shape`` can depart on each Wire, ``looked`` cycles after ``look``.
    add, wire, cycle, end, datum, first, second : Signal
        Reserve a departure (``first``: its lanes; ``second``: who it is); ``adding`` until done.
    """

    def __init__(self, hardware: Hardware, limits: Limits, shape: Shape):
        self.hardware, self.limits, self.shape = hardware, limits, shape
        self._classes = classes_of(hardware)
        word = hardware.word
        self.class_of = [
            self._classes.index((w.bandwidth // word, w.lane // word)) for w in hardware.wires
        ]
        self.most = max((w.lanes for w in hardware.wires), default=1)
        time, wires = limits.time_bits, log2(len(hardware.wires))
        self.entry = data.StructLayout(
            {
                "valid": 1,
                "datum": log2(limits.data),
                "offset": limits.size_bits,
                "lanes": self.most.bit_length(),
                "end": time,
            }
        )
        self.ring_bits = log2(limits.ring)
        self.tag_bits = time - self.ring_bits
        self.word = data.StructLayout(
            {"tag": self.tag_bits, "entries": data.ArrayLayout(self.entry, self.most)}
        )
        self.slots = Store("slots", self.word.size, len(hardware.wires) << self.ring_bits)
        self.view, self.look, self.looking = Signal(self.ring_bits), Signal(), Signal()
        width = limits.window + limits.beats
        self.departing = [Signal(width, name=f"departing{i}") for i in range(len(hardware.wires))]
        self.now, self.forget = Signal(time), Signal()
        self.add, self.adding = Signal(), Signal()
        self.wire, self.cycle, self.end = Signal(wires), Signal(time), Signal(time)
        self.datum = Signal(log2(limits.data))
        self.first, self.second = Signal(), Signal()
        self.planes = [
            [Signal(limits.ring, name=f"taken{i}_{k}") for k in range(w.lanes)]
            for i, w in enumerate(hardware.wires)
        ]

    def read(self, m: Module, wire: Value, cycle: Value) -> data.View:
        """Return who is on a Wire in a cycle; its entries are in the order of their lanes."""
        row = Cat(cycle[: self.ring_bits], wire)
        found = data.View(self.word, self.slots.read(m, row))
        seen = Signal(data.ArrayLayout(self.entry, self.most))
        with m.If(found.tag == cycle[self.ring_bits :]):
            m.d.comb += seen.eq(found.entries)
        return seen

    def busy(self, m: Module, cycle: Value, arriving: bool) -> Signal:
        """Return which Wires carry something that departs, or arrives, in a cycle."""
        found = Signal(max(1, len(self.planes)), name="arriving" if arriving else "leaving")
        for i, wire in enumerate(self.hardware.wires):
            at = (cycle - wire.latency if arriving else cycle)[: self.ring_bits]
            m.d.comb += found[i].eq(self.planes[i][0].bit_select(at, 1))
        return found

    def elaborate(self, platform) -> Module:
        m = Module()
        self._look(m)
        self._add(m)
        self.slots.build(m)
        return m

    def _look(self, m: Module) -> None:
        limits = self.limits
        width = limits.window + limits.beats
        turn = Signal(log2(limits.beats) + 1)
        deepest: Value = Const(1, len(turn))
        for beats in self.shape.beats:
            deepest = Mux(beats > deepest, beats, deepest)
        m.d.comb += self.looking.eq(turn != 0)
        with m.If(self.look):
            m.d.sync += turn.eq(1)
        with m.Elif(turn + 1 >= deepest):
            m.d.sync += turn.eq(0)
        with m.Elif(turn != 0):
            m.d.sync += turn.eq(turn + 1)
        for i, planes in enumerate(self.planes):
            number = self.class_of[i]
            turned = [(Cat(p, p) >> self.view)[:width] for p in planes]
            idle = Signal(width, name=f"idle{i}")
            last = Signal(width, name=f"last{i}")
            with m.Switch(self.shape.rest[number]):
                for rest in range(1, len(planes) + 1):
                    with m.Case(rest):
                        m.d.comb += last.eq(~turned[len(planes) - rest])
            with m.If(self.look):
                m.d.sync += [idle.eq(~turned[0]), self.departing[i].eq(last)]
            with m.Elif((turn != 0) & (turn < self.shape.beats[number])):
                m.d.sync += self.departing[i].eq((self.departing[i] >> 1) & idle)

    def _add(self, m: Module) -> None:
        """Reserve beat by beat, one in a cycle."""
        limits = self.limits
        beat, offset = Signal(log2(limits.beats) + 1), Signal(limits.size_bits)
        number = chosen(self.class_of or [0], self.wire)
        beats, lanes, step = (Signal(16, name=n) for n in ("beats", "lanes", "step"))
        full = Signal(16)
        with m.Switch(number):
            for i, (bandwidth, lane) in enumerate(self._classes):
                with m.Case(i):
                    last = beat + 1 == self.shape.beats[i]
                    m.d.comb += [
                        beats.eq(self.shape.beats[i]),
                        step.eq(bandwidth),
                        full.eq(bandwidth // lane),
                        lanes.eq(Mux(last, self.shape.rest[i], bandwidth // lane)),
                    ]
        working, cycle = Signal(), Signal(limits.time_bits)
        m.d.comb += [self.adding.eq(working), cycle.eq(self.cycle + beat)]
        with m.If(self.add):
            m.d.sync += [working.eq(1), beat.eq(0), offset.eq(0)]
        with m.Elif(working):
            m.d.sync += [beat.eq(beat + 1), offset.eq(offset + step)]
            with m.If(beat + 1 >= beats):
                m.d.sync += working.eq(0)
        self._mark(m, working & self.first, cycle, lanes)
        told = Signal(self.entry, name="told")
        m.d.comb += [
            told.valid.eq(1),
            told.datum.eq(self.datum),
            told.offset.eq(offset),
            told.lanes.eq(lanes),
            told.end.eq(self.end),
        ]
        entries = self.read(m, self.wire, cycle)
        with m.If(working & self.second):
            joined = self._joined(m, entries, told)
            word = Cat(cycle[self.ring_bits :], joined)
            self.slots.put(m, Cat(cycle[: self.ring_bits], self.wire), word)

    def _joined(self, m: Module, entries: data.View, told: data.View) -> Value:
        """Return the entries with one more: what departed earlier first, then by datum."""
        before = []
        for i in range(self.most):
            entry = entries[i]
            older = entry.offset > told.offset
            alike = entry.offset == told.offset
            before.append(entry.valid & (older | (alike & (entry.datum < told.datum))))
        made = []
        for i in range(self.most):
            stays = before[i]
            moved = entries[i - 1].as_value() if i else Const(0, self.entry.size)
            follows = ~before[i - 1] if i else Const(0)
            new = Mux(follows, moved, told.as_value())
            made.append(Mux(stays, entries[i].as_value(), new)[: self.entry.size])
        return Cat(*made)

    def _mark(self, m: Module, enable: Value, cycle: Value, lanes: Value) -> None:
        """Count so many lanes more as taken, and forget what is over."""
        latest = max((w.latency for w in self.hardware.wires), default=1)
        bit, gone = Signal(self.limits.ring), Signal(self.limits.ring)
        with m.If(enable):
            m.d.comb += bit.eq(Const(1) << cycle[: self.ring_bits])
        with m.If(self.forget):
            m.d.comb += gone.eq(Const(1) << (self.now - (latest + 1))[: self.ring_bits])
        for i, planes in enumerate(self.planes):
            mine = Signal(self.limits.ring, name=f"mine{i}")
            with m.If(self.wire == i):
                m.d.comb += mine.eq(bit)
            for k, plane in enumerate(planes):
                grown: Value = Const(0, 1)
                for more in range(1, len(planes) + 1):
                    below = planes[k - more] if more <= k else Const(-1, self.limits.ring)
                    grown = Mux(lanes == more, below, grown)
                with m.If(enable | self.forget):
                    m.d.sync += plane.eq((plane | (grown & mine)) & ~gone)
