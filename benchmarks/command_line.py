"""How long the command line takes: ``python benchmarks/command_line.py``.

Aims: ``hwdsl --help`` within 0.3 s, ``hwdsl check examples/four_pe.py`` within 3 s.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
CASES = [
    (("--help",), 9, 0.3),
    (("schedule", str(EXAMPLES / "four_pe.py")), 5, 3.0),
    (("check", str(EXAMPLES / "four_pe.py")), 5, 3.0),
]


def seconds(arguments):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "hwdsl", *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


def main():
    for arguments, runs, aim in CASES:
        seconds(arguments)  # the first run warms the disk
        times = [seconds(arguments) for _ in range(runs)]
        named = " ".join(Path(a).name for a in arguments)
        middle, best = statistics.median(times), min(times)
        print(f"hwdsl {named:22} {middle:6.2f} s median, {best:5.2f} s best of {runs}, aim {aim} s")


if __name__ == "__main__":
    main()
