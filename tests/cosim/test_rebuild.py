"""What a controller rebuilds from way-points is what was scheduled: the plain function."""

import importlib.util
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_machines import Machine, Seeded, random_workload

import dtt
from dtt.waypoints import waypoints
from hwdsl.errors import HardwareWarning, HwdslError, LimitReached, NoSchedule
from hwdsl.program import TABLES
from hwdsl.program_file import write_program
from hwdsl.rebuild import rebuild

ROOT = Path(__file__).parents[2]
EXAMPLES = ("fig1", "four_pe", "own_op", "butterfly", "mlp", "reduction_tree")
FIRST_SEED = 30_000


def example(name):
    """Return hardware and workload of an example."""
    path = ROOT / "examples" / f"{name}.py"
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HardwareWarning)
            spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module.hardware, module.workload


def difference(wanted, found):
    """Name the first table in which two Programs differ, with its first row; ``""`` if none."""
    for name in TABLES:
        ours, theirs = getattr(wanted, name), getattr(found, name)
        if not np.array_equal(ours, theirs):
            rows = zip(ours.tolist(), theirs.tolist(), strict=False)
            first = next((pair for pair in rows if pair[0] != pair[1]), "lengths")
            return f"{name}: {first}"
    plain = ("hardware", "cycles", "data", "width")
    return next((n for n in plain if getattr(wanted, n) != getattr(found, n)), "")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_rebuilt(name):
    schedule = dtt.schedule(*example(name))
    program = waypoints(schedule)
    assert difference(schedule.program(), rebuild(schedule.hardware, program)) == ""
    assert len(write_program(program)) <= len(write_program(waypoints(schedule, full=True)))


def random_schedules(seeds):
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HardwareWarning)
            hardware = Machine(Seeded(seed)).freeze()
        for i in range(8):
            work = random_workload(Seeded(1_000_000 + seed * 8 + i), hardware)
            try:
                yield dtt.schedule(hardware, work)
            except (NoSchedule, LimitReached):
                continue


def test_500_random_pairs_are_rebuilt(capsys):
    pairs = moves = points = 0
    for schedule in random_schedules(range(FIRST_SEED, FIRST_SEED + 80)):
        program = waypoints(schedule)
        found = difference(schedule.program(), rebuild(schedule.hardware, program))
        assert found == "", f"pair {pairs}: {found}"
        pairs, moves, points = pairs + 1, moves + len(schedule.moves), points + len(program.points)
    with capsys.disabled():
        told = f"{pairs} pairs rebuilt, 0 differences: {points} way-points for {moves} moves"
        sys.stdout.write(f"\n  {told}\n")
    assert pairs >= 500


@pytest.mark.parametrize("window", [1, 5, 16])
def test_a_small_window_takes_more_way_points_but_always_does(window):
    for schedule in random_schedules(range(FIRST_SEED, FIRST_SEED + 4)):
        program = waypoints(schedule, window=window)
        assert difference(schedule.program(), rebuild(schedule.hardware, program)) == ""


def test_all_moves_as_steps_are_the_same_program():
    for schedule in random_schedules(range(FIRST_SEED, FIRST_SEED + 4)):
        program = waypoints(schedule, full=True)
        assert len(program.points) == len(schedule.moves)
        assert difference(schedule.program(), rebuild(schedule.hardware, program)) == ""


def test_a_wrong_way_point_is_seen():
    schedule = dtt.schedule(*example("four_pe"))
    program = waypoints(schedule)
    unnoticed = []
    for row in range(len(program.points)):
        for column, change in ((0, 1), (2, 1), (4, 1)):
            points = program.points.copy()
            points[row, column] += change
            try:
                found = rebuild(schedule.hardware, replace(program, points=points))
            except HwdslError:
                continue
            if difference(schedule.program(), found) == "":
                unnoticed.append((row, column))
    # A stay that is longer than needed shows only where rows are short.
    assert all(column == 4 for _, column in unnoticed)
