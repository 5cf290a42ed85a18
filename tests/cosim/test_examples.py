"""Every example runs with one command; the README's fabric passes as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hwdsl.__main__ import main

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_the_example_passes(example):
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "PASS"


@pytest.mark.parametrize(("language", "suffix"), [("python", "py"), ("yaml", "yaml")])
def test_the_fabric_of_the_readme_passes(capsys, tmp_path, language, suffix):
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    file = tmp_path / f"mine.{suffix}"
    file.write_text(blocks[0])
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.endswith("0 mismatches\nPASS\n")


def test_the_readme_shows_what_manticore_prints(capsys):
    text = (ROOT / "README.md").read_text()
    (block,) = re.findall(r"```console\n\$ hwdsl (manticore .*?)\n(.*?)```", text, re.DOTALL)
    assert main(block[0].split()) == 0
    assert capsys.readouterr().out == block[1]


def test_the_python_blocks_of_the_readme_run_as_one_program():
    text = (ROOT / "README.md").read_text()
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), {"__name__": "readme"})
