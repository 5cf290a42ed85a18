"""The path engine: finds the Moves between way-points again, all cycles of the window at once.

Each level of its search is one clock cycle: for every Point, the cycles in which the datum can be
there with so many Moves. The way back takes one clock cycle for each Move, and so many for each
reservation as it has beats.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Elaboratable, Module, Mux, Signal, Value

from hwdsl.hardware import Hardware
from hwdsl.waypoints import Kind

from .decoder import Decoder
from .lanes import Lanes, Shape
from .limits import Limits
from .reader import Section
from .tools import Store, chosen, from_lowest_on, log2, lowest, position


class Paths(Elaboratable):
    """Works off the paths of a program.

    Attributes
    ----------
    begin : Signal
        Read the head of the section.
    start, busy : Signal
        Rebuild the next path; until it is done.
    waiting, cycle : Signal
        Whether there is one, and when it starts.
    datum : Signal
        Whose path is worked on.
    size, home : Signal
        Of that datum: its words, and where it was brought last. To be driven.
    brought, place : Signal
        In the last clock cycle of a path, and where its datum is then.
    failed : Signal
        There was no way, or too long a one. Kept.
    """

    def __init__(self, hardware: Hardware, limits: Limits, decoder: Decoder):
        self._hardware, self._limits, self._decoder = hardware, limits, decoder
        self.size = Signal(limits.size_bits)
        self.home = Signal(log2(len(hardware.points)))
        self.shape = Shape(hardware, limits)
        self.lanes = Lanes(hardware, limits, self.shape)
        self.begin, self.start, self.busy = Signal(), Signal(), Signal()
        self.waiting, self.cycle = Signal(), Signal(limits.time_bits)
        self.failed = Signal()
        self.brought = Signal()
        self.datum, self.place = Signal(log2(limits.data)), Signal(log2(len(hardware.points)))

    def elaborate(self, platform) -> Module:
        m = Module()
        m.submodules.shape, m.submodules.lanes = self.shape, self.lanes
        hardware, limits, lanes = self._hardware, self._limits, self.lanes
        time, points = limits.time_bits, log2(len(hardware.points))
        section = Section("PATH", self._decoder)
        names = ("datum", "elsewhere", "count", "wait", "kind", "place", "by", "stay")
        told = {name: Signal(32, name=name) for name in names}
        at, target = Signal(points, name="at"), Signal(points, name="target")
        leg, done = Signal(time, name="leg"), Signal(time, name="done")
        first_leg = Signal()
        m.d.comb += [
            lanes.datum.eq(told["datum"]),
            self.datum.eq(told["datum"]),
            self.place.eq(at),
            lanes.view.eq(self.cycle),
            self.shape.words.eq(self.size),
        ]
        forever = (1 << time) - 1
        window = limits.window
        index = Signal(log2(window) + 2)  # of the leg's begin in the window; too large: beyond
        gone = leg - self.cycle
        m.d.comb += index.eq(Mux(gone[:time] >= window, window, gone))

        reach = Signal(window * len(hardware.points))
        levels = Store("levels", len(reach), limits.moves + 1)
        level = Signal(range(limits.moves + 2))
        before = levels.read(m, (level - 1)[: len(level)])
        levels.build(m)
        backwards = Signal()
        current = Mux(backwards, before, reach)
        coming = self._coming(m, current)
        following = self._following(m, reach, coming)
        wanted = self._wanted(m, told, target, index)
        goal = self._of(m, reach, target, "goal")
        mark = Signal(window)

        point = Signal(points, name="point")  # where the way back has come to
        wire, departure, past = self._last(m, coming, current, at=point, mark=mark)
        beats = self._beats(m, wire)
        held = {
            "valid": Signal(name="held"),
            "wire": Signal.like(lanes.wire, name="held_wire"),
            "cycle": Signal(time, name="held_cycle"),
            "end": Signal(time, name="held_end"),
        }
        last = {name: Signal.like(signal, name=f"last_{name}") for name, signal in held.items()}
        over = Signal(time, name="over")  # the last beat of the Move found before
        is_last = Signal()
        step_wire = told["place"]
        end = Signal(time, name="end")
        stay = told["stay"]
        m.d.comb += end.eq(Mux(stay == 1, forever, done + stay - (stay > 1)))

        with m.FSM(name="path") as machine:
            with m.State("IDLE"):
                with m.If(self.begin):
                    m.next = "PATH_TAG"
                with m.Elif(self.start):
                    m.next = "DATUM"
            section.head(m, "NEXT")
            with m.State("NEXT"):
                with m.If(section.left == 0):
                    m.d.sync += self.waiting.eq(0)
                    m.next = "IDLE"
                with m.Else():
                    ready, value = section.field(m, "later")
                    with m.If(ready):
                        m.d.sync += [
                            self.cycle.eq(self.cycle + value),
                            self.waiting.eq(1),
                            section.left.eq(section.left - 1),
                        ]
                        m.next = "IDLE"
            with m.State("DATUM"):
                m.d.sync += [leg.eq(self.cycle), held["valid"].eq(0), first_leg.eq(1)]
                section.take(m, "datum", told["datum"], "ELSEWHERE")
            with m.State("ELSEWHERE"):
                m.d.comb += self.shape.start.eq(1)
                m.d.sync += at.eq(self.home)
                ready, value = section.field(m, "elsewhere")
                with m.If(ready):
                    m.next = "POINTS"
                    with m.If(value[0]):
                        m.next = "SOURCE"
            with m.State("SOURCE"):
                section.take(m, "source", at, "POINTS")
            with m.State("POINTS"):
                section.take(m, "points", told["count"], "SHAPE")
            with m.State("SHAPE"), m.If(~self.shape.busy):
                m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += told["by"].eq(0)
                ready, value = section.field(m, "wait")
                with m.If(ready):
                    m.d.sync += leg.eq(leg + value)
                    m.next = "KIND"
            with m.State("KIND"):
                ready, value = section.field(m, "kind")
                with m.If(ready):
                    m.d.sync += told["kind"].eq(value)
                    m.next = "POINT"
                    with m.If(value == Kind.STEP):
                        m.next = "WIRE"
            with m.State("WIRE"):
                section.take(m, "wire", told["place"], "STAY")
            with m.State("POINT"):
                section.take(m, "point", told["place"], "STAY")
                with m.If(told["kind"] == Kind.BY):
                    ready, value = section.field(m, "point")
                    with m.If(ready):
                        m.next = "BY"
            with m.State("BY"):
                section.take(m, "by", told["by"], "STAY")
            with m.State("STAY"):
                m.d.comb += lanes.look.eq(1)
                ready, value = section.field(m, "stay")
                with m.If(ready):
                    m.d.sync += [told["stay"].eq(value), target.eq(told["place"]), level.eq(0)]
                    m.next = "LOOK"
                    with m.If(told["kind"] == Kind.STEP):
                        m.next = "STEP"
            with m.State("LOOK"):
                m.d.sync += reach.eq(self._begin(at, index))
                with m.If(~lanes.looking):
                    m.next = "KEEP"
            with m.State("KEEP"):
                levels.put(m, 0, reach)
                m.next = "SEARCH"
            with m.State("SEARCH"):
                reached = goal & wanted
                with m.If(reached.any()):
                    m.d.sync += [
                        mark.eq(lowest(reached)),
                        done.eq(self.cycle + position(lowest(reached))),
                        is_last.eq(1),
                        point.eq(target),
                    ]
                    m.next = "BACK"
                    with m.If(level == 0):
                        m.d.sync += done.eq(leg)
                        m.next = "ARRIVED"
                with m.Elif((following == reach) | (level == limits.moves)):
                    m.d.sync += self.failed.eq(1)
                    m.next = "FAILED"
                with m.Else():
                    levels.put(m, level + 1, following)
                    m.d.sync += [reach.eq(following), level.eq(level + 1)]
            with m.State("FAILED"):
                pass
            with m.State("BACK"):
                m.d.comb += backwards.eq(1)
                cycle = self.cycle + departure
                kept = Mux(over > self.cycle + position(mark), over, self.cycle + position(mark))
                m.d.sync += [
                    lanes.wire.eq(wire),
                    lanes.cycle.eq(cycle),
                    lanes.end.eq(kept),
                    over.eq(cycle + beats - 1),
                    mark.eq(past),
                    point.eq(chosen([w.source for w in hardware.wires] or [0], wire)),
                    level.eq(level - 1),
                ]
                m.d.comb += lanes.add.eq(1)
                m.d.sync += [lanes.first.eq(1), lanes.second.eq(~is_last)]
                with m.If(is_last):
                    m.d.sync += [last["wire"].eq(wire), last["cycle"].eq(cycle)]
                m.d.sync += is_last.eq(0)
                m.next = "RESERVE"
            with m.State("STEP"):
                m.d.sync += target.eq(chosen([w.target for w in hardware.wires] or [0], step_wire))
                m.d.sync += [
                    lanes.wire.eq(step_wire),
                    lanes.cycle.eq(leg),
                    last["wire"].eq(step_wire),
                    last["cycle"].eq(leg),
                    lanes.first.eq(1),
                    lanes.second.eq(0),
                ]
                source = chosen([w.source for w in hardware.wires] or [0], step_wire)
                m.next = "STEP_GO"
                with m.If(~first_leg & (source != at)):
                    m.d.sync += self.failed.eq(1)
                    m.next = "FAILED"
            with m.State("STEP_GO"):
                m.d.comb += lanes.add.eq(1)
                m.d.sync += [
                    over.eq(leg + self._beats(m, lanes.wire) - 1),
                    done.eq(leg + self._delay(m, lanes.wire)),
                ]
                m.next = "RESERVE"
            with m.State("RESERVE"), m.If(~lanes.adding):
                m.next = "BACK"
                with m.If(level == 0):
                    m.next = "HELD"
            with m.State("HELD"):
                # The Move before the leg keeps its datum for the first one of the leg.
                m.d.sync += [
                    lanes.wire.eq(held["wire"]),
                    lanes.cycle.eq(held["cycle"]),
                    lanes.end.eq(Mux(held["end"] > over, held["end"], over)),
                    lanes.first.eq(0),
                    lanes.second.eq(1),
                    held["wire"].eq(last["wire"]),
                    held["cycle"].eq(last["cycle"]),
                    held["end"].eq(end),
                    held["valid"].eq(1),
                ]
                m.d.comb += lanes.add.eq(held["valid"])
                m.next = "HELD_GO"
            with m.State("HELD_GO"), m.If(~lanes.adding):
                m.next = "ARRIVED"
            with m.State("ARRIVED"):
                m.d.sync += [
                    at.eq(target),
                    leg.eq(done),
                    first_leg.eq(0),
                    told["count"].eq(told["count"] - 1),
                ]
                m.next = "WAIT"
                with m.If(told["count"] == 1):
                    m.next = "LAST"
            with m.State("LAST"):
                m.d.sync += [
                    lanes.wire.eq(held["wire"]),
                    lanes.cycle.eq(held["cycle"]),
                    lanes.end.eq(held["end"]),
                    lanes.first.eq(0),
                    lanes.second.eq(1),
                ]
                m.d.comb += [lanes.add.eq(held["valid"]), self.brought.eq(1)]
                m.next = "LAST_GO"
            with m.State("LAST_GO"), m.If(~lanes.adding):
                m.next = "NEXT"
        m.d.comb += self.busy.eq(~machine.ongoing("IDLE"))
        return m

    def _each(self, reach: Value) -> list[Value]:
        """Return, for each Point, when the datum can be there."""
        window = self._limits.window
        return [reach[p * window : (p + 1) * window] for p in range(len(self._hardware.points))]

    def _of(self, m: Module, reach: Value, point: Value, name: str) -> Signal:
        """Return when the datum can be at one Point."""
        found = Signal(self._limits.window, name=name)
        with m.Switch(point):
            for p, there in enumerate(self._each(reach)):
                with m.Case(p):
                    m.d.comb += found.eq(there)
        return found

    def _rest(self, wire: int) -> Value:
        """Return the cycles from the first beat's arrival to being there."""
        target = self._hardware.points[self._hardware.wires[wire].target]
        beats = self.shape.beats[self.lanes.class_of[wire]]
        return (beats - 1)[: len(beats)] if target.stores else Const(0, 1)

    def _coming(self, m: Module, reach: Value) -> list[Signal]:
        """Return, for each Wire, when the datum can be at its end, one Move later."""
        there, window = self._each(reach), self._limits.window
        found = []
        for wire in self._hardware.wires:
            come = Signal(window, name=f"coming{wire.index}")
            leaves = there[wire.source] & self.lanes.departing[wire.index][:window]
            m.d.comb += come.eq((leaves << wire.latency) << self._rest(wire.index))
            found.append(come)
        return found

    def _following(self, m: Module, reach: Value, coming: list[Signal]) -> Value:
        made = []
        for point, before in zip(self._hardware.points, self._each(reach), strict=True):
            can = Signal(self._limits.window, name=f"can{point.index}")
            known: Value = before
            for wire in self._hardware.incoming[point.index]:
                known = known | coming[wire.index]
            m.d.comb += can.eq(from_lowest_on(known) if point.stores else known)
            made.append(can)
        return Cat(*made)

    def _begin(self, at: Value, index: Value) -> Value:
        """Return where the datum can be without a Move."""
        window = self._limits.window
        here = (Const(1, 1) << index)[:window]
        made = []
        for point in self._hardware.points:
            can = from_lowest_on(here) if point.stores else here
            made.append(Mux(at == point.index, can, 0)[:window])
        return Cat(*made)

    def _wanted(self, m: Module, told: dict[str, Signal], target: Value, index: Value) -> Signal:
        """Return when the datum may be at the end of the leg."""
        window = self._limits.window
        wanted, last = Signal(window, name="wanted"), Signal(log2(window) + 2)
        by = told["by"]
        m.d.comb += last.eq(Mux(by >= window, window, Mux(index + by > window, window, index + by)))
        stores = chosen([p.stores for p in self._hardware.points], target)
        with m.If(told["kind"] == Kind.NEAR):
            m.d.comb += wanted.eq((1 << window) - 1)
        with m.Elif(stores):
            m.d.comb += wanted.eq((Const(2, 2) << last) - 1)
        with m.Else():
            m.d.comb += wanted.eq(Const(1, 1) << last)
        return wanted

    def _last(
        self, m: Module, coming: list[Signal], reach: Value, at: Value, mark: Value
    ) -> tuple[Signal, Signal, Signal]:
        """Return the Wire by which the datum comes to a Point in the marked cycle, its departure,
        and the mark of the Point that it leaves."""
        wires = self._hardware.wires
        wire = Signal.like(self.lanes.wire, name="back_wire")
        left, past = Signal(len(mark), name="left"), Signal(len(mark), name="past")
        there = self._each(reach)
        for w in reversed(wires):
            hit = Signal(name=f"hit{w.index}")
            m.d.comb += hit.eq((at == w.target) & (coming[w.index] & mark).any())
            with m.If(hit):
                gone = (mark >> w.latency) >> self._rest(w.index)
                m.d.comb += [wire.eq(w.index), left.eq(gone), past.eq(gone)]
                if self._hardware.points[w.source].stores:
                    m.d.comb += past.eq(lowest(there[w.source]))
        return wire, position(left), past

    def _beats(self, m: Module, wire: Value) -> Value:
        return Array(self.shape.beats[k] for k in self.lanes.class_of or [0])[wire]

    def _delay(self, m: Module, wire: Value) -> Value:
        """Return the cycles from a departure to being at the Wire's end."""
        delays = [w.latency + self._rest(w.index) for w in self._hardware.wires]
        return Array(delays or [Const(1)])[wire]
