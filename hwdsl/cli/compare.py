"""``hwdsl compare``: two fabrics, one workload: what each makes of it, and what it costs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import IllegalSchedule, InputError, ToolMissing
from .check import seed
from .figures import figures, notes
from .output import check_output, write_output
from .reduce import simulated
from .screen import print_json, progress, table
from .subject import read_hardware, read_subject

if TYPE_CHECKING:
    from dtt import Schedule

    from ..hardware import Hardware

SUMMARY = "run the workload of one FILE on the hardware of two, and show what the difference buys"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="A", help="a FILE with hardware and workload")
    parser.add_argument("other", metavar="B", help="a FILE with the other hardware")
    parser.add_argument("--engine", default="pysim", help="what runs the RTL (default: pysim)")
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.add_argument("--cells", action="store_true", help="count cells with Yosys (slow)")
    parser.add_argument("--svg", metavar="FILE", help="draw the use of the second one's Adders")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    for file in (options.file, options.other):
        check_output(options.svg, file)
    subject = read_subject(options.file)
    machines = (subject.hardware, read_hardware(options.other))
    schedules = scheduled(machines, subject.workload)
    found = compared(schedules, options.engine, options.seed, subject.values)
    if options.cells:
        for side, hardware in zip(found["sides"], machines, strict=True):
            side["cells"] = _cells(hardware)
    if options.svg:
        from .tree_picture import tree_picture

        write_output(options.svg, tree_picture(schedules[1]))
    if options.json:
        print_json(found)
    else:
        print(as_text(found))
    return 0 if found["verdict"] == "pass" else 1


def scheduled(machines: tuple[Hardware, Hardware], workload: Any) -> tuple[Schedule, Schedule]:
    """Return a Schedule for each machine; what is legal on both is no better than either."""
    import dtt

    with progress("scheduling"):
        first, second = (dtt.schedule(h, workload, objective="time") for h in machines)
        return _from(second, machines[0], first), _from(first, machines[1], second)


def _from(start: Schedule, hardware: Hardware, found: Schedule) -> Schedule:
    """Return a Schedule no worse than the other machine's, if that is legal here."""
    import dtt

    try:
        return dtt.schedule(hardware, start.workload, objective="time", start=start)
    except (InputError, IllegalSchedule):  # it uses what this machine lacks
        return found


def compared(
    schedules: tuple[Schedule, Schedule], engine: str, seed: int, values: Any = None
) -> dict[str, Any]:
    """Return what both sides make of the workload, and how far what only one has is used."""
    sides = [_side(schedule, engine, seed, values) for schedule in schedules]
    first, second = (schedule.hardware for schedule in schedules)
    gain = {
        "cycles": sides[0]["cycles"] - sides[1]["cycles"],
        "speedup": sides[0]["cycles"] / max(sides[1]["cycles"], 1),
        "energy_pj": sides[0]["energy_pj"] - sides[1]["energy_pj"],
        "wires": sides[1]["wires"] - sides[0]["wires"],
        "adder_inputs": sides[1]["adder_inputs"] - sides[0]["adder_inputs"],
    }
    good = all(side["verdict"] == "pass" and not side["unserved"] for side in sides)
    return {
        "verdict": "pass" if good else "fail",
        "sides": sides,
        "only_first": _use_of(schedules[0], second),
        "only_second": _use_of(schedules[1], first),
        "gain": gain,
    }


def _side(schedule: Schedule, engine: str, seed: int, values: Any) -> dict[str, Any]:
    from dtt.reduction.blocking import blocking

    hardware = schedule.hardware
    blocked = [b for b in blocking(schedule) if b.on]
    ops = schedule.workload.ops
    return {
        "hardware": hardware.name,
        **figures(schedule),
        **simulated(schedule, engine, seed, values),
        "blocked_by_wires": sum(b.by_wires for b in blocked),
        "blocked": [{"dot": ops[b.op].name, "on": [list(o) for o in b.on]} for b in blocked],
        "wires": len(hardware.wires),
        "adder_inputs": sum(p.inputs for p in hardware.points if p.kind == "Adder"),
    }


def _use_of(schedule: Schedule, other: Hardware) -> list[dict[str, Any]]:
    """Return moves and utilisation of each Wire that the other machine lacks."""
    use = schedule.statistics().wires
    counts: dict[int, int] = {}
    for wire in schedule.moves["wire"].tolist():
        counts[wire] = counts.get(wire, 0) + 1
    return [
        {"wire": w.name, "moves": counts.get(w.index, 0), "utilisation": use[w.index]}
        for w in schedule.hardware.wires
        if w.name not in other
    ]


def _cells(hardware: Hardware) -> int | None:
    from rtl.price import cells

    try:
        with progress(f"counting the cells of {hardware.name}"):
            return int(cells(hardware))
    except ToolMissing:
        return None


_ROWS = (
    ("cycles", "cycles"),
    ("energy, pJ", "energy_pj"),
    ("moves", "moves"),
    ("additions of two", "adds2"),
    ("additions of three", "adds3"),
    ("dot products blocked by wires", "blocked_by_wires"),
    ("wires", "wires"),
    ("adder inputs", "adder_inputs"),
    ("cells (Yosys)", "cells"),
    ("RTL", "verdict"),
)


def as_text(found: dict[str, Any]) -> str:
    """Return a comparison as tables."""
    sides = found["sides"]
    rows = [
        (title, *(_shown(side[key]) for side in sides))
        for title, key in _ROWS
        if all(key in side for side in sides)
    ]
    parts = [table(("", f"A: {sides[0]['hardware']}", f"B: {sides[1]['hardware']}"), rows)]
    for letter, key in (("A", "only_first"), ("B", "only_second")):
        if found[key]:
            lines = [(u["wire"], u["moves"], f"{u['utilisation']:.1%}") for u in found[key]]
            parts.append(table((f"wires only in {letter}", "moves", "use"), lines))
    for letter, side in zip("AB", sides, strict=True):
        wired = [b for b in side["blocked"] if not any(o[0].startswith("Actor") for o in b["on"])]
        shown = [(b["dot"], _on(b["on"])) for b in wired[:8]]
        if shown:
            more = f" ({len(wired)} in all)" if len(wired) > len(shown) else ""
            parts.append(table((f"blocked in {letter}{more}", "on"), shown))
    for letter, side in zip("AB", sides, strict=True):
        if side["unserved"]:
            parts.append("\n".join(f"{letter}: {note}" for note in notes(side)))
    parts.append("PASS" if found["verdict"] == "pass" else "FAIL")
    return "\n\n".join(parts)


def _shown(value: Any) -> str:
    if value is None:
        return "pyosys is missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _on(on: Iterable[Any]) -> str:
    listed = [f"{part} in cycle {cycle} ({by})" for part, cycle, by in on]
    return "; ".join(listed[:2]) + (f" and {len(listed) - 2} more" if len(listed) > 2 else "")
