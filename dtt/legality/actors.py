"""Rules of Actors (4 of the contract)."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Actor, Hardware, Point
from hwdsl.workload import Op, Workload

from ..schedule import Schedule
from .ordering import order, overfull
from .report import Report
from .tables import Tables


def check_firings(
    hardware: Hardware, workload: Workload, schedule: Schedule, report: Report
) -> bool:
    """Check that every Op is fired once, whole, by an Actor that can; return whether it is so."""
    before = report.count
    firings = schedule.firings
    count = np.bincount(firings["op"], minlength=len(workload.ops))
    for op in report.first(count != 1):
        name = workload.ops[op].name
        sentence = f"Op {name!r} must be fired exactly once, not {count[op]} times"
        report.tell("fired once", sentence, None, name)
    for f in report.first(firings["part"] != -1):
        name = workload.ops[firings["op"][f]].name
        sentence = f"Op {name!r} is fired in parts, which only a reduction network can do"
        report.tell("part", sentence, None, name, int(firings["cycle"][f]))
    for index, _, actor, cycle in firings.tolist():
        op, runner = workload.ops[index], hardware.actors[actor]
        for rule, why in _unable(hardware, op, runner, cycle):
            sentence = f"Op {op.name!r} on Actor {runner.name!r} in cycle {cycle}: {why}"
            report.add(rule, sentence, runner.name, op.name, cycle)
    return report.count == before


def _unable(hardware: Hardware, op: Op, actor: Actor, cycle: int) -> list[tuple[str, str]]:
    if op.code not in actor.ops:
        return [("op code", f"it does not know {op.code!r}")]
    broken = []
    if op.on is not None and op.on != actor.name:
        broken.append(("on", f"the Op must run on {op.on!r}"))
    if cycle < op.not_before:
        broken.append(("not before", f"the Op must not start before {op.not_before}"))
    units = actor.timing(op.code, op.work, op.parallel, op.depth).units
    if units > actor.units:
        broken.append(("units", f"it needs {units} units of {actor.units}"))
    for datum in (*op.operands, op.result):
        if datum.bits > actor.bits:
            wide = f"{datum.name!r} has elements of {datum.bits} bits, the Actor computes on"
            broken.append(("bits", f"{wide} {actor.bits}"))
    if op.into is not None and actor.result_at != actor.at:
        broken.append(("in place", "its results appear in another Node than its operands"))
    at, result_at = hardware.points[actor.at], hardware.points[actor.result_at]
    places = [(d.name, d.bits, d.elements, at) for d in op.operands]
    places.append((op.result.name, op.result.bits, op.result.elements, result_at))
    for name, bits, elements, point in places:
        if elements > 1 and _straddles(bits, point):
            broken.append(("row", f"elements of {name!r} straddle rows of {point.name!r}"))
    return broken


def _straddles(bits: int, point: Point) -> bool:
    return bool(point.row % bits and bits % point.row)


def check_units(t: Tables, report: Report) -> None:
    """Check that the units in use never exceed what an Actor has."""
    limit = np.array([a.units for a in t.hardware.actors], np.int64)
    end = t.start + t.cooldown - 1
    place, cycle, total = overfull(t.actor, t.start, end, t.units, limit)
    for i in report.first(order(np.zeros_like(cycle), cycle)):
        a, c = int(place[i]), int(cycle[i])
        running = np.flatnonzero((t.actor == a) & (t.start <= c) & (c <= end))
        ops = [t.workload.ops[int(t.op[f])].name for f in running]
        name = t.hardware.actors[a].name
        sentence = (
            f"Actor {name!r} has {limit[a]} units, but {total[i]} are in use in cycle {c} "
            f"by {', '.join(map(repr, ops))}"
        )
        report.tell("units", sentence, name, ops[-1], c)
