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
    whole = firings["part"] < 0
    spread = np.zeros(len(workload.ops), bool)
    spread[firings["op"][~whole]] = True
    count = np.bincount(firings["op"][whole], minlength=len(workload.ops))
    for op in report.first(count + spread != 1):
        name = workload.ops[op].name
        times = f"{count[op]} times" + " and in parts" * bool(spread[op])
        sentence = f"Op {name!r} must be fired exactly once, not {times}"
        report.tell("fired once", sentence, None, name)
    for op in np.flatnonzero(spread & (count == 0)).tolist():
        _check_parts(workload.ops[op], firings["part"][firings["op"] == op], report)
    for index, part, actor, cycle in firings.tolist():
        op, runner = workload.ops[index], hardware.actors[actor]
        for rule, why in _unable(hardware, op, part, runner, cycle):
            sentence = f"Op {op.name!r} on Actor {runner.name!r} in cycle {cycle}: {why}"
            report.add(rule, sentence, runner.name, op.name, cycle)
    return report.count == before


def _check_parts(op: Op, parts: np.ndarray, report: Report) -> None:
    if op.code != "dot" or op.into is not None:
        why = "only a dot product without into= can be fired in parts"
        report.add("part", f"Op {op.name!r}: {why}", None, op.name)
    elif sorted(parts.tolist()) != list(range(op.work)):
        why = f"each of its {op.work} pairs must be fired exactly once"
        report.add("part", f"Op {op.name!r}: {why}, not {sorted(parts.tolist())}", None, op.name)


def _unable(
    hardware: Hardware, op: Op, part: int, actor: Actor, cycle: int
) -> list[tuple[str, str]]:
    if op.code not in actor.ops:
        return [("op code", f"it does not know {op.code!r}")]
    broken = []
    if op.on is not None and op.on != actor.name and part <= 0:
        broken.append(("on", f"the Op must run on {op.on!r}"))
    if cycle < op.not_before:
        broken.append(("not before", f"the Op must not start before {op.not_before}"))
    work = op.work if part < 0 else 1
    timing = actor.timing(op.code, work, op.parallel, op.depth, op.spans)
    if timing.units > actor.units:
        broken.append(("units", f"it needs {timing.units} units of {actor.units}"))
    in_adder = hardware.points[actor.result_at].kind == "Adder"
    if part < 0 and in_adder:
        broken.append(("part", "its results appear in an Adder: it only takes single pairs"))
    elif part >= 0 and op.code == "dot" and not in_adder:
        broken.append(("part", "its results do not appear in an Adder: it only takes whole Ops"))
    elif part >= 0 and timing.hold > 1:
        broken.append(("part", f"a part of a dot product is held for 1 cycle, not {timing.hold}"))
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
