"""One layer by one algorithm, from Workload to RTL: what was expected, seen and stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from slices_reference import connected, convolved, random_layer

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.manticore.forms import CONVOLUTIONAL
from dtt.manticore.generate import generate
from dtt.manticore.traffic import count, of_links
from hwdsl.carried import carried
from hwdsl.compare import Verdict, compare
from hwdsl.trace import CHUNK


@dataclass
class Ran:
    """What came of a run: the verdict, results beside NumPy's, words beside the Schedule's."""

    verdict: Verdict
    stored: np.ndarray
    reference: np.ndarray
    seen: object
    scheduled: object
    cycles: int

    def check(self):
        assert self.verdict.passed, str(self.verdict)
        assert self.stored.tolist() == self.reference.tolist()
        assert self.seen == self.scheduled


def run_layer(hardware, layer, algorithm, *, seed=0, stack=None, reuse=False, **engine):
    """Schedule, check and run a layer on words of any size."""
    work = generate(hardware, layer, algorithm, stack=stack, reuse=reuse)
    images, filters = random_layer(layer, seed)
    schedule = dtt.schedule(hardware, work.workload)
    dtt.check(hardware, work.workload, schedule)
    values = work.values(images, filters)
    expected = expected_trace(schedule, values)
    program = schedule.program()
    trace = rtl.simulate(hardware, program, values, **engine)
    seen = carried(hardware, program, trace) if not engine.get("faults") else None
    bits = layer.word_bits
    if algorithm in CONVOLUTIONAL:
        reference = convolved(images, filters, layer.stride, layer.padding, bits)
    else:
        reference = connected(images, filters, bits)
    return Ran(
        compare(hardware, expected.trace, trace, expected),
        stored(work, program, trace, hardware.point("hbm").row),
        reference,
        seen and of_links(hardware, seen.words, seen.padding),
        count(schedule),
        schedule.cycles,
    )


def stored(work, program, trace, row):
    """Return each output as main memory holds it at the end."""
    rows = trace.finals["value"].reshape(-1, row // CHUNK)
    held = {
        (datum, part): value.tobytes()
        for (_, _, datum, part), value in zip(program.finals.tolist(), rows, strict=True)
    }
    found = []
    for output in work.outputs:
        raw = b"".join(held[output.index, part] for part in range(-(-output.size // row)))
        words = np.frombuffer(raw, f"<i{output.bits // 8}")[: output.elements]
        found.append(words.reshape(output.shape))
    return np.array(found)
