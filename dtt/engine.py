"""Engines: what placing, spilling and explaining ask of whoever keeps the promises and routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from hwdsl.errors import InputError, LimitReached, ToolMissing
from hwdsl.hardware import Hardware, Wire
from hwdsl.workload import Workload

from . import native
from .feasibility import Candidates
from .progress import Progress
from .reference import Reference
from .state import Path, Stay

ENGINES = ("auto", "reference", "native")


class Engine(Protocol):
    """Everything promised so far, and the two searches over it.

    `dtt.state.State` and `dtt.routing` say what each method means; they are the reference, and any
    other engine finds paths of the same energy and the same number of Moves in the same state.
    """

    @property
    def name(self) -> str:
        """What `Schedule.engine` says."""

    @property
    def hardware(self) -> Hardware: ...
    @property
    def sizes(self) -> Sequence[int]: ...
    @property
    def settled(self) -> int: ...

    def mark(self) -> int: ...
    def rollback(self, mark: int) -> None: ...

    def places(self, datum: int) -> list[int]: ...
    def present(self, point: int) -> list[int]: ...
    def stays_at(self, datum: int, point: int) -> tuple[Stay, ...]: ...
    def home(self, datum: int) -> int | None: ...
    def holds(self, datum: int, point: int, cycle: int) -> bool: ...
    def covers(self, datum: int, point: int, first: int, last: int) -> bool: ...
    def room(self, datum: int, point: int, first: int, last: int) -> bool: ...
    def may_update(self, datum: int, point: int, cycle: int, wanted: bool) -> bool: ...
    def rows_used(self, point: int, first: int, last: int) -> int: ...
    def units_used(self, actor: int, first: int, last: int) -> int: ...
    def lanes_free(self, datum: int, wire: Wire, cycle: int) -> bool: ...
    def departures(self, wire: int) -> list[tuple[int, int]]: ...
    def moves(self) -> np.ndarray: ...

    def load(self, data: np.ndarray, points: np.ndarray, kept: np.ndarray) -> None: ...
    def stay(self, datum: int, point: int, new: Stay) -> None: ...
    def close(self, datum: int) -> None: ...
    def hand_over(self, datum: int, point: int, cycle: int) -> None: ...
    def commit(self, datum: int, path: Path, until: int, keep_open: bool = False) -> None: ...
    def start(self, actor: int, cycle: int, cooldown: int, units: int) -> None: ...

    def route(
        self,
        datum: int,
        target: int,
        deadline: int,
        until: int,
        only: int | None = None,
        floor: int = 0,
    ) -> Path | None: ...
    def earliest(
        self,
        datum: int,
        target: int,
        only: int | None = None,
        from_cycle: int = 0,
        floor: int = 0,
    ) -> int | None: ...

    def run(
        self,
        workload: Workload,
        able: Candidates,
        progress: Progress,
        position: int,
        strict: bool = False,
    ) -> int:
        """Place items of the Workload from a position on, as `dtt.placing.Placer` would.

        Returns
        -------
        int
            The position of the first item that was left to the caller.
        """


SMALL = 10_000
"""Items x Wires x longest latency up to which the reference routes in a moment."""


def chosen(name: str, hardware: Hardware, workload: Workload) -> str:
    """Return the engine that a name stands for.

    ``"auto"`` is the reference for small Workloads, because it also finds the earliest departures
    among paths of equal cost, and else the native one.
    """
    if name != "auto":
        return name
    latency = max((wire.latency for wire in hardware.wires), default=1)
    small = len(workload.items) * len(hardware.wires) * latency <= SMALL
    return "reference" if small else name


def make_engine(name: str, hardware: Hardware, sizes: Sequence[int]) -> Engine:
    """Return a fresh engine.

    Parameters
    ----------
    name : {"auto", "reference", "native"}
        ``"auto"`` is the native one where it was built, else the reference.
    sizes : sequence of int
        Bits of each datum.

    Raises
    ------
    InputError
        If there is no engine of that name.
    ToolMissing
        If the native engine was not built.
    LimitReached
        If costs are too large for it; ``"auto"`` then takes the reference.
    """
    if name not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {name!r}")
    why = native.why_not() if name != "reference" else None
    if name == "native" and why:
        raise ToolMissing(f"engine 'native': {why}")
    if name == "reference" or why:
        return Reference(hardware, sizes)
    large = native.too_large(hardware, sizes)
    if name == "native" and large:
        raise LimitReached(f"engine 'native': {large}; engine='reference' can")
    if large:
        return Reference(hardware, sizes)
    return native.Native(hardware, sizes)
