"""Progress: what placing has settled so far of each datum and each Op, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.workload import Workload


@dataclass(frozen=True, eq=False)
class Progress:
    """Arrays of int64 that the `Placer` and a native engine both read and write.

    Attributes
    ----------
    left : array
        For each datum, the items that still want it.
    origin, complete : array
        For each datum, the Point where it was loaded or made (or spilled to), and since when.
    start, actor : array
        For each Op, the cycle in which it starts, and the Actor; -1 before it is placed.
    unmet : array
        For each request, 1 if it could not be met.
    """

    left: np.ndarray
    origin: np.ndarray
    complete: np.ndarray
    start: np.ndarray
    actor: np.ndarray
    unmet: np.ndarray

    @classmethod
    def none(cls, workload: Workload, left: np.ndarray) -> Progress:
        """Return that nothing has been placed yet."""
        origin, complete = np.full((2, len(workload.data)), -1, np.int64)
        start, actor = np.full((2, len(workload.ops)), -1, np.int64)
        unmet = np.zeros(len(workload.requests), np.int64)
        return cls(left, origin, complete, start, actor, unmet)
