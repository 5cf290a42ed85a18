"""State: everything promised so far - which lanes, rows and units, and where each datum is when.

Every change can be taken back to a `mark`, so a placement that fails half-way leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hwdsl.hardware import Hardware, Wire

from .occupancy import FOREVER, Occupancy


@dataclass(frozen=True)
class Stay:
    """One presence of a datum in a Node.

    Attributes
    ----------
    begin, complete, end : int
        Space is taken from ``begin``, the datum is readable from ``complete``, and its last
        promised use is in cycle ``end``.
    open : bool
        Whether the space is kept to the end of time, because the datum is still wanted and this
        is the copy that stays.
    """

    begin: int
    complete: int
    end: int
    open: bool = False

    @property
    def last(self) -> int:
        """The last cycle for which space is kept."""
        return FOREVER if self.open else self.end


@dataclass(frozen=True)
class Path:
    """A way through time for one datum.

    Attributes
    ----------
    start : tuple of int
        Point and cycle of the copy from which it starts.
    moves : tuple of (int, int)
        Wire and departure, in order.
    energy : int
        1e-6 pJ.
    """

    start: tuple[int, int]
    moves: tuple[tuple[int, int], ...]
    energy: int


class State:
    """What is promised on a Hardware to data of given sizes.

    Parameters
    ----------
    hardware : Hardware
    sizes : sequence of int
        Bits of each datum.
    """

    def __init__(self, hardware: Hardware, sizes: Sequence[int]):
        self.hardware = hardware
        self.sizes = sizes
        self.lanes = [Occupancy() for _ in hardware.wires]
        self.rows = [Occupancy() for _ in hardware.points]
        self.units = [Occupancy() for _ in hardware.actors]
        self.stays: list[dict[int, tuple[Stay, ...]]] = [{} for _ in sizes]
        self.passes: list[dict[tuple[int, int], frozenset[int]]] = [{} for _ in sizes]
        self.departed: dict[tuple[int, int, int], None] = {}
        self.updated: dict[tuple[int, int], tuple[int, ...]] = {}
        self._undo: list[Callable[[], object]] = []

    def mark(self) -> int:
        """Return a point in the history to which `rollback` can return."""
        return len(self._undo)

    def rollback(self, mark: int) -> None:
        """Take back every change made since ``mark``."""
        while len(self._undo) > mark:
            self._undo.pop()()

    @property
    def settled(self) -> int:
        """The cycle from which nothing promised changes any more."""
        return max(o.settled for group in (self.lanes, self.rows, self.units) for o in group)

    # What is in use

    def rows_used(self, point: int, first: int, last: int) -> int:
        """Return the most rows of a Point that are taken in one of the cycles ``first .. last``."""
        return self.rows[point].peak(first, last)

    def units_used(self, actor: int, first: int, last: int) -> int:
        """Return the most units of an Actor in use in one of the cycles ``first .. last``."""
        return self.units[actor].peak(first, last)

    def departures(self, wire: int) -> list[tuple[int, int]]:
        """Return the cycle and the datum of every Move on a Wire, in order."""
        return sorted((cycle, datum) for datum, used, cycle in self.departed if used == wire)

    # Where a datum is

    def places(self, datum: int) -> list[int]:
        """Return the Points in which the datum ever is, in order."""
        return sorted(point for point, stays in self.stays[datum].items() if stays)

    def present(self, point: int) -> list[int]:
        """Return the data that are ever in a Node, in order."""
        return [datum for datum, stays in enumerate(self.stays) if stays.get(point)]

    def stays_at(self, datum: int, point: int) -> tuple[Stay, ...]:
        return self.stays[datum].get(point, ())

    def home(self, datum: int) -> int | None:
        """Return the Point of the copy that is kept open, if any."""
        for point, stays in self.stays[datum].items():
            if any(stay.open for stay in stays):
                return point
        return None

    def holds(self, datum: int, point: int, cycle: int) -> bool:
        """Whether the datum is readable at ``point`` in ``cycle`` as things are promised."""
        return any(s.complete <= cycle <= s.last for s in self.stays_at(datum, point))

    def covers(self, datum: int, point: int, first: int, last: int) -> bool:
        """Whether the datum has space at ``point`` in all of ``first .. last`` already."""
        return not any(self._gaps(datum, point, first, last))

    def paid(self, datum: int, point: int, cycle: int) -> bool:
        """Whether the stay of the datum at ``point`` in ``cycle`` is already promised to a use."""
        return any(s.begin <= cycle <= s.end for s in self.stays_at(datum, point))

    def room(self, datum: int, point: int, first: int, last: int) -> bool:
        """Whether the datum may be at ``point`` in all of ``first .. last``, as one presence."""
        if any(first <= cycle <= last for cycle in self.updated.get((datum, point), ())):
            return False
        node = self.hardware.points[point]
        free = node.rows - node.rows_of(self.sizes[datum])
        return all(
            self.rows[point].peak(begin, end) <= free
            for begin, end in self._gaps(datum, point, first, last)
        )

    def _gaps(self, datum: int, point: int, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of ``first .. last`` for which the datum has no space there yet."""
        for stay in self.stays_at(datum, point):
            if stay.last < first:
                continue
            if stay.begin > last:
                break
            if first < stay.begin:
                yield first, stay.begin - 1
            first = stay.last + 1
        if first <= last:
            yield first, last

    # Promises

    def stay(self, datum: int, point: int, new: Stay) -> None:
        """Let a datum be in a Node; presences that share a cycle become one."""
        apart, merged = [], new
        for old in self.stays_at(datum, point):
            if old.last < new.begin or new.last < old.begin:
                apart.append(old)
            else:
                merged = Stay(
                    min(old.begin, merged.begin),
                    min(old.complete, merged.complete),
                    max(old.end, merged.end),
                    old.open or merged.open,
                )
        self._set_stays(datum, point, tuple(sorted([*apart, merged], key=lambda s: s.begin)))

    def close(self, datum: int) -> None:
        """End the stay that is kept open with its last promised use."""
        for point, stays in list(self.stays[datum].items()):
            if any(s.open for s in stays):
                closed = tuple(replace(s, open=False) for s in stays)
                self._set_stays(datum, point, closed)

    def may_update(self, datum: int, point: int, cycle: int, wanted: bool) -> bool:
        """Whether a datum may be updated in place in ``cycle``.

        Nobody else may be promised this copy then or later; ``wanted`` tells that others still
        want the datum, so that the copy that stays for them is no such copy either.
        """
        return not any(
            stay.begin <= cycle <= stay.last and (stay.end >= cycle or wanted)
            for stay in self.stays_at(datum, point)
        )

    def hand_over(self, datum: int, point: int, cycle: int) -> None:
        """Let the stay of a datum that is there in ``cycle`` end before, in favour of a result."""
        kept = []
        for stay in self.stays_at(datum, point):
            if not stay.complete <= cycle <= stay.end:
                kept.append(stay)
            elif stay.begin < cycle:
                kept.append(replace(stay, end=cycle - 1))
        self._set_stays(datum, point, tuple(kept))
        key = (datum, point)
        before = self.updated.get(key, ())
        self.updated[key] = (*before, cycle)
        self._undo.append(lambda: self.updated.update({key: before}))

    def commit(self, datum: int, path: Path, until: int, keep_open: bool = False) -> None:
        """Promise a path, and that the datum stays where it ends until cycle ``until``."""
        size = self.sizes[datum]
        point, since = path.start
        begin = since
        passed = self.passes[datum].get(path.start, frozenset())
        for index, cycle in path.moves:
            wire = self.hardware.wires[index]
            beats = wire.beats(size)
            self._carry(datum, wire, cycle)
            if self.hardware.points[point].stores:
                self.stay(datum, point, Stay(begin, since, cycle + beats - 1))
                passed = frozenset()
            point, begin = wire.target, cycle + wire.latency
            since = begin + beats - 1
            if not self.hardware.points[point].stores:
                passed |= {point}
                self._set_pass(datum, (point, begin), passed)
        self.stay(datum, point, Stay(begin, since, max(until, since), keep_open))

    def start(self, actor: int, cycle: int, cooldown: int, units: int) -> None:
        """Keep units of an Actor busy."""
        self.units[actor].add(cycle, cycle + cooldown - 1, units)
        self._undo.append(lambda: self.units[actor].add(cycle, cycle + cooldown - 1, -units))

    def lanes_free(self, datum: int, wire: Wire, cycle: int) -> bool:
        """Whether the datum can depart on ``wire`` in ``cycle``."""
        if (datum, wire.index, cycle) in self.departed:
            return False
        used = self.lanes[wire.index]
        last = wire.beats(self.sizes[datum]) - 1
        if (
            used.peak(cycle + last, cycle + last) + wire.lanes_of(self.sizes[datum], last)
            > wire.lanes
        ):
            return False
        return last == 0 or used.peak(cycle, cycle + last - 1) == 0

    def _carry(self, datum: int, wire: Wire, cycle: int) -> None:
        last = wire.beats(self.sizes[datum]) - 1
        spans = [(cycle + last, cycle + last, wire.lanes_of(self.sizes[datum], last))]
        if last:
            spans.append((cycle, cycle + last - 1, wire.lanes))
        used = self.lanes[wire.index]
        for first, end, lanes in spans:
            used.add(first, end, lanes)
        key = (datum, wire.index, cycle)
        self.departed[key] = None

        def undo() -> None:
            for first, end, lanes in spans:
                used.add(first, end, -lanes)
            del self.departed[key]

        self._undo.append(undo)

    def _set_pass(self, datum: int, key: tuple[int, int], passed: frozenset[int]) -> None:
        if key not in self.passes[datum]:
            self.passes[datum][key] = passed
            self._undo.append(lambda: self.passes[datum].pop(key))

    def _set_stays(self, datum: int, point: int, new: tuple[Stay, ...]) -> None:
        old = self.stays_at(datum, point)
        self._claim(datum, point, old, -1)
        self._claim(datum, point, new, 1)
        self.stays[datum][point] = new

        def undo() -> None:
            self._claim(datum, point, new, -1)
            self._claim(datum, point, old, 1)
            self.stays[datum][point] = old

        self._undo.append(undo)

    def _claim(self, datum: int, point: int, stays: Sequence[Stay], sign: int) -> None:
        rows = self.hardware.points[point].rows_of(self.sizes[datum])
        for stay in stays:
            self.rows[point].add(stay.begin, stay.last, sign * rows)
