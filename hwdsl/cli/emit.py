"""``hwdsl emit``: Verilog of a fabric."""

from __future__ import annotations

import argparse
from pathlib import Path

from .check import complete_values, seed
from .output import check_output, write_output
from .screen import progress
from .subject import file_argument, read_hardware, read_subject

SUMMARY = "write the machine as Verilog"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: the screen)")

    parser.add_argument(
        "--testbench",
        metavar="DIR",
        help="write a cocotb test that needs no hwdsl: Verilog, program, test and runner",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")


def run(options: argparse.Namespace) -> int:
    import rtl

    if options.testbench is not None:
        return _testbench(options)

    check_output(options.output, options.file)
    hardware = read_hardware(options.file)
    with progress("writing Verilog"):
        text: str = rtl.emit(hardware)
    write_output(options.output, text)
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
