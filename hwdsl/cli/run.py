"""``hwdsl run``: run a way-point program on the RTL, and hold what it leaves against NumPy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .check import complete_values, seed
from .control import CONTROLS
from .dump import read_bytes
from .screen import amount, print_json, progress
from .subject import read_subject

if TYPE_CHECKING:
    from ..program import Program
    from ..trace import Trace
    from .subject import Subject

SUMMARY = "run a way-point program on the hardware of FILE, and compare what is stored"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", help="what `hwdsl compile` wrote")
    parser.add_argument("file", metavar="FILE", help="what it was compiled from")
    parser.add_argument("--engine", default="pysim", help="what runs the RTL (default: pysim)")
    parser.add_argument(
        "--control",
        choices=CONTROLS,
        default="waypoints",
        help="where commands come from: the controller, or tables that are filled with what it "
        "would rebuild (default: %(default)s)",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    import rtl
    from rtl.engines import known

    from ..program_file import read_program
    from ..rebuild import rebuild

    known(options.engine)
    subject = read_subject(options.file)
    named = [(d.name, d.bits, d.shape) for d in subject.workload.data]
    points = read_program(read_bytes(options.program), options.program, named)
    values = complete_values(subject, options.seed)
    with progress("rebuilding the moves"):
        program = rebuild(subject.hardware, points)
    with progress(f"running the RTL on {options.engine}"):
        given = program if options.control == "tables" else points
        how = {"engine": options.engine, "control": options.control}
        trace = rtl.simulate(subject.hardware, given, values, **how)
    wrong, count = _differences(subject, program, values, trace)
    if options.json:
        print_json(
            {
                "verdict": "fail" if wrong else "pass",
                "engine": trace.engine,
                "control": trace.control,
                "cycles": trace.cycles,
                "stored": count,
                "mismatches": len(wrong),
                "first_mismatch": wrong[0] if wrong else None,
                "seed": options.seed,
            }
        )
        return 1 if wrong else 0
    where = f"on {trace.engine} with {trace.control}"
    print(f"simulated  {amount(trace.cycles, 'cycle')} of RTL {where}")
    told = amount(len(wrong), "mismatch", "mismatches")
    print(f"compared   {amount(count, 'stored datum', 'stored data')}, {told}")
    if not count:
        print("           nothing is stored to the end, so only errors of the hardware could show")
    print(*wrong[:1], "FAIL" if wrong else "PASS", sep="\n")
    return 1 if wrong else 0


def _differences(
    subject: Subject, program: Program, values: dict[Any, Any], trace: Trace
) -> tuple[list[str], int]:
    """Return what is not as it should be, and how many data are stored."""
    import numpy as np

    from ..compare import CONTROLLER
    from ..readback import stored
    from ..trace import ErrorKind, Kind
    from ..values import evaluate

    wanted = evaluate(subject.workload, values)
    found = stored(subject.hardware, program, trace)
    names = [*(part.name for part in subject.hardware.parts), CONTROLLER]
    errors = trace.events[trace.events["kind"] == Kind.ERROR]
    wrong = [
        f"cycle {e['cycle']}, {names[e['part']]!r}: error {ErrorKind(int(e['value'])).name}"
        for e in errors
    ]
    for datum in subject.workload.data:
        if datum.name in found and not np.array_equal(found[datum.name], wanted[datum.index]):
            seen, right = found[datum.name].tolist(), wanted[datum.index].tolist()
            wrong.append(f"{datum.name!r} is {seen} in the end, and should be {right}")
    return wrong, len(found)
