"""Where commands come from, on the command line; and what a controller is given."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .screen import amount, progress

if TYPE_CHECKING:
    from dtt import Schedule

    from ..waypoints import Waypoints

CONTROLS = ("tables", "waypoints")


def control_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--control`` and what belongs to a controller."""
    parser.add_argument(
        "--control",
        choices=CONTROLS,
        default="tables",
        help="where commands come from: tables beside every part, or a controller that rebuilds "
        "them from way-points (default: %(default)s)",
    )
    depth_argument(parser)


def depth_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--depth",
        metavar="N",
        type=_depth,
        default=0,
        help="commands that each port keeps for the controller (default: as many as it takes)",
    )
    parser.add_argument(
        "--hold-back",
        action="store_true",
        help="where --depth is too short, hold data back for the controller: a slower schedule",
    )


def _depth(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a depth must be a whole number from 1, not {text!r}")
    return int(text)


def compiled(schedule: Schedule, depth: int) -> Waypoints:
    """Return the way-point program of a Schedule."""
    from dtt.waypoints import waypoints

    with progress("choosing way-points"):
        return waypoints(schedule, depth=depth)


def control_figures(schedule: Schedule, depth: int) -> dict[str, Any] | None:
    """Return what a controller needs for a Schedule, and what the same takes as tables.

    Tables are counted as they are loaded: for each port its commands, with their cycles. MAC
    engines have commands of their own, which no controller sends: then there is nothing to tell.
    """
    if any(actor.is_mac_engine for actor in schedule.hardware.actors):
        return None
    from dtt.pace import pace
    from rtl.load import table_bytes

    from ..program_file import write_program

    program, commands = compiled(schedule, depth), schedule.program()
    found = pace(schedule.hardware, program, commands, depth)
    paths = len(program.paths)
    return {
        "bytes_as_tables": table_bytes(schedule.hardware, commands),
        "bytes_as_way_points": len(write_program(program)),
        "paths": paths,
        "way_points": len(program.points),
        "way_points_per_path": round(len(program.points) / paths, 6) if paths else None,
        "lead": found.lead,
        "busy": round(found.busy, 6),
        "slack": found.slack,
        "depth": found.depth,
    }


def control_lines(found: dict[str, Any] | None) -> list[str]:
    """Return the figures in words."""
    if found is None:
        return ["there is none: way-points do not command MAC engines, tables do"]
    program = f"{found['bytes_as_way_points']} bytes as way-points"
    per_path = found["way_points_per_path"]
    points = f"{amount(found['way_points'], 'way-point')} for {amount(found['paths'], 'path')}"
    return [
        f"program     {program}, {found['bytes_as_tables']} as tables",
        f"paths       {points}" + (f" ({per_path:.2f} each)" if per_path else ""),
        f"controller  starts {amount(found['lead'], 'cycle')} ahead, is busy for "
        f"{found['busy']:.0%} of the time; each port keeps {amount(found['depth'], 'command')}",
        f"tightest    packet comes {amount(found['slack'], 'cycle')} before it must",
    ]
