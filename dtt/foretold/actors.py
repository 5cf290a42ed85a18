"""What is seen at every Actor: units, starts and results by rule 4 of the contract."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.trace import EVENT, Kind
from hwdsl.workload import Workload

from .bits import Bits, spread
from .engines import engine_events


def actor_events(
    hardware: Hardware, workload: Workload, firings: np.ndarray, content: np.ndarray, bits: Bits
) -> tuple[np.ndarray, np.ndarray]:
    """Return FIRE and RESULT events, unsorted, and the index of the Firing of each.

    ``content`` is what each Firing makes, as numbered in ``bits``.
    """
    engines = np.array([actor.is_mac_engine for actor in hardware.actors], bool)
    whole = engines[firings["actor"]]
    of_units = _unit_events(hardware, workload, firings[~whole], content[~whole], bits)
    of_engines = engine_events(hardware, workload, firings[whole], bits)
    events = np.concatenate((of_units[0], of_engines[0]))
    places = np.flatnonzero(~whole)[of_units[1]], np.flatnonzero(whole)[of_engines[1]]
    return events, np.concatenate(places)


def _unit_events(
    hardware: Hardware, workload: Workload, firings: np.ndarray, content: np.ndarray, bits: Bits
) -> tuple[np.ndarray, np.ndarray]:
    """Return the events of Actors whose units are told of every step."""
    figures = [_figures(hardware, workload, *firing) for firing in firings.tolist()]
    rows = np.array(figures, np.int64).reshape(-1, 9)
    work, depth, units, steps, latency, cooldown, code, last, width = rows.T
    given = _units(hardware, firings, units, cooldown)
    firing, started = spread(work)
    deep = depth[firing]
    element = started // deep
    step = element // units[firing] * deep + started % deep
    events = np.zeros((2, firing.size), EVENT)
    events["part"] = firings["actor"][firing]
    events["lane"] = given[(np.cumsum(units) - units)[firing] + element % units[firing]]
    events["kind"] = np.array([[Kind.FIRE], [Kind.RESULT]])
    events["cycle"] = firings["cycle"][firing] + step
    events["cycle"][1] += (latency - (steps - 1))[firing]
    events["value"][0] = code[firing]
    # The sum of a dot product is one result: its last unit writes it.
    summed = last[firing] == 1
    bit = np.where(summed, 0, element * width[firing])
    events["value"][1] = bits.take(content[firing], bit, width[firing])
    seen = np.ones((2, firing.size), bool)
    # And an element that takes several steps is written after the last of them.
    whole = np.where(summed, work[firing], deep)
    seen[1] = (started + 1) % whole == 0
    return events[seen], np.tile(firing, (2, 1))[seen]


def _figures(
    hardware: Hardware, workload: Workload, index: int, part: int, actor: int, _: int
) -> tuple[int, ...]:
    op, runner = workload.ops[index], hardware.actors[actor]
    work = op.work if part < 0 else 1
    t = runner.timing(op.code, work, op.parallel, op.depth, op.spans)
    code = sorted(runner.ops).index(op.code)
    fixed = (work, op.depth, t.units, t.steps, t.latency, t.cooldown)
    return (*fixed, code, int(op.parallel), op.result.bits)


def _units(
    hardware: Hardware, firings: np.ndarray, units: np.ndarray, cooldown: np.ndarray
) -> np.ndarray:
    """Return the units of all Firings, one after the other: each takes the lowest free ones."""
    first = (np.cumsum(units) - units).tolist()
    given = np.zeros(int(units.sum()), np.int64)
    free_from = [[0] * actor.units for actor in hardware.actors]
    by = np.lexsort((firings["op"], firings["cycle"])).tolist()
    actors, starts = firings["actor"].tolist(), firings["cycle"].tolist()
    wanted, kept = units.tolist(), cooldown.tolist()
    for f in by:
        until, start = free_from[actors[f]], starts[f]
        taken = [u for u, cycle in enumerate(until) if cycle <= start][: wanted[f]]
        for u in taken:
            until[u] = start + kept[f]
        given[first[f] : first[f] + len(taken)] = taken
    return given
