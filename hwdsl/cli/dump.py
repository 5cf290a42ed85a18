"""``hwdsl dump``: a way-point program to be read."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from .screen import amount
from .subject import read_subject

if TYPE_CHECKING:
    from ..hardware import Hardware
    from ..waypoints import Waypoints

SUMMARY = "print a way-point program; with FILE, by the names of its parts and data"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", help="what `hwdsl compile` wrote")
    parser.add_argument("file", metavar="FILE", nargs="?", help="what it was compiled from")


def read_bytes(path: str) -> bytes:
    """Return what a file holds."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def run(options: argparse.Namespace) -> int:
    from ..program_file import read_program
    from ..waypoint_checks import check_waypoints

    data = read_bytes(options.program)
    if options.file is None:
        program, hardware = read_program(data, options.program), None
    else:
        subject = read_subject(options.file)
        hardware = subject.hardware
        named = [(d.name, d.bits, d.shape) for d in subject.workload.data]
        program = read_program(data, options.program, named)
        check_waypoints(hardware, program)
    for line in _lines(program, _Names(hardware, program), len(data)):
        print(line)
    return 0


class _Names:
    """What parts and data are called; by number, where that is all that is known."""

    def __init__(self, hardware: Hardware | None, program: Waypoints):
        self._hardware, self._program = hardware, program

    def part(self, kind: str, index: int) -> str:
        if self._hardware is None:
            return f"{kind} {index}"
        parts = {"point": "points", "wire": "wires", "actor": "actors"}
        return str(getattr(self._hardware, parts[kind])[index].name)

    def datum(self, index: int) -> str:
        known = index < len(self._program.data)
        return self._program.data[index][0] if known else f"datum {index}"

    def code(self, actor: int, code: int) -> str:
        if self._hardware is None:
            return f"op {code}"
        return sorted(self._hardware.actors[actor].ops)[code]


def _lines(program: Waypoints, names: _Names, size: int) -> Iterator[str]:
    from ..waypoints import FORM, HOME

    yield f"way-point program of {size} bytes for hardware {program.hardware[:16]}"
    yield f"{amount(program.cycles, 'cycle')}, window of {amount(program.window, 'cycle')}"
    yield f"\ncontents: {len(program.contents)}"
    for datum, point, stay in program.contents.tolist():
        yield f"  {names.datum(datum)} in {names.part('point', point)}, {_stay(stay)}"
    yield f"\npaths: {len(program.paths)}"
    points = iter(program.points.tolist())
    for start, datum, source, count in program.paths.tolist():
        begin = "home" if source == HOME else names.part("point", source)
        legs = (_leg(next(points), names) for _ in range(count))
        yield f"  {start}: {names.datum(datum)} from {begin} {'; '.join(legs)}"
    yield f"\noperations: {len(program.operations)}"
    operands = iter(program.operands.tolist())
    forms = [dict(zip(FORM, row, strict=True)) for row in program.forms.tolist()]
    for start, actor, number, result, stay in program.operations.tolist():
        form = forms[number]
        data = ", ".join(names.datum(next(operands)) for _ in range(form["operands"]))
        code, who = names.code(actor, form["code"]), names.part("actor", actor)
        yield f"  {start}: {names.datum(result)} = {code}({data}) on {who}, {_stay(stay)}"


def _leg(row: list[int], names: _Names) -> str:
    from ..waypoints import Kind

    wait, kind, place, by, stay = row
    told = "over " if kind == Kind.STEP else "to "
    told += names.part("wire" if kind == Kind.STEP else "point", place)
    if kind == Kind.BY:
        told += f" within {amount(by, 'cycle')}"
    if wait:
        told = f"after {amount(wait, 'cycle')} {told}"
    return told + (f", {_stay(stay)}" if stay else "")


def _stay(stay: int) -> str:
    from ..waypoints import FOREVER

    return "stays to the end" if stay == FOREVER else f"stays {amount(stay, 'cycle')}"
