"""How fast requests are routed: the four loads, longer horizons, larger meshes, legality.

    python -m benchmarks.routing [--repeats N] [w1 w2 w3 w4 horizon mesh legality]

Each load runs in a process of its own, so that its peak memory is its own. A run is one whole call
of `dtt.schedule`; figures are medians. Beside each stand, per request, the readable reference and
SciPy's Dijkstra on the explicit time-expanded graph of the idle machine, both on a sample of the
same requests.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import dtt
from benchmarks import loads
from dtt.engine import make_engine
from hwdsl.hardware import Hardware
from hwdsl.workload import Request

WHAT = ["w1", "w2", "w3", "w4", "horizon", "mesh", "legality"]
SAMPLE = 5
BUDGET = 20.0
"""Requests, and seconds, that a slow method is given at most."""
VERTICES = 2_000_000
"""The largest time-expanded graph that is built: later requests are not in the sample. The
reference, which builds its own, is asked for a tenth of it."""

Made = tuple[Hardware, dtt.Workload]


def timed(make: Callable[[], Made], repeats: int) -> str:
    """Return a line on whole calls of `dtt.schedule`, each for a Workload that is new."""
    taken, used, asked = [], [], []
    for _ in range(repeats):
        hardware, work = make()
        asked.append(declaring(work))
        begin, busy = time.perf_counter(), time.process_time()
        schedule = dtt.schedule(hardware, work)
        taken.append(time.perf_counter() - begin)
        used.append(time.process_time() - busy)
    count, middle = len(work.requests), median(taken)
    return (
        f"{count:>7,} requests {1e3 * middle:>8.1f} ms {1e6 * middle / count:>6.1f} us each "
        f"{count / middle:>8,.0f}/s (processor {1e6 * median(used) / count:.1f} us each, "
        f"{count / min(used):,.0f}/s at best; need() {1e6 * min(asked) / count:.1f} us)  "
        f"{len(schedule.moves):,} moves, {len(schedule.unserved):,} unserved, {schedule.engine}"
    )


def declaring(work: dtt.Workload) -> float:
    """Return the seconds of the processor for declaring all requests of a Workload once more."""
    again = dtt.Workload(bits=work.bits)
    asked = [(r.datum.name, r.node, r.by) for r in work.requests]
    data = {d.name: again.load(d.name, at=d.loaded_at or "", bits=d.bits) for d in work.data}
    busy = time.process_time()
    for name, node, by in asked:
        again.need(data[name], at=node, by=by)
    return time.process_time() - busy


def sample(hardware: Hardware, work: dtt.Workload, vertices: int) -> list[Request]:
    """Return some requests, evenly spread over those that end early enough."""
    latest = vertices // len(hardware.points)
    soon = [r for r in work.requests if r.by is not None and r.by <= latest]
    return soon[:: max(len(soon) // SAMPLE, 1)][:SAMPLE]


def reference(hardware: Hardware, work: dtt.Workload, requests: Sequence[Request]) -> str:
    """Return how long the reference takes for each request on the idle machine."""
    engine = make_engine("reference", hardware, [d.size for d in work.data])
    for datum in work.data:
        if datum.loaded_at is not None:
            place = np.array([hardware.point(datum.loaded_at).index])
            engine.load(np.array([datum.index]), place, np.array([True]))

    def route(request: Request) -> None:
        assert request.by is not None
        target = hardware.point(request.node).index
        engine.route(request.datum.index, target, request.by, request.by)

    return _each(route, requests)


def explicit(hardware: Hardware, work: dtt.Workload, requests: Sequence[Request]) -> str:
    """Return how long SciPy's Dijkstra takes for each request on the explicit graph."""
    cycles = max(r.by for r in requests if r.by is not None) + 1
    graphs = {d.size: expanded(hardware, d.size, cycles) for d in {r.datum for r in requests}}

    def search(request: Request) -> None:
        assert request.datum.loaded_at is not None
        start = hardware.point(request.datum.loaded_at).index * cycles
        dijkstra(graphs[request.datum.size], indices=start)

    return _each(search, requests)


def expanded(hardware: Hardware, size: int, cycles: int) -> csr_matrix:
    """Return the graph of (Point, cycle): waits and Moves of a datum, by their energy."""
    when = np.arange(cycles)
    heads, tails, costs = [], [], []

    def link(source: int, target: int, span: int, energy: float) -> None:
        tails.append(source * cycles + when[: cycles - span])
        heads.append(target * cycles + when[span:])
        costs.append(np.full(max(cycles - span, 0), energy))

    for point in hardware.points:
        if point.stores:
            link(point.index, point.index, 1, max((point.hold_energy or 0) * size, 1e-9))
    for wire in hardware.wires:
        source, target = hardware.points[wire.source], hardware.points[wire.target]
        span = min(wire.latency + (wire.beats(size) - 1 if target.stores else 0), cycles)
        link(wire.source, wire.target, span, ((source.energy or 0) + (wire.energy or 0)) * size + 1)
    places = (np.concatenate(tails), np.concatenate(heads))
    count = len(hardware.points) * cycles
    return csr_matrix((np.concatenate(costs), places), shape=(count, count))


def _each(work: Callable[[Request], None], requests: Sequence[Request]) -> str:
    taken: list[float] = []
    for request in requests:
        if sum(taken) > BUDGET:
            break
        begin = time.perf_counter()
        work(request)
        taken.append(time.perf_counter() - begin)
    return f"{1e3 * median(taken):,.1f} ms each ({len(taken)})"


def load(name: str, repeats: int) -> None:
    """Print the figures of one load."""
    make: Callable[[], Made] = getattr(loads, name)
    print(f"{name}: {timed(make, repeats)}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"    peak {peak:.0f} MB; beside it, on a sample:", end=" ", flush=True)
    hardware, work = make()
    for method, vertices in ((explicit, VERTICES), (reference, VERTICES // 10)):
        requests = sample(hardware, work, vertices)
        latest = max(r.by for r in requests if r.by is not None)
        said = method(hardware, work, requests)
        print(f"{method.__name__} {said} by cycle {latest:,}", end="; ", flush=True)
    print()


def horizon(repeats: int) -> None:
    """Print how the cost of a request depends on the horizon at constant load."""
    for cycles in (256, 1_024, 4_096, 16_384, 65_536):
        line = timed(partial(loads.stream, cycles), repeats)
        print(f"horizon {cycles:>6,}: {line}", flush=True)


def mesh(repeats: int) -> None:
    """Print how the cost of a request depends on the size of the mesh, a datum for each request."""
    for side in (4, 8, 16, 32):
        nodes = side * side
        line = timed(partial(loads.mesh, side, side, 8 * nodes, 8 * nodes, 2_048), repeats)
        print(f"mesh {nodes:>5,} nodes, {2 * side / 3:4.1f} hops in the mean: {line}", flush=True)


def legality(repeats: int) -> None:
    """Print how long the legality checker takes for a million Moves."""
    hardware, work = loads.stream(49_152)
    schedule = dtt.schedule(hardware, work)
    taken = []
    for _ in range(repeats):
        busy = time.process_time()
        dtt.check(hardware, work, schedule)
        taken.append(time.process_time() - busy)
    print(f"legality of {len(schedule.moves):,} moves: {min(taken):.2f} s of the processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--here", action="store_true", help="in this process")
    parser.add_argument("what", nargs="*", default=WHAT)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for what in options.what:
        if not options.here:
            command = [sys.executable, "-m", "benchmarks.routing", "--here", what]
            subprocess.run([*command, "--repeats", str(options.repeats)], check=True)
        elif what in ("horizon", "mesh", "legality"):
            {"horizon": horizon, "mesh": mesh, "legality": legality}[what](options.repeats)
        else:
            load(what, options.repeats)


if __name__ == "__main__":
    main()
