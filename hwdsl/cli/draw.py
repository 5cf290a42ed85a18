"""``hwdsl draw``: the architecture as SVG."""

from __future__ import annotations

import argparse

from .output import check_output, write_output
from .screen import progress
from .subject import file_argument, read_hardware

SUMMARY = "draw the machine as SVG"


def arguments(parser: argparse.ArgumentParser) -> None:
    file_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: the screen)")
    parser.add_argument(
        "--all", action="store_true", help="show every part, however many: do not fold long lists"
    )


def run(options: argparse.Namespace) -> int:
    from ..drawing import LIMIT, draw

    check_output(options.output, options.file)
    hardware = read_hardware(options.file)
    with progress("drawing"):
        text = draw(hardware, limit=None if options.all else LIMIT)
    write_output(options.output, text)
    return 0
