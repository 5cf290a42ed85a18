"""How fast the engines run meshes: ``python benchmarks/engines.py [SIDE ...] [--engines A,B]``.

A mesh of Nodes of 64 words of 16 bits, Wires of a word a cycle. The load: in every 64 cycles each
Node asks for data of random other Nodes, as many as keep a tenth of the Wires' cycles busy; the
Schedule of one such period is repeated. Every cycle of every run is compared. Seconds are of the
processor, so that a machine that does other things too tells the same; in brackets: of the clock.
"""

import argparse
import os
import random
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl import Node
from hwdsl.compare import compare
from hwdsl.fabrics import Mesh
from hwdsl.trace import Trace
from hwdsl.values import random_values
from rtl.engines import ENGINES, Job
from rtl.load import fit, image_of

PERIOD = 64
CYCLES = {"pysim": 2 * PERIOD, "icarus": 8 * PERIOD, "cxxrtl": 2e6, "verilator": 4e6}
"""Cycles to run; of compiled engines: times Nodes."""


class Words(Mesh):
    """A mesh of Nodes of 16-bit words."""

    def __init__(self, side):
        self.word = 16
        super().__init__(
            rows=side,
            columns=side,
            point=lambda: Node(capacity=64 * 16, pj_per_bit=0.1),
            bandwidth=16,
            lane=16,
            latency=1,
            pj_per_bit=0.05,
        )


def period(hardware, side, seed=1):
    """Return the Program, the values and the expected Trace of one period."""
    draw, nodes = random.Random(seed), list(hardware.points)
    work = dtt.Workload(bits=16, reuse=False)
    data = [work.load(f"d{i}", at=draw.choice(nodes)) for i in range(4 * len(nodes))]
    for datum in data:
        work.store(datum, at=datum.loaded_at)
    moves = 0.1 * PERIOD * len(hardware.wires)
    for _ in range(round(moves / (2 * side / 3))):  # so many Wires lie between two Nodes
        datum = draw.choice(data)
        work.need(datum, at=draw.choice([n for n in nodes if n.name != datum.loaded_at]))
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    assert schedule.cycles < PERIOD
    assert not schedule.unserved
    values = random_values(work, seed)
    return schedule.program(), values, expected_trace(schedule, values).trace


def repeated(program, expected, times):
    """Return a Program and its Trace, so many times in a row."""

    def again(table, column):
        made = np.tile(table, (times, 1) if table.ndim == 2 else times)
        made[column if table.ndim == 1 else (slice(None), column)] += np.repeat(
            np.arange(times) * PERIOD, len(table)
        )
        return made

    cycles = program.cycles + (times - 1) * PERIOD
    tables = {name: again(getattr(program, name), 0) for name in ("sends", "steers", "lands")}
    events = again(expected.events, "cycle")
    return (
        replace(program, cycles=cycles, **tables),
        Trace(cycles, events, expected.finals, expected.engine, expected.control),
    )


class Clock:
    """Seconds of this process and its children, and of the clock, since it was last asked."""

    def __init__(self):
        self.lap()

    def lap(self):
        times = os.times()
        now = np.array([sum(times[:4]), time.perf_counter()])
        before = getattr(self, "_before", now)
        self._before = now
        return now - before


def told(laps):
    return f"{laps[0]:7.2f} [{laps[1]:7.2f}]"


def measure(hardware, base, engine, cache, side):
    """Print a line: build, loading, cycles a second of the simulation alone (of compiled engines),
    with all that is seen recorded, and with it compared; memory."""
    program, values, expected = base
    cycles = CYCLES[engine] if CYCLES[engine] < 1e5 else CYCLES[engine] / (side * side)
    program, expected = repeated(program, expected, max(2, round(cycles / PERIOD)))
    clock = Clock()
    image = image_of(hardware, program, values)
    size = fit(image, program, None, None)
    packing = clock.lap()
    job = Job(hardware, program, image, *size, cache=cache)
    start = ENGINES[engine].start
    start(job)
    build = clock.lap()
    run = start(job)
    again = clock.lap()
    rates = []
    if hasattr(run, "skip"):
        run.skip()
        rates.append(clock.lap())
        run = start(job)
        clock.lap()
    for _ in run.records():
        pass
    rates.append(clock.lap())
    seen = rtl.follow(hardware, program, values, expected, engine=engine, cache=cache)
    verdict = compare(hardware, expected, seen)
    whole = clock.lap() - packing - again
    assert verdict.passed, str(verdict)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    rates = [f"{program.cycles / lap[0]:7,.0f}" for lap in (*rates, whole)]
    print(
        f"{side:2}x{side:<2} {engine:9} build {told(build)} s, load {told(packing + again)} s, "
        f"{' / '.join(rates)} cycles/s of {program.cycles:6}, "
        f"{len(expected.events) / program.cycles:5.1f} events a cycle, {memory} MB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sides", type=int, nargs="*", default=[4, 8, 16, 32])
    parser.add_argument("--engines", default="pysim,icarus,cxxrtl,verilator")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    for side in options.sides:
        clock = Clock()
        hardware = Words(side).freeze()
        clock.lap()
        rtl.emit(hardware)
        print(f"{side:2}x{side:<2} Verilog in {told(clock.lap())} s", flush=True)
        base = period(hardware, side)
        with tempfile.TemporaryDirectory() as folder:
            for engine in options.engines.split(","):
                if ENGINES[engine].missing():
                    print(f"{side:2}x{side:<2} {engine}: {ENGINES[engine].missing()}")
                elif side < 32 or engine not in ("pysim", "icarus"):
                    measure(hardware, base, engine, Path(folder), side)


if __name__ == "__main__":
    main()
