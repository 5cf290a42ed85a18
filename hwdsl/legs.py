"""Legs: the Moves between two way-points, found again by the rule of docs/rebuild.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .errors import InputError
from .hardware import Hardware
from .waypoints import FOREVER, HOME, OPERATION, PATH, WAY_POINT, Kind, Waypoints


@dataclass(frozen=True)
class Carry:
    """One Move that was found.

    Attributes
    ----------
    arrival, done : int
        The cycle of its first beat at the target; of the last one in a Node, else of the first.
    end : int or None
        The last cycle for which it keeps the datum in the Node at its end (`FOREVER`: to the end of
        time); ``None`` at a Junction.
    leg : int
        The way-point that it leads to, counted over the whole program.
    """

    datum: int
    wire: int
    cycle: int
    beats: int
    arrival: int
    done: int
    end: int | None
    leg: int


class Reservations:
    """Which lanes of which Wire are taken, cycle by cycle.

    A set of cycles is an integer: bit t is cycle t.
    """

    def __init__(self, hardware: Hardware):
        self.hardware = hardware
        # [wire][k]: in which cycles more than k lanes are taken
        self._taken = [[0] * wire.lanes for wire in hardware.wires]

    def departures(self, wire: int, size: int, start: int, cycles: int) -> int:
        """Return when a datum can depart; bit i is cycle ``start + i``."""
        line, taken = self.hardware.wires[wire], self._taken[wire]
        found = (1 << cycles) - 1
        for beat in range(line.beats(size)):
            found &= ~(taken[line.lanes - line.lanes_of(size, beat)] >> (start + beat))
        return found

    def reserve(self, wire: int, size: int, cycle: int) -> None:
        """Take the lanes of a departure.

        Raises
        ------
        InputError
            If there are not so many left.
        """
        line, taken = self.hardware.wires[wire], self._taken[wire]
        for beat in range(line.beats(size)):
            lanes, bit = line.lanes_of(size, beat), 1 << (cycle + beat)
            used = sum(1 for cycles in taken if cycles & bit)
            if used + lanes > line.lanes:
                rule = f"{used} of {line.lanes} lanes are taken in cycle {cycle + beat}"
                raise InputError(f"Program: Wire {line.name!r}: {rule}, and {lanes} more are asked")
            for k in range(used, used + lanes):
                taken[k] |= bit


@dataclass(frozen=True)
class Leg:
    """What a search is asked for; cycles count from the start of the path.

    Attributes
    ----------
    source, begin : int
        Where the datum is, and when.
    target : int
    last : int
        It must be there by then; in a Junction, if ``exactly``, just then.
    """

    size: int
    source: int
    begin: int
    target: int
    last: int
    exactly: bool


class Search:
    """A search in one window.

    Parameters
    ----------
    start : int
        The first cycle of the window.
    """

    def __init__(self, reservations: Reservations, start: int, window: int):
        self._hardware = reservations.hardware
        self._reservations, self._start, self.window = reservations, start, window
        self._all = (1 << window) - 1
        self._departures: dict[int, int] = {}
        self._size = 0

    def moves(self, leg: Leg) -> list[tuple[int, int]] | None:
        """Return Wire and departure (cycle of the window) of each Move, or ``None``: no way."""
        self._size, self._departures = leg.size, {}
        wanted = (2 << leg.last) - 1
        if leg.exactly:
            wanted = 1 << leg.last
        levels = [{leg.source: self._wait(leg.source, 1 << leg.begin)}]
        changed = [leg.source]
        while not levels[-1].get(leg.target, 0) & wanted & self._all:
            levels.append(dict(levels[-1]))
            changed = self._spread(levels[-2], levels[-1], changed)
            if not changed:
                return None
        return self._back(levels, leg.target, wanted)

    def _wait(self, point: int, cycles: int) -> int:
        """Return when the datum is at a Point where it can be in these cycles, and can wait."""
        cycles &= self._all
        if cycles and self._hardware.points[point].stores:
            return self._all & -(cycles & -cycles)
        return cycles

    def _spread(
        self, before: dict[int, int], after: dict[int, int], changed: list[int]
    ) -> list[int]:
        """Add what one Move more leads to; return the Points where that is something new."""
        found = set()
        for point in changed:
            for wire in self._hardware.outgoing[point]:
                leaving = before[point] & self._departing(wire.index)
                there = self._wait(wire.target, leaving << self._delay(wire.index))
                known = after.get(wire.target, 0)
                if there & ~known:
                    after[wire.target] = known | there
                    found.add(wire.target)
        return sorted(found)

    def _departing(self, wire: int) -> int:
        if wire not in self._departures:
            given = (wire, self._size, self._start, self.window)
            self._departures[wire] = self._reservations.departures(*given)
        return self._departures[wire]

    def _delay(self, wire: int) -> int:
        """Return the cycles from a departure to being at the Wire's end."""
        line = self._hardware.wires[wire]
        rest = line.beats(self._size) - 1 if self._hardware.points[line.target].stores else 0
        return line.latency + rest

    def _back(self, levels: list[dict[int, int]], point: int, wanted: int) -> list[tuple[int, int]]:
        moves: list[tuple[int, int]] = []
        cycle = _first(levels[-1][point] & wanted)
        for k in reversed(range(1, len(levels))):
            if self._hardware.points[point].stores:
                cycle = _first(levels[k][point])
            wire, cycle = next(self._before(levels[k - 1], point, cycle))
            moves.append((wire, cycle))
            point = self._hardware.wires[wire].source
        return moves[::-1]

    def _before(self, level: dict[int, int], point: int, cycle: int) -> Iterator[tuple[int, int]]:
        """Yield the Wires by which the datum comes to a Point in a cycle, and when it departs."""
        for wire in self._hardware.incoming[point]:
            departure = cycle - self._delay(wire.index)
            if departure >= 0:
                can = level.get(wire.source, 0) & self._departing(wire.index)
                if can >> departure & 1:
                    yield wire.index, departure


def _first(cycles: int) -> int:
    return (cycles & -cycles).bit_length() - 1


def carries(hardware: Hardware, program: Waypoints) -> list[Carry]:
    """Return all Moves of a program, path by path.

    Raises
    ------
    InputError
        If a path cannot be rebuilt.
    """
    reservations, sizes = Reservations(hardware), program.sizes()
    homes = _Homes(hardware, program)
    found: list[Carry] = []
    points = enumerate(program.points.tolist())
    for number, row in enumerate(program.paths.tolist()):
        path = dict(zip(PATH, row, strict=True))
        search = Search(reservations, path["start"], program.window)
        at, cycle = homes.source(path), path["start"]
        moves: list[_Move] = []
        for place in range(path["points"]):
            way_point, row = next(points)
            told = dict(zip(WAY_POINT, row, strict=True))
            if place == 0 and told["kind"] == Kind.STEP:
                at = hardware.wires[told["place"]].source
            cycle += told["wait"]
            leg = _leg(hardware, search, sizes[path["datum"]], at, cycle, path["start"], told)
            if leg is None:
                raise InputError(f"Program: path {number}: there is no way to a way-point in time")
            for wire, departure in leg:
                reservations.reserve(wire, sizes[path["datum"]], departure)
            moves += [(*move, None, way_point) for move in leg[:-1]]
            if leg:
                wire, departure = leg[-1]
                at = hardware.wires[wire].target
                cycle = _carry(hardware, sizes, path["datum"], wire, departure, way_point).done
                end = FOREVER if told["stay"] == FOREVER else cycle + told["stay"]
                moves.append((wire, departure, end, way_point))
        homes.bring(path["datum"], at)
        found += _kept(hardware, sizes, path["datum"], moves)
    return found


_Move = tuple[int, int, int | None, int]
"""Wire, departure, end if it is the last of its leg, and the way-point."""


class _Homes:
    """Where each datum was brought last."""

    def __init__(self, hardware: Hardware, program: Waypoints):
        self._known = dict(program.contents[:, :2].tolist())
        self._made = []
        for row in program.operations.tolist():
            op = dict(zip(OPERATION, row, strict=True))
            node = hardware.actors[op["actor"]].result_at
            self._made.append((op["start"], op["result"], node))
        self._made.reverse()

    def source(self, path: dict[str, int]) -> int:
        """Return where a path begins."""
        while self._made and self._made[-1][0] < path["start"]:
            _, result, node = self._made.pop()
            self.bring(result, node)
        return self._known.get(path["datum"], -1) if path["source"] == HOME else path["source"]

    def bring(self, datum: int, point: int) -> None:
        self._known[datum] = point


def _leg(
    hardware: Hardware,
    search: Search,
    size: int,
    at: int,
    cycle: int,
    start: int,
    told: dict[str, int],
) -> list[tuple[int, int]] | None:
    """Return Wire and departure of each Move of one leg."""
    if told["kind"] == Kind.STEP:
        return [(told["place"], cycle)] if hardware.wires[told["place"]].source == at else None
    begin, last, exactly = cycle - start, search.window - 1, False
    if told["kind"] == Kind.BY:
        last = min(last, begin + told["by"])
        exactly = not hardware.points[told["place"]].stores
    if begin > last or at < 0:
        return None
    found = search.moves(Leg(size, at, begin, told["place"], last, exactly))
    return None if found is None else [(wire, start + departure) for wire, departure in found]


def _carry(
    hardware: Hardware, sizes: list[int], datum: int, wire: int, cycle: int, leg: int
) -> Carry:
    line = hardware.wires[wire]
    beats, arrival = line.beats(sizes[datum]), cycle + line.latency
    stores = hardware.points[line.target].stores
    done = arrival + (beats - 1 if stores else 0)
    return Carry(datum, wire, cycle, beats, arrival, done, done if stores else None, leg)


def _kept(hardware: Hardware, sizes: list[int], datum: int, moves: list[_Move]) -> Iterator[Carry]:
    """Yield the Moves of one path; each keeps the datum for the one after it."""
    for i, (wire, cycle, end, leg) in enumerate(moves):
        made = _carry(hardware, sizes, datum, wire, cycle, leg)
        if made.end is not None:
            ends = [made.end] if end is None else [made.end, end]
            if i + 1 < len(moves):
                following, departure, *_ = moves[i + 1]
                ends.append(departure + hardware.wires[following].beats(sizes[datum]) - 1)
            made = replace(made, end=FOREVER if end == FOREVER else max(ends))
        yield made
