"""What a machine costs: the cells that Yosys counts in its Verilog."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from hwdsl.errors import LimitReached, ToolMissing
from hwdsl.hardware import Hardware

from .verilog import emit

_COMMANDS = """
from pyosys import libyosys as yosys
design = yosys.Design()
for command in {commands!r}:
    yosys.run_pass(command, design)
"""


def cells(hardware: Hardware, timeout: int = 600) -> int:
    """Return the number of cells of a whole machine, its command tables included.

    They are those of Yosys before it maps to gates: adders, multiplexers, registers and memories
    as wide as they are written.

    Raises
    ------
    ToolMissing
        If pyosys is not installed.
    LimitReached
        If Yosys takes longer than ``timeout`` seconds.
    """
    if importlib.util.find_spec("pyosys") is None:
        raise ToolMissing("counting cells needs pyosys: pip install pyosys")
    with tempfile.TemporaryDirectory() as folder:
        verilog, found = Path(folder) / "machine.v", Path(folder) / "stat.json"
        verilog.write_text(emit(hardware), encoding="utf-8")
        commands = [
            f"read_verilog {verilog}",
            "synth -top machine -run begin:fine",
            f"tee -q -o {found} stat -json",
        ]
        code = _COMMANDS.format(commands=commands)
        try:
            subprocess.run(
                [sys.executable, "-c", code], check=True, capture_output=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            raise LimitReached(f"Yosys took longer than {timeout} s") from None
        types = json.loads(found.read_text(encoding="utf-8"))["design"]["num_cells_by_type"]
    return sum(count for kind, count in types.items() if kind.startswith("$"))
