"""How much smaller way-point programs are than the full list of Moves: on W2, W3 and the examples.

    python benchmarks/way_points.py

Both are whole program files in the same encoding; the list has every Move as a path of its own.
Aims: half on W2, a third on W3, and never more than the list.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from loads import w2, w3

import dtt
from dtt import Schedule
from dtt.waypoints import waypoints
from hwdsl.cli.screen import table
from hwdsl.errors import HardwareWarning
from hwdsl.program_file import write_program

EXAMPLES = Path(__file__).parents[1] / "examples"
AIMS = {"W2": 2.0, "W3": 3.0}


def subjects() -> Iterator[tuple[str, Schedule]]:
    """Yield the name and the Schedule of each load and of each example."""
    for name, load in (("W2", w2), ("W3", w3)):
        yield name, dtt.schedule(*load())
    sys.path.insert(0, str(EXAMPLES))
    for path in sorted(EXAMPLES.glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        yield path.stem, dtt.schedule(module.hardware, module.workload)


def sizes(schedule: Schedule) -> tuple[int, int, int, int, int]:
    """Return Moves, paths and way-points, and the bytes of the program and of the full list."""
    program = waypoints(schedule)
    listed = len(write_program(waypoints(schedule, full=True)))
    counts = len(schedule.moves), len(program.paths), len(program.points)
    return *counts, len(write_program(program)), listed


def main() -> int:
    warnings.simplefilter("ignore", HardwareWarning)
    rows, good = [], True
    for name, schedule in subjects():
        *counts, made, listed = sizes(schedule)
        good &= listed / made >= AIMS.get(name, 1.0)
        rows.append((name, *counts, made, listed, f"{listed / made:.2f}"))
    print(table(("", "moves", "paths", "way-points", "bytes", "as moves", "ratio"), rows))
    print("PASS" if good else "FAIL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
