"""The layers of the paper on the whole chiplet: how large each Schedule is, how good, how fast.

    python benchmarks/manticore.py [A1 A2 ...]

Each case runs in a process of its own, so that its peak of memory is its own. Times are seconds of
the processor: to generate the Workload, and to schedule it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import dtt
from dtt.manticore.account import Account
from dtt.manticore.generate import generate
from dtt.manticore.layer import Layer
from hwdsl.cli.screen import table
from hwdsl.fabrics import Manticore


def conv(precision: str) -> Layer:
    return Layer.convolutional(wi=32, di=128, do=128, f=3, precision=precision)


def full(do: int, precision: str) -> Layer:
    return Layer.fully_connected(wi=7, di=128, do=do, batch=32, precision=precision)


CASES = {
    "A1": (1, conv("single"), None, False),
    "A1 double": (1, conv("double"), None, False),
    "A2, 24": (2, conv("single"), 24, False),
    "A2 double, 12": (2, conv("double"), 12, False),
    "A2, 1": (2, conv("single"), 1, False),
    "A2, 24, copies": (2, conv("single"), 24, True),
    "A2, 1, copies": (2, conv("single"), 1, True),
    "A3, 23": (3, conv("single"), 23, False),
    "A3 double, 11": (3, conv("double"), 11, False),
    "A4": (4, full(768, "single"), None, False),
    "A4 double": (4, full(384, "double"), None, False),
    "A5, 768": (5, full(4096, "single"), 768, False),
    "A5 double, 384": (5, full(4096, "double"), 384, False),
}


def measure(name: str) -> None:
    """Print the figures of one case as JSON."""
    algorithm, layer, stack, reuse = CASES[name]
    hardware = Manticore(word=layer.word_bits).freeze()
    begin = time.process_time()
    work = generate(hardware, layer, algorithm, stack=stack, reuse=reuse)
    made = time.process_time()
    schedule = dtt.schedule(hardware, work.workload)
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = Account(hardware, work, schedule)
    roof = found.roofline
    row = (
        name,
        len(work.workload.ops),
        len(schedule.moves),
        round(made - begin, 1),
        round(done - made, 1),
        round(peak, 2),
        found.scheduled_words,
        round(found.mac_per_word, 2),
        schedule.cycles,
        round(schedule.cycles / roof.cycles, 3),
        roof.by,
        "yes" if found.agrees else "NO",
    )
    print(json.dumps(row))


def main(names: list[str]) -> None:
    head = ("case", "ops", "moves", "made, s", "scheduled, s", "GB", "words", "MAC/word")
    head += ("cycles", "of the least", "by", "as foretold")
    rows = []
    for name in names or CASES:
        done = subprocess.run(
            [sys.executable, __file__, "--one", name], capture_output=True, text=True, check=True
        )
        rows.append(json.loads(done.stdout))
    print(table(head, rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(sys.argv[2])
    else:
        main(sys.argv[1:])
