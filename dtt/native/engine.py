"""Native: the engine in C++ behind the interface of `dtt.engine.Engine`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from weakref import finalize

import numpy as np

from hwdsl.errors import LimitReached
from hwdsl.hardware import Hardware, Wire
from hwdsl.workload import Workload

from ..feasibility import Candidates
from ..progress import Progress
from ..schedule import MOVE
from ..state import Path, Stay
from .items import Items
from .library import kernel

_NO_MEMORY = -2


_DEAREST = 1 << 80
_LONGEST = 1 << 41
"""Cycles that a stay may be paid for; deadlines are below 2^40."""


def too_large(hardware: Hardware, sizes: Sequence[int]) -> str | None:
    """Return why costs might not fit into the 95 bits that the kernel has for them, or ``None``."""
    size = max(sizes, default=0)
    moving = max((p.energy or 0 for p in hardware.points), default=0)
    moving += max((w.energy or 0 for w in hardware.wires), default=0)
    holding = max((p.hold_energy or 0 for p in hardware.points), default=0)
    if max(moving, holding * _LONGEST) * size < _DEAREST:
        return None
    return f"data of {size} bits at such energies cost more than it can add up exactly"


class Native:
    """What is promised on a Hardware, kept and searched in C++.

    `dtt.state.State` says what each method means.

    Parameters
    ----------
    hardware : Hardware
    sizes : sequence of int
        Bits of each datum.
    """

    name = "native"

    def __init__(self, hardware: Hardware, sizes: Sequence[int]):
        self.hardware = hardware
        self.sizes = sizes
        self._kernel = kernel()
        points = _table(
            [
                (p.stores, p.kind == "Adder", p.rows, p.row, p.hold_energy or 0, p.transit)
                for p in hardware.points
            ],
            6,
        )
        energy = [p.energy or 0 for p in hardware.points]
        wires = _table(
            [
                (
                    w.source,
                    w.target,
                    w.bandwidth,
                    w.lane,
                    w.latency,
                    energy[w.source] + (w.energy or 0),
                )
                for w in hardware.wires
            ],
            6,
        )
        bits = np.array(sizes, np.int64)
        self._engine = self._kernel.dtt_new(
            len(points),
            points.ctypes.data,
            len(wires),
            wires.ctypes.data,
            len(hardware.actors),
            len(bits),
            bits.ctypes.data,
        )
        if not self._engine:
            raise LimitReached("the native engine ran out of memory")
        self._items: Items | None = None
        finalize(self, self._kernel.dtt_delete, self._engine)
        self._resize(max(256, len(points), len(bits)))

    def _resize(self, words: int) -> None:
        self._out = (ctypes.c_int64 * words)()
        self._address = ctypes.addressof(self._out)
        self._moves = (words - 4) // 2

    def stretch_bound(self, percent: int) -> None:
        """Stretch the bound that guides the search; above 100 it is wrong, as a test plants it."""
        self._kernel.dtt_stretch(self._engine, percent)

    # The history

    def mark(self) -> int:
        return int(self._kernel.dtt_mark(self._engine))

    def rollback(self, mark: int) -> None:
        self._done(self._kernel.dtt_rollback(self._engine, mark))

    # What is in use

    @property
    def settled(self) -> int:
        return int(self._kernel.dtt_settled(self._engine))

    def rows_used(self, point: int, first: int, last: int) -> int:
        return int(self._kernel.dtt_rows_used(self._engine, point, first, last))

    def units_used(self, actor: int, first: int, last: int) -> int:
        return int(self._kernel.dtt_units_used(self._engine, actor, first, last))

    def lanes_free(self, datum: int, wire: Wire, cycle: int) -> bool:
        return self._true(self._kernel.dtt_lanes_free(self._engine, datum, wire.index, cycle))

    def departures(self, wire: int) -> list[tuple[int, int]]:
        moves = self.moves()
        mine = moves[moves["wire"] == wire]
        return list(zip(mine["cycle"].tolist(), mine["datum"].tolist(), strict=True))

    def moves(self) -> np.ndarray:
        moves = np.empty(self._kernel.dtt_move_count(self._engine), MOVE)
        self._done(self._kernel.dtt_moves(self._engine, moves.ctypes.data))
        return moves

    # Where a datum is

    def places(self, datum: int) -> list[int]:
        return self._out[: self._kernel.dtt_places(self._engine, datum, self._address)]

    def present(self, point: int) -> list[int]:
        return self._out[: self._kernel.dtt_present(self._engine, point, self._address)]

    def stays_at(self, datum: int, point: int) -> tuple[Stay, ...]:
        count = self._kernel.dtt_stays(
            self._engine, datum, point, self._address, len(self._out) // 4
        )
        if 4 * count > len(self._out):
            self._resize(8 * count)
            return self.stays_at(datum, point)
        flat = self._out[: 4 * count]
        rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
        return tuple(Stay(begin, complete, end, bool(kept)) for begin, complete, end, kept in rows)

    def home(self, datum: int) -> int | None:
        return _or_none(self._kernel.dtt_home(self._engine, datum))

    def holds(self, datum: int, point: int, cycle: int) -> bool:
        return any(s.complete <= cycle <= s.last for s in self.stays_at(datum, point))

    def covers(self, datum: int, point: int, first: int, last: int) -> bool:
        for stay in self.stays_at(datum, point):
            if stay.begin <= first <= stay.last:
                first = stay.last + 1
        return first > last

    def room(self, datum: int, point: int, first: int, last: int) -> bool:
        return self._true(self._kernel.dtt_room(self._engine, datum, point, first, last))

    def may_update(self, datum: int, point: int, cycle: int, wanted: bool) -> bool:
        return not any(
            stay.begin <= cycle <= stay.last and (stay.end >= cycle or wanted)
            for stay in self.stays_at(datum, point)
        )

    # Promises

    def load(self, data: np.ndarray, points: np.ndarray, kept: np.ndarray) -> None:
        data, points, kept = (np.ascontiguousarray(a, np.int64) for a in (data, points, kept))
        addresses = (table.ctypes.data for table in (data, points, kept))
        self._done(self._kernel.dtt_load(self._engine, len(data), *addresses))

    def stay(self, datum: int, point: int, new: Stay) -> None:
        self._done(
            self._kernel.dtt_stay(
                self._engine, datum, point, new.begin, new.complete, new.end, new.open
            )
        )

    def close(self, datum: int) -> None:
        self._done(self._kernel.dtt_close(self._engine, datum))

    def hand_over(self, datum: int, point: int, cycle: int) -> None:
        self._done(self._kernel.dtt_hand_over(self._engine, datum, point, cycle))

    def commit(self, datum: int, path: Path, until: int, keep_open: bool = False) -> None:
        count = len(path.moves)
        flat = (ctypes.c_int64 * (2 * count))(*(number for move in path.moves for number in move))
        self._done(
            self._kernel.dtt_commit(self._engine, datum, *path.start, count, flat, until, keep_open)
        )

    def start(self, actor: int, cycle: int, cooldown: int, units: int) -> None:
        self._done(self._kernel.dtt_start(self._engine, actor, cycle, cooldown, units))

    def run(
        self,
        workload: Workload,
        able: Candidates,
        progress: Progress,
        position: int,
        strict: bool = False,
    ) -> int:
        if self._items is None:
            self._items = Items(self.hardware, workload, able, progress)
        count = len(workload.items)
        placed = self._kernel.dtt_place(
            self._engine, position, count, strict, *self._items.addresses
        )
        return self._done(placed)

    # Searches

    def route(
        self,
        datum: int,
        target: int,
        deadline: int,
        until: int,
        only: int | None = None,
        floor: int = 0,
    ) -> Path | None:
        count = self._kernel.dtt_route(
            self._engine,
            datum,
            target,
            deadline,
            until,
            -1 if only is None else only,
            floor,
            self._address,
            self._moves,
        )
        return None if self._done(count) < 0 else self._path(count)

    def earliest(
        self,
        datum: int,
        target: int,
        only: int | None = None,
        from_cycle: int = 0,
        floor: int = 0,
    ) -> int | None:
        start = -1 if only is None else only
        found = self._kernel.dtt_earliest(self._engine, datum, target, start, from_cycle, floor)
        return _or_none(self._done(found))

    def _path(self, count: int) -> Path:
        if count > self._moves:
            self._resize(4 + 4 * count)
            self._kernel.dtt_way(self._engine, self._address, self._moves)
        point, since, high, low, *moves = self._out[: 4 + 2 * count]
        pairs = tuple(zip(moves[::2], moves[1::2], strict=True))
        return Path((point, since), pairs, (high << 32) + low)

    def _true(self, answer: int) -> bool:
        return bool(self._done(answer))

    def _done(self, answer: int) -> int:
        if answer == _NO_MEMORY:
            raise LimitReached("the native engine ran out of memory")
        return answer


def _or_none(answer: int) -> int | None:
    return None if answer < 0 else answer


def _table(rows: Sequence[Sequence[int]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(-1, width)
