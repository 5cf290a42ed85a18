"""The native engine's book of what is in use, against one number for each cycle."""

import subprocess
from pathlib import Path

import pytest

import dtt.native
from rtl.compiled import compiler

HEADER = Path(dtt.native.__file__).with_name("occupancy.h")


@pytest.fixture(scope="module")
def difference(tmp_path_factory):
    """Return a function that runs the comparison on a changed header, and its exit status."""
    if compiler.find() is None:
        pytest.skip(compiler.HOW)

    def compare(seed, old="", new=""):
        folder = tmp_path_factory.mktemp("occupancy")
        text = HEADER.read_text()
        assert old in text
        (folder / "occupancy.h").write_text(text.replace(old, new) if old else text)
        source, program = Path(__file__).with_name("occupancy.cpp"), folder / "occupancy"
        command = [compiler.compiler(), "-std=c++17", "-O1", f"-I{folder}"]
        subprocess.run([*command, source, "-o", program], check=True)
        ran = subprocess.run([program, str(seed)], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout

    return compare


def test_amounts_and_searches_are_those_of_a_plain_array(difference):
    assert difference(1) == (0, "0 differences\n")


@pytest.mark.parametrize(
    ("old", "new", "caught"),
    [
        ("groups_[b / kGroup].include(more);", "", "last_"),
        ("groups_[last / kGroup].include(limits_[last]);", "", ""),
        ("limits_[b].include(more);", "", "first_"),
        ("if (grown.used == 0) widen", "if (false) widen", "first_gap"),
        ("join(begin);", "", "settled"),
    ],
    ids=["group", "erased-block", "block", "widened-gap", "join"],
)
def test_a_limit_that_is_too_narrow_is_found(difference, old, new, caught):
    status, said = difference(1, old, new)
    assert status == 1
    assert caught in said
