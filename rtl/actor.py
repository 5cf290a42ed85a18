"""An Actor: units that read operands, compute for a declared latency, and write results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hwdsl import hardware
from hwdsl.trace import ErrorKind

from .node import Read, Write
from .operations import Operation, operation
from .ports import Port, rows_per_element, slots_of
from .probe import actor_width, value_bits
from .signals import errors_of, first_error, keep_errors
from .tables import Command, field


def access_members(
    actor: hardware.Actor, at: hardware.Point, result_at: hardware.Point
) -> tuple[list[str], list[str]]:
    """Return the names of the members of an `Actor` that ask for rows, and that write rows."""
    units, slots = range(actor.units), range(slots_of(actor))
    read_rows = range(rows_per_element(actor, at))
    reads = [f"read{unit}_{slot}_{i}" for unit in units for slot in slots for i in read_rows]
    write_rows = range(rows_per_element(actor, result_at))
    return reads, [f"write{unit}_{i}" for unit in units for i in write_rows]


class Actor(wiring.Component):
    """``actor.units`` units and the chain that sums the products of dot products.

    A unit that is fired in cycle s asks for its operands in s and has them in s+1, where all is
    computed; registers then delay the value so that it is written in s + latency of its op code.

    Parameters
    ----------
    actor : hardware.Actor
    at, result_at : hardware.Point
    word : int
        Bits.
    fires, results : sequence of Port
        The command ports of each unit.

    Members
    -------
    fire{unit}, result{unit} : In(Command)
    read{unit}_{slot}_{i} : Out(Read)
        Asks for row i of the operand in that slot.
    write{unit}_{i} : Out(Write)
        Row i of the result.
    errors : Out
        The first error of each unit, kept.
    probe : Out
        See `rtl.probe`.
    """

    def __init__(
        self,
        actor: hardware.Actor,
        at: hardware.Point,
        result_at: hardware.Point,
        word: int,
        fires: Sequence[Port],
        results: Sequence[Port],
    ):
        self._actor, self._at, self._result_at, self._word = actor, at, result_at, word
        self._ops = dict(sorted(actor.ops.items()))
        self._slots = slots_of(actor)
        self._rows = rows_per_element(actor, at)
        self._result_rows = rows_per_element(actor, result_at)
        members = {"errors": Out(errors_of(actor.units)), "probe": Out(actor_width(actor))}
        for unit in range(actor.units):
            members[f"fire{unit}"] = In(Command(fires[unit].fields))
            members[f"result{unit}"] = In(Command(results[unit].fields))
        reads, writes = access_members(actor, at, result_at)
        members |= {name: Out(Read(at)) for name in reads}
        members |= {name: Out(Write(result_at, word)) for name in writes}
        super().__init__(members)

    def elaborate(self, platform) -> Module:
        m = Module()
        chain: Value | int = 0
        fired, landed = [], []
        refused = Signal(self.errors.shape())
        misplaced = Signal(self.errors.shape())
        for unit in range(self._actor.units):
            fire = getattr(self, f"fire{unit}")
            beyond = self._ask(m, unit, fire)
            busy = self._busy(m, unit, fire)
            results, chain = self._compute(m, unit, fire, chain)
            valid, value, clash = self._wait(m, unit, results)
            seen, error = self._land(m, unit, valid, value)
            code = field(fire.command, "code")
            fired.append(Cat(fire.fire, Mux(fire.fire, code, 0)[: len(code)]))
            landed.append(Cat(valid, seen[: value_bits(self._actor)]))
            wrong = first_error(
                (fire.late, ErrorKind.LATE),
                (busy, ErrorKind.BUSY),
                (beyond, ErrorKind.ADDRESS),
                (clash, ErrorKind.UNEXPECTED),
            )
            m.d.comb += [refused[unit].eq(wrong), misplaced[unit].eq(error)]
        keep_errors(m, [refused, misplaced], self.errors)
        m.d.comb += self.probe.eq(Cat(*fired, *landed, self.errors.as_value()))
        return m

    def _ask(self, m: Module, unit: int, fire: wiring.PureInterface) -> Value:
        """Ask for all operand rows; return whether one lies beyond the memory."""
        wrong: Value | int = 0
        for slot in range(self._slots):
            used = fire.fire & (fire.command[f"size{slot}"] != 0)
            for i in range(self._rows):
                read = getattr(self, f"read{unit}_{slot}_{i}")
                row = fire.command[f"row{slot}_{i}"]
                m.d.comb += [read.enable.eq(used), read.row.eq(row)]
                wrong = (used & (row >= self._at.rows)) | wrong
        return wrong

    def _busy(self, m: Module, unit: int, fire: wiring.PureInterface) -> Value | int:
        """Return whether the unit is started while it still cools down."""
        cooldowns = [timing.cooldown for timing in self._ops.values()]
        if max(cooldowns) == 1:
            return 0
        left = Signal(range(max(cooldowns)), name=f"cooldown{unit}")
        with m.If(fire.fire & ~fire.command.more), m.Switch(field(fire.command, "code")):
            for code, cooldown in enumerate(cooldowns):
                with m.Case(code):
                    m.d.sync += left.eq(cooldown - 1)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return fire.fire & (left != 0)

    def _compute(
        self, m: Module, unit: int, fire: wiring.PureInterface, chain: Value | int
    ) -> tuple[Mapping[str, tuple[Value, Value]], Value | int]:
        """Compute all ops on what was read.

        Returns
        -------
        results : mapping of str to (Value, Value)
            For each op code, whether a result is there, and which.
        chain : Value or int
            The sum of a dot product, as the next unit sees it.
        """
        kept = Signal.like(fire.command, name=f"command{unit}")
        active = Signal(name=f"active{unit}")
        m.d.sync += active.eq(fire.fire)
        with m.If(fire.fire):
            m.d.sync += kept.eq(fire.command)
        operands = [self._operand(m, unit, slot, kept) for slot in range(self._slots)]
        results = {}
        for position, code in enumerate(self._ops):
            op = operation(code)
            taken = active & (field(kept, "code") == position)
            result = Signal(signed(self._actor.bits), name=f"{code}{unit}")
            if op.component is not None:
                m.d.comb += result.eq(self._brought(m, f"{code}{unit}", op, operands))
            elif op.chained:
                total = op.compute(*operands[:2]) + Mux(kept.first, operands[2], chain)
                m.d.comb += result.eq(total)
                passed = Signal.like(result, name=f"{code}_chain{unit}")
                m.d.comb += passed.eq(Mux(taken, result, chain))
                chain = passed
            elif op.fold is not None:
                value = op.compute(*operands[: op.arity])
                before = Signal.like(result, name=f"{code}_before{unit}")
                m.d.comb += result.eq(Mux(kept.first, value, op.fold(before, value)))
                with m.If(taken):
                    m.d.sync += before.eq(result)
            else:
                m.d.comb += result.eq(op.compute(*operands[: op.arity]))
            results[code] = self._later(m, f"{code}{unit}", taken & kept.last, op), result
        return results, chain

    def _brought(self, m: Module, name: str, op: Operation, operands: Sequence[Value]) -> Value:
        """Return the result of a Component that a user brought."""
        m.submodules[name] = component = op.component(self._actor.bits)
        for slot in range(op.arity):
            m.d.comb += getattr(component, f"operand{slot}").eq(operands[slot])
        return component.result

    @staticmethod
    def _later(m: Module, name: str, valid: Value, op: Operation) -> Value:
        """Delay ``valid`` as a Component delays what it is computed from."""
        for i in range(op.registers):
            delayed = Signal(name=f"{name}_valid{i}")
            m.d.sync += delayed.eq(valid)
            valid = delayed
        return valid

    def _operand(self, m: Module, unit: int, slot: int, kept: Value) -> Value:
        """Return one operand, sign-extended from its own size; 0 if the slot is unused."""
        data = [getattr(self, f"read{unit}_{slot}_{i}").data for i in range(self._rows)]
        words = Cat(data) >> (field(kept, f"offset{slot}") * self._word)
        operand = Signal(signed(self._actor.bits), name=f"operand{unit}_{slot}")
        with m.Switch(kept[f"size{slot}"]):
            for size in range(1, self._actor.bits // self._word + 1):
                with m.Case(size):
                    m.d.comb += operand.eq(words[: size * self._word].as_signed())
        return operand

    def _wait(
        self, m: Module, unit: int, results: Mapping[str, tuple[Value, Value]]
    ) -> tuple[Value, Value, Value]:
        """Delay each result to its op's latency; return valid, value, and whether two collide."""
        waits = {c: t.latency - 1 - operation(c).registers for c, t in self._ops.items()}
        valid: Value | int = 0
        value: Value | int = 0
        clashes = []
        for left in range(max(waits.values()), -1, -1):
            entering = Signal(name=f"entering{unit}_{left}")
            stage = Signal(name=f"done{unit}_{left}")
            held = Signal(signed(self._actor.bits), name=f"value{unit}_{left}")
            m.d.comb += [stage.eq(entering | valid), held.eq(value)]
            for there, result in (results[c] for c in waits if waits[c] == left):
                with m.If(there):
                    m.d.comb += [entering.eq(1), held.eq(result)]
            clashes.append(entering & valid)
            if left == 0:
                return stage, held, Cat(clashes).any()
            valid = Signal(name=f"valid{unit}_{left}")
            value = Signal(signed(self._actor.bits), name=f"waiting{unit}_{left}")
            m.d.sync += [valid.eq(stage), value.eq(held)]
        raise AssertionError("a latency is at least 1")

    def _land(self, m: Module, unit: int, valid: Value, value: Value) -> tuple[Value, Value]:
        """Write the result where its command says; return what is written, and an error."""
        result = getattr(self, f"result{unit}")
        command = result.command
        words = self._actor.bits // self._word
        seen = Signal(self._actor.bits, name=f"seen{unit}")
        # Word by word: a mask of bits would be computed for each of them in CXXRTL.
        for k in range(words):
            word = slice(k * self._word, (k + 1) * self._word)
            with m.If(valid & (~result.fire | (k < command.size))):
                m.d.comb += seen[word].eq(value[word])
        row_words = self._result_at.row // self._word
        sized = Cat((k < command.size) for k in range(words))
        offset = field(command, "offset")
        data = (seen << (offset * self._word))[:]
        mask = (sized << offset)[:]
        beyond: Value | int = 0
        for i in range(self._result_rows):
            write = getattr(self, f"write{unit}_{i}")
            row = command[f"row{i}"]
            here = mask[i * row_words : (i + 1) * row_words]
            beyond = (here.any() & (row >= self._result_at.rows)) | beyond
            m.d.comb += [
                write.row.eq(row),
                write.data.eq(data[i * self._result_at.row : (i + 1) * self._result_at.row]),
                write.first.eq(command.first if self._result_at.kind == "Adder" else 0),
            ]
            with m.If(result.fire & valid & (row < self._result_at.rows)):
                m.d.comb += write.words.eq(here)
        error = first_error(
            (result.late, ErrorKind.LATE),
            (result.fire & ~valid, ErrorKind.MISSING),
            (~result.fire & valid, ErrorKind.UNEXPECTED),
            (result.fire & beyond, ErrorKind.ADDRESS),
        )
        return seen, error
