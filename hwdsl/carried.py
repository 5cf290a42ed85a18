"""Words of data that a machine was seen to carry, counted in its Trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .hardware import Hardware
from .program import Program
from .trace import Kind, Trace


@dataclass(frozen=True, eq=False)
class Carried:
    """What departed on each Wire, by its index.

    Attributes
    ----------
    words : array of int64
        Words of data.
    padding : array of int64
        Words by which the lanes that they took were wider.
    """

    words: np.ndarray
    padding: np.ndarray


def carried(hardware: Hardware, program: Program, trace: Trace) -> Carried:
    """Count the words that departed on each Wire.

    Every lane that is seen to depart counts. How much of it is data is known where it left a Node:
    the Program tells there how many words are sent. Through Junctions it is followed.

    Parameters
    ----------
    trace : Trace
        Of a run of the Program, as some engine showed it.

    Raises
    ------
    InputError
        If something departed that the Program does not tell of.
    """
    lanes = max((wire.lanes for wire in hardware.wires), default=1)
    wires = len(hardware.wires)

    def key(cycle: np.ndarray, wire: np.ndarray, lane: np.ndarray) -> np.ndarray:
        found: np.ndarray = (cycle.astype(np.int64) * wires + wire) * lanes + lane
        return found

    latency = np.array([wire.latency for wire in hardware.wires], np.int64)
    cycle, wire, lane, source, source_lane = program.steers.T
    known, size = key(*program.sends.T[:3]), program.sends[:, 5]
    order = np.argsort(known)
    known, size = known[order], size[order]
    passed, before = key(cycle, wire, lane), key(cycle - latency[source], source, source_lane)
    while len(passed):
        at, there = _found(known, before)
        if not there.any():
            break  # of what is left nobody sent anything
        known = np.concatenate((known, passed[there]))
        size = np.concatenate((size, size[at[there]]))
        order = np.argsort(known)
        known, size = known[order], size[order]
        passed, before = passed[~there], before[~there]
    events = trace.events
    seen = events[(events["kind"] == Kind.DEPART) & (events["chunk"] == 0)]
    at, there = _found(known, key(seen["cycle"], seen["part"], seen["lane"]))
    for event in seen[~there][:1]:
        name = hardware.wires[event["part"]].name
        rule = f"Trace: something departs on Wire {name!r} in cycle {event['cycle']}"
        raise InputError(f"{rule}, of which the Program does not tell")
    width = np.array([w.lane // hardware.word for w in hardware.wires], np.int64)
    words = np.bincount(seen["part"], size[at], wires).astype(np.int64)
    return Carried(words, np.bincount(seen["part"], minlength=wires) * width - words)


def _found(known: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where sorted keys hold each of some others, and whether they do."""
    if not len(known):
        return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return at, known[at] == keys
