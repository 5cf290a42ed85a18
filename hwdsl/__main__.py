"""The command line's entry: reads the arguments, runs a command, turns faults into sentences."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import TextIO

from .cli import (
    check,
    compare,
    compile,
    doctor,
    draw,
    dump,
    emit,
    manticore,
    reduce,
    report,
    run,
    schedule,
)
from .cli.screen import Screen, print_json
from .errors import HardwareWarning, HwdslError

COMMANDS: dict[str, ModuleType] = {
    "check": check,
    "schedule": schedule,
    "emit": emit,
    "draw": draw,
    "report": report,
    "reduce": reduce,
    "manticore": manticore,
    "compare": compare,
    "compile": compile,
    "run": run,
    "dump": dump,
    "doctor": doctor,
}

_EPILOG = """\
FILE is a Python file that defines `hardware` and `workload` (and, if it likes, `values`), or a
YAML file. Exit status: 0 good, 1 the check failed, 2 bad input, 3 no schedule exists, 4 a limit was
reached, 5 a tool is missing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", HardwareWarning)
        warnings.showwarning = _show_warning
        try:
            status: int = COMMANDS[options.command].run(options)
            sys.stdout.flush()
            return status
        except HwdslError as error:
            return _report(error, options)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
            return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hwdsl",
        description="Declare an accelerator once; schedule it, emit it, and compare the two.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.arguments(command)
    return parser


def _report(error: HwdslError, options: argparse.Namespace) -> int:
    screen = Screen(sys.stderr)
    print(f"{screen.red('error')}: {error}", file=sys.stderr)
    if getattr(options, "json", False):
        print_json({"verdict": "fail", "error": str(error), "status": error.status})
    return error.status


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, HardwareWarning):
        print(f"{Screen(sys.stderr).yellow('warning')}: {message}", file=sys.stderr)
    else:
        print(f"{filename}:{lineno}: {category.__name__}: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
