"""``hwdsl compile``: schedule FILE, and write what the controller is given to run it."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import InputError
from .control import compiled, depth_argument
from .output import check_output
from .schedule import scheduled, scheduling_arguments
from .screen import amount, print_json, progress
from .subject import file_argument, read_subject

SUMMARY = "schedule FILE, and write its way-point program"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    scheduling_arguments(parser)
    depth_argument(parser)
    parser.add_argument("-o", "--output", metavar="PROGRAM", required=True, help="where to")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    from dtt.check import check
    from dtt.waypoints import waypoints

    from ..program_file import write_program

    check_output(options.output, options.file)
    subject = read_subject(options.file)
    schedule = scheduled(subject, options)
    check(subject.hardware, subject.workload, schedule)
    program = compiled(schedule, options.depth)
    with progress("listing all moves"):
        data = write_program(program)
        listed = len(write_program(waypoints(schedule, full=True)))
    try:
        Path(options.output).write_bytes(data)
    except OSError as error:
        raise InputError(f"{options.output} cannot be written: {error.strerror}") from None
    found = {
        "verdict": "fail" if schedule.unserved else "pass",
        "program": options.output,
        "bytes": len(data),
        "bytes_as_moves": listed,
        "moves": len(schedule.moves),
        "paths": len(program.paths),
        "way_points": len(program.points),
        "lead": program.lead,
        "depth": program.depth,
    }
    if options.json:
        print_json(found)
    else:
        parts = [amount(found[n], n[:-1].replace("_", "-")) for n in ("paths", "way_points")]
        told = f"{', '.join(parts)} for {amount(found['moves'], 'move')}"
        print(f"{options.output}: {len(data)} bytes ({listed} with every move listed); {told}")
    return 1 if schedule.unserved else 0
