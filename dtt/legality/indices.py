"""Rules that all others stand on: arrays are what they say, every index points somewhere."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload

from ..schedule import FIRING, MOVE, Schedule
from .report import Report
from .tables import nodes_by_name

_FOREVER = 1 << 42  # above every legal cycle, and far from where int64 sums would wrap


def check_indices(
    hardware: Hardware, workload: Workload, schedule: Schedule, report: Report
) -> None:
    """Check types, ranges and order of Moves, Firings and unserved requests."""
    _workload(hardware, workload, report)
    moves, firings = schedule.moves, schedule.firings
    if moves.dtype != MOVE or moves.ndim != 1:
        report.add("index", f"moves must be one row of MOVE, not {moves.dtype} {moves.shape}")
    else:
        limits = {"datum": len(workload.data), "wire": len(hardware.wires), "cycle": _FOREVER}
        if _ranges("Move", moves, limits, report):
            _sorted("Moves", moves, ("cycle", "wire", "datum"), report)
    if firings.dtype != FIRING or firings.ndim != 1:
        report.add("index", f"firings must be one row of FIRING, not {firings.dtype}")
    else:
        limits = {"op": len(workload.ops), "actor": len(hardware.actors), "cycle": _FOREVER}
        if _ranges("Firing", firings, limits, report):
            _sorted("Firings", firings, ("cycle", "actor", "op", "part"), report)
    seen = set()
    for unserved in schedule.unserved:
        if not 0 <= unserved.request < len(workload.requests) or unserved.request in seen:
            report.add("index", f"unserved: {unserved.request} is no request, or is there twice")
        seen.add(unserved.request)


def _workload(hardware: Hardware, workload: Workload, report: Report) -> None:
    nodes = nodes_by_name(hardware)
    for datum in workload.data:
        if datum.bits % hardware.word:
            rule = f"elements of {datum.bits} bits are not whole words of {hardware.word}"
            report.add("word", f"datum {datum.name!r}: {rule}", datum=datum.name)
        if datum.loaded_at is not None and datum.loaded_at not in nodes:
            where = f"it is loaded at {datum.loaded_at!r}, which is no Node"
            report.add("index", f"datum {datum.name!r}: {where}", datum=datum.name)
    for request in workload.requests:
        for name in (request.node, request.source):
            if name is not None and name not in nodes:
                sentence = f"request {request.index} names {name!r}, which is no Node"
                report.add("index", sentence, datum=request.datum.name)


def _ranges(what: str, rows: np.ndarray, limits: dict[str, int], report: Report) -> bool:
    sound = True
    for field, limit in limits.items():
        bad = (rows[field] < 0) | (rows[field] >= limit)
        for i in report.first(bad):
            rule = f"{field} must be from 0 to {limit - 1}, not {rows[field][i]}"
            report.tell("index", f"{what} {i}: {rule}")
        sound &= not bad.any()
    return sound


def _sorted(what: str, rows: np.ndarray, fields: tuple[str, ...], report: Report) -> None:
    """Check the order; equal rows are for the rules of wires and actors to judge."""
    behind = np.zeros(max(0, rows.size - 1), bool)
    for field in reversed(fields):
        before, after = rows[field][:-1], rows[field][1:]
        behind = (before > after) | ((before == after) & behind)
    for i in report.first(behind):
        sentence = f"{what} must be sorted by {', '.join(fields)}; row {i + 1} is out of order"
        report.tell("order", sentence, cycle=int(rows["cycle"][i + 1]))
