"""What the controller does for Moves: the commands of what arrives and departs in a cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value

from hwdsl.trace import ErrorKind

from .commands import split
from .tools import chosen, log2, lowest, position

if TYPE_CHECKING:
    from .controller import Controller


class Traffic:
    """Adds the states for arrivals and departures to a controller."""

    def __init__(self, controller: Controller):
        self.c = controller

    def states(self, m: Module) -> None:
        """Add the states for what arrives and what departs in a cycle."""
        c = self.c
        hardware, lanes, rows, commands = c.hardware, c.lanes, c.rows, c.commands
        wires = hardware.wires
        k = c.logic
        time = c.limits.time_bits
        pending = Signal(max(1, len(wires)), name="pending")
        comes = Signal(name="comes")
        wire = Signal(log2(len(wires)), name="wire")
        number = Signal(range(lanes.most + 1), name="entry_number")
        base, lane = Signal(16, name="base"), Signal(16, name="lane")
        word_at = Signal(c.limits.size_bits, name="word_at")
        latency = chosen([w.latency for w in wires] or [0], wire)
        then = Signal(time, name="then")
        k.d.comb += then.eq(Mux(comes, c.cycle - latency, c.cycle))
        entries = lanes.read(k, wire, then)
        entry = Signal(lanes.entry, name="entry")
        k.d.comb += entry.eq(Array(entries[i].as_value() for i in range(lanes.most))[number])
        source = chosen([w.source for w in wires] or [0], wire)
        target = chosen([w.target for w in wires] or [0], wire)
        point = Mux(comes, target, source)
        stores = chosen([p.stores for p in hardware.points], point)
        lane_words = chosen([w.lane // hardware.word for w in wires] or [1], wire)
        part, offset = split(k, hardware, word_at, point, "lane")
        row = rows.row(k, entry.datum, point, part)
        total = c.sizes.read(k, entry.datum)
        adder = chosen([p.kind == "Adder" for p in hardware.points], point)
        begun = rows.begun(k, entry.datum, point)
        from_wire, from_base, meets, looked = self._incoming(k, entry, source)
        inputs = [len(some) for some in hardware.incoming]
        firsts = {kind: commands.first(kind) for kind in ("send", "land", "steer")}

        def begin(state: str, busy: Value, coming: int) -> None:
            with m.State(state):
                m.d.sync += [pending.eq(busy), comes.eq(coming)]
                m.next = f"{state}_WIRE"
            with m.State(f"{state}_WIRE"):
                m.d.sync += [
                    wire.eq(position(lowest(pending))),
                    pending.eq(pending & (pending - 1)),
                    number.eq(0),
                    base.eq(0),
                ]
                with m.If(pending == 0):
                    c.onward(m, state)
                with m.Else():
                    m.next = f"{state}_ENTRY"

        begin("ARRIVE", c.arriving, 1)
        begin("DEPART", c.leaving, 0)
        with m.State("ARRIVE_ENTRY"):
            m.d.sync += [word_at.eq(entry.offset), lane.eq(0)]
            m.next = "ARRIVE_LANE"
            with m.If((number == lanes.most) | ~entry.valid | ~stores):
                m.next = "ARRIVE_WIRE"
            with m.Elif(entry.offset == 0):
                c.come(m, entry.datum, target, entry.end)
                m.next = "ARRIVE_COME"
        with m.State("ARRIVE_COME"), m.If(~rows.busy):
            m.next = "ARRIVE_LANE"
        with m.State("ARRIVE_LANE"):
            commands.set(m, "row", row)
            commands.set(m, "offset", offset)
            commands.set(m, "first", adder & (begun == c.cycle))
            m.next = "ARRIVE_SEND"
        with m.State("ARRIVE_SEND"):
            c.emit(m, chosen(firsts["land"], wire) + base + lane, "ARRIVE_MORE")
        with m.State("DEPART_ENTRY"):
            m.d.sync += [word_at.eq(entry.offset), lane.eq(0), looked.eq(0)]
            m.next = "DEPART_LANE"
            with m.If((number == lanes.most) | ~entry.valid):
                m.next = "DEPART_WIRE"
            with m.Elif(~stores):
                m.next = "DEPART_LOOK"
        with m.State("DEPART_LOOK"):
            with m.If(meets):
                m.next = "STEER_LANE"
            with m.Else():
                m.d.sync += looked.eq(looked + 1)
                with m.If(looked + 1 >= chosen(inputs, source)):
                    c.fail(m, ErrorKind.ABSENT, entry.datum)
                    m.next = "STOP"
        with m.State("STOP"):
            pass
        with m.State("STEER_LANE"):
            commands.set(m, "choice", from_base + lane)
            m.next = "STEER_SEND"
        with m.State("STEER_SEND"):
            c.emit(m, chosen(firsts["steer"], wire) + base + lane, "DEPART_MORE")
        with m.State("DEPART_LANE"):
            left = total - word_at
            commands.set(m, "row", row)
            commands.set(m, "offset", offset)
            commands.set(m, "size", Mux(left > lane_words, lane_words, left))
            m.next = "DEPART_SEND"
        with m.State("DEPART_SEND"):
            c.emit(m, chosen(firsts["send"], wire) + base + lane, "DEPART_MORE")
        for state in ("ARRIVE", "DEPART"):
            with m.State(f"{state}_MORE"):
                m.d.sync += [lane.eq(lane + 1), word_at.eq(word_at + lane_words)]
                m.next = f"{state}_LANE"
                if state == "DEPART":
                    with m.If(~stores):
                        m.next = "STEER_LANE"
                with m.If(lane + 1 >= entry.lanes):
                    m.d.sync += [number.eq(number + 1), base.eq(base + entry.lanes)]
                    m.next = f"{state}_ENTRY"
        del from_wire

    def _incoming(
        self, m: Module, entry: Value, junction: Value
    ) -> tuple[Signal, Signal, Signal, Signal]:
        """Look at one incoming Wire of a Junction after the other for what leaves it.

        Returns
        -------
        wire, base, meets, looked : Signal
            The Wire that is looked at, the number of the lane (of all that come there) that the
            datum begins on, whether it is there; which Wire is looked at, to be counted up.
        """
        c = self.c
        hardware, lanes = c.hardware, c.lanes
        most = max((len(some) for some in hardware.incoming), default=1)
        looked = Signal(range(most + 1), name="looked")
        table, before = [], []
        for some in hardware.incoming:
            known = [w.index for w in some] + [0] * (most - len(some))
            sums = [sum(w.lanes for w in some[:i]) for i in range(len(some))]
            table.append(known)
            before.append(sums + [0] * (most - len(some)))
        bits = max(1, most - 1).bit_length()
        index = Cat(looked[:bits], junction)

        def flat(rows: list[list[int]]) -> list[int]:
            return [n for row in rows for n in row + [0] * ((1 << bits) - len(row))]

        wire = Signal(log2(len(hardware.wires)), name="from_wire")
        m.d.comb += wire.eq(chosen(flat(table) or [0], index))
        latency = chosen([w.latency for w in hardware.wires] or [0], wire)
        there = Signal(c.limits.time_bits, name="from_cycle")
        m.d.comb += there.eq(c.cycle - latency)
        found = lanes.read(m, wire, there)
        base, meets = Signal(16, name="from_base"), Signal(name="meets")
        lane: Value = chosen(flat(before) or [0], index)
        for i in range(lanes.most):
            same = (found[i].datum == entry.datum) & (found[i].offset == entry.offset)
            with m.If(found[i].valid & same):
                m.d.comb += [base.eq(lane), meets.eq(1)]
            lane = lane + Mux(found[i].valid, found[i].lanes, 0)
        return wire, base, meets, looked
