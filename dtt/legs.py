"""Legs: whether the rule of docs/rebuild.md gives back certain Moves, for the choice of way-points.

An implementation of its own, made for many questions: of all ways it follows only those that can
still be as short as the one that is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from hwdsl.hardware import Hardware

Moves = Sequence[tuple[int, int]]
"""Wire and departure of each Move of a leg."""

_FAR = 1 << 30
_KEPT = 4096
"""Cycles of reservations that may be out of date before they are forgotten."""


class Legs:
    """The reservations of the moment, and questions about them.

    A set of cycles is an integer: bit i of what is taken is cycle ``base + i`` of that Wire, and
    bit i of all else is cycle ``start + i``.
    """

    def __init__(self, hardware: Hardware, window: int):
        self._wires = hardware.wires
        self._outgoing = [[w.index for w in wires] for wires in hardware.outgoing]
        self._incoming = [[w.index for w in wires] for wires in hardware.incoming]
        self._stores = [point.stores for point in hardware.points]
        self._all = (1 << window) - 1
        self._taken = [[0] * wire.lanes for wire in hardware.wires]
        self._base = [0] * len(hardware.wires)
        self._distances: dict[int, list[int]] = {}
        self._start = self._size = -1
        self._departures: dict[int, int] = {}

    def open(self, start: int, size: int) -> None:
        """Look at the window from ``start`` on, for a datum of ``size`` bits."""
        self._start, self._size = start, size
        self._departures = {}

    def reserve(self, wire: int, cycle: int) -> None:
        line, taken = self._wires[wire], self._taken[wire]
        self._forget(wire)
        for beat in range(line.beats(self._size)):
            bit = 1 << (cycle + beat - self._base[wire])
            used = sum(1 for cycles in taken if cycles & bit)
            for k in range(used, used + line.lanes_of(self._size, beat)):
                taken[k] |= bit
        self._departures.pop(wire, None)

    def gives(self, source: int, begin: int, target: int, last: int, moves: Moves) -> bool:
        """Return whether a leg comes out as ``moves``.

        Parameters
        ----------
        begin, last : int
            When it begins, and by when it must end; cycles of the window. In a Junction it must
            end in just that cycle, if ``last`` is negative: in cycle ``-last - 1``.
        """
        distance = self._to(target)
        wanted = (2 << last) - 1 if last >= 0 else 1 << -last - 1
        most = len(moves)
        for count in range(distance[source], most + 1):
            levels = self._levels(source, begin, target, count)
            reached = levels[count].get(target, 0) & wanted & self._all
            if reached:
                return count == most and self._found(levels, target, reached, moves)
        return False

    def _levels(self, source: int, begin: int, target: int, count: int) -> list[dict[int, int]]:
        """Return when the datum can be where, with at most so many Moves, on ways of ``count``."""
        distance = self._to(target)
        levels = [{source: self._wait(source, 1 << begin)}]
        changed = [source]
        for k in range(1, count + 1):
            before = levels[-1]
            after = dict(before)
            found = []
            for point in changed:
                for wire in self._outgoing[point]:
                    there = self._wires[wire].target
                    if k + distance[there] > count:
                        continue
                    leaving = before[point] & self._leaving(wire)
                    can = self._wait(there, leaving << self._delay(wire))
                    known = after.get(there, 0)
                    if can & ~known:
                        after[there] = known | can
                        found.append(there)
            changed = list(dict.fromkeys(found))
            levels.append(after)
        return levels

    def _found(self, levels: list[dict[int, int]], target: int, reached: int, moves: Moves) -> bool:
        """Return whether the way back from the target is the one that is asked about."""
        point, cycle = target, _first(reached)
        for k in reversed(range(1, len(levels))):
            if self._stores[point]:
                cycle = _first(levels[k][point])
            for wire in self._incoming[point]:
                departure = cycle - self._delay(wire)
                can = levels[k - 1].get(self._wires[wire].source, 0) & self._leaving(wire)
                if departure >= 0 and can >> departure & 1:
                    break
            if (wire, self._start + departure) != moves[k - 1]:
                return False
            point, cycle = self._wires[wire].source, departure
        return True

    def _wait(self, point: int, cycles: int) -> int:
        cycles &= self._all
        return self._all & -(cycles & -cycles) if cycles and self._stores[point] else cycles

    def _delay(self, wire: int) -> int:
        line = self._wires[wire]
        return line.latency + (line.beats(self._size) - 1 if self._stores[line.target] else 0)

    def _leaving(self, wire: int) -> int:
        """Return when the datum can depart on a Wire."""
        found = self._departures.get(wire)
        if found is None:
            line, taken = self._wires[wire], self._taken[wire]
            shift = self._start - self._base[wire]
            found = self._all
            for beat in range(line.beats(self._size)):
                found &= ~(taken[-line.lanes_of(self._size, beat)] >> (shift + beat))
            self._departures[wire] = found
        return found

    def _forget(self, wire: int) -> None:
        old = self._start - self._base[wire]
        if old > _KEPT:
            self._taken[wire] = [cycles >> old for cycles in self._taken[wire]]
            self._base[wire] = self._start

    def _to(self, target: int) -> list[int]:
        """Return, for each Point, the fewest Moves to ``target``."""
        if target not in self._distances:
            distance = [_FAR] * len(self._stores)
            distance[target] = 0
            queue = [target]
            for point in queue:
                for wire in self._incoming[point]:
                    source = self._wires[wire].source
                    if distance[source] == _FAR:
                        distance[source] = distance[point] + 1
                        queue.append(source)
            self._distances[target] = distance
        return self._distances[target]


def _first(cycles: int) -> int:
    return (cycles & -cycles).bit_length() - 1
