"""Dot products whose operands have to be routed, between Ops and requests of any other kind."""

from __future__ import annotations

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.workload import Op, Workload

from ..best_fit import Coarse
from ..occupancy import FOREVER
from ..placing import Placer
from ..schedule import FIRING, Schedule
from .direct import fired, summed
from .distribution import Distribution
from .network import Exit
from .placing import NOT_THEN, Leaves, Refusal, Spreader


class ReductionPlacer(Placer):
    """A `Placer` that spreads dot products over multipliers.

    For each of them it looks for leaves and a cycle as `Spreader` does, and routes the operands of
    each pair to its multiplier in time; a pair that they cannot reach then starts in another cycle.
    """

    def __init__(self, hardware: Hardware, workload: Workload, spreader: Spreader, engine: str):
        super().__init__(hardware, workload, engine=engine)
        self.spreader = spreader
        self.placed: list[tuple[Op, Distribution]] = []

    def run(self, coarse: Coarse | None = None) -> Schedule:
        """Place and route everything, in program order, and freeze the result."""
        if coarse is not None:
            raise InputError("a reduction network has no coarse model: use placing='in-order'")
        for item in self.workload.items:
            if isinstance(item, Op) and item.index in self.spreader.ops:
                self._spread(item)
            else:
                self._item(item, None)
        return self._freeze()

    def _spread(self, op: Op) -> None:
        def ready(leaves: Leaves) -> list[int] | None:
            return self._ready(op, leaves)

        def accept(leaves: Leaves, found: Distribution, way_out: Exit) -> Refusal | None:
            return self._accept(op, leaves, found, way_out)

        self.placed.append((op, self.spreader.place(op, ready, accept)))

    def _ready(self, op: Op, leaves: Leaves) -> list[int] | None:
        """Return the first cycle in which each pair could be at its multiplier, on its own."""
        cycles = []
        for pair, leaf in enumerate(leaves):
            at = self.spreader.network.multipliers[leaf].at
            first = op.not_before
            for datum in op.operands[2 * pair : 2 * pair + 2]:
                only = self.book.only(datum, op.reuse)
                cycle = self.state.earliest(datum.index, at, only)
                if cycle is None:
                    return None
                first = max(first, cycle)
            cycles.append(first)
        return cycles

    def _accept(self, op: Op, leaves: Leaves, found: Distribution, way_out: Exit) -> Refusal | None:
        """Route all pairs, the first to start coming first, and let the result appear."""
        mark = self.book.mark()
        refusal = self._feed(op, found)
        if refusal is None:
            node, result = way_out.wire.target, op.result
            last = FOREVER if self.book.wants.left(result.index) else found.end
            if self.state.room(result.index, node, found.end, last):
                self.book.appear(result, node, found.end, found.end)
            else:
                refusal = NOT_THEN
        if refusal is not None:
            self.book.rollback(mark)
        return refusal

    def _feed(self, op: Op, found: Distribution) -> Refusal | None:
        multipliers = self.spreader.network.multipliers
        starts = [(found.end - back, pair, leaf) for pair, (leaf, back) in enumerate(found.starts)]
        for cycle, pair, leaf in sorted(starts):
            for datum in dict.fromkeys(op.operands[2 * pair : 2 * pair + 2]):
                only = self.book.only(datum, op.reuse)
                at = multipliers[leaf].at
                path = self.state.route(datum.index, at, cycle, cycle, only)
                if path is None:
                    return pair, cycle
                self.state.commit(datum.index, path, cycle)
        for datum in dict.fromkeys(op.operands):
            self.book.satisfy(datum.index)
        return None

    def _freeze(self) -> Schedule:
        whole = np.flatnonzero(self.book.progress.start >= 0)
        firings = np.zeros(whole.size, FIRING)
        firings["op"], firings["part"] = whole, -1
        firings["actor"] = self.book.progress.actor[whole]
        firings["cycle"] = self.book.progress.start[whole]
        firings = np.concatenate((firings, fired(self.spreader, self.placed)))
        by = [firings[name] for name in ("part", "op", "actor", "cycle")]
        moves = np.concatenate((self.state.moves(), summed(self.placed)))
        return Schedule(
            self.hardware,
            self.workload,
            moves[np.lexsort((moves["datum"], moves["wire"], moves["cycle"]))],
            firings[np.lexsort(by)],
            self.serving.unserved,
            self.state.name,
        )
