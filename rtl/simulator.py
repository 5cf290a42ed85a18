"""A simulator with cocotb in it: built by cocotb's runner, and started as that would start it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from hwdsl.errors import ToolMissing

from .compiled.cache import built, digest_of

BENCH = Path(__file__).parent / "bench"
FILES = ("test_machine.py", "run.py")
"""What a test bench is made of, beside ``machine.v`` and ``program.json``."""

_LATER = 86_400
"""Seconds by which objects are younger than the makefile that is still to be written."""

_FOLDER = "{folder}"
_NOT_KEPT = {"PATH", "PYTHONPATH", "SIM_CMD_PREFIX", "COCOTB_RESULTS_FILE", "PWD", "OLDPWD", "_"}


def build(simulator: str, folder: Path, waves: bool, version: str) -> None:
    """Build ``machine.v``; leave ``command.json``: arguments and environment that start it.

    How the runner starts it is asked once, for to ask takes longer than many a run.

    Parameters
    ----------
    folder : Path
        Beside it, what all models of a ``version`` of the tools have in common is kept.

    Raises
    ------
    ToolMissing
    """
    runtime = folder.parent / f"{simulator}-cocotb-runtime-{digest_of(version, waves)}"
    if simulator == "verilator" and runtime.is_dir():
        _copy_runtime(runtime, folder / "build", time.time() + _LATER)
    done = _runner(simulator, "build", folder, waves, os.environ)
    if done.returncode:
        raise _failed(simulator, done)
    if simulator == "verilator":
        built(folder.parent, runtime.name, partial(_copy_runtime, folder / "build"))
    record = shlex.join([sys.executable, str(BENCH / "record.py")])
    done = _runner(simulator, "test", folder, waves, {**os.environ, "SIM_CMD_PREFIX": record})
    file = folder / "command.json"
    if not file.is_file():
        raise _failed(simulator, done)
    # The folder is still to get its name.
    command, given = json.loads(file.read_text().replace(str(folder), _FOLDER))
    own = {name: text for name, text in given.items() if os.environ.get(name) != text}
    own = {name: own[name] for name in sorted(own.keys() - _NOT_KEPT)}
    file.write_text(json.dumps([command, own]))


def _copy_runtime(source: Path, target: Path, stamp: float | None = None) -> None:
    """Copy what of a model made by Verilator is the same in all."""
    target.mkdir(exist_ok=True)
    for file in sorted(source.glob("verilated*.o")):
        copy = shutil.copyfile(file, target / file.name)
        if stamp is not None:
            os.utime(copy, (stamp, stamp))


def run(simulator: str, folder: Path, work: Path) -> None:
    """Run what was built, on the ``program.json`` in ``work``; ``seen.txt`` is there then.

    Raises
    ------
    ToolMissing
        If a test failed, or if none was run: so says the file of results.
    """
    text = (folder / "command.json").read_text().replace(_FOLDER, str(folder))
    command, own = json.loads(text)
    results = work / "results.xml"
    paths = os.pathsep.join([str(BENCH), *sys.path])
    environment = {**os.environ, **own, "PYTHONPATH": paths, "COCOTB_RESULTS_FILE": str(results)}
    # Within pytest, cocotb would judge by itself.
    environment.pop("PYTEST_CURRENT_TEST", None)
    done = subprocess.run(command, capture_output=True, text=True, cwd=work, env=environment)
    if done.returncode or not _passed(results):
        raise _failed(simulator, done)


def _runner(
    simulator: str, step: str, folder: Path, waves: bool, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "run.py"), simulator, "--step", step]
    command += ["--source", str(folder / "machine.v"), "--build-dir", str(folder / "build")]
    command += ["--work-dir", str(folder), *(["--waves"] if waves else [])]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def _passed(results: Path) -> bool:
    from cocotb_tools.check_results import get_results

    tests, failed = get_results(results) if results.is_file() else (0, 0)
    return tests > 0 and failed == 0


def _failed(simulator: str, done: subprocess.CompletedProcess[str]) -> ToolMissing:
    said = (done.stdout + done.stderr)[-3000:]
    return ToolMissing(f"engine {simulator} through cocotb failed:\n{said}")
