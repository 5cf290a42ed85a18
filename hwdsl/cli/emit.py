"""``hwdsl emit``: Verilog of a fabric."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import InputError
from .screen import progress
from .subject import file_argument, read_hardware

SUMMARY = "write the machine as Verilog"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: the screen)")


def run(options: argparse.Namespace) -> int:
    import rtl

    hardware = read_hardware(options.file)
    with progress("writing Verilog"):
        text: str = rtl.emit(hardware)
    if options.output is None:
        print(text, end="")
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{options.output} cannot be written: {error.strerror}") from None
    return 0
