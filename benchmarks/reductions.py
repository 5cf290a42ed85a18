"""How long 10,000 dot products of mixed lengths take to schedule on 256 leaves.

Run it: ``python benchmarks/reductions.py [leaves] [dot products]``. It prints, for both trees, the
seconds that passed and those of the processor, the cycles, the lower bound, and how much the links
are used.
"""

import random
import sys
import time
import warnings

import dtt
from hwdsl.cli.reduce import links, workload
from hwdsl.cli.screen import table
from hwdsl.errors import HardwareWarning
from hwdsl.fabrics import ReductionTree


def main(leaves: int = 256, count: int = 10_000) -> None:
    warnings.simplefilter("ignore", HardwareWarning)  # hundreds of ways into one memory
    chance = random.Random(1)
    work = workload([chance.randint(2, 25) for _ in range(count)])
    rows = []
    for augmented in (False, True):
        hardware = ReductionTree(
            leaves=leaves,
            augmented=augmented,
            collect="any",
            feed_capacity=8 * len(work.data),
            out_capacity=32 * count,
        ).freeze()
        begin = time.perf_counter(), time.process_time()
        schedule = dtt.schedule(hardware, work, objective="time")
        wall, busy = time.perf_counter() - begin[0], time.process_time() - begin[1]
        across = set(links(hardware))
        crossing = sum(wire in across for wire in schedule.moves["wire"].tolist())
        name = "augmented" if augmented else "plain"
        bound = schedule.bounds()[0].cycles
        seconds = round(wall, 1), round(busy, 1)
        rows.append((name, *seconds, schedule.cycles, bound, len(schedule.moves), crossing))
    head = ("tree", "seconds", "processor", "cycles", "at least", "moves", "link moves")
    print(table(head, rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
