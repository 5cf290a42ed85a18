"""A MAC engine: convolves, multiplies and adds whole slices, with loops of its own."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hwdsl import hardware
from hwdsl.mac_engine import LEAST_LATENCY
from hwdsl.slices import LANE_ROWS
from hwdsl.trace import ErrorKind

from .node import Read, Write
from .ports import Port, row_bits
from .probe import actor_width
from .signals import delay, errors_of, first_error, keep_errors
from .tables import Command, Look, field

INPUTS = tuple(f"input{i}" for i in range(LANE_ROWS))
READS = (*INPUTS, "filter", "total")
"""The rows that an engine reads in a cycle."""

LOOKS = (*READS, "result")
"""The rows that it looks up in its list."""


@dataclass(frozen=True)
class _Window:
    """Where the window of a lane is: its column and line, and the words before that line."""

    column: Signal
    line: Signal
    begin: Signal


class MacEngine(wiring.Component):
    """``actor.units`` multiply-accumulators that go through lines and taps side by side.

    An Op is one command. From the next cycle on, one tap of as many elements as there are lanes is
    taken in each cycle, in four stages: where its words are, in which rows these lie, what is
    there, and what the sums are then. Registers delay a row of sums to the Actor's latency.

    Parameters
    ----------
    actor : hardware.Actor
        One that is a MAC engine.
    at : hardware.Point
    word : int
        Bits.
    launch : Port
    short : bool
        Leave out the last tap of each element: a fault, for tests.

    Members
    -------
    launch : In(Command)
        See `hwdsl.program.Program.launches`.
    look_{name} : Out(Look)
        For each of `LOOKS`.
    read_{name} : Out(Read)
        For each of `READS`.
    write : Out(Write)
    errors, probe : Out
        As of `rtl.actor.Actor`; commands and addresses are those of unit 0.
    """

    def __init__(
        self, actor: hardware.Actor, at: hardware.Point, word: int, launch: Port, short: bool
    ):
        self._actor, self._at, self._word, self._short = actor, at, word, short
        self._place_bits = exact_log2(at.row // word)
        self._latency = min(timing.latency for timing in actor.ops.values())
        self._sum_code = sorted(actor.ops).index("add") if "add" in actor.ops else None
        # A distance in words, which may be negative; and twice as much never leaves it.
        self._words = 3 + (at.rows * (at.row // word)).bit_length()
        lanes = actor.units
        self._step = data.StructLayout(
            {
                "valid": 1,
                "first": 1,
                "last": 1,
                "adds": 1,
                "one": 1,
                "live": lanes,
                "made": lanes,
                "picks": data.ArrayLayout(self._place_bits + 1, lanes),
                "tap": self._place_bits,
                "place": self._place_bits,
            }
        )
        members = {"errors": Out(errors_of(lanes)), "probe": Out(actor_width(actor))}
        members["launch"] = In(Command(launch.fields))
        members |= {f"look_{name}": Out(Look(row_bits(at))) for name in LOOKS}
        members |= {f"read_{name}": Out(Read(at)) for name in READS}
        members["write"] = Out(Write(at, word))
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        step, busy = self._go(m)
        step, beyond = self._ask(m, self._next(m, step))
        sums, row = self._add(m, self._next(m, step))
        landed, lost = self._land(m, sums, row)
        found = Signal(self.errors.shape())
        wrong = first_error(
            (self.launch.late, ErrorKind.LATE),
            (busy, ErrorKind.BUSY),
            (beyond | lost, ErrorKind.ADDRESS),
        )
        m.d.comb += found[0].eq(wrong)
        keep_errors(m, [found], self.errors)
        bits = (len(self._actor.ops) - 1).bit_length()
        code = Mux(self.launch.fire, field(self.launch.command, "code"), 0)[:bits]
        fired = [self.launch.fire, code, Const(0, (self._actor.units - 1) * (1 + bits))]
        m.d.comb += self.probe.eq(Cat(*fired, *landed, self.errors.as_value()))
        return m

    def _next(self, m: Module, step: data.View) -> data.View:
        kept = Signal(self._step)
        m.d.sync += kept.eq(step)
        return kept

    def _go(self, m: Module) -> tuple[data.View, Value]:
        """Go through elements and taps, and look up rows; return a step, and what is too early."""
        launch, words = self.launch, self._words
        told = Signal.like(launch.command, name="told")
        running = Signal()
        tap, column, line, at, left = (
            Signal(words, name=name) for name in ("tap", "column", "line", "at", "left")
        )
        offset = Signal(signed(words))
        windows = self._windows(m, told)
        last_tap = tap + 1 == told.taps
        lanes = Signal(range(self._actor.units + 1))
        m.d.comb += lanes.eq(1 << field(told, "lanes"))
        last_round = left <= lanes
        with m.If(running):
            m.d.sync += [tap.eq(tap + 1), column.eq(column + 1), offset.eq(offset + told.across)]
            with m.If(column + 1 == told.columns):
                m.d.sync += [column.eq(0), line.eq(line + 1), offset.eq(offset + told.down)]
            with m.If(last_tap):
                m.d.sync += [tap.eq(0), column.eq(0), line.eq(0), offset.eq(-told.before)]
                m.d.sync += [at.eq(at + lanes), left.eq(left - lanes), running.eq(~last_round)]
                self._move(m, told, windows)
        with m.If(launch.fire):
            m.d.sync += [told.eq(launch.command), running.eq(1), left.eq(launch.command.elements)]
            m.d.sync += [signal.eq(0) for signal in (tap, column, line, at)]
            m.d.sync += [offset.eq(-launch.command.before)]
            m.d.sync += [getattr(windows[0], part).eq(0) for part in ("column", "line", "begin")]
        step = Signal(self._step)
        code = field(told, "code")
        m.d.comb += [
            step.valid.eq(running),
            step.first.eq(tap == 0),
            step.last.eq(last_tap),
            step.adds.eq(told.adds),
            step.one.eq(0 if self._sum_code is None else code == self._sum_code),
            step.place.eq(at),
        ]
        first = Signal(signed(words))
        m.d.comb += first.eq(windows[0].begin + windows[0].column + offset)
        tap_word = field(told, "word") + tap
        m.d.comb += step.tap.eq(tap_word)
        row = first >> self._place_bits
        for i, name in enumerate(INPUTS):
            m.d.comb += self._look(name).eq(told["input"] + row + i)
        m.d.comb += self._look("filter").eq(told["filter"] + (tap_word >> self._place_bits))
        for name in ("total", "result"):
            m.d.comb += self._look(name).eq(told[name] + (at >> self._place_bits))
        place = first[: self._place_bits]
        here = windows[0].begin + windows[0].column
        for lane, window in enumerate(windows[:-1]):
            y, x = window.line + line, window.column + column
            inside = (y >= told.padding) & (y < told.high) & (x >= told.padding) & (x < told.wide)
            made = (lane < left) & (lane < lanes)
            left_out = last_tap if self._short else 0
            m.d.comb += [
                step.made[lane].eq(made),
                step.live[lane].eq(made & inside & ~left_out),
                step.picks[lane].eq(window.begin + window.column - here + place),
            ]
        return step, launch.fire & running & ~(last_tap & last_round)

    def _look(self, name: str) -> Value:
        return getattr(self, f"look_{name}").index

    def _windows(self, m: Module, told: data.View) -> list[_Window]:
        """Return the window of each lane, and of the element behind them; the first is kept."""
        windows = []
        for lane in range(self._actor.units + 1):
            names = ("column", "line", "begin")
            made = _Window(*(Signal(self._words, name=f"{n}_of_{lane}") for n in names))
            if windows:
                before, wrap = windows[-1], Signal(name=f"wrap{lane}")
                m.d.comb += [
                    wrap.eq(before.column == told["last"]),
                    made.column.eq(Mux(wrap, 0, before.column + told.stride)),
                    made.line.eq(Mux(wrap, before.line + told.stride, before.line)),
                    made.begin.eq(Mux(wrap, before.begin + told.line, before.begin)),
                ]
            windows.append(made)
        return windows

    def _move(self, m: Module, told: data.View, windows: list[_Window]) -> None:
        """Go on to the elements behind those of this round."""
        first = windows[0]
        with m.Switch(field(told, "lanes")):
            for power in range(exact_log2(self._actor.units) + 1):
                to = windows[1 << power]
                with m.Case(power):
                    m.d.sync += [
                        first.column.eq(to.column),
                        first.line.eq(to.line),
                        first.begin.eq(to.begin),
                    ]

    def _ask(self, m: Module, step: data.View) -> tuple[data.View, Value]:
        """Ask for the rows that were looked up; return the step, and whether one lies beyond."""
        ahead = Cat(pick[-1] for pick in step.picks)
        used = {
            "input0": (step.live & ~ahead).any(),
            "input1": (step.live & ahead).any(),
            "filter": ~step.one,
            "total": step.first & step.adds,
        }
        beyond: Value | int = 0
        for name, needed in used.items():
            read, row = getattr(self, f"read_{name}"), getattr(self, f"look_{name}").row
            m.d.comb += [read.enable.eq(step.valid & needed), read.row.eq(row)]
            beyond = (read.enable & (row >= self._at.rows)) | beyond
        return step, beyond

    def _add(self, m: Module, step: data.View) -> tuple[Value, Value]:
        """Add the products of a step; return what is to be written then, and its row."""
        word = self._word
        window = Cat(getattr(self, f"read_{name}").data for name in INPUTS)
        tap = Signal(signed(word))
        m.d.comb += tap.eq(self.read_filter.data.word_select(step.tap, word))
        with m.If(step.one):
            m.d.comb += tap.eq(1)
        total = Signal(self._at.row)
        m.d.comb += total.eq(self.read_total.data >> (step.place * word))
        sums = [Signal(word, name=f"sum{lane}") for lane in range(self._actor.units)]
        for lane, kept in enumerate(sums):
            value = Signal(signed(word), name=f"value{lane}")
            before = Signal(signed(word), name=f"before{lane}")
            with m.If(step.live[lane]):
                m.d.comb += value.eq(window.word_select(step.picks[lane], word))
            with m.If(~step.first):
                m.d.comb += before.eq(kept)
            with m.Elif(step.adds):
                m.d.comb += before.eq(total.word_select(lane, word))
            with m.If(step.valid):
                m.d.sync += kept.eq(before + value * tap)
        done = Signal()
        made, place = Signal.like(step.made), Signal.like(step.place)
        m.d.sync += [done.eq(step.valid & step.last), made.eq(step.made), place.eq(step.place)]
        row = self.look_result.row
        for _ in range(2):  # it was looked up two stages ago
            later = Signal.like(row)
            m.d.sync += later.eq(row)
            row = later
        return Cat(place, done, made, *sums), row

    def _land(self, m: Module, sums: Value, row: Value) -> tuple[list[Value], Value]:
        """Write a row of sums when it is time; return what is seen of each unit, and an error."""
        units, word, bits = self._actor.units, self._word, self._place_bits
        given = Cat(row, sums)
        late = Signal(len(given))
        delay(m, given, late, self._latency - LEAST_LATENCY)
        at, late = late[: len(row)], late[len(row) :]
        place, done, made = late[:bits], late[bits], late[bits + 1 :][:units]
        values = late[bits + 1 + units :]
        seen, landed = [], []
        for unit in range(units):
            valid = done & made[unit]
            value = Mux(valid, values.word_select(unit, word), 0)
            seen.append(value)
            landed += [valid, value]
        inside = at < self._at.rows
        m.d.comb += [
            self.write.row.eq(at),
            self.write.first.eq(0),
            self.write.data.eq(Cat(seen) << (place * word)),
            self.write.words.eq(Mux(done & inside, made << place, 0)),
        ]
        return landed, done & ~inside
