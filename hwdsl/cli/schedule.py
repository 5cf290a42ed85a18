"""``hwdsl schedule``: the tables of placing and routing, the statistics, the bounds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..workload import Datum, Workload
from .control import control_figures, control_lines, depth_argument
from .figures import figures, notes, sentence
from .screen import Screen, amount, print_json, progress, table
from .subject import Subject, file_argument, read_subject

if TYPE_CHECKING:
    from dtt import Schedule

SUMMARY = "show which actor starts which op when, and how every datum gets there"

Rows = list[tuple[Any, ...]]


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    scheduling_arguments(parser)
    depth_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def scheduling_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that schedules."""
    parser.add_argument(
        "--placing",
        choices=("in-order", "earliest-finish", "first-best-fit"),
        default="in-order",
        help="how Ops get their Actor and cycle (default: %(default)s)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="a request that cannot be met in time is an error"
    )
    parser.add_argument(
        "--objective",
        choices=("energy", "time"),
        default="energy",
        help="what to have little of; the other comes second (default: %(default)s)",
    )
    parser.add_argument(
        "--effort",
        type=int,
        choices=range(4),
        default=0,
        help="how long to look for a better schedule: 0 is one pass (default: %(default)s)",
    )


def scheduled(subject: Subject, options: argparse.Namespace) -> Schedule:
    """Return the Schedule of a subject; a slower one, if it is to be held back."""
    import dtt

    def made(workload: Workload) -> Schedule:
        return dtt.schedule(
            subject.hardware,
            workload,
            placing=options.placing,
            strict=options.strict,
            objective=options.objective,
            effort=options.effort,
        )

    if not getattr(options, "hold_back", False):
        with progress("scheduling"):
            return made(subject.workload)
    if not options.depth:
        raise InputError("--hold-back is for lists of a --depth, which is missing")
    from dtt.holding import hold_back

    with progress("scheduling, and holding data back"):
        held = hold_back(subject.workload, options.depth, made)
    told = f"held back by {amount(held.cycles, 'cycle')} for lists of {options.depth} commands"
    print(f"{Screen(sys.stderr).yellow('note')}: {told}", file=sys.stderr)
    return held.schedule


def run(options: argparse.Namespace) -> int:
    schedule = scheduled(read_subject(options.file), options)
    if options.json:
        print_json(_object(schedule, options.depth))
    else:
        _show(schedule, options.depth)
    return 1 if schedule.unserved else 0


def _object(schedule: Schedule, depth: int) -> dict[str, Any]:
    return {
        "verdict": "fail" if schedule.unserved else "pass",
        "engine": None,
        "control": None,
        **figures(schedule),
        "mismatches": None,
        "first_mismatch": None,
        "bounds": {bound.name: bound.cycles for bound in schedule.bounds()},
        "controller": control_figures(schedule, depth),
        "placing": [dict(zip(PLACING, row, strict=True)) for row in placing_rows(schedule)],
        "paths": {d.name: list(schedule.paths(d)) for d in schedule.workload.data},
        "utilisation": {name: round(share, 6) for _, name, share in utilisation_rows(schedule)},
        "reads": {name: count for name, count, _, _ in memory_rows(schedule)},
    }


def _show(schedule: Schedule, depth: int) -> None:
    screen = Screen(sys.stdout)

    def part(title: str, head: tuple[str, ...], rows: Rows) -> None:
        if rows:
            print(screen.bold(title), table(head, rows), sep="\n", end="\n\n")

    part("Placing: which actor starts which op, and when its result is there",
         PLACING, placing_rows(schedule))  # fmt: skip
    part("Routing: the cycle in which the datum is in each node, and how long it stays there",
         ("datum", "path", "stays"), routing_rows(schedule))  # fmt: skip
    part("Memories: moves that leave, and the most rows in use",
         ("node", "reads", "peak rows", "of"), memory_rows(schedule))  # fmt: skip
    used = [
        (kind, name, f"{share:.0%}") for kind, name, share in utilisation_rows(schedule) if share
    ]
    part("Utilisation of what is used", ("kind", "part", "use"), used)
    bounds = [(bound.name, bound.cycles) for bound in schedule.bounds()]
    part(f"Lower bounds on the {schedule.cycles} cycles", ("bound", "cycles"), bounds)
    print(screen.bold("The controller"), *control_lines(control_figures(schedule, depth)), sep="\n")
    print()
    found = figures(schedule)
    print(screen.bold(sentence(found)), *notes(found), sep="\n")


PLACING = ("op", "code", "actor", "start", "result", "in place")


def placing_rows(schedule: Schedule) -> Rows:
    """Return each Op's Actor, cycles, and the operands that nobody had to bring for it."""
    held: dict[int, list[str]] = {}
    for op, datum in schedule.in_place:
        held.setdefault(op.index, []).append(datum.name)
    rows: Rows = []
    for firing, latency in zip(schedule.firings, schedule.times.latency.tolist(), strict=True):
        op = schedule.workload.ops[int(firing["op"])]
        actor, start = schedule.hardware.actors[int(firing["actor"])], int(firing["cycle"])
        in_place = ", ".join(held.get(op.index, []))
        rows.append((op.name, op.code, actor.name, start, start + latency, in_place))
    return rows


def routing_rows(schedule: Schedule) -> Rows:
    rows: Rows = []
    for datum in schedule.workload.data:
        for i, path in enumerate(schedule.paths(datum)):
            first = (datum.name, path, ", ".join(_stays(schedule, datum)))
            rows.append(first if i == 0 else ("", path, ""))
    return rows


def _stays(schedule: Schedule, datum: Datum) -> Iterator[str]:
    """Yield where a datum waits longer than the cycle in which it gets there."""
    from dtt.presence import INFINITE

    mine = schedule.presences[schedule.presences["datum"] == datum.index]
    spans = sorted(mine[["complete", "end", "point"]].tolist())
    for first, last, point in spans:
        if last > first:
            until = "the end" if last >= INFINITE else str(last)
            yield f"{schedule.hardware.points[point]} {first} to {until}"


def memory_rows(schedule: Schedule) -> Rows:
    peaks = schedule.statistics().peaks
    points = [p for p in schedule.hardware.points if p.stores]
    return [(p.name, schedule.reads(p), peaks[p.index], p.rows) for p in points]


def utilisation_rows(schedule: Schedule) -> list[tuple[str, str, float]]:
    found, hardware = schedule.statistics(), schedule.hardware
    return [
        *(("wire", w.name, found.wires[w.index]) for w in hardware.wires),
        *(("actor", a.name, found.actors[a.index]) for a in hardware.actors),
    ]
