"""The book: who still wants which datum, where each came from, and the engine with its promises."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Datum, Op, Workload

from .columns import data_sizes
from .engine import Engine, make_engine
from .progress import Progress
from .spilling import make_room, move_home
from .state import Stay
from .wants import Wants


class Book:
    """What has been promised so far, and for whom.

    Parameters
    ----------
    hardware, workload
        All data that are loaded are in their Nodes from cycle 0 on.
    engine : str
        See `dtt.engine.make_engine`.
    """

    def __init__(self, hardware: Hardware, workload: Workload, engine: str):
        self.hardware = hardware
        self.workload = workload
        self.state: Engine = make_engine(engine, hardware, data_sizes(workload).tolist())
        self.wants = Wants(workload)
        self.progress = Progress.none(workload, self.wants.counts)
        self._load()

    def mark(self) -> tuple[int, int]:
        return self.state.mark(), self.wants.mark()

    def rollback(self, mark: tuple[int, int]) -> None:
        """Take back all that was promised since the mark."""
        self.state.rollback(mark[0])
        self.wants.rollback(mark[1])

    def only(self, datum: Datum, reuse: bool, source: str | None = None) -> int | None:
        """Return the one Point from which a datum may be taken, if there is but one."""
        if source is not None:
            return self.hardware.point(source).index
        if reuse:
            return None
        return int(self.progress.origin[datum.index])

    def floor(self, after: Datum | None) -> int:
        """Return before which cycle nothing may begin to arrive."""
        return 0 if after is None else int(self.progress.complete[after.index])

    def appear(self, datum: Datum, point: int, begin: int, complete: int) -> None:
        """Let a datum be where it was loaded or made; while wanted, it keeps its place."""
        self.progress.origin[datum.index] = point
        self.progress.complete[datum.index] = complete
        wanted = self.wants.left(datum.index) > 0
        self.state.stay(datum.index, point, Stay(begin, complete, complete, wanted))

    def satisfy(self, datum: int) -> None:
        """One item that wanted the datum is served; after the last, no copy is kept open."""
        if self.wants.take(datum) == 0:
            self.state.close(datum)

    def save(self, op: Op, nodes: list[int]) -> bool:
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

    def spill(self, nodes: list[int], keep: set[int]) -> bool:
        """Make room in some Node; what was moved joins ``keep``, so it moves only once."""
        moved = make_room(self.state, self.wants, nodes, keep)
        if moved is None:
            return False
        datum, self.progress.origin[datum] = moved
        keep.add(datum)
        return True

    def _load(self) -> None:
        points = {point.name: point.index for point in self.hardware.points}
        loaded = [(d.index, points[d.loaded_at]) for d in self.workload.data if d.loaded_at]
        data, nodes = np.array(loaded, np.int64).reshape(-1, 2).T
        self.progress.origin[data] = nodes
        self.progress.complete[data] = 0
        self.state.load(data, nodes, self.progress.left[data] > 0)
