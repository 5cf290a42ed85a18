"""What the controller does for Ops: their units, their results, and the commands of each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from hwdsl.program import OPERANDS
from hwdsl.trace import ErrorKind
from hwdsl.waypoints import FORM

from .commands import split
from .reader import Section
from .tools import Store, chosen, log2, lowest, position

if TYPE_CHECKING:
    from .controller import Controller


class Launching:
    """Adds the states for Ops to a controller.

    Ops that run are kept in a list, in the order of their Actors and then of their results.
    """

    def __init__(self, controller: Controller):
        self.c = controller
        limits, hardware = controller.limits, controller.hardware
        time, size = limits.time_bits, limits.size_bits
        self._datum = log2(limits.data)
        actors = self.actors = hardware.actors
        self.most_units = max((a.units for a in actors), default=1)
        self._actor, self._unit = log2(len(actors)), log2(self.most_units + 1)
        self._id = log2(limits.launches)
        widths = dict.fromkeys(FORM, 16) | {"elements": size + 1, "depth": size + 1}
        self.form_layout = data.StructLayout(widths | {"steps": size + 2, "span": size + 2})
        self.op_layout = data.StructLayout(
            {
                "start": time,
                "end": time,
                "form": log2(limits.forms),
                "actor": self._actor,
                "result": self._datum,
                "heir": self._datum,
            }
        )
        turn = {"turn": size + 1, "base": size + 2, "number": size + 3}
        self.turn_layout = data.StructLayout(turn | {"wturn": size + 1, "wbase": size + 2})
        self.forms = Store("forms", self.form_layout.size, limits.forms)
        self.reads = Store("reads", OPERANDS * (size + 1), limits.reads)
        self.ops = Store("ops", self.op_layout.size, limits.launches)
        self.turns = Store("turns", self.turn_layout.size, limits.launches)
        operands = log2(limits.operands)
        self.operands = Store("operands", self._datum, limits.launches << operands)
        self.units = Store("units", self._unit, limits.launches << self._unit)
        self._operand = operands
        self._registers()

    def build(self, m: Module) -> None:
        for store in (self.forms, self.reads, self.ops, self.turns, self.operands, self.units):
            store.build(m)

    # What is read before the first cycle

    def startup(self, m: Module, follow: str) -> None:
        c = self.c
        forms, reads = Section("FORM", c.decoder), Section("READ", c.decoder)
        form = Signal(self.form_layout, name="read_form")
        at, field = Signal(16, name="record"), Signal(range(len(FORM) + 1), name="form_field")
        left = Signal(self.c.limits.size_bits + 2, name="elements_left")
        forms.head(m, "FORM_NEXT")
        c._each(m, forms, "FORM", "FORM_FIELD", "READ_TAG")
        with m.State("FORM_FIELD"):
            codes = Array(forms._codes)
            m.d.comb += [c.decoder.code.eq(codes[field]), c.decoder.take.eq(1)]
            with m.If(c.decoder.ready):
                with m.Switch(field):
                    for i, name in enumerate(FORM):
                        with m.Case(i):
                            m.d.sync += form[name].eq(c.decoder.value)
                m.d.sync += field.eq(field + 1)
                with m.If(field == len(FORM) - 1):
                    m.next = "FORM_STEPS"
        with m.State("FORM_STEPS"):
            m.d.sync += [
                field.eq(0),
                left.eq(form.elements),
                form.steps.eq(0),
                form.span.eq(form.units * form.depth),
            ]
            m.next = "FORM_ROUNDS"
        with m.State("FORM_ROUNDS"):
            m.d.sync += [left.eq(left - form.units), form.steps.eq(form.steps + form.depth)]
            with m.If((left <= form.units) | form.parallel[0]):
                m.next = "FORM_KEEP"
        with m.State("FORM_KEEP"):
            self.forms.put(m, at, form.as_value())
            m.d.sync += at.eq(at + 1)
            m.next = "FORM_NEXT"
        row = Signal(16, name="reads_row")
        kept = [Signal(self.c.limits.size_bits + 1, name=f"read_{n}") for n in "abc"]
        reads.head(m, "READ_NEXT")
        c._each(m, reads, "READ", "READ_A", follow)
        for i, (name, after) in enumerate((("a", "B"), ("b", "C"), ("c", "KEEP"))):
            with m.State(f"READ_{name.upper()}"):
                reads.take(m, name, kept[i], f"READ_{after}")
        with m.State("READ_KEEP"):
            self.reads.put(m, row, Cat(*kept))
            m.d.sync += row.eq(row + 1)
            m.next = "READ_NEXT"

    def fetch(self, m: Module, follow: str) -> None:
        """Go on with the start of the first operation, and then to another state."""
        self._after_first = follow
        m.next = "FETCH"

    # Starts

    def states(self, m: Module) -> None:
        c = self.c
        started, waiting, start = Signal(name="started"), self._waiting, self._start
        operations = c.operations
        with m.State("FETCH"):
            m.next = "OPS"
            with m.If(~started):
                m.next = self._after_first
            with m.If(operations.left == 0):
                m.d.sync += [waiting.eq(0), started.eq(1)]
            with m.Else():
                ready, value = operations.field(m, "later")
                with m.If(ready):
                    m.d.sync += [
                        start.eq(start + value),
                        waiting.eq(1),
                        started.eq(1),
                        operations.left.eq(operations.left - 1),
                    ]
                with m.Else():
                    m.next = "FETCH"
        with m.State("OPS"):
            with m.If(self.starts):
                m.next = "OP_ACTOR"
            with m.Else():
                c.onward(m, "OPS")
        self._launch(m)
        self._look()
        self._hands(m, "HANDS", last=False)
        self._results(m)
        self._hands(m, "HANDS_LATE", last=True)
        self._units(m)

    def _registers(self) -> None:
        limits = self.c.limits
        many = limits.launches
        self.new = Signal(self.op_layout, name="new")
        self.at = Signal(range(many + 1), name="at_launch")
        self.count = Signal(range(many + 1), name="launch_count")
        cycles = dict.fromkeys(("begin", "fired", "writes"), limits.time_bits)
        key = {"result": self._datum, "actor": self._actor}
        order = data.StructLayout({"id": self._id, **key, "comes": 1, **cycles})
        self.order = [Signal(order, name=f"order{i}") for i in range(many)]
        self.fresh = Signal(name="fresh")  # an Op that updates in place started in this cycle
        self.starts = Signal(name="op_starts")
        self._waiting = Signal(name="op_waiting")
        self._start = Signal(limits.time_bits, name="op_start")
        self.results_due, self.units_due = Signal(name="results_due"), Signal(name="units_due")
        now = self.c.cycle
        here = [i < self.count for i in range(many)]
        comes = Cat(h & o.comes & (o.begin == now) for h, o in zip(here, self.order, strict=True))
        works = Cat(h & self._works(o) for h, o in zip(here, self.order, strict=True))
        self.c.logic.d.comb += [
            self.starts.eq(self._waiting & (self._start == now)),
            self.results_due.eq(comes.any()),
            self.units_due.eq(works.any()),
        ]
        self.taken = Signal(many, name="launches_taken")
        self.handed = Signal(many, name="handed")
        self.free_at = [
            Signal(limits.time_bits, name=f"free_at{a.index}_{u}")
            for a in self.actors
            for u in range(a.units)
        ]

    def _works(self, launch: data.View) -> Value:
        """Return whether a unit of an Op that runs starts or writes something in this cycle."""
        return (self.c.cycle < launch.fired) | (self.c.cycle >= launch.writes)

    def _launch(self, m: Module) -> None:
        c, new, k = self.c, self.new, self.c.logic
        operations = c.operations
        ident = Signal(self._id, name="new_id")
        k.d.comb += ident.eq(position(lowest(~self.taken)))
        number = Signal(self._operand + 1, name="operand_number")
        form = data.View(self.form_layout, self.forms.read(k, new.form))
        unit, got = Signal(self._unit, name="try_unit"), Signal(self._unit, name="got_units")
        bases = [sum(a.units for a in self.actors[:i]) for i in range(len(self.actors))]
        slot = Signal(16, name="unit_slot")
        k.d.comb += slot.eq(chosen(bases or [0], new.actor) + unit)
        available = chosen([a.units for a in self.actors] or [1], new.actor)
        result_at = chosen([a.result_at for a in self.actors] or [0], new.actor)
        with m.State("OP_ACTOR"):
            m.d.sync += [number.eq(0), new.start.eq(c.cycle)]
            operations.take(m, "actor", new.actor, "OP_FORM")
        with m.State("OP_FORM"):
            operations.take(m, "form", new.form, "OP_OPERAND")
        with m.State("OP_OPERAND"):
            ready, value = operations.field(m, "operand")
            with m.If(ready):
                self.operands.put(m, Cat(number[: self._operand], ident), value)
                m.d.sync += number.eq(number + 1)
                with m.If(number + 1 == form.into):  # told one higher
                    m.d.sync += new.heir.eq(value)
                with m.If(number + 1 == form.operands):
                    m.next = "OP_RESULT"
        with m.State("OP_RESULT"):
            operations.take(m, "result", new.result, "OP_STAY")
        with m.State("OP_STAY"):
            ready, value = operations.field(m, "stay")
            m.d.sync += [unit.eq(0), got.eq(0)]
            with m.If(ready):
                m.d.sync += new.end.eq(c.stay(value, c.cycle + form.latency))
                m.next = "OP_UNIT"
        free_at = Array(self.free_at or [Signal()])
        with m.State("OP_UNIT"):
            m.d.sync += unit.eq(unit + 1)
            with m.If(free_at[slot] <= c.cycle):
                m.d.sync += [free_at[slot].eq(c.cycle + form.cooldown), got.eq(got + 1)]
                self.units.put(m, Cat(got, ident), unit)
                with m.If(got + 1 == form.units):
                    m.next = "OP_KEEP"
            with m.If(unit == available):
                c.fail(m, ErrorKind.NO_UNIT, new.result)
                m.next = "STOP"
        with m.State("OP_KEEP"):
            self.ops.put(m, ident, new.as_value())
            self.turns.put(m, ident, 0)
            c.homes.put(m, new.result, result_at)
            m.d.sync += [
                self.taken.eq(self.taken | (Const(1, 1) << ident)),
                self.handed.eq(self.handed & ~(Const(1, 1) << ident)),
                self.count.eq(self.count + 1),
            ]
            self._insert(m, ident, form)
            with m.If(form.into != 0):
                m.d.sync += self.fresh.eq(1)
            with m.If(self.count == self.c.limits.launches):
                c.fail(m, ErrorKind.NO_UNIT, new.result)
            m.next = "FETCH"

    def _insert(self, m: Module, ident: Value, form: data.View) -> None:
        points, start = self.c.hardware.points, self.new.start
        adders = [points[a.result_at].kind == "Adder" for a in self.actors]
        early = Mux(chosen(adders or [0], self.new.actor, 1), 0, form.hold - 1)
        key = Cat(self.new.result, self.new.actor)
        before = [
            (i < self.count) & (Cat(o.result, o.actor) < key) for i, o in enumerate(self.order)
        ]
        for i, place in enumerate(self.order):
            follows = before[i - 1] if i else Const(1)
            with m.If(~before[i] & follows):
                m.d.sync += [
                    place.id.eq(ident),
                    place.result.eq(self.new.result),
                    place.actor.eq(self.new.actor),
                    place.comes.eq(form.into == 0),
                    place.begin.eq(start + form.latency - early),
                    place.fired.eq(start + form.steps),
                    place.writes.eq(start + form.latency - form.steps + 1),
                ]
            with m.Elif(~before[i]):
                m.d.sync += place.eq(self.order[i - 1])

    def _look(self) -> None:
        """Read all that is known of the Op that is looked at."""
        c, k = self.c, self.c.logic
        self.id = Signal(self._id, name="looked_id")
        k.d.comb += self.id.eq(Array(o.id for o in self.order)[self.at])
        self.op = data.View(self.op_layout, self.ops.read(k, self.id))
        self.form = data.View(self.form_layout, self.forms.read(k, self.op.form))
        self.turn = data.View(self.turn_layout, self.turns.read(k, self.id))
        self.node = chosen([a.at for a in self.actors] or [0], self.op.actor)
        self.result_at = chosen([a.result_at for a in self.actors] or [0], self.op.actor)
        points = c.hardware.points
        adders = [points[a.result_at].kind == "Adder" for a in self.actors]
        self.adder = chosen(adders or [0], self.op.actor, 1)
        time = c.limits.time_bits
        self.done = (self.op.start + self.form.latency)[:time]
        self.age = (c.cycle - self.op.start)[:time]

    def _hands(self, m: Module, name: str, last: bool) -> None:
        c, rows = self.c, self.c.rows
        mine = (self.form.into != 0) & (self.age == 0) & ~self.handed.bit_select(self.id, 1)
        with m.State(name):
            m.d.sync += self.at.eq(self.at + 1)
            with m.If(self.at == self.count):
                m.d.sync += self.at.eq(0)
                if last:
                    m.d.sync += self.fresh.eq(0)
                c.onward(m, name)
            with m.Elif(mine):
                m.d.sync += self.at.eq(self.at)
                m.d.comb += [
                    rows.hand.eq(1),
                    rows.datum.eq(self.op.heir),
                    rows.heir.eq(self.op.result),
                    rows.point.eq(self.node),
                    rows.end.eq(self.op.end),
                ]
                m.next = f"{name}_BUSY"
        with m.State(f"{name}_BUSY"), m.If(~rows.busy):
            m.d.sync += self.at.eq(self.at + 1)
            m.next = name
            with m.If(~rows.missed):
                m.d.sync += self.handed.eq(self.handed | (Const(1, 1) << self.id))
            if last:
                with m.If(rows.missed):
                    c.fail(m, ErrorKind.ABSENT, self.op.heir)

    def _results(self, m: Module) -> None:
        c = self.c
        early = Mux(self.adder, 0, self.form.hold - 1)
        begin = (self.done - early)[: c.limits.time_bits]
        with m.State("RESULTS"):
            m.d.sync += self.at.eq(self.at + 1)
            with m.If(self.at == self.count):
                m.d.sync += self.at.eq(0)
                c.onward(m, "RESULTS")
            with m.Elif((self.form.into == 0) & (begin == c.cycle)):
                m.d.sync += self.at.eq(self.at)
                c.come(m, self.op.result, self.result_at, self.op.end)
                m.next = "RESULTS_BUSY"
        with m.State("RESULTS_BUSY"), m.If(~c.rows.busy):
            m.d.sync += self.at.eq(self.at + 1)
            m.next = "RESULTS"

    # What units start and write in a cycle

    def _units(self, m: Module) -> None:
        c, form, turn, k = self.c, self.form, self.turn, self.c.logic
        size = c.limits.size_bits
        j, number = Signal(self._unit + 1, name="unit_turn"), Signal(size + 3, name="step_number")
        unit = self.units.read(k, Cat(j[: self._unit], self.id))
        element, written = turn.base + j, turn.wbase + j
        parallel = form.parallel[0]
        wait = form.latency - form.steps + 1
        writes = Signal(name="writes")
        late = (self.age - wait)[: c.limits.time_bits]
        k.d.comb += writes.eq((self.age >= wait) & (late < form.steps))
        last_turn, last_write = turn.turn + 1 == form.depth, turn.wturn + 1 == form.depth
        with m.State("UNITS"):
            m.d.sync += [j.eq(0), number.eq(turn.number)]
            with m.If(self.at == self.count):
                m.d.sync += self.at.eq(0)
                c.onward(m, "UNITS")
            with m.Elif(~self._works(Array(self.order)[self.at])):
                m.d.sync += self.at.eq(self.at + 1)
            with m.Elif(self.age >= form.steps):
                m.next = "WRITES"
            with m.Else():
                m.next = "FIRE"
        with m.State("FIRE"):
            c.commands.clear(m)
            more = ~last_turn | (element + form.units < form.elements)
            c.commands.set(m, "code", form.code)
            c.commands.set(m, "first", Mux(parallel, j == 0, turn.turn == 0))
            c.commands.set(m, "last", Mux(parallel, j + 1 == form.units, last_turn))
            c.commands.set(m, "more", more & ~parallel)
            m.next = "SLOT"
            with m.If((j == form.units) | (~parallel & (element >= form.elements))):
                m.next = "WRITES"
        self._slots(m, j, number, unit)
        with m.State("WRITES"):
            m.d.sync += j.eq(Mux(parallel, form.units - 1, 0))
            m.next = "TURN"
            with m.If(writes & (parallel | last_write)):
                m.next = "WRITE"
        self._writes(m, j, unit, written)
        self._turn(m, writes, last_turn, last_write)

    def _slots(self, m: Module, j: Value, number: Value, unit: Value) -> None:
        """Add the states that fill the slots of a unit, and send its command."""
        c, form, op, k = self.c, self.form, self.op, self.c.logic
        size, data_bits = c.limits.size_bits, self._datum
        slot = Signal(2, name="slot")
        parallel = form.parallel[0]
        reads = self.reads.read(k, (form.reads - 1 + number)[: log2(c.limits.reads)])
        read = Array(reads[i * (size + 1) : (i + 1) * (size + 1)] for i in range(OPERANDS))[slot]
        which, element = Signal(16, name="which"), Signal(size + 3, name="slot_element")
        used = Signal(name="slot_used")
        with k.If(parallel):
            k.d.comb += [which.eq(2 * j + slot), used.eq(1)]
            with k.If(slot == 2):
                k.d.comb += [
                    which.eq(form.operands - 1),
                    used.eq((j == 0) & form.operands[0]),
                ]
        with k.Else():
            k.d.comb += [which.eq(slot), used.eq(slot < form.operands), element.eq(number)]
            with k.If(form.reads != 0):
                k.d.comb += element.eq(read - 1)
                with k.If(read == 0):
                    k.d.comb += used.eq(0)
        datum = Signal(data_bits, name="slot_datum")
        address = Cat(which[: self._operand], self.id)
        k.d.comb += datum.eq(self.operands.read(k, address))
        lies = Mux((form.into != 0) & (datum == op.heir), op.result, datum)
        words = c.element_words.read(k, datum)
        first = Signal(size + 4, name="slot_words")
        part = Signal(16, name="slot_row")
        k.d.comb += first.eq(element * words)
        begin, offset = split(k, c.hardware, first, self.node, "slot")
        row = c.rows.row(k, lies, self.node, (begin + part)[:16])
        sizes = [max(1, p.row // c.hardware.word) for p in c.hardware.points]
        row_words = chosen(sizes, self.node)
        reached = Signal(size + 4, name="slot_reached")
        width = max((p.rows_of(a.bits) for a in self.actors for p in [c.hardware.points[a.at]]),
                    default=1)  # fmt: skip
        with m.State("SLOT"):
            m.d.sync += [part.eq(0), reached.eq(row_words)]
            for s in range(OPERANDS):
                with m.If((slot == s) & used):
                    c.commands.set(m, f"size{s}", words)
                    c.commands.set(m, f"offset{s}", offset)
            m.next = "SLOT_ROW"
            with m.If(~used):
                m.next = "SLOT_MORE"
        with m.State("SLOT_ROW"):
            for s in range(OPERANDS):
                for i in range(width):
                    with m.If((slot == s) & (part == i)):
                        c.commands.set(m, f"row{s}_{i}", row)
            m.d.sync += [part.eq(part + 1), reached.eq(reached + row_words)]
            with m.If(reached >= words):
                m.next = "SLOT_MORE"
        with m.State("SLOT_MORE"):
            m.d.sync += slot.eq(slot + 1)
            m.next = "SLOT"
            with m.If(slot == OPERANDS - 1):
                m.d.sync += slot.eq(0)
                m.next = "FIRE_SEND"
        with m.State("FIRE_SEND"):
            c.emit(m, chosen(c.commands.first("fire"), op.actor) + unit, "FIRE_MORE")
        with m.State("FIRE_MORE"):
            m.d.sync += [j.eq(j + 1), number.eq(number + form.depth)]
            m.next = "FIRE"

    def _writes(self, m: Module, j: Value, unit: Value, written: Value) -> None:
        """Add the states that send what the units do with their results."""
        c, form, op, k = self.c, self.form, self.op, self.c.logic
        size = c.limits.size_bits
        element = Mux(form.parallel[0], 0, written)
        words = c.element_words.read(k, op.result)
        first, part = Signal(size + 4, name="written_words"), Signal(16, name="written_row")
        k.d.comb += first.eq(element * words)
        begin, offset = split(k, c.hardware, first, self.result_at, "written")
        row = c.rows.row(k, op.result, self.result_at, (begin + part)[:16])
        begun = c.rows.begun(k, op.result, self.result_at)
        sizes = [max(1, p.row // c.hardware.word) for p in c.hardware.points]
        row_words = chosen(sizes, self.result_at)
        reached = Signal(size + 4, name="written_reached")
        points = c.hardware.points
        width = max((points[a.result_at].rows_of(a.bits) for a in self.actors), default=1)
        with m.State("WRITE"):
            c.commands.clear(m)
            c.commands.set(m, "size", words)
            c.commands.set(m, "offset", offset)
            c.commands.set(m, "first", self.adder & (begun == self.done))
            m.d.sync += [part.eq(0), reached.eq(row_words)]
            m.next = "WRITE_ROW"
            outside = ~form.parallel[0] & (written >= form.elements)
            with m.If((j == form.units) | outside):
                m.next = "TURN"
        with m.State("WRITE_ROW"):
            for i in range(width):
                with m.If(part == i):
                    c.commands.set(m, f"row{i}", row)
            m.d.sync += [part.eq(part + 1), reached.eq(reached + row_words)]
            with m.If(reached >= words):
                m.next = "WRITE_SEND"
        with m.State("WRITE_SEND"):
            c.emit(m, chosen(c.commands.first("result"), op.actor) + unit, "WRITE_MORE")
        with m.State("WRITE_MORE"):
            m.d.sync += j.eq(j + 1)
            m.next = "WRITE"

    def _turn(self, m: Module, writes: Value, last_turn: Value, last_write: Value) -> None:
        """Add the state that counts an Op's rounds, and lets go of it when it is done."""
        form, turn = self.form, self.turn
        following: Any = Signal(self.turn_layout, name="following_turn")
        with m.State("TURN"):
            m.d.comb += following.eq(turn)
            with m.If(self.age < form.steps):
                m.d.comb += [following.turn.eq(turn.turn + 1), following.number.eq(turn.number + 1)]
                with m.If(last_turn):
                    m.d.comb += [
                        following.turn.eq(0),
                        following.base.eq(turn.base + form.units),
                        following.number.eq(turn.number - turn.turn + form.span),
                    ]
            with m.If(writes):
                m.d.comb += following.wturn.eq(turn.wturn + 1)
                with m.If(last_write):
                    m.d.comb += [
                        following.wturn.eq(0),
                        following.wbase.eq(turn.wbase + form.units),
                    ]
            self.turns.put(m, self.id, following.as_value())
            m.d.sync += self.at.eq(self.at + 1)
            m.next = "UNITS"
            with m.If(self.c.cycle == self.done):
                m.d.sync += [
                    self.at.eq(self.at),
                    self.count.eq(self.count - 1),
                    self.taken.eq(self.taken & ~(Const(1, 1) << self.id)),
                ]
                for i in range(len(self.order) - 1):
                    with m.If(i >= self.at):
                        m.d.sync += self.order[i].eq(self.order[i + 1])
