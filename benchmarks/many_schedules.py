"""Many schedules on one built model: ``python -m benchmarks.many_schedules [COUNT] [--engine E]``.

Each is of a workload of its own, random dot products on the machine of ``examples/four_pe.py``;
each is lowered to a Program, run, and compared in every cycle. Seconds are of the processor; in
brackets: of the clock. The model is built before.
"""

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

import dtt
import rtl
from benchmarks.streams import four_pe
from dtt.expect import expected_trace
from hwdsl.compare import compare
from hwdsl.values import random_values


def schedule(hardware, seed):
    """Return the Schedule of two to four dot products of six loaded data, and of their sum."""
    draw = random.Random(seed)
    work = dtt.Workload(bits=8)
    data = work.load(*(f"d{i}" for i in range(6)), at="dram")
    sums = []
    for _ in range(draw.randint(2, 4)):
        pairs = [tuple(draw.sample(data, 2)) for _ in range(draw.randint(1, 3))]
        sums.append(work.dot(pairs))
    total = work.dot([(sums[0], sums[1])])
    work.store(total, at="dram")
    made = dtt.schedule(hardware, work)
    dtt.check(hardware, work, made)
    return made


def different(hardware, count):
    """Return so many Schedules of which no two have the same Moves and Firings."""
    found, seed = {}, 0
    while len(found) < count:
        made = schedule(hardware, seed)
        found.setdefault((made.moves.tobytes(), made.firings.tobytes()), made)
        seed += 1
    return list(found.values())


SIZE = {"depth": 64, "time_bits": 16}
"""Of the tables: the same for all, so that one model takes them all."""


def judge(made, seed, engine, cache):
    """Return whether a Schedule does on the RTL what it says, and how many events there were."""
    values = random_values(made.workload, seed)
    expected = expected_trace(made, values)
    given = (made.hardware, made.program(), values, expected.trace)
    seen = rtl.follow(*given, engine=engine, cache=cache, **SIZE)
    verdict = compare(made.hardware, expected.trace, seen, expected)
    return verdict.passed, len(expected.trace.events)


def spent():
    return sum(os.times()[:4]), time.perf_counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--engine", default="cxxrtl")
    options = parser.parse_args()
    hardware = four_pe()
    with tempfile.TemporaryDirectory() as folder:
        laps = [spent()]
        made = different(hardware, options.count)
        laps.append(spent())
        begun = spent()
        judge(made[0], 0, options.engine, Path(folder))
        laps.append(spent())
        models = len(list(Path(folder).iterdir()))
        found = [judge(one, seed, options.engine, Path(folder)) for seed, one in enumerate(made)]
        laps.append(spent())
        assert len(list(Path(folder).iterdir())) == models
    assert all(passed for passed, _ in found)
    steps = [(laps[0], laps[1]), (begun, laps[2]), (laps[2], laps[3])]
    told = [f"{to[0] - at[0]:.2f} [{to[1] - at[1]:.2f}] s" for at, to in steps]
    print(
        f"{options.engine}: {len(made)} different schedules found and checked in {told[0]}, "
        f"a model built in {told[1]}, all {len(found)} run and compared in {told[2]}: "
        f"{sum(events for _, events in found)} events, 0 mismatches"
    )


if __name__ == "__main__":
    main()
