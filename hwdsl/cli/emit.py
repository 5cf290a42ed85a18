"""``hwdsl emit``: Verilog of a fabric."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .check import complete_values, seed
from .control import compiled, control_argument
from .output import check_output, write_output
from .screen import progress, table
from .subject import file_argument, read_hardware, read_subject

if TYPE_CHECKING:
    from ..hardware import Hardware

SUMMARY = "write the machine as Verilog"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: the screen)")
    control_argument(parser)
    parser.add_argument("--cells", action="store_true", help="count its cells with Yosys instead")
    parser.add_argument(
        "--testbench",
        metavar="DIR",
        help="write a cocotb test that needs no hwdsl: Verilog, program, test and runner",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")


def run(options: argparse.Namespace) -> int:
    import rtl

    _one_wish(options)
    if options.testbench is not None:
        return _testbench(options)

    check_output(options.output, options.file)
    if options.control == "tables":
        hardware, limits = read_hardware(options.file), None
    else:
        hardware, limits = _controlled(options)
    if options.cells:
        return _count(hardware, limits)
    with progress("writing Verilog"):
        text: str = rtl.emit(hardware, control=limits)
    write_output(options.output, text)
    return 0


def _one_wish(options: argparse.Namespace) -> None:
    """Refuse options of which one would be passed over."""
    tables = options.control == "tables"
    if tables and (options.depth or options.hold_back):
        raise InputError("--depth and --hold-back are of a controller: --control waypoints")
    if options.testbench is not None and (options.output or options.cells or not tables):
        raise InputError("--testbench takes no -o, --cells or --control waypoints")


def _controlled(options: argparse.Namespace) -> tuple[Hardware, Any]:
    """Return the Hardware, and the sizes of a controller that can run what FILE asks for."""
    import dtt
    from rtl.control.source import instruction

    subject = read_subject(options.file)
    with progress("scheduling"):
        schedule = dtt.schedule(subject.hardware, subject.workload)
    program = compiled(schedule, options.depth)
    return subject.hardware, instruction(subject.hardware, program, schedule.program()).limits


def _count(hardware: Hardware, limits: Any) -> int:
    from rtl.price import cells_by_part

    with progress("counting cells"):
        found = cells_by_part(hardware, limits)
    rows = [*found.items(), ("in all", sum(found.values()))]
    print(table(("part", "cells"), rows))
    return 0


def _testbench(options: argparse.Namespace) -> int:
    import dtt
    import rtl
    from dtt.expect import expected_trace

    subject = read_subject(options.file)
    values = complete_values(subject, options.seed)
    with progress("scheduling"):
        schedule = dtt.schedule(subject.hardware, subject.workload)
        dtt.check(subject.hardware, subject.workload, schedule)
    expected = expected_trace(schedule, values).trace
    folder = Path(options.testbench)
    with progress("writing the test bench"):
        rtl.write_testbench(folder, subject.hardware, schedule.program(), values, expected)
    print(f"python {folder / 'run.py'} icarus|verilator")
    return 0
