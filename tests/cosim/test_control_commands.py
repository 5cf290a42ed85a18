"""The controller on the command line: check, run, schedule, compile and emit."""

import json
from pathlib import Path

import pytest

from hwdsl.__main__ import main

EXAMPLES = Path(__file__).parents[2] / "examples"
FIG1, OWN_OP = str(EXAMPLES / "fig1.py"), str(EXAMPLES / "own_op.py")


def output(capsys, *arguments, status=0):
    assert main([*map(str, arguments)]) == status
    return capsys.readouterr()


def test_check_and_run_with_the_controller(capsys, tmp_path):
    found = json.loads(output(capsys, "check", FIG1, "--control", "waypoints", "--json").out)
    assert (found["verdict"], found["control"], found["mismatches"]) == ("pass", "waypoints", 0)
    program = tmp_path / "fig1.dtt"
    output(capsys, "compile", FIG1, "-o", program)
    found = json.loads(output(capsys, "run", program, FIG1, "--json").out)
    assert (found["verdict"], found["control"]) == ("pass", "waypoints")
    found = json.loads(output(capsys, "run", program, FIG1, "--control", "tables", "--json").out)
    assert (found["verdict"], found["control"]) == ("pass", "tables")


def test_schedule_reports_what_the_controller_does(capsys):
    found = json.loads(output(capsys, "schedule", FIG1, "--json").out)["controller"]
    assert found["paths"] == found["way_points"] == 2
    assert found["way_points_per_path"] == 1
    assert (found["lead"], found["slack"], found["depth"]) == (305, 0, 2)
    assert found["bytes_as_tables"] == 12
    assert 0 < found["busy"] <= 1
    text = output(capsys, "schedule", FIG1).out
    assert "starts 305 cycles ahead" in text
    assert "tightest    packet comes 0 cycles before it must" in text


def test_lists_that_are_too_short_are_refused_with_the_depth_that_is_needed(capsys, tmp_path):
    file = tmp_path / "own.dtt"
    said = output(capsys, "compile", OWN_OP, "--depth", 6, "-o", file, status=4).err
    assert "lists of 6 pending commands are too short for it: it needs 9" in said
    assert not file.exists()
    output(capsys, "compile", OWN_OP, "--depth", 9, "-o", file)


def test_data_are_held_back_for_short_lists(capsys, tmp_path):
    file = tmp_path / "own.dtt"
    said = output(capsys, "compile", OWN_OP, "--depth", 6, "--hold-back", "-o", file)
    assert "held back by" in said.err
    assert "lists of 6 commands" in said.err
    said = output(capsys, "compile", OWN_OP, "--hold-back", "-o", file, status=2).err
    assert "--hold-back is for lists of a --depth" in said


@pytest.mark.campaign
def test_what_is_held_back_passes(capsys):
    arguments = ("--depth", 6, "--hold-back", "--control", "waypoints")
    assert output(capsys, "check", OWN_OP, *arguments).out.endswith("PASS\n")


@pytest.mark.campaign
def test_more_than_even_a_slow_schedule_can_do_without_is_refused(capsys):
    said = output(capsys, "schedule", OWN_OP, "--depth", 5, "--hold-back", status=4).err
    assert "even if data are held back: it needs 6" in said


@pytest.mark.campaign
def test_emit_writes_the_whole_accelerator(capsys):
    text = output(capsys, "emit", FIG1, "--control", "waypoints").out
    assert "control_error" in text
    assert "path_decoder" in text
    assert text == output(capsys, "emit", FIG1, "--control", "waypoints").out


@pytest.mark.campaign
def test_yosys_accepts_the_four_pe_machine_with_its_controller(capsys):
    pytest.importorskip("pyosys")
    four_pe = EXAMPLES / "four_pe.py"
    text = output(capsys, "emit", four_pe, "--control", "waypoints", "--cells").out
    rows = dict(line.rsplit(None, 1) for line in text.splitlines()[2:])
    parts = ("datapath", "controller", "network", "lists")
    assert set(rows) == {*parts, "in all"}
    assert sum(int(rows[part]) for part in parts) == int(rows["in all"])
    assert all(int(rows[part]) > 0 for part in parts)
