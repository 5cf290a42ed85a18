"""Rebuild: from a way-point program to every command, by docs/rebuild.md, as a plain function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from .errors import InputError
from .hardware import Actor, Hardware, Point
from .launches import Launch, Step, launches
from .legs import Carry, carries
from .program import OPERANDS, Program, table_columns
from .residence import Residence
from .waypoint_checks import check_waypoints
from .waypoints import FOREVER, Waypoints, steps_of

Lanes = dict[tuple[int, int, int], int]
"""The lowest lane, by wire, cycle and number among the Carries."""


def rebuild(hardware: Hardware, program: Waypoints) -> Program:
    """Return the commands that a way-point program stands for.

    Raises
    ------
    InputError
        If it is for another Hardware, or says what cannot be.
    """
    check_waypoints(hardware, program)
    return _Sweep(hardware, program).run()


class _Sweep:
    """Goes through the cycles, and finds the commands of each."""

    def __init__(self, hardware: Hardware, program: Waypoints):
        self._hardware, self._program = hardware, program
        self._sizes = program.sizes()
        self._carries = carries(hardware, program)
        self._lanes = _lanes(hardware, self._sizes, self._carries)
        self._launches = launches(hardware, program)
        self._residence = Residence(hardware, self._sizes)
        self._width = _width(hardware)
        columns = table_columns(self._width)
        names = ("sends", "steers", "lands", "fires", "results")
        self._tables: dict[str, list[list[int]]] = {name: [] for name in names}
        self._columns = {name: columns[name] for name in names}

    def run(self) -> Program:
        program = self._program
        contents = []
        for datum, point, stay in program.contents.tolist():
            self._residence.come(datum, point, 0, stay)
            rows = self._residence.rows(datum, point)
            contents += [(point, row, datum, part) for part, row in enumerate(rows)]
        agenda = self._agenda()
        for cycle in sorted(agenda):
            self._cycle(cycle, agenda[cycle])
        return Program(
            hardware=program.hardware,
            cycles=program.cycles,
            data=program.data,
            contents=_table(sorted(contents), 4, 2),
            finals=_table(self._residence.lasting(), 4, 2),
            **{name: _table(rows, self._columns[name], 3) for name, rows in self._tables.items()},
            width=self._width,
        )

    def _agenda(self) -> dict[int, _Cycle]:
        found: dict[int, _Cycle] = defaultdict(_Cycle)
        for i, carry in enumerate(self._carries):
            for beat in range(carry.beats):
                found[carry.cycle + beat].departing.append((i, beat))
                found[carry.arrival + beat].arriving.append((i, beat))
        for launch in self._launches:
            found[self._begin(launch)].results.append(launch)
            if launch.heir_of is not None:
                found[launch.start].heirs.append(launch)
            writes = launch.done - steps_of(launch.form) + 1
            for step in launch.steps():
                found[launch.start + step.round].fires.append((launch, step))
                if step.last:
                    found[writes + step.round].writes.append((launch, step))
        return found

    def _begin(self, launch: Launch) -> int:
        """Return the cycle in which the space of a result begins."""
        if launch.heir_of is not None:
            return launch.start
        held = self._hardware.points[launch.actor.result_at].kind != "Adder"
        return launch.done - (launch.form["hold"] - 1 if held else 0)

    def _cycle(self, cycle: int, now: _Cycle) -> None:
        self._residence.leave(cycle)
        late = [launch for launch in now.heirs if not self._hand_over(launch)]
        for launch in sorted(now.results, key=lambda x: (x.actor.index, x.result)):
            if launch.heir_of is None:
                at = launch.actor.result_at
                self._residence.come(launch.result, at, cycle, _end(launch))
        for i, beat in sorted(now.arriving, key=lambda x: self._place(*x)):
            carry = self._carries[i]
            if beat == 0 and carry.end is not None:
                at = self._hardware.wires[carry.wire].target
                self._residence.come(carry.datum, at, cycle, carry.end)
        for launch in late:
            if not self._hand_over(launch):
                name = launch.actor.name
                rule = f"Actor {name!r} updates datum {launch.heir_of}, which is not there"
                raise InputError(f"Program: cycle {cycle}: {rule}")
        here: dict[tuple[int, int, int], tuple[int, int]] = {}
        for i, beat in sorted(now.arriving, key=lambda x: self._place(*x)):
            self._arrive(i, beat, here)
        for i, beat in now.departing:
            self._depart(i, beat, here)
        for launch, step in now.fires:
            self._fire(launch, step)
        for launch, step in now.writes:
            self._write(launch, step, cycle)

    def _hand_over(self, launch: Launch) -> bool:
        datum, at = launch.heir_of, launch.actor.at
        if datum is None or self._residence.find(datum, at) is None:
            return False
        start, end = launch.start, _end(launch)
        self._residence.hand_over(datum, launch.result, at, start, end)
        return True

    def _place(self, i: int, beat: int) -> tuple[int, int]:
        """Return Wire and lowest lane of a beat."""
        carry = self._carries[i]
        return carry.wire, self._lanes[carry.wire, carry.cycle + beat, i]

    def _pieces(self, i: int, beat: int) -> Iterator[tuple[int, int, int]]:
        """Yield lane, first bit of the datum and bits, for each lane of a beat."""
        carry = self._carries[i]
        wire, size = self._hardware.wires[carry.wire], self._sizes[carry.datum]
        _, lowest = self._place(i, beat)
        for k in range(wire.lanes_of(size, beat)):
            bit = beat * wire.bandwidth + k * wire.lane
            yield lowest + k, bit, min(wire.lane, size - bit)

    def _arrive(self, i: int, beat: int, here: dict[tuple[int, int, int], tuple[int, int]]) -> None:
        carry = self._carries[i]
        target = self._hardware.points[self._hardware.wires[carry.wire].target]
        cycle = carry.arrival + beat
        if not target.stores:
            here.setdefault((carry.datum, target.index, beat), self._place(i, beat))
            return
        found = self._residence.find(carry.datum, target.index)
        first = target.kind == "Adder" and found is not None and found.begin == cycle
        for lane, bit, _ in self._pieces(i, beat):
            row, offset = self._address(carry.datum, target, bit)
            self._tables["lands"].append([cycle, carry.wire, lane, row, offset, first])

    def _depart(self, i: int, beat: int, here: dict[tuple[int, int, int], tuple[int, int]]) -> None:
        carry = self._carries[i]
        source = self._hardware.points[self._hardware.wires[carry.wire].source]
        cycle, word = carry.cycle + beat, self._hardware.word
        if source.stores:
            for lane, bit, bits in self._pieces(i, beat):
                row, offset = self._address(carry.datum, source, bit)
                self._tables["sends"].append([cycle, carry.wire, lane, row, offset, bits // word])
            return
        if (carry.datum, source.index, beat) not in here:
            rule = f"datum {carry.datum} leaves {source.name!r}, but does not come there"
            raise InputError(f"Program: cycle {cycle}: {rule}")
        wire, lowest = here[carry.datum, source.index, beat]
        for k, (lane, _, _) in enumerate(self._pieces(i, beat)):
            self._tables["steers"].append([cycle, carry.wire, lane, wire, lowest + k])

    def _fire(self, launch: Launch, step: Step) -> None:
        actor = launch.actor
        told = [launch.start + step.round, actor.index, step.unit, launch.form["code"]]
        told += [int(step.first), int(step.last), int(step.more)]
        slots = [[0] * (2 + self._width) for _ in range(OPERANDS)]
        for slot, datum, element in step.slots:
            at = self._hardware.points[actor.at]
            lies = launch.result if datum == launch.heir_of else datum
            slots[slot] = self._element(datum, lies, at, element)
        self._tables["fires"].append([*told, *(number for slot in slots for number in slot)])

    def _write(self, launch: Launch, step: Step, cycle: int) -> None:
        actor, result = launch.actor, launch.result
        at = self._hardware.points[actor.result_at]
        size, offset, *rows = self._element(result, result, at, step.element)
        found = self._residence.find(result, at.index)
        begins = found is not None and found.begin == launch.done
        first = int(at.kind == "Adder" and begins)
        self._tables["results"].append([cycle, actor.index, step.unit, size, offset, first, *rows])

    def _element(self, datum: int, lies: int, at: Point, element: int) -> list[int]:
        """Return size, word offset and rows of an element, where datum ``lies`` lies."""
        bits = self._program.data[datum][1]
        _, offset = divmod(element * bits, at.row)
        word = self._hardware.word
        rows = [0] * self._width
        for i in range(-(-bits // at.row)):
            rows[i] = self._residence.row(lies, at.index, element * bits // at.row + i)
        return [bits // word, offset // word, *rows]

    def _address(self, datum: int, at: Point, bit: int) -> tuple[int, int]:
        part, offset = divmod(bit, at.row)
        return self._residence.row(datum, at.index, part), offset // self._hardware.word


class _Cycle:
    """What happens in one cycle: Carries and their beats, Ops and their steps."""

    def __init__(self) -> None:
        self.arriving: list[tuple[int, int]] = []
        self.departing: list[tuple[int, int]] = []
        self.results: list[Launch] = []
        self.heirs: list[Launch] = []
        self.fires: list[tuple[Launch, Step]] = []
        self.writes: list[tuple[Launch, Step]] = []


def _lanes(hardware: Hardware, sizes: list[int], found: list[Carry]) -> Lanes:
    """Give every beat its lowest lane: by departure, then by datum (rule 1 of the contract)."""
    made: Lanes = {}
    taken: dict[tuple[int, int], int] = defaultdict(int)
    order = sorted(range(len(found)), key=lambda i: (found[i].cycle, found[i].datum))
    for i in order:
        carry = found[i]
        wire = hardware.wires[carry.wire]
        for beat in range(carry.beats):
            cycle = carry.cycle + beat
            made[carry.wire, cycle, i] = taken[carry.wire, cycle]
            taken[carry.wire, cycle] += wire.lanes_of(sizes[carry.datum], beat)
    return made


def _width(hardware: Hardware) -> int:
    """Return the rows that the widest element of any Actor takes."""

    def rows(actor: Actor, point: int) -> int:
        return hardware.points[point].rows_of(actor.bits)

    return max((rows(a, p) for a in hardware.actors for p in (a.at, a.result_at)), default=1)


def _end(launch: Launch) -> int:
    return FOREVER if launch.stay == FOREVER else launch.done + launch.stay


def _table(rows: Sequence[Sequence[int]], columns: int, keys: int) -> np.ndarray:
    table = np.array(rows, np.int64).reshape(-1, columns)
    ordered: np.ndarray = table[np.lexsort([table[:, i] for i in reversed(range(keys))])]
    return ordered
