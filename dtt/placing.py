"""Placing: which Actor starts which Op in which cycle, and the order in which data are routed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hwdsl.errors import LimitReached, TimingFault
from hwdsl.hardware import Actor, Hardware, Timing
from hwdsl.workload import Datum, Op, Request, Workload

from .best_fit import Affinity, Coarse, operands_held
from .book import Book
from .engine import Engine
from .explain import why_full, why_late
from .feasibility import Candidates, candidates
from .occupancy import FOREVER
from .schedule import FIRING, Schedule
from .serving import Serving
from .state import Stay


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
        self.book = Book(hardware, workload, engine)
        self.serving = Serving(self.book, strict)

    @property
    def state(self) -> Engine:
        """The engine, with all that was promised so far."""
        return self.book.state

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
                    self.workload, self.able, self.book.progress, position, self.strict
                )
            if position < len(items):
                self._item(items[position], coarse)
                position += 1
        return self._freeze()

    def finish(self, served: Sequence[Request]) -> Schedule:
        """Freeze what others committed for some requests, after serving all other requests."""
        done = {request.index for request in served}
        for request in served:
            self.book.satisfy(request.datum.index)
        for request in self.workload.requests:
            if request.index not in done:
                self.serving.serve(request)
        return self._freeze()

    def _item(self, item: Op | Request, coarse: Coarse | None) -> None:
        if isinstance(item, Request):
            self.serving.serve(item)
        elif coarse is None:
            self._place(item, self.able[item.index], item.not_before)
        else:
            actor, timing, start = coarse[item.index]
            self._place(item, ((actor, timing),), start, binding=self.strict)

    def _freeze(self) -> Schedule:
        cycle, actor = self.book.progress.start, self.book.progress.actor
        order = np.lexsort((actor, cycle))
        firings = np.empty(len(order), FIRING)
        firings["op"], firings["part"] = order, -1
        firings["actor"], firings["cycle"] = actor[order], cycle[order]
        return Schedule(
            self.hardware,
            self.workload,
            self.state.moves(),
            firings,
            self.serving.unserved,
            self.state.name,
        )

    def _operand_only(self, op: Op, datum: Datum, actor: Actor) -> int | None:
        return actor.at if op.resident else self.book.only(datum, op.reuse)

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
            if not self.book.save(op, nodes) and not self.book.spill(nodes, keep):
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
            cycle = self.state.earliest(datum.index, actor.at, only, 0, self.book.floor(op.after))
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
        mark = self.book.mark()
        if self._bring(op, actor, timing, cycle) and self._finish(op, actor, timing, cycle):
            self.state.start(actor.index, cycle, timing.cooldown, timing.units)
            self.book.progress.start[op.index], self.book.progress.actor[op.index] = (
                cycle,
                actor.index,
            )
            return True
        self.book.rollback(mark)
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
            wanted = self.book.wants.left(updated.index) > 1
            if not self.state.may_update(updated.index, actor.at, cycle, wanted):
                return False
        for datum in dict.fromkeys(op.operands):
            until = cycle if datum is updated else cycle + timing.hold - 1
            only = self._operand_only(op, datum, actor)
            floor = self.book.floor(op.after)
            path = self.state.route(datum.index, actor.at, cycle, until, only, floor)
            if path is None:
                return False
            self.state.commit(datum.index, path, until)
            self.book.satisfy(datum.index)
        return True

    def _finish(self, op: Op, actor: Actor, timing: Timing, cycle: int) -> bool:
        """Let the result appear, if there is room for it."""
        complete = cycle + timing.latency
        begin = complete - timing.hold + 1
        if op.into is not None:
            begin = cycle
            self.state.hand_over(op.operands[op.into].index, actor.at, cycle)
        last = FOREVER if self.book.wants.left(op.result.index) else complete
        if not self.state.room(op.result.index, actor.result_at, begin, last):
            return False
        self.book.appear(op.result, actor.result_at, begin, complete)
        return True

    def _fault(self, op: Op, actor: Actor, start: int) -> TimingFault:
        late = []
        for datum in dict.fromkeys(op.operands):
            only = self._operand_only(op, datum, actor)
            floor = self.book.floor(op.after)
            if self.state.route(datum.index, actor.at, start, start, only, floor) is None:
                late.append(why_late(self.state, self.workload, datum, actor.at, start, only)[0])
        where = f"Op {op.name!r} on Actor {actor.name!r} at cycle {start}"
        together = "its operands cannot all be there together, though each of them alone can"
        return TimingFault(f"{where}: {'; '.join(late) if late else together}")
