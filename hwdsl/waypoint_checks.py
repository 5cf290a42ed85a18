"""Whether the numbers of a way-point program mean something on a Hardware."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .errors import Fault, InputError
from .hardware import Hardware
from .program import OPERANDS
from .waypoints import CONTENT, FORM, OPERATION, PATH, WAY_POINT, Kind, Waypoints

LONGEST = 1 << 24
"""Cycles and beats that nothing in a program may exceed."""


def check_waypoints(hardware: Hardware, program: Waypoints) -> None:
    """Refuse a program whose numbers point nowhere, so that all else can follow them blindly.

    Raises
    ------
    InputError
        With all that was found.
    """
    if program.hardware != hardware.fingerprint:
        raise InputError(f"Program: it is for another Hardware than {hardware.name}")
    faults = [Fault(f"Program: {sentence}") for sentence in _faults(hardware, program)]
    if faults:
        raise InputError(*faults)


def _faults(hardware: Hardware, program: Waypoints) -> Iterator[str]:
    if not 1 <= program.window <= LONGEST:
        yield f"its window must be from 1 to {LONGEST} cycles, not {program.window}"
    if not 0 <= program.cycles <= LONGEST:
        yield f"it must run for 0 to {LONGEST} cycles, not {program.cycles}"
    if program.word != hardware.word:
        yield f"its words must have {hardware.word} bits, not {program.word}"
    for name, bits, _ in program.data:
        if bits < 1 or bits % hardware.word:
            yield f"elements of {name} must be whole words of {hardware.word} bits, not {bits}"
    if max(program.sizes(), default=0) > LONGEST:
        yield f"a datum must not have more than {LONGEST} bits"
    for table, names, limits in _limits(hardware, program):
        rows = getattr(program, table)
        for column, name in enumerate(names):
            low, high = limits.get(name, (0, LONGEST))
            wrong = rows[(rows[:, column] < low) | (rows[:, column] > high), column]
            if len(wrong):
                yield f"{name} of {table} must be from {low} to {high}, not {wrong[0]}"
    yield from _relations(hardware, program)


def _limits(
    hardware: Hardware, program: Waypoints
) -> Iterator[tuple[str, tuple[str, ...], dict[str, tuple[int, int]]]]:
    """Yield tables, their columns, and the least and the largest value of a column."""
    point, datum = (0, len(hardware.points) - 1), (0, len(program.data) - 1)
    place = (0, max(len(hardware.points), len(hardware.wires)) - 1)
    actor = (0, len(hardware.actors) - 1)
    stay = (-1, LONGEST)
    yield "contents", CONTENT, {"datum": datum, "point": point, "stay": stay}
    yield "paths", PATH, {"datum": datum, "source": (-1, point[1]), "points": (1, LONGEST)}
    yield "points", WAY_POINT, {"kind": (0, max(Kind)), "place": place, "stay": stay}
    ones = dict.fromkeys(("elements", "depth", "units", "latency", "cooldown"), (1, LONGEST))
    minus = {"parallel": (0, 1), "into": (-1, LONGEST), "reads": (-1, len(program.reads) - 1)}
    yield "forms", FORM, ones | minus
    form = (0, len(program.forms) - 1)
    yield "operations", OPERATION, {"actor": actor, "form": form, "result": datum, "stay": stay}


def _relations(hardware: Hardware, program: Waypoints) -> Iterator[str]:
    """Yield what is wrong between columns and tables."""
    stores = np.array([point.stores for point in hardware.points], bool)
    if len(program.points) != program.paths[:, 3].sum():
        yield "its paths have other way-points than there are"
    steps = program.points[:, 1] == Kind.STEP
    for which, many, what in ((steps, hardware.wires, "Wire"), (~steps, hardware.points, "Point")):
        if np.any(program.points[which, 2] >= len(many)):
            yield f"a way-point is at a {what} that there is not"
    nodes = program.contents[:, 1]
    if np.any(nodes >= len(stores)) or not stores[nodes].all():
        yield "a datum is loaded where nothing can stay"
    forms = [dict(zip(FORM, row, strict=True)) for row in program.forms.tolist()]
    for form in forms:
        work = form["elements"] * form["depth"]
        least = 2 * form["elements"] if form["parallel"] else 1
        most = least + 1 if form["parallel"] else OPERANDS
        if form["reads"] >= 0 and form["reads"] + work > len(program.reads):
            yield "a form reads more unit-steps than there are"
        if not least <= form["operands"] <= most or form["into"] >= form["operands"]:
            yield "a form has other operands than an Op of its kind"
        if form["hold"] > form["latency"] or work > LONGEST:
            yield "a form holds its operands for too long"
    operations = program.operations.tolist()
    known = [row for row in operations if 0 <= row[1] < len(hardware.actors)]
    known = [row for row in known if 0 <= row[2] < len(forms)]
    for _, number, form_number, _, _ in known:
        actor, form = hardware.actors[number], forms[form_number]
        if form["code"] >= len(actor.ops) or form["units"] > actor.units:
            yield f"an operation asks for what Actor {actor.name!r} cannot do"
            return
    if len(known) < len(operations):
        return
    if len(program.operands) != sum(forms[row[2]]["operands"] for row in known):
        yield "its operations have other operands than there are"
    if np.any((program.operands < 0) | (program.operands >= len(program.data))):
        yield "an operation reads a datum that there is not"
    for name in ("paths", "operations"):
        starts = getattr(program, name)[:, 0]
        if np.any(np.diff(starts) < 0):
            yield f"its {name} must be in the order of their starts"
