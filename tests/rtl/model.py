"""What a Program does, cycle by cycle, in plain Python: the expectation of the tests of the RTL.

It takes legal Programs only, and knows nothing of registers: what is written in a cycle is there
in that cycle, what departs at t arrives at t + latency.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.program import FIRE_COLUMNS, OPERANDS, Program
from hwdsl.trace import EVENT, FINAL, Kind, Trace, sort_events


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def run(hardware: Hardware, program: Program, packed: dict[int, int]) -> Trace:
    """Return the Trace of a Program; ``packed`` holds the bits of each datum, by index."""
    return _Run(hardware, program, packed).trace()


class _Run:
    def __init__(self, hardware: Hardware, program: Program, packed: dict[int, int]):
        self.hardware, self.program, self.word = hardware, program, hardware.word
        self.memory: dict[tuple[int, int], int] = defaultdict(int)
        for point, row, datum, part in program.contents.tolist():
            width = hardware.points[point].row
            self.memory[point, row] = packed[datum] >> (part * width) & ((1 << width) - 1)
        self.arriving: dict[tuple[int, int, int], int] = {}
        self.finishing: dict[tuple[int, int, int], int] = {}
        self.events: list[tuple[int, ...]] = []
        self.commands: dict[str, dict[int, list[list[int]]]] = {}
        for name in ("sends", "steers", "lands", "fires", "results"):
            by_cycle = self.commands[name] = defaultdict(list)
            for row in getattr(program, name).tolist():
                by_cycle[row[0]].append(row)

    def trace(self) -> Trace:
        for now in range(self.program.cycles):
            for name in ("lands", "steers", "sends", "fires"):
                getattr(self, name)(now, self.commands[name][now])
        events = np.array([e for e in self.events if e[0] < self.program.cycles], EVENT)
        finals = []
        for point, row, datum, part in self.program.finals.tolist():
            _, bits, shape = self.program.data[datum]
            width = self.hardware.points[point].row
            own = min(width, bits * int(np.prod(shape, dtype=int)) - part * width)
            value = self.memory[point, row] & ((1 << own) - 1)
            chunks = range(-(-width // 64))
            finals += [(point, row, k, value >> (64 * k) & ((1 << 64) - 1)) for k in chunks]
        return Trace(
            self.program.cycles, sort_events(events), np.array(finals, FINAL), "model", "tables"
        )

    def see(self, now: int, kind: Kind, part: int, lane: int, value: int, bits: int) -> None:
        for chunk in range(max(1, -(-bits // 64))):
            part_value = value >> (64 * chunk) & ((1 << 64) - 1)
            self.events.append((now, int(kind), part, lane, chunk, part_value))

    def depart(self, now: int, wire: int, lane: int, value: int) -> None:
        w = self.hardware.wires[wire]
        self.see(now, Kind.DEPART, wire, lane, value, w.lane)
        self.see(now + w.latency, Kind.ARRIVE, wire, lane, value, w.lane)
        self.arriving[now + w.latency, wire, lane] = value

    def write(self, point: int, written: list[tuple[int, int, int, int, int]]) -> None:
        """Write (row, offset, size, value, first) for all that comes to one point in a cycle."""
        adder = self.hardware.points[point].kind == "Adder"
        width = self.hardware.points[point].row
        for row in {w[0] for w in written}:
            here = [w for w in written if w[0] == row]
            total = 0 if any(w[4] for w in here) else self.memory[point, row]
            if not adder:
                total = self.memory[point, row]
            for _, offset, size, value, _ in here:
                mask = ((1 << size * self.word) - 1) << offset * self.word
                shifted = value << offset * self.word & mask
                total = total + shifted if adder else total & ~mask | shifted
            self.memory[point, row] = total & ((1 << width) - 1)

    def lands(self, now: int, rows: list[list[int]]) -> None:
        """Write what arrives and what is computed: an Adder sums both."""
        written = defaultdict(list)
        for _, wire, lane, row, offset, first in rows:
            w = self.hardware.wires[wire]
            value = self.arriving[now, wire, lane]
            written[w.target].append((row, offset, w.lane // self.word, value, first))
        for result in self.commands["results"][now]:
            _, actor, unit, size, offset, first, *at = result
            a = self.hardware.actors[actor]
            value = self.finishing[now, actor, unit] & ((1 << size * self.word) - 1)
            self.see(now, Kind.RESULT, actor, unit, value, 1)
            width = self.hardware.points[a.result_at].row // self.word
            for i, row in enumerate(at):
                rest = size - i * width
                if rest > 0:
                    part = value >> (i * width * self.word)
                    written[a.result_at].append((row, offset, min(rest, width), part, first))
        for point, some in written.items():
            self.write(point, some)

    def steers(self, now: int, rows: list[list[int]]) -> None:
        for _, wire, lane, from_wire, from_lane in rows:
            self.depart(now, wire, lane, self.arriving[now, from_wire, from_lane])

    def sends(self, now: int, rows: list[list[int]]) -> None:
        for _, wire, lane, row, offset, size in rows:
            source = self.hardware.wires[wire].source
            value = self.memory[source, row] >> offset * self.word
            self.depart(now, wire, lane, value & ((1 << size * self.word) - 1))

    def fires(self, now: int, rows: list[list[int]]) -> None:
        total: dict[int, int] = {}
        for row in sorted(rows, key=lambda r: r[1:3]):
            _, actor, unit, position, first, last, _ = row[: len(FIRE_COLUMNS)]
            a = self.hardware.actors[actor]
            code = sorted(a.ops)[position]
            self.see(now, Kind.FIRE, actor, unit, position, 1)
            x = [self.operand(a.at, row[self.program.slot(i)]) for i in range(OPERANDS)]
            if code == "dot":
                total[actor] = (x[2] if first else total[actor]) + x[0] * x[1]
                value = total[actor]
            else:
                compute = {"add": x[0] + x[1], "mul": x[0] * x[1], "max": max(x[0], x[1])}
                value = compute[code] if code in compute else max(x[0], 0)
            if last:
                self.finishing[now + a.ops[code].latency, actor, unit] = value

    def operand(self, point: int, slot: list[int]) -> int:
        size, offset, *rows = slot
        if not size:
            return 0
        width = self.hardware.points[point].row
        value = sum(self.memory[point, row] << (i * width) for i, row in enumerate(rows))
        return signed(value >> offset * self.word, size * self.word)
