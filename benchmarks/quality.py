"""How good Schedules are: ``python benchmarks/quality.py [oracle] [gather] [bounds]`` (all).

oracle
    Energy above the exact optimum of small instances, for each effort. Aim at the highest: 2 % in
    the mean, 6 % at worst, and nothing unserved that can be served.
gather
    Steps of AllGather against the proven bound.
bounds
    Cycles of whole workloads against the lower bound of the machine, and what the rest is.
"""

import sys
import time
import warnings

import numpy as np
import streams
from gathers import BOUNDS, Grid, all_gather, least_steps
from oracle import instance, least_energy

import dtt
from dtt.searching import EFFORTS
from hwdsl.errors import HardwareWarning

INSTANCES = 40


def timed(*arguments, **options):
    start = time.perf_counter()
    schedule = dtt.schedule(*arguments, **options)
    seconds = time.perf_counter() - start
    dtt.check(schedule.hardware, schedule.workload, schedule)
    return schedule, seconds


def oracle():
    cases = [instance(seed) for seed in range(INSTANCES)]
    least = [least_energy(*case) for case in cases]
    can = [(case, best) for case, best in zip(cases, least, strict=True) if best is not None]
    print(f"{len(can)} instances that can be served: 3x3 mesh, DRAM port, 12 needs, 20 cycles")
    for effort in range(len(EFFORTS)):
        found = [(*timed(*case, effort=effort), best) for case, best in can]
        gaps = [s.energy.total / best - 1 for s, _, best in found if not s.unserved]
        failed = sum(bool(s.unserved) for s, _, _ in found)
        print(
            f"  effort {effort}: mean {np.mean(gaps):7.2%}  worst {max(gaps):7.2%}  "
            f"not all served {failed:2}  {np.mean([t for _, t, _ in found]):6.2f} s each"
        )


def gather():
    print("AllGather, chunks of one beat over wires of latency 1")
    for sizes, rings, least in BOUNDS:
        hardware = Grid(sizes, rings).freeze()
        assert least == least_steps(hardware)
        for seed in (None, 1, 2):
            schedule, seconds = timed(hardware, all_gather(hardware, seed), objective="time")
            kind = "torus" if rings else "mesh"
            order = "declared in order" if seed is None else f"shuffled, seed {seed}"
            name = f"{kind} {'x'.join(map(str, sizes))}"
            print(f"  {name:12} {order:18} {schedule.cycles:3} steps, bound {least:3}"
                  f"  {seconds:5.2f} s")  # fmt: skip


def bounds():
    print("cycles against the lower bound, objective time")
    mesh, pes = streams.PeMesh().freeze(), streams.four_pe()
    for name, hardware, work, effort in (
        ("matrix rows, four PEs", pes, streams.rows(), 0),
        ("filter, four PEs", pes, streams.filtered(), 0),
        ("sums of sums, four PEs", pes, streams.sums(), 3),
        ("two dense layers, 8x8 mesh", mesh, streams.dense(), 1),
    ):
        schedule, seconds = timed(hardware, work, objective="time", effort=effort)
        bound = schedule.bounds()[0]
        over = schedule.cycles / bound.cycles - 1
        print(f"  {name:28} effort {effort}: {schedule.cycles:4} against {bound.cycles:4}, "
              f"{over:6.1%} over  {seconds:6.1f} s")  # fmt: skip
        print(f"    bound by {bound.name}: {bound.explanation}")
        print(f"    the rest: {rest(schedule, bound)}")


def rest(schedule, bound):
    """Tell where the resource that is short was not in use."""
    hardware = schedule.hardware
    if bound.name.startswith("what must leave Node"):
        node = hardware[bound.name.split("'")[1]].index
        wires = [w.index for w in hardware.outgoing[node]]
        mine = schedule.moves[np.isin(schedule.moves["wire"], wires)]
        used = np.bincount(mine["cycle"], minlength=schedule.cycles)
        full = sum(hardware.wires[w].bandwidth for w in wires) // schedule.workload.bits
    else:
        units = schedule.times.units
        full = sum(a.units for a in hardware.actors)
        used = np.zeros(schedule.cycles + int(schedule.times.cooldown.max()), int)
        spans = zip(schedule.firings["cycle"], schedule.times.cooldown, units, strict=True)
        for start, cooldown, amount in spans:
            used[start : start + cooldown] += amount
    busy = np.flatnonzero(used[: schedule.cycles])
    first, last = int(busy[0]), int(busy[-1])
    idle = full * (last - first + 1) - int(used[first : last + 1].sum())
    return (
        f"in use from cycle {first} to {last}, idle for {idle / full:.1f} cycles' worth between, "
        f"{schedule.cycles - last} cycles from the last use to the end"
    )


def main():
    chosen = sys.argv[1:] or ["oracle", "gather", "bounds"]
    warnings.simplefilter("ignore", HardwareWarning)
    for name in chosen:
        {"oracle": oracle, "gather": gather, "bounds": bounds}[name]()


if __name__ == "__main__":
    main()
