"""What is seen at every MAC engine: an Op begins once, and writes element after element."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.trace import EVENT, Kind
from hwdsl.workload import Workload

from .bits import Bits, spread


def engine_events(
    hardware: Hardware, workload: Workload, firings: np.ndarray, bits: Bits
) -> tuple[np.ndarray, np.ndarray]:
    """Return FIRE and RESULT events of Firings on MAC engines, and the index of each one's Firing.

    Element k is written by unit ``k % lanes``, after its last step.
    """
    figures = [_figures(hardware, workload, *firing) for firing in firings.tolist()]
    rows = np.array(figures, np.int64).reshape(-1, 7)
    elements, depth, lanes, begin, code, datum, width = rows.T
    fires = np.zeros(len(firings), EVENT)
    fires["cycle"], fires["kind"] = firings["cycle"], Kind.FIRE
    fires["part"], fires["value"] = firings["actor"], code
    firing, element = spread(elements)
    results = np.zeros(len(firing), EVENT)
    turn = element // lanes[firing] + 1
    results["cycle"] = firings["cycle"][firing] + begin[firing] + turn * depth[firing]
    results["kind"], results["part"] = Kind.RESULT, firings["actor"][firing]
    results["lane"] = element % lanes[firing]
    results["value"] = bits.take(datum[firing], element * width[firing], width[firing])
    events = np.concatenate((fires, results))
    return events, np.concatenate((np.arange(len(firings)), firing))


def _figures(
    hardware: Hardware, workload: Workload, index: int, _part: int, actor: int, _start: int
) -> tuple[int, ...]:
    op, runner = workload.ops[index], hardware.actors[actor]
    t = runner.timing(op.code, op.work, op.parallel, op.depth, op.spans)
    code = sorted(runner.ops).index(op.code)
    made = op.result
    return made.elements, op.depth, t.lanes, t.latency - t.steps, code, made.index, made.bits
