"""Placing: which Actor starts which Op in which cycle, and the order in which data are routed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from hwdsl.errors import LimitReached, TimingFault
from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Datum, Op, Request, Workload

from .best_fit import Affinity, Coarse, operands_held
from .columns import data_sizes
from .engine import Engine, make_engine
from .explain import why_full, why_late
from .feasibility import Candidates, candidates
from .occupancy import FOREVER
from .progress import Progress
from .schedule import FIRING, Schedule, Unserved
from .spilling import make_room, move_home
from .state import Stay
from .wants import Wants


class Placer:
    """Places and routes the items of a Workload one by one.

    Parameters
    ----------
    hardware, workload
    affinity : callable
        See `Affinity`.
    strict : bool
        Raise a timing fault where the default waits or lists the request as unserved.
    engine : str
        See `dtt.engine.make_engine`.
    """

    def __init__(
        self,
        hardware: Hardware,
        workload: Workload,
        affinity: Affinity = operands_held,
        strict: bool = False,
        engine: str = "auto",
    ):
        self.hardware = hardware
        self.workload = workload
        self.affinity = affinity
        self.strict = strict
        self.able: Candidates = candidates(hardware, workload)
        self.state: Engine = make_engine(engine, hardware, data_sizes(workload).tolist())
        self.wants = Wants(workload)
        self.progress = Progress.none(workload, self.wants.counts)
        self._load()

    def run(self, coarse: Coarse | None = None) -> Schedule:
        """Place and route everything, in program order, and freeze the result.

        Parameters
        ----------
        coarse : mapping, optional
            The Actors and starts of the paper's First Best Fit; with ``strict`` the starts are
            binding, else an Op starts in the first cycle from there that works.
        """
        items = self.workload.items
        position = 0
        while position < len(items):
            if coarse is None:
                position = self.state.run(
                    self.workload, self.able, self.progress, position, self.strict
                )
            if position < len(items):
                self._item(items[position], coarse)
                position += 1
        return self._freeze()

    def finish(self, served: Sequence[Request]) -> Schedule:
        """Freeze what others committed for some requests, after serving all other requests."""
        done = {request.index for request in served}
        for request in served:
            self._satisfy(request.datum.index)
        for request in self.workload.requests:
            if request.index not in done:
                self._serve(request)
        return self._freeze()

    def _item(self, item: Op | Request, coarse: Coarse | None) -> None:
        if isinstance(item, Request):
            self._serve(item)
        elif coarse is None:
            self._place(item, self.able[item.index], item.not_before)
        else:
            actor, timing, start = coarse[item.index]
            self._place(item, ((actor, timing),), start, binding=self.strict)

    def _freeze(self) -> Schedule:
        cycle, actor = self.progress.start, self.progress.actor
        order = np.lexsort((actor, cycle))
        firings = np.empty(len(order), FIRING)
        firings["op"], firings["part"] = order, -1
        firings["actor"], firings["cycle"] = actor[order], cycle[order]
        return Schedule(
            self.hardware,
            self.workload,
            self.state.moves(),
            firings,
            self.unserved,
            self.state.name,
        )

    # Requests

    @property
    def unserved(self) -> tuple[Unserved, ...]:
        """The requests that could not be met so far; their reasons are found when they are read."""
        requests = self.workload.requests
        return tuple(
            Unserved(i, partial(self._why, requests[i]))
            for i in np.flatnonzero(self.progress.unmet).tolist()
        )

    def _why(self, request: Request) -> tuple[str, int | None]:
        point = self.hardware.point(request.node).index
        only = self._only(request.datum, request.reuse, request.source)
        return why_late(self.state, self.workload, request.datum, point, request.by, only)

    def _serve(self, request: Request) -> None:
        point = self.hardware.point(request.node).index
        datum = request.datum.index
        only = self._only(request.datum, request.reuse, request.source)
        last = FOREVER if request.store else request.by
        floor = self._floor(request.after)
        keep = {datum}
        while not self._deliver(datum, point, request.by, last, only, floor):
            if request.by is not None or not self._spill([point], keep):
                self._fail(request)
                break
        self._satisfy(datum)

    def _deliver(
        self, datum: int, point: int, by: int | None, last: int | None, only: int | None, floor: int
    ) -> bool:
        cycles = (by,) if by is not None else self._cycles_from(datum, point, only, floor)
        for cycle in cycles:
            until = cycle if last is None else last
            path = self.state.route(datum, point, cycle, until, only, floor)
            if path is not None:
                self.state.commit(datum, path, cycle if last is None else last)
                return True
        return False

    def _cycles_from(self, datum: int, point: int, only: int | None, floor: int) -> Iterator[int]:
        """Yield the cycles in which a datum can arrive at a Point, until nothing changes."""
        cycle = self.state.earliest(datum, point, only, 0, floor)
        if cycle is not None:
            yield from range(cycle, max(cycle, floor, self.state.settled) + 2)

    def _fail(self, request: Request) -> None:
        self.progress.unmet[request.index] = 1
        if self.strict:
            kind = "store" if request.store else "need"
            where = f"{kind} of {request.datum.name!r} at {request.node!r}"
            raise TimingFault(f"{where}: {self._why(request)[0]}")

    def _only(self, datum: Datum, reuse: bool, source: str | None) -> int | None:
        """Return the one Point from which a request may be served, if it is bound to one."""
        if source is not None:
            return self.hardware.point(source).index
        if reuse:
            return None
        return int(self.progress.origin[datum.index])

    def _floor(self, after: Datum | None) -> int:
        """Return before which cycle nothing may begin to arrive."""
        return 0 if after is None else int(self.progress.complete[after.index])

    def _operand_only(self, op: Op, datum: Datum, actor: Actor) -> int | None:
        return actor.at if op.resident else self._only(datum, op.reuse, None)

    # Ops

    def _place(
        self,
        op: Op,
        able: tuple[tuple[Actor, Timing], ...],
        start: int,
        binding: bool = False,
    ) -> None:
        keep = {d.index for d in op.operands}
        while not self._start_somewhere(op, able, start, binding):
            if binding:
                raise self._fault(op, able[0][0], start)
            nodes = list(dict.fromkeys(p for a, _ in able for p in (a.at, a.result_at)))
            if not self._save(op, nodes) and not self._spill(nodes, keep):
                raise LimitReached(
                    f"Op {op.name!r}: no cycle was found in which it can start; "
                    + why_full(self.state, self.workload, nodes)
                )

    def _start_somewhere(
        self, op: Op, able: tuple[tuple[Actor, Timing], ...], start: int, binding: bool
    ) -> bool:
        if binding:
            return self._start(op, *able[0], start)
        soonest = {a.index: self._soonest(op, a, start) for a, _ in able}
        ways = [(a, t) for a, t in able if soonest[a.index] < FOREVER]
        if not ways:
            return False
        first = min(soonest[a.index] for a, _ in ways)
        copies = self._copies(op)
        span = self.state.settled + sum(soonest[a.index] - first for a, _ in ways) + 2
        for cycle in range(first, max(first, span) + len(op.operands) * self._longest() + 1):
            in_time = [(a, t) for a, t in ways if soonest[a.index] <= cycle]
            for actor, timing in self._by_affinity(op, in_time, cycle, copies):
                if self._start(op, actor, timing, cycle):
                    return True
        return False

    def _longest(self) -> int:
        """The most cycles for which one operand can hold up the next, once nothing else moves."""
        largest = max(self.state.sizes, default=1)
        return max((w.beats(largest) for w in self.hardware.wires), default=1)

    def _soonest(self, op: Op, actor: Actor, start: int) -> int:
        """Return a lower bound on the start of an Op on an Actor (`FOREVER`: never)."""
        for datum in dict.fromkeys(op.operands):
            only = self._operand_only(op, datum, actor)
            cycle = self.state.earliest(datum.index, actor.at, only, 0, self._floor(op.after))
            if cycle is None:
                return FOREVER
            start = max(start, cycle)
        return start

    def _copies(self, op: Op) -> dict[int, list[tuple[int, tuple[Stay, ...]]]]:
        """Return which operands are ever at which Points; a start that fails leaves no more."""
        found: dict[int, list[tuple[int, tuple[Stay, ...]]]] = {}
        for datum in dict.fromkeys(d.index for d in op.operands):
            for point in self.state.places(datum):
                found.setdefault(point, []).append((datum, self.state.stays_at(datum, point)))
        return found

    def _by_affinity(
        self,
        op: Op,
        able: list[tuple[Actor, Timing]],
        cycle: int,
        copies: dict[int, list[tuple[int, tuple[Stay, ...]]]],
    ) -> list[tuple[Actor, Timing]]:
        def score(choice: tuple[Actor, Timing]) -> tuple[float, int]:
            actor = choice[0]
            held = frozenset(
                datum
                for datum, stays in copies.get(actor.at, ())
                if any(s.complete <= cycle <= s.last for s in stays)
            )
            return -self.affinity(op, actor, held), actor.index

        free = [c for c in able if self._units_free(*c, cycle)]
        return sorted(free, key=score) if len(free) > 1 else free

    def _units_free(self, actor: Actor, timing: Timing, cycle: int) -> bool:
        used = self.state.units_used(actor.index, cycle, cycle + timing.cooldown - 1)
        return used + timing.units <= actor.units

    def _start(self, op: Op, actor: Actor, timing: Timing, cycle: int) -> bool:
        """Start an Op in a cycle if all its operands can be there; leave nothing if not."""
        if not self._units_free(actor, timing, cycle) or not self._fit(op, actor, timing, cycle):
            return False
        mark = self.state.mark()
        wants = self.wants.mark()
        if self._bring(op, actor, timing, cycle) and self._finish(op, actor, timing, cycle):
            self.state.start(actor.index, cycle, timing.cooldown, timing.units)
            self.progress.start[op.index], self.progress.actor[op.index] = cycle, actor.index
            return True
        self.state.rollback(mark)
        self.wants.rollback(wants)
        return False

    def _fit(self, op: Op, actor: Actor, timing: Timing, cycle: int) -> bool:
        """Whether all operands can be in the Actor's Node together; much cheaper than routing."""
        node = self.hardware.points[actor.at]
        operands = dict.fromkeys(op.operands)
        for moment in dict.fromkeys((cycle, cycle + timing.hold - 1)):
            missing = sum(
                node.rows_of(d.size)
                for d in operands
                if not self.state.covers(d.index, actor.at, moment, moment)
            )
            used = self.state.rows_used(actor.at, moment, moment)
            if missing and used + missing > node.rows:
                return False
        return True

    def _bring(self, op: Op, actor: Actor, timing: Timing, cycle: int) -> bool:
        updated = None if op.into is None else op.operands[op.into]
        if updated is not None:
            wanted = self.wants.left(updated.index) > 1
            if not self.state.may_update(updated.index, actor.at, cycle, wanted):
                return False
        for datum in dict.fromkeys(op.operands):
            until = cycle if datum is updated else cycle + timing.hold - 1
            only = self._operand_only(op, datum, actor)
            floor = self._floor(op.after)
            path = self.state.route(datum.index, actor.at, cycle, until, only, floor)
            if path is None:
                return False
            self.state.commit(datum.index, path, until)
            self._satisfy(datum.index)
        return True

    def _finish(self, op: Op, actor: Actor, timing: Timing, cycle: int) -> bool:
        """Let the result appear, if there is room for it."""
        complete = cycle + timing.latency
        begin = complete - timing.hold + 1
        if op.into is not None:
            begin = cycle
            self.state.hand_over(op.operands[op.into].index, actor.at, cycle)
        last = FOREVER if self.wants.left(op.result.index) else complete
        if not self.state.room(op.result.index, actor.result_at, begin, last):
            return False
        self._appear(op.result, actor.result_at, begin, complete)
        return True

    def _fault(self, op: Op, actor: Actor, start: int) -> TimingFault:
        late = []
        for datum in dict.fromkeys(op.operands):
            only = self._operand_only(op, datum, actor)
            floor = self._floor(op.after)
            if self.state.route(datum.index, actor.at, start, start, only, floor) is None:
                late.append(why_late(self.state, self.workload, datum, actor.at, start, only)[0])
        where = f"Op {op.name!r} on Actor {actor.name!r} at cycle {start}"
        together = "its operands cannot all be there together, though each of them alone can"
        return TimingFault(f"{where}: {'; '.join(late) if late else together}")

    # Bookkeeping

    def _load(self) -> None:
        """Let all data that are loaded be where they are from cycle 0 on."""
        points = {point.name: point.index for point in self.hardware.points}
        loaded = [(d.index, points[d.loaded_at]) for d in self.workload.data if d.loaded_at]
        data, nodes = np.array(loaded, np.int64).reshape(-1, 2).T
        self.progress.origin[data] = nodes
        self.progress.complete[data] = 0
        self.state.load(data, nodes, self.progress.left[data] > 0)

    def _appear(self, datum: Datum, point: int, begin: int, complete: int) -> None:
        """Let a datum be where it was loaded or made; while wanted, it keeps its place."""
        self.progress.origin[datum.index] = point
        self.progress.complete[datum.index] = complete
        wanted = self.wants.left(datum.index) > 0
        self.state.stay(datum.index, point, Stay(begin, complete, complete, wanted))

    def _satisfy(self, datum: int) -> None:
        """One item that wanted the datum is served; after the last, no copy is kept open."""
        if self.wants.take(datum) == 0:
            self.state.close(datum)

    def _save(self, op: Op, nodes: list[int]) -> bool:
        """Let the datum that an Op updates stay elsewhere for the others that want it."""
        if op.into is None:
            return False
        datum = op.operands[op.into].index
        home = self.state.home(datum)
        if home not in nodes or self.wants.left(datum) == 1 or self.wants.tied[datum]:
            return False
        point = move_home(self.state, datum, home, nodes)
        if point is None:
            return False
        self.progress.origin[datum] = point
        return True

    def _spill(self, nodes: list[int], keep: set[int]) -> bool:
        """Make room in some Node; what was moved joins ``keep``, so it moves only once."""
        moved = make_room(self.state, self.wants, nodes, keep)
        if moved is None:
            return False
        datum, self.progress.origin[datum] = moved
        keep.add(datum)
        return True
