"""``hwdsl report``: one self-contained HTML page about FILE, with the verdict of the RTL."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .check import compared, complete_values, seed, simulated
from .figures import figures, notes
from .output import check_output, write_output
from .schedule import (
    PLACING,
    memory_rows,
    placing_rows,
    routing_rows,
    scheduled,
    scheduling_arguments,
    utilisation_rows,
)
from .screen import Screen, amount, progress
from .subject import Subject, file_argument, read_subject

if TYPE_CHECKING:
    from dtt import Schedule

    from ..report import Outcome, Table

SUMMARY = "write an HTML page: drawing, space-time chart, utilisation, bounds, verdict"

_TOLD = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: the screen)")
    parser.add_argument(
        "--first", type=_cycle, default=0, metavar="CYCLE", help="the chart's first (default: 0)"
    )
    parser.add_argument("--no-run", action="store_true", help="leave out the run of the RTL")
    scheduling_arguments(parser)
    parser.add_argument("--engine", default="pysim", help="what runs the RTL (default: pysim)")
    parser.add_argument(
        "--control", default="tables", help="where commands come from (default: tables)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.set_defaults(vcd=None, depth=0)


def _cycle(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a cycle must be a whole number from 0, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from ..drawing import draw
    from ..report import Report, write

    check_output(options.output, options.file)
    subject = read_subject(options.file)
    with progress("drawing"):
        drawing = draw(subject.hardware)  # first: what it needs may be missing
    schedule = scheduled(subject, options)
    outcome = _outcome(subject, schedule, options)
    found = figures(schedule)
    shown = (
        ("cycles", str(found["cycles"])),
        ("energy declared", f"{found['energy_pj']:.10g} pJ"),
        ("moves", str(found["moves"])),
        ("firings", str(found["firings"])),
        ("largest lower bound", _largest(schedule)),
    )
    with progress("writing the page"):
        text = write(
            Report(
                f"{subject.hardware.name}: schedule and verdict",
                Path(options.file).name,
                outcome,
                shown,
                drawing,
                schedule,
                tuple(_tables(schedule)),
                options.first,
            )
        )
        write_output(options.output, text)
    failed = outcome.passed is False or bool(schedule.unserved)
    if failed:  # the page says it too, but it is not what a script or a user sees first
        told = "; ".join((outcome.sentence, *outcome.details))
        print(f"{Screen(sys.stderr).red('FAIL')}: {told}", file=sys.stderr)
    return 1 if failed else 0


def _outcome(subject: Subject, schedule: Schedule, options: argparse.Namespace) -> Outcome:
    """Check the legality, run the RTL, compare; an illegal Schedule is an error as in ``check``."""
    from dtt.check import check

    from ..report import Outcome

    with progress("checking the schedule"):
        check(subject.hardware, subject.workload, schedule)
    told = tuple(notes(figures(schedule)))
    if options.no_run:
        legal = "The schedule is legal. The RTL was not run (--no-run)."
        return Outcome(False if schedule.unserved else None, legal, told)
    values = complete_values(subject, options.seed)
    seen = simulated(subject, schedule, values, options)
    verdict = compared(subject, schedule, values, seen)
    sentence = (
        f"The schedule is legal. {amount(seen.cycles, 'cycle')} of RTL on {seen.engine} with "
        f"{seen.control}, seed {options.seed}: {amount(verdict.events, 'event')} compared, "
        f"{amount(verdict.count, 'mismatch', 'mismatches')}."
    )
    mismatches = [m.sentence for m in verdict.mismatches[:_TOLD]]
    if verdict.count > len(mismatches) > 0:
        mismatches.append(f"and {verdict.count - len(mismatches)} more")
    good = verdict.passed and not schedule.unserved
    return Outcome(good, sentence, (*mismatches, *verdict.notes, *told))


def _largest(schedule: Schedule) -> str:
    bounds = schedule.bounds()
    return f"{bounds[0].cycles} cycles" if bounds else "none"


def _tables(schedule: Schedule) -> list[Table]:
    from ..hardware import MICRO_PJ
    from ..report import Table

    energy = schedule.energy
    parts = [
        (name, getattr(energy, name) / MICRO_PJ)
        for name in ("moves", "stays", "firings", "additions")
    ]
    silent = schedule.energy_undeclared
    bounds = [(b.name, b.cycles, b.explanation) for b in schedule.bounds()]
    used = sorted(
        ((kind, name, share) for kind, name, share in utilisation_rows(schedule) if share),
        key=lambda row: -row[2],
    )
    kept = [row for row in memory_rows(schedule) if row[1] or row[2]]
    return [
        Table(
            "Energy",
            ("of", "pJ"),
            [*parts, ("all that is declared", schedule.energy_pj)],
            f"Left out, because undeclared: {', '.join(silent)}." if silent else "",
        ),
        Table(
            f"Lower bounds on the {schedule.cycles} cycles",
            ("bound", "cycles", "why"),
            bounds,
        ),
        Table("Utilisation", ("kind", "part", "use"), [(k, n, f"{s:.1%}") for k, n, s in used]),
        Table(
            "Memories: moves that leave, most rows in use",
            ("node", "reads", "peak rows", "of"),
            kept,
        ),
        Table("Placing", PLACING, placing_rows(schedule), wide=True),
        Table("Routing", ("datum", "path", "stays"), routing_rows(schedule), wide=True),
    ]
