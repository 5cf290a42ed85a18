"""``hwdsl compile``, ``run`` and ``dump``: from a file to a program, and back to a verdict."""

import json
from pathlib import Path

import pytest

from hwdsl.__main__ import main

EXAMPLES = Path(__file__).parents[2] / "examples"
FOUR_PE, FIG1 = str(EXAMPLES / "four_pe.py"), str(EXAMPLES / "fig1.py")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("programs") / "four_pe.dtt")
    assert main(["compile", FOUR_PE, "-o", path]) == 0
    return path


def test_compile_reports_sizes(tmp_path, capsys):
    path = tmp_path / "four_pe.dtt"
    assert main(["compile", FOUR_PE, "-o", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "pass"
    assert found["bytes"] == path.stat().st_size <= found["bytes_as_moves"]
    assert found["moves"] == 33


def test_run_compares_what_is_stored(program, capsys):
    assert main(["run", program, FOUR_PE]) == 0
    assert capsys.readouterr().out.endswith("5 stored data, 0 mismatches\nPASS\n")
    assert main(["run", program, FOUR_PE, "--json", "--seed", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["stored"] == 5


def test_run_says_when_there_is_nothing_to_compare(tmp_path, capsys):
    path = str(tmp_path / "fig1.dtt")
    assert main(["compile", FIG1, "-o", path]) == 0
    assert main(["run", path, FIG1]) == 0
    assert "nothing is stored to the end" in capsys.readouterr().out


def test_dump_names_parts_where_it_can(program, capsys):
    assert main(["dump", program, FOUR_PE]) == 0
    told = capsys.readouterr().out
    assert "103 = dot(0, 5, 1, 4, 2, 3) on mac[" in told
    assert "stays to the end" in told
    assert main(["dump", program]) == 0
    assert "from home to point" in capsys.readouterr().out


def test_programs_that_are_not_whole_or_not_mine_are_refused(program, tmp_path, capsys):
    cut = tmp_path / "cut.dtt"
    cut.write_bytes(Path(program).read_bytes()[:100])
    for command, reason in (
        (["run", str(cut), FOUR_PE], "cut off after 100 of"),
        (["dump", str(cut)], "cut off after 100 of"),
        (["run", program, FIG1], "about other data"),
        (["dump", FOUR_PE], "not a way-point program"),
        (["dump", str(tmp_path / "none.dtt")], "cannot be read"),
        (["compile", FIG1, "-o", str(tmp_path / "no" / "x.dtt")], "cannot be written"),
    ):
        assert main(command) == 2
        assert reason in capsys.readouterr().err
