"""What a machine costs: the cells that Yosys counts in its Verilog."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hwdsl.errors import LimitReached, ToolMissing
from hwdsl.hardware import Hardware

from .control.limits import Limits
from .ports import KINDS
from .rtlil import TOP
from .verilog import emit

_COMMANDS = """
from pyosys import libyosys as yosys
design = yosys.Design()
for command in {commands!r}:
    yosys.run_pass(command, design)
"""

Counts = dict[str, dict[str, int]]
"""For each module how many cells of each type it has."""


def cells(hardware: Hardware, timeout: int = 600, control: Limits | None = None) -> int:
    """Return the number of cells of a whole machine, with what sends its commands.

    They are those of Yosys before it maps to gates: adders, multiplexers, registers and memories
    as wide as they are written.

    Raises
    ------
    ToolMissing
        If pyosys is not installed.
    LimitReached
        If Yosys takes longer than ``timeout`` seconds.
    """
    return sum(cells_by_part(hardware, control, timeout).values())


def cells_by_part(
    hardware: Hardware, control: Limits | None = None, timeout: int = 600
) -> dict[str, int]:
    """Return the number of cells of the datapath, and of all that sends commands.

    Keys
    ----
    datapath : Nodes, Adders, Junctions, Wires and Actors, and what is about the machine as a whole
    tables : where there is no controller
    controller, network, lists : of a controller; its routers and links; the pending commands
    """
    counts = _counted(emit(hardware, control=control), timeout)
    found = dict.fromkeys(("datapath", "tables"), 0)
    if control is not None:
        found = dict.fromkeys(("datapath", "controller", "network", "lists"), 0)
    for part, count in _by_kind(counts, TOP).items():
        kind = part
        if part == "commands":
            kind = "tables" if control is None else "lists"
        found[kind] += count
    return found


def _by_kind(counts: Counts, module: str, kind: str = "datapath") -> dict[str, int]:
    """Add up the cells of a module and of all that is in it."""
    name = module.removeprefix(f"{TOP}_")
    if name.startswith("controller"):
        kind = "network" if ".network" in name else "controller"
    elif name.rpartition("_")[0] in KINDS:
        kind = "commands"
    found: dict[str, int] = {}
    for cell, count in counts[module].items():
        inside = _by_kind(counts, cell, kind) if cell in counts else {kind: cell.startswith("$")}
        for part, some in inside.items():
            found[part] = found.get(part, 0) + count * some
    return found


def _counted(verilog: str, timeout: int) -> Counts:
    if importlib.util.find_spec("pyosys") is None:
        raise ToolMissing("counting cells needs pyosys: pip install pyosys")
    with tempfile.TemporaryDirectory() as folder:
        source, found = Path(folder) / "machine.v", Path(folder) / "stat.json"
        source.write_text(verilog, encoding="utf-8")
        commands = [
            f"read_verilog {source}",
            f"synth -top {TOP} -run begin:fine",
            f"tee -q -o {found} stat -json",
        ]
        code = _COMMANDS.format(commands=commands)
        try:
            subprocess.run(
                [sys.executable, "-c", code], check=True, capture_output=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            raise LimitReached(f"Yosys took longer than {timeout} s") from None
        modules: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))["modules"]
    counts = {name: module["num_cells_by_type"] for name, module in modules.items()}
    return {name.removeprefix("\\"): cells for name, cells in counts.items()}
