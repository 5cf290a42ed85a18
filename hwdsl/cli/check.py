"""``hwdsl check``: schedule it, run it on the RTL, and compare."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .figures import figures, notes, sentence
from .schedule import scheduled, scheduling_arguments
from .screen import Screen, amount, print_json, progress
from .subject import Subject, file_argument, read_subject

if TYPE_CHECKING:
    from dtt import Schedule

    from ..compare import Verdict
    from ..trace import Trace

SUMMARY = "schedule FILE, run the schedule on the RTL, and compare every cycle"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    scheduling_arguments(parser)
    parser.add_argument("--engine", default="pysim", help="what runs the RTL (default: pysim)")
    parser.add_argument(
        "--control", default="tables", help="where commands come from (default: tables)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.add_argument("--vcd", metavar="FILE", help="write the waveforms of the run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed must be a whole number from 0, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from dtt.check import check

    if options.vcd is not None:
        _touch(options.vcd)
    subject = read_subject(options.file)
    values = complete_values(subject, options.seed)
    schedule = scheduled(subject, options)
    found = figures(schedule)
    _say(options, f"scheduled  {sentence(found)}", *(f"           {n}" for n in notes(found)))
    with progress("checking the schedule"):
        check(subject.hardware, subject.workload, schedule)
    _say(options, "legal      every rule of the timing contract holds")
    seen = simulated(subject, schedule, values, options)
    where = f"on {seen.engine} with {seen.control}, seed {options.seed}"
    _say(options, f"simulated  {amount(seen.cycles, 'cycle')} of RTL {where}")
    verdict = compared(subject, schedule, values, seen)
    good = verdict.passed and not schedule.unserved
    first = verdict.first.sentence if verdict.first else None
    if options.json:
        print_json(
            {
                "verdict": "pass" if good else "fail",
                "engine": seen.engine,
                "control": seen.control,
                **found,
                "mismatches": verdict.count,
                "first_mismatch": first,
                "notes": list(verdict.notes),
                "events": verdict.events,
                "seed": options.seed,
            }
        )
        return 0 if good else 1
    mismatches = amount(verdict.count, "mismatch", "mismatches")
    _say(options, f"compared   {amount(verdict.events, 'event')}, {mismatches}")
    _say(options, *([first] if first else []), *verdict.notes)
    screen = Screen(sys.stdout)
    _say(options, screen.green("PASS") if good else screen.red("FAIL"))
    return 0 if good else 1


def _touch(path: str) -> None:
    """Refuse a file that cannot be written, before any long work."""
    try:
        with open(path, "ab"):
            pass
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _say(options: argparse.Namespace, *lines: str) -> None:
    """Print lines as their stage ends, unless one JSON object is all that is wanted."""
    if not options.json:
        for line in lines:
            print(line, flush=True)


def simulated(
    subject: Subject, schedule: Schedule, values: dict[Any, Any], options: argparse.Namespace
) -> Trace:
    import rtl

    with progress(f"running the RTL on {options.engine}"):
        trace: Trace = rtl.simulate(
            subject.hardware,
            schedule.program(),
            values,
            engine=options.engine,
            control=options.control,
            vcd=options.vcd,
        )
    return trace


def compared(subject: Subject, schedule: Schedule, values: dict[Any, Any], seen: Trace) -> Verdict:
    from dtt.expect import expected_trace

    from ..compare import compare

    with progress("comparing"):
        expected = expected_trace(schedule, values)
        return compare(subject.hardware, expected.trace, seen, expected)


def complete_values(subject: Subject, seed: int) -> dict[Any, Any]:
    """Return the values that FILE gives, and random ones for the rest of the loaded data."""
    from ..values import random_values
    from ..workload import Datum

    data = {d.name: d for d in subject.workload.data if d.loaded_at is not None}
    chosen: dict[Any, Any] = dict(random_values(subject.workload, seed))
    for key, value in (subject.values or {}).items():
        name = key.name if isinstance(key, Datum) else key
        if name not in data:
            raise InputError(f"values: {name!r} is not a loaded datum of the Workload")
        chosen[data[name]] = value
    return chosen
