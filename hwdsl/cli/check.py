"""``hwdsl check``: schedule it, run it on the RTL, and compare."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import HwdslError, InputError
from .control import compiled, control_argument
from .figures import figures, notes, sentence
from .output import check_output
from .schedule import scheduled, scheduling_arguments
from .screen import Screen, amount, print_json, progress
from .subject import Subject, file_argument, read_subject

if TYPE_CHECKING:
    from dtt import Schedule
    from dtt.expect import Expected

    from ..compare import Verdict
    from ..trace import Trace

SUMMARY = "schedule FILE, run the schedule on the RTL, and compare every cycle"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    scheduling_arguments(parser)
    parser.add_argument(
        "--engine",
        default="pysim",
        help="what runs the RTL: pysim (default), cxxrtl, verilator, icarus, verilator-cocotb, "
        "auto (the one that is done first) or all that are here",
    )
    parser.add_argument(
        "--keep-going", action="store_true", help="do not stop at the first cycles that differ"
    )
    control_argument(parser)
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.add_argument("--vcd", metavar="FILE", help="write the waveforms of the run")
    parser.add_argument(
        "--vcd-from", metavar="CYCLE", type=seed, default=None, help="the first cycle of --vcd"
    )
    parser.add_argument(
        "--vcd-to", metavar="CYCLE", type=seed, default=None, help="the last cycle of --vcd"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed must be a whole number from 0, not {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from dtt.check import check
    from rtl.engines import known

    from ..compare import compare

    known(options.engine, "all")
    if options.control == "tables" and options.depth and not options.hold_back:
        raise InputError("--depth is of a controller: --control waypoints, or --hold-back for one")
    _wave(options)
    if options.vcd is not None:
        check_output(options.vcd, options.file)
        _touch(options.vcd)
    subject = read_subject(options.file)
    values = complete_values(subject, options.seed)
    schedule = scheduled(subject, options)
    found = figures(schedule)
    _say(options, f"scheduled  {sentence(found)}", *(f"           {n}" for n in notes(found)))
    with progress("checking the schedule"):
        check(subject.hardware, subject.workload, schedule)
    _say(options, "legal      every rule of the timing contract holds")
    expected = _expected(schedule, values)
    seen = simulated(subject, schedule, values, options, expected.trace)
    where = f"on {seen.engine} with {seen.control}, seed {options.seed}"
    _say(options, f"simulated  {amount(seen.cycles, 'cycle')} of RTL {where}")
    with progress("comparing"):
        stopped = seen.cycles < expected.trace.cycles
        whole = expected.trace.until(seen.cycles) if stopped else expected.trace
        verdict = compare(subject.hardware, whole, seen, expected)
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


def _expected(schedule: Schedule, values: dict[Any, Any]) -> Expected:
    from dtt.expect import expected_trace

    with progress("foretelling"):
        return expected_trace(schedule, values)


def _touch(path: str) -> None:
    """Refuse a file that cannot be written, before any long work, and leave none behind."""
    there = os.path.exists(path)
    try:
        with open(path, "ab"):
            pass
        if not there:
            os.unlink(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _say(options: argparse.Namespace, *lines: str) -> None:
    """Print lines as their stage ends, unless one JSON object or page is all that is wanted."""
    if not getattr(options, "json", True):
        for line in lines:
            print(line, flush=True)


def simulated(
    subject: Subject,
    schedule: Schedule,
    values: dict[Any, Any],
    options: argparse.Namespace,
    expected: Trace | None = None,
) -> Trace:
    """Run on the engine that is asked for; on several, they must all show the same.

    Parameters
    ----------
    expected : Trace, optional
        Where it is given, the run ends soon after what differs from it, unless told to go on.
    """
    import rtl
    from rtl.engines import choose, here

    program: Any = schedule.program()
    clocks = program.cycles
    if options.control == "waypoints":
        program = compiled(schedule, options.depth)
        clocks += program.lead
    engines = [options.engine]
    if options.engine == "auto":
        choice = choose(subject.hardware, clocks)
        engines = [choice.engine]
        if choice.reason:
            print(f"{Screen(sys.stderr).yellow('note')}: {choice.reason}", file=sys.stderr)
    elif options.engine == "all":
        engines = [name for name, missing in here().items() if not missing]
    traces: list[Trace] = []
    for engine in engines:
        common = {"engine": engine, "control": options.control, "vcd": _wave(options)}
        given = (subject.hardware, program, values)
        with progress(f"running the RTL on {engine}"):
            if expected is None or len(engines) > 1:
                traces.append(rtl.simulate(*given, **common))
            else:
                going = options.keep_going
                traces.append(rtl.follow(*given, expected, keep_going=going, **common))
    for trace in traces[1:]:
        if trace != traces[0]:
            raise EnginesDiffer(traces[0].engine, trace.engine)
    if len(traces) > 1:
        _say(options, f"           alike on {', '.join(t.engine for t in traces)}")
    return traces[0]


class EnginesDiffer(HwdslError):
    """Two engines that run the same RTL do not show the same."""

    def __init__(self, one: str, other: str):
        super().__init__(f"engines {one} and {other} do not show the same: a fault in one of them")


def _wave(options: argparse.Namespace) -> Any:
    from rtl import Wave

    first, last = getattr(options, "vcd_from", None), getattr(options, "vcd_to", None)
    if options.vcd is None:
        if first is not None or last is not None:
            raise InputError("--vcd-from and --vcd-to limit --vcd, which is missing")
        return None
    if last is not None and last < (first or 0):
        raise InputError(f"--vcd-to must not be before --vcd-from {first or 0}, not {last}")
    return Wave(Path(options.vcd), first or 0, last)


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
