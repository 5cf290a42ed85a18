"""The controller's clock cycles: what each thing that it does for a program takes, to the clock.

It says of every state machine in `rtl/control/` how long it stays in its states, and is held
against them by a test. Only numbers so large that their bits may have to be waited for can be
there a clock cycle sooner than it says.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from hwdsl.hardware import Hardware
from hwdsl.launches import Launch, launches
from hwdsl.legs import Carry, carries
from hwdsl.program import OPERANDS
from hwdsl.program_records import FIELDS, write_records
from hwdsl.waypoints import FORM, HOME, READS, Kind, Waypoints, steps_of

from .control_network import levels
from .controller_rows import Rows, end_of


@dataclass(frozen=True)
class Stretch:
    """The work for one cycle.

    Attributes
    ----------
    paths : int
        Clock cycles for the paths that start in it; they may come early.
    rest : int
        Clock cycles for all else.
    reach : int
        Clock cycles from the begin of the rest to the one before which its last packet must act.
    """

    paths: int
    rest: int
    reach: int


class Clocks:
    """The work of a controller.

    Attributes
    ----------
    startup : int
        Clock cycles before the first cycle's work.
    stretches : dict of int to Stretch
        The work of each cycle in which there is more to do than to go on to the next, which takes
        one clock cycle.
    """

    def __init__(self, hardware: Hardware, program: Waypoints):
        self._hardware, self._program = hardware, program
        self._sizes = program.sizes()
        self._carries = carries(hardware, program)
        self._levels = levels(hardware)
        self._rows = Rows(hardware, program)
        self.startup = self._startup()
        paths = self._paths()
        self._agenda()
        running: list[Launch] = []
        self.stretches: dict[int, Stretch] = {}
        busy = {*paths, *self._starts, *self._departing, *self._arriving}
        for launch in self._launches:
            steps = steps_of(launch.form)
            busy |= {self._begin(launch), *range(launch.start, launch.start + steps)}
            busy |= {*range(launch.done - steps + 1, launch.done + 1)}
        # What ends is looked at in rounds of the ring, so no cycle can be left out.
        for cycle in range(program.cycles):
            if cycle in busy or self._rows.ending(cycle):
                self._now, self._reach = 1, 0
                self._cycle(cycle, running)
                self.stretches[cycle] = Stretch(paths.get(cycle, 0), self._now, self._reach)

    # Before the first cycle

    def _startup(self) -> int:
        program = self._program
        heads = sum(3 + len(FIELDS[tag]) for tag in ("DATA", "LOAD", "FORM", "READ", "OPER"))
        clocks = 3 + heads + 2 * 4 + 1
        clocks += 3 * len(program.data) + (2 + len(READS)) * len(program.reads)
        for datum, point, stay in program.contents.tolist():
            clocks += 5 + self._rows.come(datum, point, 0, stay)
        for row in program.forms.tolist():
            form = dict(zip(FORM, row, strict=True))
            clocks += 3 + len(FORM) + steps_of(form) // form["depth"]
        records = (record for some in write_records(program).values() for record in some)
        large = sum(value >= LARGE for record in records for _, value in record)
        return clocks + 1 + 3 + len(FIELDS["PATH"]) + 2 + 1 + large

    # Paths

    def _paths(self) -> dict[int, int]:
        """Return what the paths take that start in each cycle."""
        legs: dict[int, list[Carry]] = defaultdict(list)
        for carry in self._carries:
            legs[carry.leg].append(carry)
        found: dict[int, int] = defaultdict(int)
        number = 0
        for start, datum, source, count in self._program.paths.tolist():
            beats = [w.beats(self._sizes[datum]) for w in self._hardware.wires]
            most, between = max(beats, default=1), 1 + (source != HOME)
            clocks = 2 + between + max(1, most - between)
            held: int | None = None
            for k in range(number, number + count):
                kind = int(self._program.points[k, 1])
                moves = [carry.beats for carry in legs[k]]
                clocks += 2 + self._leg(kind, moves, most)
                if moves:
                    clocks += 2 + (0 if held is None else held)
                    held = moves[-1]
            number += count
            clocks += 2 + (0 if held is None else held)
            found[start] += clocks + 3
        return found

    @staticmethod
    def _leg(kind: int, moves: list[int], most: int) -> int:
        if kind == Kind.STEP:
            return 2 + 2 + (moves[0] + 1) + 1
        searched = 2 + (kind == Kind.BY) + max(2, most) + 1 + len(moves) + 1
        return searched + sum(beats + 2 for beats in moves) + 1

    # Cycle by cycle

    def _agenda(self) -> None:
        self._departing: dict[int, dict[int, list[Beat]]] = defaultdict(lambda: defaultdict(list))
        self._arriving: dict[int, dict[int, list[Beat]]] = defaultdict(lambda: defaultdict(list))
        for carry in self._carries:
            for beat in range(carry.beats):
                told = (-beat, carry.datum, carry)
                self._departing[carry.cycle + beat][carry.wire].append(told)
                self._arriving[carry.arrival + beat][carry.wire].append(told)
        self._launches = launches(self._hardware, self._program)
        self._starts: dict[int, list[Launch]] = defaultdict(list)
        for launch in self._launches:
            self._starts[launch.start].append(launch)

    def _cycle(self, cycle: int, running: list[Launch]) -> None:
        if self._rows.ending(cycle):
            self._now += self._rows.sweep(cycle) + 1
        started = self._starts.get(cycle, [])
        if started:
            self._now += 1 + sum(self._start(launch) for launch in started)
            running += started
            running.sort(key=lambda x: (x.actor.index, x.result))
        heirs = [launch for launch in running if launch in started and launch.heir_of is not None]
        waiting = self._hands(cycle, heirs, running) if heirs else []
        due = [x for x in running if x.heir_of is None and self._begin(x) == cycle]
        if due:
            self._now += len(running) + 1
            for launch in due:
                node = launch.actor.result_at
                self._now += self._rows.come(launch.result, node, cycle, end_of(launch))
        if cycle in self._arriving:
            self._arrive(cycle)
        if heirs:
            self._hands(cycle, waiting, running)
        if cycle in self._departing:
            self._depart(cycle)
        if any(_works(launch, cycle) for launch in running):
            self._units(cycle, running)
        running[:] = [launch for launch in running if launch.done != cycle]

    def _start(self, launch: Launch) -> int:
        return 7 + len(launch.operands) + max(launch.units) + 1

    def _begin(self, launch: Launch) -> int:
        adder = self._hardware.points[launch.actor.result_at].kind == "Adder"
        return launch.done - (0 if adder else launch.form["hold"] - 1)

    def _hands(self, cycle: int, heirs: list[Launch], running: list[Launch]) -> list[Launch]:
        """Hand over what is there; return the others."""
        self._now += len(running) + 1
        missed = []
        for launch in heirs:
            taken = self._rows.hand(launch, cycle)
            self._now += taken or 2
            if not taken:
                missed.append(launch)
        return missed

    def _send(self, point: int) -> None:
        """Count the state in which a command is sent, and the one after.

        A router takes a clock cycle, and so does the list in which it waits to act.
        """
        self._now += 2
        self._reach = max(self._reach, self._now + self._levels[point])

    def _arrive(self, cycle: int) -> None:
        hardware = self._hardware
        self._now += 1
        for wire, beats in sorted(self._arriving[cycle].items()):
            target = hardware.wires[wire].target
            self._now += 1
            stores = hardware.points[target].stores
            for beat, datum, carry in sorted(beats, key=lambda x: x[:2]) if stores else ():
                self._now += 1
                if beat == 0:
                    self._now += self._rows.come(datum, target, cycle, carry.end or 0)
                for _ in range(hardware.wires[wire].lanes_of(self._sizes[datum], -beat)):
                    self._now += 1
                    self._send(target)
            self._now += 1
        self._now += 1

    def _depart(self, cycle: int) -> None:
        hardware = self._hardware
        self._now += 1
        for wire, beats in sorted(self._departing[cycle].items()):
            source = hardware.wires[wire].source
            self._now += 1
            for beat, datum, _ in sorted(beats, key=lambda x: x[:2]):
                self._now += 1
                if not hardware.points[source].stores:
                    self._now += self._looked(cycle, source, beat, datum)
                for _ in range(hardware.wires[wire].lanes_of(self._sizes[datum], -beat)):
                    self._now += 1
                    self._send(source)
            self._now += 1
        self._now += 1

    def _looked(self, cycle: int, junction: int, beat: int, datum: int) -> int:
        """Return at how many incoming Wires is looked, to find what leaves a Junction."""
        come = self._arriving.get(cycle, {})
        for number, wire in enumerate(self._hardware.incoming[junction], 1):
            if any(b[:2] == (beat, datum) for b in come.get(wire.index, [])):
                return number
        return 0

    def _units(self, cycle: int, running: list[Launch]) -> None:
        for launch in running:
            self._now += 1
            if not _works(launch, cycle):
                continue
            age, steps = cycle - launch.start, steps_of(launch.form)
            if age < steps:
                self._fires(launch, age)
            self._now += 1
            written = age - (launch.form["latency"] - steps + 1)
            if 0 <= written < steps:
                self._writes(launch, written)
            self._now += 1
        self._now += 1

    def _fires(self, launch: Launch, round_: int) -> None:
        point = self._hardware.points[launch.actor.at]
        for step in launch.round(round_):
            self._now += 1 + 2 * OPERANDS
            for _, datum, _ in step.slots:
                self._now += point.rows_of(self._program.data[datum][1])
            self._send(launch.actor.at)
        self._now += 1

    def _writes(self, launch: Launch, round_: int) -> None:
        node = launch.actor.result_at
        rows = self._hardware.points[node].rows_of(self._program.data[launch.result][1])
        written = [step for step in launch.round(round_) if step.last]
        for _ in written:
            self._now += 1 + rows
            self._send(node)
        if written:
            self._now += 1


Beat = tuple[int, int, Carry]
"""The number of a beat, negative; its datum; and the Move."""

LARGE = (1 << 16) - 1
"""The least number that may take more bits than a decoder gets in a clock cycle."""


def _works(launch: Launch, cycle: int) -> bool:
    """Return whether a unit of an Op that runs starts or writes something in a cycle."""
    steps = steps_of(launch.form)
    return cycle < launch.start + steps or cycle > launch.done - steps
