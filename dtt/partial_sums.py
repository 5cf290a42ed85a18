"""Which partial sum is in which Adder when: from its first arrival to its departure (rule 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.workload import Workload


@dataclass(frozen=True, eq=False)
class Sums:
    """One row for each partial sum in an Adder, sorted by datum, point and begin.

    Attributes
    ----------
    begin, end : arrays of int64
        The cycle of its first arrival, and that of its departure (or of its last arrival, if it
        never departs).
    moved : array of bool
        Whether a Wire brings its first part, and not an Actor; ``part`` is the index of either.
    """

    datum: np.ndarray
    point: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    moved: np.ndarray
    part: np.ndarray


def in_adders(hardware: Hardware) -> np.ndarray:
    """Return which Points are Adders."""
    return np.array([point.kind == "Adder" for point in hardware.points], bool)


def partial_sums(
    hardware: Hardware,
    workload: Workload,
    moves: np.ndarray,
    firings: np.ndarray,
    done: np.ndarray,
) -> Sums:
    """Return all partial sums.

    Parameters
    ----------
    done : array of int64
        For each Firing, the cycle from which its result is there.
    """
    adder = in_adders(hardware)
    source, target, latency = (
        np.array([getattr(w, name) for w in hardware.wires], np.int64)[moves["wire"]]
        for name in ("source", "target", "latency")
    )
    result = np.array([op.result.index for op in workload.ops], np.int64)[firings["op"]]
    result_at = np.array([a.result_at for a in hardware.actors], np.int64)[firings["actor"]]
    made, came, left = adder[result_at], adder[target], adder[source]
    datum = np.concatenate((result[made], moves["datum"][came], moves["datum"][left]))
    point = np.concatenate((result_at[made], target[came], source[left]))
    cycle = np.concatenate((done[made], (moves["cycle"] + latency)[came], moves["cycle"][left]))
    part = np.concatenate((firings["actor"][made], moves["wire"][came], moves["wire"][left]))
    kind = np.repeat([0, 1, 2], [made.sum(), came.sum(), left.sum()])
    # What departs in a cycle takes with it what arrives in that cycle.
    by = np.lexsort((part, kind, cycle, point, datum))
    datum, point, cycle, part, kind = datum[by], point[by], cycle[by], part[by], kind[by]
    opens = np.ones(len(by), bool)
    opens[1:] = (datum[1:] != datum[:-1]) | (point[1:] != point[:-1]) | (kind[:-1] == 2)
    first = np.flatnonzero(opens & (kind < 2))
    last = np.append(np.flatnonzero(opens)[1:], len(by)) - 1
    last = last[(kind < 2)[np.flatnonzero(opens)]]
    moved = kind[first] == 1
    return Sums(datum[first], point[first], cycle[first], cycle[last], moved, part[first])
