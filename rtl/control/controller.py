"""The controller: reads a program, rebuilds its Moves, and sends the commands of every cycle."""

from __future__ import annotations

from amaranth.hdl import Const, Elaboratable, Module, Mux, Signal, Value

from hwdsl.hardware import Hardware
from hwdsl.trace import ErrorKind

from .commands import Commands
from .complaints import error_layout
from .decoder import Decoder
from .faulty_network import FaultyNetwork
from .launching import Launching
from .limits import Limits
from .network import Network
from .paths import Paths
from .reader import Section
from .rows import Rows
from .tools import Store, chosen, log2
from .topology import Topology
from .traffic import Traffic


class Controller(Elaboratable):
    """Goes through the cycles in the order of docs/rebuild.md, one thing after the other.

    A cycle is worked off once all paths that start in it are, and not before it is ``ahead``
    cycles away. Cycle 0 is ``lead`` clock cycles after ``run`` rises; both numbers stand before
    the program.

    Parameters
    ----------
    fault : (str, int, int), optional
        For tests; see `rtl.control.faulty_network`.

    Attributes
    ----------
    program, paths_program : MemoryData
        The words of lead, ahead and all sections but the paths; those of the paths.
    network : Network
    error : View of `error_layout`
        The first thing that went wrong. Kept.
    failed : Signal
        It could not go on. Kept.
    """

    def __init__(
        self, hardware: Hardware, limits: Limits, fault: tuple[str, int, int] | None = None
    ):
        self.hardware, self.limits = hardware, limits
        self.decoder = Decoder("program", limits.words)
        path_decoder = Decoder("path", limits.path_words)
        self.path_decoder = path_decoder
        self.program, self.paths_program = self.decoder.contents, path_decoder.contents
        self.paths = Paths(hardware, limits, path_decoder)
        self.lanes = self.paths.lanes
        self.rows = Rows(hardware, limits)
        self.commands = Commands(hardware)
        self.topology = Topology(hardware)
        given = (self.topology, self.commands.width, limits.ahead_bits)
        self.network = Network(*given) if fault is None else FaultyNetwork(*given, fault)
        self.error = Signal(error_layout(limits.time_bits))
        self.failed = Signal()
        self.cycle = Signal(limits.time_bits, name="cycle")
        data = log2(limits.data)
        self.sizes = Store("sizes", limits.size_bits, limits.data)
        self.element_words = Store("element_words", limits.size_bits, limits.data)
        self.homes = Store("homes", log2(len(hardware.points)), limits.data)
        self.datum = Signal(data, name="datum")
        self.end = Signal(limits.time_bits, name="end")

    @property
    def forever(self) -> int:
        return (1 << self.limits.time_bits) - 1

    def elaborate(self, platform) -> Module:
        m = Module()
        limits, rows, paths = self.limits, self.rows, self.paths
        parts = {"decoder": self.decoder, "path_decoder": self.path_decoder, "paths": paths}
        for name, part in (parts | {"rows": rows, "network": self.network}).items():
            m.submodules[name] = part
        clock = Signal(limits.time_bits + 1, name="clock")
        self.lead = Signal(limits.time_bits, name="lead")
        self.ahead = Signal(limits.ahead_bits, name="ahead")
        m.d.sync += clock.eq(clock + 1)
        self.away = Signal(range(-(2 << limits.time_bits), 2 << limits.time_bits), name="away")
        m.d.comb += [
            self.away.eq(self.cycle + self.lead - clock),
            paths.size.eq(self.sizes.read(m, paths.datum)),
            paths.home.eq(self.homes.read(m, paths.datum)),
            rows.size.eq(self.sizes.read(m, rows.asked)),
            rows.cycle.eq(self.cycle),
            self.lanes.now.eq(self.cycle),
        ]
        with m.If(paths.brought):
            self.homes.put(m, paths.datum, paths.place)
        with m.If(paths.failed):
            self.fail(m, ErrorKind.NO_WAY, paths.datum)
        with m.Elif(rows.failed):
            self.fail(m, ErrorKind.NO_ROW, rows.asked)
        self.logic = m.submodules.logic = Module()  # what the states look at
        self.operations = Section("OPER", self.decoder)
        self.arriving = self.lanes.busy(self.logic, self.cycle, arriving=True)
        self.leaving = self.lanes.busy(self.logic, self.cycle, arriving=False)
        self._packed = self.commands.packed(self.logic)
        self.launching = Launching(self)
        self._stages()
        with m.FSM(name="controller"):
            self._startup(m)
            self._loop(m)
            Traffic(self).states(m)
            self.launching.states(m)
        for store in (self.sizes, self.element_words, self.homes):
            store.build(m)
        self.launching.build(m)
        return m

    def _startup(self, m: Module) -> None:
        """Add the states that read all that comes before the first cycle."""
        decoder, rows = self.decoder, self.rows
        for state, target, follow in (
            ("LEAD", self.lead, "AHEAD"),
            ("AHEAD", self.ahead, "DATA_TAG"),
        ):
            with m.State(state):
                m.d.comb += [decoder.code.eq(32), decoder.take.eq(1)]
                with m.If(decoder.ready):
                    m.d.sync += target.eq(decoder.value)
                    m.next = follow
        data, loads = Section("DATA", decoder), Section("LOAD", decoder)
        words = Signal(self.limits.size_bits, name="words")
        data.head(m, "DATA_NEXT")
        self._each(m, data, "DATA", "WORDS", "LOAD_TAG")
        with m.State("WORDS"):
            data.take(m, "words", words, "ELEMENTS")
        with m.State("ELEMENTS"):
            ready, value = data.field(m, "elements")
            with m.If(ready):
                self.element_words.put(m, self.datum, words)
                self.sizes.put(m, self.datum, words * value)
                m.d.sync += self.datum.eq(self.datum + 1)
                m.next = "DATA_NEXT"
        loads.head(m, "LOAD_FIRST")
        with m.State("LOAD_FIRST"):
            m.d.sync += self.datum.eq(-1)
            m.next = "LOAD_NEXT"
        self._each(m, loads, "LOAD", "SKIPPED", "FORM_TAG")
        with m.State("SKIPPED"):
            ready, value = loads.field(m, "skipped")
            with m.If(ready):
                m.d.sync += self.datum.eq(self.datum + value + 1)
                m.next = "LOADED_AT"
        point = Signal(log2(len(self.hardware.points)), name="loaded_at")
        with m.State("LOADED_AT"):
            loads.take(m, "point", point, "LOADED_STAY")
        with m.State("LOADED_STAY"):
            ready, value = loads.field(m, "stay")
            with m.If(ready):
                m.d.sync += self.end.eq(self.stay(value, Const(0)))
                m.next = "LOADED"
        with m.State("LOADED"):
            self.homes.put(m, self.datum, point)
            self.come(m, self.datum, point, self.end)
            m.next = "LOADING"
        with m.State("LOADING"), m.If(~rows.busy):
            m.next = "LOAD_NEXT"
        self.launching.startup(m, "OPER_TAG")
        self.operations.head(m, "PATHS")
        with m.State("PATHS"):
            m.d.comb += self.paths.begin.eq(1)
            m.next = "FIRST"
        with m.State("FIRST"), m.If(~self.paths.busy):
            self.launching.fetch(m, "CYCLE")

    def _each(self, m: Module, section: Section, tag: str, first: str, after: str) -> None:
        """Add the states between the records of a section, and behind them."""
        with m.State(f"{tag}_NEXT"):
            m.d.sync += section.left.eq(section.left - 1)
            m.next = first
            with m.If(section.left == 0):
                m.next = f"{tag}_END"
        with m.State(f"{tag}_END"):
            section.close(m, after)

    def complain(self, m: Module, kind: ErrorKind, number: Value) -> None:
        """Keep an error of the cycle that is worked on, if it is the first."""
        with m.If(self.error.kind == 0):
            m.d.sync += [
                self.error.kind.eq(kind),
                self.error.number.eq(number),
                self.error.cycle.eq(self.cycle),
            ]

    def fail(self, m: Module, kind: ErrorKind, datum: Value) -> None:
        """Complain about a datum, and work on no cycle any more."""
        self.complain(m, kind, datum)
        m.d.sync += self.failed.eq(1)

    def stay(self, told: Value, done: Value) -> Value:
        """Return the end for a stay as it is written."""
        return Mux(told == 1, self.forever, (done + told - (told > 1))[: self.limits.time_bits])

    def come(self, m: Module, datum: Value, point: Value, end: Value) -> None:
        rows = self.rows
        m.d.comb += [
            rows.come.eq(1),
            rows.datum.eq(datum),
            rows.point.eq(point),
            rows.end.eq(end),
        ]

    def _loop(self, m: Module) -> None:
        """Add the state in which a cycle begins; one in which nothing happens takes no other."""
        paths, rows = self.paths, self.rows
        with m.State("CYCLE"):
            with m.If(paths.waiting & (paths.cycle == self.cycle)):
                m.d.comb += paths.start.eq(1)
                m.next = "PATH"
            with m.Elif((self.away <= self.ahead) & ~self.failed):
                m.d.comb += [rows.sweep.eq(1), self.lanes.forget.eq(1)]
                self.onward(m, "CYCLE")
        with m.State("PATH"), m.If(~paths.busy):
            m.next = "CYCLE"
        with m.State("SWEEP"), m.If(~rows.busy):
            self.onward(m, "SWEEP")

    def _stages(self) -> None:
        """Tell what is done in a cycle, in this order, and when there is any of it to do."""
        launching = self.launching
        self._needed = {
            "SWEEP": self.rows.ending,
            "OPS": launching.starts,
            "HANDS": launching.fresh,
            "RESULTS": launching.results_due,
            "ARRIVE": self.arriving != 0,
            "HANDS_LATE": launching.fresh,
            "DEPART": self.leaving != 0,
            "UNITS": launching.units_due,
        }

    def onward(self, m: Module, stage: str) -> None:
        """Go to the next stage in which there is something to do, or to the next cycle."""
        stages = list(self._needed)
        left = stages[stages.index(stage) + 1 :] if stage in stages else stages
        m.d.sync += self.cycle.eq(self.cycle + 1)
        m.next = "CYCLE"
        for later in reversed(left):
            with m.If(self._needed[later]):
                m.d.sync += self.cycle.eq(self.cycle)
                m.next = later

    def emit(self, m: Module, port: Value, follow: str) -> None:
        """Send the command that is in the registers; in a state of its own."""
        network, commands = self.network, self.commands
        places = self.topology.places
        passed = self.away < 0
        m.d.comb += [
            network.offered.eq(1),
            network.packet.router.eq(chosen([r for r, _ in places] or [0], port)),
            network.packet.port.eq(chosen([n for _, n in places] or [0], port)),
            network.packet.told.command.eq(self._packed),
            network.packet.told.ttl.eq(Mux(passed, 0, self.away)),
            network.packet.told.late.eq(passed),
            commands.port.eq(port),
        ]
        with m.If(network.ready):
            m.next = follow
            with m.If(passed):
                self.complain(m, ErrorKind.LATE, port)
