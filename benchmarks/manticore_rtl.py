"""How fast a Manticore chiplet runs a convolution as RTL, and whether all of it comes out right.

    python -m benchmarks.manticore_rtl [--clusters N] [--width W] [--depth D] [--engine NAME]

Algorithm 2, one output slice to a task, every copy allowed as a source. By default the whole
chiplet of 128 clusters and the paper's layer, from first load to last store. What is seen is held
against the Trace that the Schedule foretells, results against a convolution in NumPy that shares
no code with the op, and words at main memory against the Schedule's. Times are of the processor.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.manticore.generate import LayerWork, generate
from dtt.manticore.layer import Layer
from dtt.manticore.traffic import count, of_links
from hwdsl.carried import carried
from hwdsl.compare import compare
from hwdsl.fabrics import Manticore
from hwdsl.program import Program
from hwdsl.trace import CHUNK, Trace
from rtl.load import fit, image_of

SHAPES = {4: (4, 1, 1, 1), 16: (4, 4, 1, 1), 32: (4, 4, 2, 1), 128: (4, 4, 2, 4)}
"""Clusters of a chiplet: the sizes of its quadrants, from the smallest."""


def convolution(images: np.ndarray, filters: np.ndarray, padding: int, bits: int) -> np.ndarray:
    """Return every output slice, by a sum over shifted inputs; shapes as `LayerWork.values`."""
    depth, width = images.shape[0], images.shape[1]
    field = filters.shape[-1]
    padded = np.zeros((depth, width + 2 * padding, width + 2 * padding), np.int64)
    padded[:, padding : padding + width, padding : padding + width] = images[..., 0]
    made = np.zeros((filters.shape[1], width, width), np.int64)
    for y in range(field):
        for x in range(field):
            shifted = padded[:, y : y + width, x : x + width].reshape(depth, -1)
            made += (filters[:, :, y, x].T @ shifted).reshape(made.shape)
    return made.astype(np.int32 if bits == 32 else np.int64)


def _idle(program: Program) -> Program:
    """Return a Program that loads the same, and does nothing."""
    names = ("sends", "steers", "lands", "fires", "results", "launches")
    return replace(program, cycles=1, **{name: getattr(program, name)[:0] for name in names})


def stored(work: LayerWork, program: Program, trace: Trace, row: int) -> np.ndarray:
    """Return the output slices as the finals of a Trace hold them."""
    bits, shape = work.layer.word_bits, work.outputs[0].shape
    finals = trace.finals["value"].reshape(-1, row // CHUNK)
    parts: dict[int, list[tuple[int, np.ndarray]]] = {}
    for (_, _, datum, part), value in zip(program.finals.tolist(), finals, strict=True):
        parts.setdefault(datum, []).append((part, value))
    found = []
    for output in work.outputs:
        raw = b"".join(value.tobytes() for _, value in sorted(parts[output.index], key=_part))
        found.append(np.frombuffer(raw, f"<i{bits // 8}")[: output.elements].reshape(shape))
    return np.array(found)


def _part(held: tuple[int, np.ndarray]) -> int:
    return held[0]


@contextmanager
def timed(what: str) -> Iterator[None]:
    wall, busy = time.perf_counter(), _busy()
    yield
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    used = f"{_busy() - busy:8.1f} s of the processor, {time.perf_counter() - wall:8.1f} s"
    print(f"    {what:<24}{used}; peak {peak:.2f} GB", flush=True)


def _busy() -> float:
    """Return seconds of the processor, those of the compilers that were started included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(clusters: int, width: int, depth: int, engine: str) -> bool:
    """Print the figures of one chiplet and layer; return whether all was right."""
    hardware = Manticore(*SHAPES[clusters]).freeze()
    layer = Layer.convolutional(wi=width, di=depth, do=depth, f=3)
    work = generate(hardware, layer, 2, stack=1, reuse=True)
    random = np.random.default_rng(0)
    images = random.integers(-(1 << 31), 1 << 31, (depth, width, width, 1))
    filters = random.integers(-(1 << 31), 1 << 31, (depth, depth, 3, 3))
    values = work.values(images, filters)
    print(f"{clusters} clusters, {layer.macs:,} multiply-accumulates", flush=True)
    with timed("schedule"):
        schedule = dtt.schedule(hardware, work.workload)
    with timed("legality"):
        dtt.check(hardware, work.workload, schedule)
    with timed("what it foretells"):
        expected = expected_trace(schedule, values)
    with timed("program"):
        program = schedule.program()
    with timed(f"model for {engine}"):
        depth_bits = fit(image_of(hardware, program, values), program, None, None)
        sizes = dict(zip(("depth", "time_bits"), depth_bits, strict=True))
        rtl.simulate(hardware, _idle(program), values, engine, **sizes)
    busy = time.process_time()
    with timed("run"):
        seen = rtl.follow(hardware, program, values, expected.trace, engine, **sizes)
    rate = program.cycles / (time.process_time() - busy)
    verdict = compare(hardware, expected.trace, seen, expected)
    results = stored(work, program, seen, hardware.point("hbm").row)
    right = np.array_equal(results, convolution(images, filters, 1, layer.word_bits))
    there = carried(hardware, program, seen)
    words = of_links(hardware, there.words, there.padding)
    print(
        f"    {schedule.cycles:,} cycles, {len(schedule.moves):,} moves, {rate:,.0f} cycles a "
        f"second, {rate * clusters:,.0f} of a cluster; {len(seen.events):,} events, "
        f"{verdict.count} mismatches; values {'equal' if right else 'DIFFER FROM'} "
        f"NumPy's; {words.loads + words.stores:,} words at main memory seen, "
        f"{count(schedule).loads + count(schedule).stores:,} scheduled"
    )
    return right and verdict.passed and words == count(schedule)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--clusters", type=int, default=128, choices=sorted(SHAPES))
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--depth", type=int, default=128)
    parser.add_argument("--engine", default="cxxrtl")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    return 0 if run(options.clusters, options.width, options.depth, options.engine) else 1


if __name__ == "__main__":
    sys.exit(main())
