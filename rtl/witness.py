"""Engines through cocotb: a simulator in a process of its own, with the test bench that users get.

What passes here was run by another simulator than the one that the other engines are built on,
from the Verilog that is emitted, through the load bus.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.errors import ToolMissing
from hwdsl.program import Program

from . import simulator
from .compiled import verilator
from .compiled.cache import built, default_cache, digest_of, source_digest
from .compiled.model import Names
from .control.source import Instruction
from .extent import rows_to_build
from .faults import NONE
from .load import Image, finals_of
from .plan import Plan
from .probe import Encoder, Records, records_of
from .rtlil import rtlil_of
from .user_ops import brought, verify
from .vcd import cut
from .verilog import verilog_of

if TYPE_CHECKING:
    from .engines import Job

COCOTB = "pip install 'cocotb>=2.1,<3'"
ICARUS = "apt-get install iverilog"


@cache
def simulator_version(simulator: str) -> str | None:
    """Return the version of ``icarus`` or ``verilator``; None where it is not here."""
    if simulator == "verilator":
        found = verilator.find()
        return None if found is None else found.version
    path = shutil.which("iverilog")
    if path is None or shutil.which("vvp") is None:
        return None
    said = subprocess.run([path, "-V"], capture_output=True, text=True).stdout
    return said.partition("\n")[0]


def has_cocotb() -> bool:
    """Return whether cocotb and its runner are here."""
    return all(importlib.util.find_spec(name) is not None for name in ("cocotb", "cocotb_tools"))


class Run:
    """One run of a Program; see `rtl.compiled.engine.Run`."""

    def __init__(self, name: str, job: Job):
        if not has_cocotb():
            raise ToolMissing(f"engine {name} needs cocotb 2.1: {COCOTB}")
        if simulator_version(name) is None:
            how = verilator.HOW if name == "verilator" else ICARUS
            raise ToolMissing(f"engine {name} is not here: {how}")
        hardware, size, faults = job.hardware, (job.depth, job.time_bits), job.faults or NONE
        verify(hardware)
        self._simulator, self._hardware, self._program = name, hardware, job.program
        self._wave = job.wave
        limits = {"faults": faults, "most_rows": rows_to_build(hardware, job.program)}
        limits["control"] = None if job.told is None else job.told.limits
        self._plan = Plan(hardware, *size, loadable=True, **limits)
        self._told = program_file(self._plan, job.program, job.image, job.told)
        self._version = f"{simulator_version(name)} {metadata.version('cocotb')} {sys.executable}"
        own = self._rtlil() if brought(hardware) else ""
        machine = (hardware.fingerprint, size, limits, own, job.wave is not None)
        model = f"{name}-cocotb-{digest_of(self._version, source_digest(), *machine)}"
        self._folder = built(job.cache or default_cache(), model, self._build)

    def _rtlil(self) -> str:
        plan = self._plan
        limits = {"faults": plan.faults, "most_rows": plan.most_rows, "control": plan.control}
        return rtlil_of(plan.hardware, plan.depth, plan.time_bits, **limits)

    def _build(self, folder: Path) -> None:
        (folder / "machine.v").write_text(verilog_of(self._rtlil()))
        simulator.build(self._simulator, folder, self._wave is not None, self._version)

    def records(self, encoder: Encoder | None = None) -> Iterator[Records]:
        """Run, and yield what is seen: all cycles of the Program, then the one behind them."""
        cycles = self._program.cycles
        with tempfile.TemporaryDirectory(prefix="hwdsl-") as folder:
            work = Path(folder)
            (work / "program.json").write_text(json.dumps(self._told))
            simulator.run(self._simulator, self._folder, work)
            seen, finals, began, error = read_seen(work / "seen.txt")
            if self._wave is not None:
                path, first, last = self._wave
                # A cycle begins with the edge, 1 ns before it is seen, and takes 2 ns.
                end = cycles if last is None else last
                cut(work / "dump.vcd", path, (began - 1) * 1000, 2000, first, end)
        self._error, self._finals = error, finals
        every = [[0] * len(self._told["probes"]) for _ in range(cycles + 1)]
        for cycle, probe, value in seen:
            every[cycle][probe] = value
        yield records_of(self._hardware, every[:cycles])
        yield records_of(self._hardware, every[cycles:], first=cycles)

    def error(self) -> int:
        """Return what the controller complained of."""
        return self._error

    def finals(self) -> np.ndarray:
        """Return the finals of the Trace, once all records have been taken."""
        found: dict[int, dict[int, int]] = {}
        rows = _final_rows(self._program)
        for (point, row), value in zip(rows, self._finals, strict=True):
            found.setdefault(point, {})[row] = value
        return finals_of(self._hardware, self._program, found)


def program_file(
    plan: Plan, program: Program, image: Image, told: Instruction | None = None
) -> dict[str, object]:
    """Return what the test bench is told: ``program.json``, as plain data.

    Keys
    ----
    cycles : number of cycles to run
    lead : clock cycles before the first of them, where there is a controller
    probes : names of the outputs to record
    load : memory (as the load bus counts), address and hexadecimal value of each row
    finals : path of names and row (None: a register) of what is to be read after the last cycle
    """
    load = []
    entries = image.entries(plan.time_bits) if told is None else list(told.memories)
    for select, rows in enumerate(entries):
        load += [(select, address, f"{row:x}") for address, row in enumerate(rows)]
    stores = [point.index for point in plan.hardware.points if point.stores]
    for select, point in enumerate(stores, len(entries)):
        load += [(select, row, f"{value:x}") for row, value in image.stores[point].items()]
    names = Names.of(plan, outputs=True)
    finals = []
    for point, row in _final_rows(program):
        first, adder = names.stores[point]
        path = names.memories[first + row if adder else first].split(" ")
        finals.append((path, None if adder else row))
    said = {"cycles": program.cycles, "probes": names.probes, "load": load, "finals": finals}
    return said if told is None else {"lead": told.lead, **said}


def _final_rows(program: Program) -> list[tuple[int, int]]:
    return sorted({(point, row) for point, row, _, _ in program.finals.tolist()})


def read_seen(file: Path) -> tuple[list[tuple[int, int, int]], list[int], int, int]:
    """Return what a test bench recorded: (cycle, probe, value) each, finals, when it began, and
    what the controller complained of."""
    seen, finals, began, error = [], [], 0, 0
    for line in file.read_text().splitlines():
        fields = line.split(" ")
        if fields[0] == "began":
            began = int(fields[1])
        elif fields[0] == "error":
            error = int(fields[1], 16)
        elif fields[0] == "final":
            finals.append(int(fields[1], 16))
        else:
            seen.append((int(fields[0]), int(fields[1]), int(fields[2], 16)))
    return seen, finals, began, error
