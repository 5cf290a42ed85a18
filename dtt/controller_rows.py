"""The rows that a controller gives out, as far as time goes: what each change takes."""

from __future__ import annotations

from collections import defaultdict

from hwdsl.hardware import Hardware
from hwdsl.launches import Launch
from hwdsl.waypoints import FOREVER, Waypoints


def end_of(launch: Launch) -> int:
    """Return the last cycle for which the result of an Op stays where it is made."""
    return FOREVER if launch.stay == FOREVER else launch.done + launch.stay


class Rows:
    """Which data are in which Node, and what ends when: lists in a ring."""

    def __init__(self, hardware: Hardware, program: Waypoints):
        self._hardware, self._sizes = hardware, program.sizes()
        self._ring = ring_of(hardware, program)
        self._ends: dict[tuple[int, int], int] = {}
        self._linked: set[tuple[int, int]] = set()
        self._lists: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def _size(self, datum: int, point: int) -> int:
        return self._hardware.points[point].rows_of(self._sizes[datum])

    def come(self, datum: int, point: int, cycle: int, end: int) -> int:
        """Return the clock cycles from the one that asks to the one that sees it done."""
        here = (datum, point)
        if here in self._ends:
            known = self._ends[here]
            self._ends[here] = FOREVER if FOREVER in (known, end) else max(known, end)
            return 2
        self._ends[here] = end
        self._link(here)
        return self._size(datum, point) + 3

    def hand(self, launch: Launch, cycle: int) -> int:
        """As `come`; 0: there is nothing to be handed over."""
        old, node = launch.heir_of or 0, launch.actor.at
        if self._ends.pop((old, node), None) is None:
            return 0
        self._ends[launch.result, node] = end_of(launch)
        self._link((launch.result, node))
        return self._size(old, node) + 3

    def _link(self, here: tuple[int, int]) -> None:
        if self._ends[here] != FOREVER and here not in self._linked:
            self._linked.add(here)
            self._lists[self._ends[here] % self._ring].append(here)

    def ending(self, cycle: int) -> bool:
        return bool(self._lists.get((cycle - 1) % self._ring))

    def sweep(self, cycle: int) -> int:
        clocks = 0
        for here in self._lists.pop((cycle - 1) % self._ring):
            self._linked.discard(here)
            clocks += 2
            if self._ends.get(here) == cycle - 1:
                clocks += self._size(*here)
                del self._ends[here]
            elif here in self._ends:
                clocks += 1
                self._link(here)
        return clocks


def ring_of(hardware: Hardware, program: Waypoints) -> int:
    """Return the cycles that the controller of a program keeps in mind, a power of two."""
    largest = max(program.sizes(), default=1)
    beats = max((w.beats(largest) for w in hardware.wires), default=1)
    latest = max((w.latency for w in hardware.wires), default=1)
    return 1 << (program.window + 2 * beats + latest + 1).bit_length()
