"""The reference engine: the readable State with the readable searches, nothing else."""

from __future__ import annotations

import numpy as np

from hwdsl.workload import Workload

from .feasibility import Candidates
from .progress import Progress
from .routing import earliest, route
from .schedule import MOVE
from .state import Path, State, Stay


class Reference(State):
    """The engine that all others are held against."""

    name = "reference"

    def route(
        self,
        datum: int,
        target: int,
        deadline: int,
        until: int,
        only: int | None = None,
        floor: int = 0,
    ) -> Path | None:
        """Find the way of least cost; see `dtt.routing.route`."""
        return route(self, datum, target, deadline, until, only, floor)

    def earliest(
        self,
        datum: int,
        target: int,
        only: int | None = None,
        from_cycle: int = 0,
        floor: int = 0,
    ) -> int | None:
        """Find the first cycle in which a datum can be at a Point; see `dtt.routing.earliest`."""
        return earliest(self, datum, target, only, from_cycle, floor)

    def load(self, data: np.ndarray, points: np.ndarray, kept: np.ndarray) -> None:
        """Let each datum be at its Point from cycle 0 on, kept open if it is still wanted."""
        for datum, point, is_open in zip(
            *map(np.ndarray.tolist, (data, points, kept)), strict=True
        ):
            self.stay(datum, point, Stay(0, 0, 0, is_open))

    def moves(self) -> np.ndarray:
        """Return all Moves as `MOVE`, sorted by cycle, wire and datum."""
        table = np.array(list(self.departed), np.int64).reshape(-1, 3)
        moves = np.empty(len(table), MOVE)
        moves["datum"], moves["wire"], moves["cycle"] = table.T
        return moves[np.lexsort([moves["datum"], moves["wire"], moves["cycle"]])]

    def run(
        self,
        workload: Workload,
        able: Candidates,
        progress: Progress,
        position: int,
        strict: bool = False,
    ) -> int:
        """Leave every item to the caller."""
        return position
