"""Launches: the Ops of MAC engines, lowered to one command each and the rows they work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hwdsl.errors import IllegalSchedule
from hwdsl.hardware import Actor, Hardware
from hwdsl.program import LAUNCH_COLUMNS, LIST_COLUMNS
from hwdsl.workload import Datum, Op

from .addresses import Addresses
from .presence import find, ragged

if TYPE_CHECKING:
    from .schedule import Schedule

USES = ("input", "filter", "total", "result")
"""What an engine's Op has a list of rows for."""


def of_engines(hardware: Hardware, firings: np.ndarray) -> np.ndarray:
    """Return which Firings are on a MAC engine."""
    engines = np.array([actor.is_mac_engine for actor in hardware.actors], bool)
    found: np.ndarray = engines[firings["actor"]]
    return found


def lower_launches(schedule: Schedule, addresses: Addresses) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables ``launches``, sorted, and ``lists`` of a Program."""
    which = np.flatnonzero(of_engines(schedule.hardware, schedule.firings))
    presences = _presences(schedule, which)
    actors = schedule.firings["actor"][which].tolist()
    begins: dict[tuple[int, int], int] = {}
    lengths: dict[int, int] = {}
    counts = addresses.counts.tolist()
    made = []
    for firing, actor, row in zip(which.tolist(), actors, presences.tolist(), strict=True):
        lists = {}
        for use, presence in zip(USES, row, strict=True):
            if presence >= 0 and (actor, presence) not in begins:
                begins[actor, presence] = lengths.get(actor, 0)
                lengths[actor] = begins[actor, presence] + counts[presence]
            lists[use] = begins[actor, presence] if presence >= 0 else 0
        made.append(_launch(schedule, firing, lists))
    launches = np.array(made, np.int64).reshape(-1, len(LAUNCH_COLUMNS))
    launches = launches[np.lexsort((launches[:, 1], launches[:, 0]))]
    return launches, _lists(addresses, begins)


def _presences(schedule: Schedule, which: np.ndarray) -> np.ndarray:
    """Return for each Firing the presence of each of its `USES`, or -1."""
    hardware, workload, firings = schedule.hardware, schedule.workload, schedule.firings[which]
    used = [_used(workload.ops[i]) for i in firings["op"].tolist()]
    datum = np.array([[-1 if d is None else d.index for d in data] for data in used], np.int64)
    datum = datum.reshape(-1, len(USES))
    at = np.array([actor.at for actor in hardware.actors], np.int64)[firings["actor"]]
    cycle = np.repeat(firings["cycle"][:, None], len(USES), axis=1)
    cycle[:, -1] += schedule.times.latency[which]
    points = np.broadcast_to(at[:, None], datum.shape)
    presences = find(schedule.presences, datum.ravel(), points.ravel(), cycle.ravel())
    found = np.where(datum >= 0, presences.reshape(datum.shape), -1)
    lost = np.argwhere((datum >= 0) & (found < 0))
    for firing, use in lost[:1].tolist():
        name = hardware.actors[firings["actor"][firing]].name
        what = workload.data[datum[firing, use]].name
        rule = f"Actor {name!r} works on {what!r} from cycle {firings['cycle'][firing]}"
        raise IllegalSchedule(f"{rule}, but it is not in {hardware.points[at[firing]].name!r}")
    return found


def _used(op: Op) -> tuple[Datum | None, ...]:
    """Return the datum of each of the `USES`."""
    total: Datum | None
    if op.code == "add":
        # What is updated in place must be the total: it is read and written row by row.
        total, image = op.operands[::-1] if op.into == 1 else op.operands
        return image, None, total, op.result
    image, filters, *rest = op.operands
    return image, filters, rest[0] if rest else None, op.result


def _launch(schedule: Schedule, firing: int, lists: dict[str, int]) -> list[int]:
    _, _, number, start = schedule.firings[firing].tolist()
    op = schedule.workload.ops[schedule.firings["op"][firing]]
    actor: Actor = schedule.hardware.actors[number]
    words = schedule.hardware.points[actor.at].row // schedule.hardware.word
    loops, tap = _loops(op)
    lanes = actor.timing(op.code, op.work, op.parallel, op.depth, op.spans).lanes
    told = {
        "cycle": start,
        "actor": number,
        "unit": 0,
        "code": sorted(actor.ops).index(op.code),
        "elements": op.result.elements,
        "lanes": lanes.bit_length() - 1,
        "taps": op.depth,
        **loops,
        **lists,
        "filter": lists["filter"] + tap // words,
        "word": tap % words,
        "adds": int(_used(op)[USES.index("total")] is not None),
    }
    return [told[name] for name in LAUNCH_COLUMNS]


def _loops(op: Op) -> tuple[dict[str, int], int]:
    """Return how the engine goes through its input, and the word of the filters to begin with."""
    if op.code == "conv_acc":
        (high, wide), (_, _, field) = op.operands[0].shape, op.operands[1].shape
        which, stride, padding = op.options
        loops = {
            "columns": field,
            "across": 1,
            "down": wide - (field - 1),
            "before": padding * (wide + 1),
            "padding": padding,
            "high": padding + high,
            "wide": padding + wide,
            "stride": stride,
            "last": (op.result.shape[1] - 1) * stride,
            "line": stride * wide,
        }
        return loops, which * op.depth
    elements = op.result.elements
    across = elements if op.code == "elem_mac" else 0
    loops = {
        "columns": op.depth,
        "across": across,
        "down": 0,
        "before": 0,
        "padding": 0,
        "high": 1,
        "wide": elements + op.depth,
        "stride": 1,
        "last": elements - 1,
        "line": 0,
    }
    return loops, op.options[0] * op.depth if op.options else 0


def _lists(addresses: Addresses, begins: dict[tuple[int, int], int]) -> np.ndarray:
    """Return all entries of all lists, by Actor and index."""
    keys = sorted(begins, key=lambda key: (key[0], begins[key]))
    actor, presence = np.array(keys, np.int64).reshape(-1, 2).T
    which, part = ragged(addresses.counts[presence])
    begin = np.array([begins[key] for key in keys], np.int64)
    rows = addresses.row(presence[which], part)
    made = np.stack([actor[which], begin[which] + part, rows], axis=1)
    return made.reshape(-1, len(LIST_COLUMNS))
