"""Replay: what a Schedule promises to each datum, pruned to what its uses need, put into an engine.

With every Firing where it is, each datum has uses (a Node, the cycle by which it must be there, and
how long it stays), and the Moves that serve them. Any set of uses tells which of the Moves serve
it; the others can go.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hwdsl.workload import Request

from .engine import Engine, make_engine
from .explain import why_late
from .occupancy import FOREVER
from .schedule import MOVE, Schedule, Unserved
from .state import Path, Stay

Step = tuple[int, int]
"""A Move of a known datum: departure cycle, and Wire."""

Steps = tuple[Step, ...]
"""Moves of one datum, sorted."""

Copies = dict[int, list[tuple[int, int]]]
"""For each Point, the cycles from which a copy is there, each with the place of its Move."""


@dataclass(frozen=True)
class Use:
    """That a datum be at a Point from cycle ``by`` to cycle ``last``.

    Attributes
    ----------
    request : int or None
        Index into ``Workload.requests``; ``None`` for an operand, which cannot be given up.
    """

    datum: int
    point: int
    by: int
    last: int
    request: int | None = None


class Replay:
    """A Schedule, datum by datum, on fixed Firings.

    Attributes
    ----------
    steps : list
        For each datum, its Moves.
    uses : list
        For each datum, the uses that are served.
    missing : dict
        For each request that is not served, its use; those without ``by`` are left out.
    free : list of bool
        Which data may be routed anew. Those that some item wants carried on its own, or only after
        a result, or that an Op updates in place, stay as they are.
    """

    def __init__(self, schedule: Schedule, engine: str = "auto"):
        self.schedule = schedule
        self._engine = engine
        self.hardware = schedule.hardware
        self.workload = schedule.workload
        self.sizes = [d.size for d in self.workload.data]
        self.steps: list[Steps] = _steps(schedule)
        self.born: list[tuple[int, Stay] | None] = [None] * len(self.sizes)
        self.uses: list[list[Use]] = [[] for _ in self.sizes]
        self.missing: dict[int, Use] = {}
        self.free = [True] * len(self.sizes)
        self._over: dict[int, list[tuple[int, int]]] = {}
        for datum in self.workload.data:
            if datum.loaded_at is not None:
                point = self.hardware.point(datum.loaded_at).index
                self.born[datum.index] = (point, Stay(0, 0, 0))
        self._fire()
        given_up = {u.request for u in schedule.unserved}
        for request in self.workload.requests:
            self._ask(request, request.index in given_up)

    def _fire(self) -> None:
        times = self.schedule.times
        for firing, latency, hold in zip(
            self.schedule.firings.tolist(), times.latency.tolist(), times.hold.tolist(), strict=True
        ):
            index, _, actor_index, start = firing
            op, actor = self.workload.ops[index], self.hardware.actors[actor_index]
            updated = None if op.into is None else op.operands[op.into]
            for datum in dict.fromkeys(op.operands):
                last = start if datum is updated else start + hold - 1
                self.uses[datum.index].append(Use(datum.index, actor.at, start, last))
                self.free[datum.index] &= op.reuse
            begin = start + latency - hold + 1
            if updated is not None:
                self.free[updated.index] = False
                self._over.setdefault(updated.index, []).append((actor.at, start))
                begin = start
            made = Stay(begin, start + latency, start + latency)
            self.born[op.result.index] = (actor.result_at, made)

    def _ask(self, request: Request, given_up: bool) -> None:
        datum, point = request.datum.index, self.hardware.point(request.node).index
        self.free[datum] &= request.reuse and request.source is None and request.after is None
        by = request.by
        if by is None and not given_up:
            by = self.copies(datum, self.steps[datum])[point][-1][0]
        if by is not None:
            use = Use(datum, point, by, FOREVER if request.store else by, request.index)
            if given_up:
                self.missing[request.index] = use
            else:
                self.uses[datum].append(use)

    # One datum

    def copies(self, datum: int, steps: Iterable[Step]) -> Copies:
        """Return where and since when there are copies of a datum.

        Each comes with its Move's place in ``steps``: -1 for where the datum was loaded or made.
        """
        found: Copies = {}
        born = self.born[datum]
        if born is not None:
            found[born[0]] = [(born[1].complete, -1)]
        wires, points, size = self.hardware.wires, self.hardware.points, self.sizes[datum]
        for place, (cycle, index) in enumerate(steps):
            wire = wires[index]
            beats = wire.beats(size) if points[wire.target].stores else 1
            ready = cycle + wire.latency + beats - 1
            found.setdefault(wire.target, []).append((ready, place))
        for copies in found.values():
            copies.sort()
        return found

    def needed(self, datum: int, steps: Steps, uses: Iterable[Use]) -> Steps:
        """Return the Moves without which some of the uses would not be served."""
        copies = self.copies(datum, steps)
        kept: set[int] = set()
        open_ends = [(use.point, use.by) for use in uses]
        while open_ends:
            _, place = _serving(copies, *open_ends.pop())
            if place >= 0 and place not in kept:
                kept.add(place)
                cycle, index = steps[place]
                open_ends.append((self.hardware.wires[index].source, cycle))
        return tuple(step for place, step in enumerate(steps) if place in kept)

    def put(self, engine: Engine, datum: int, steps: Steps, uses: Iterable[Use]) -> None:
        """Promise a datum's Moves and uses to an engine that has promised it nothing yet."""
        born = self.born[datum]
        if born is None:
            return
        engine.stay(datum, *born)
        copies = self.copies(datum, steps)
        for path in self._paths(steps, copies):
            engine.commit(datum, path, 0)
        for use in uses:
            ready, _ = _serving(copies, use.point, use.by)
            engine.commit(datum, Path((use.point, ready), (), 0), use.last)
        for point, cycle in self._over.get(datum, ()):
            engine.hand_over(datum, point, cycle)

    def _paths(self, steps: Steps, copies: Copies) -> Iterator[Path]:
        """Yield the Moves as paths from a copy to a Node; a branch starts at its fork."""
        points, wires = self.hardware.points, self.hardware.wires
        passed: set[int] = set()
        for cycle, index in steps:
            if not points[wires[index].target].stores:
                continue
            moves = [(index, cycle)]
            while True:
                source = wires[moves[0][0]].source
                ready, place = _serving(copies, source, moves[0][1])
                if points[source].stores or place in passed:
                    break
                passed.add(place)
                moves.insert(0, steps[place][::-1])
            yield Path((source, ready), tuple(moves), 0)

    def energy(self, engine: Engine, datum: int, steps: Iterable[Step]) -> int:
        """Return what a datum's Moves and stays in an engine cost, in 1e-6 pJ."""
        points, wires, size = self.hardware.points, self.hardware.wires, self.sizes[datum]
        total = sum(
            ((points[wires[index].source].energy or 0) + (wires[index].energy or 0)) * size
            for _, index in steps
        )
        if not any(p.hold_energy for p in points):
            return total
        for place in engine.places(datum):
            hold = (points[place].hold_energy or 0) * size
            for stay in engine.stays_at(datum, place) if hold else ():
                end = self.schedule.cycles if stay.end >= FOREVER else stay.end
                total += hold * max(end - stay.complete, 0)
        return total

    # The whole

    def engine(self) -> Engine:
        """Return a fresh engine in which the Firings have their units, and no datum is anywhere."""
        made = make_engine(self._engine, self.hardware, self.sizes)
        times = self.schedule.times
        for firing, cooldown, units in zip(
            self.schedule.firings.tolist(),
            times.cooldown.tolist(),
            times.units.tolist(),
            strict=True,
        ):
            made.start(firing[2], firing[3], cooldown, units)
        return made

    def result(self) -> Schedule:
        """Return the Schedule of the Moves as they are now."""
        rows = [(d, w, c) for d, steps in enumerate(self.steps) for c, w in steps]
        table = np.array(rows, np.int64).reshape(-1, 3)
        moves = np.empty(len(table), MOVE)
        moves["datum"], moves["wire"], moves["cycle"] = table.T
        moves = moves[np.lexsort([moves["datum"], moves["wire"], moves["cycle"]])]
        served = {use.request for uses in self.uses for use in uses}
        left = tuple(
            Unserved(u.request, partial(self._why, u)) if u.request in self.missing else u
            for u in self.schedule.unserved
            if u.request not in served
        )
        return replace(self.schedule, moves=moves, unserved=left)

    def _why(self, unserved: Unserved) -> tuple[str, int | None]:
        """Say what stands in the way of a request once all else is promised."""
        request = self.workload.requests[unserved.request]
        datum, born = request.datum, self.born[request.datum.index]
        only = born[0] if born is not None and not request.reuse else None
        if request.source is not None:
            only = self.hardware.point(request.source).index
        engine = self.engine()
        for other, steps in enumerate(self.steps):
            self.put(engine, other, steps, self.uses[other])
        point = self.hardware.point(request.node).index
        return why_late(engine, self.workload, datum, point, request.by, only)


def _steps(schedule: Schedule) -> list[Steps]:
    moves = schedule.moves
    by_datum: list[list[Step]] = [[] for _ in schedule.workload.data]
    for datum, wire, cycle in moves.tolist():
        by_datum[datum].append((cycle, wire))
    return [tuple(sorted(steps)) for steps in by_datum]


def _serving(copies: dict[int, list[tuple[int, int]]], point: int, cycle: int) -> tuple[int, int]:
    """Return the latest copy at a Point by a cycle: since when it is there, and its place."""
    there = copies[point]
    return there[bisect_right(there, (cycle, FOREVER)) - 1]
