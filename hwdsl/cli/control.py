"""Where commands come from, on the command line; and what a controller is given."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .screen import amount, progress

if TYPE_CHECKING:
    from dtt import Schedule

    from ..waypoints import Waypoints

CONTROLS = ("tables", "waypoints")

MOST_MOVES = 4096
"""Of more, no way-points are chosen unless they are asked for: it takes longer than scheduling."""


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

    Tables are counted as they are loaded: for each port its commands, with their cycles. ``None``
    of MAC engines, whose commands no controller sends, and of more Moves than `MOST_MOVES`.
    """
    from dtt.waypoints import paced_waypoints
    from rtl.load import table_bytes

    from ..program_file import write_program

    engines = any(actor.is_mac_engine for actor in schedule.hardware.actors)
    if engines or len(schedule.moves) > MOST_MOVES:
        return None
    with progress("choosing way-points"):
        program, found = paced_waypoints(schedule, depth=depth)
    paths = len(program.paths)
    return {
        "bytes_as_tables": table_bytes(schedule.hardware, schedule.program()),
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
        return [f"not looked at: there are MAC engines, or more than {MOST_MOVES} moves"]
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
