"""Waypoints: the program of a controller that rebuilds everything else by docs/rebuild.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .ops import Shape

CONTENT = ("datum", "point", "stay")
PATH = ("start", "datum", "source", "points")
WAY_POINT = ("wait", "kind", "place", "by", "stay")
OPERATION = ("start", "actor", "form", "result", "stay")
FORM = (
    "code",
    "elements",
    "depth",
    "parallel",
    "units",
    "latency",
    "cooldown",
    "hold",
    "into",
    "operands",
    "reads",
)
READS = ("a", "b", "c")

FOREVER = -1
"""The ``stay`` of what stays to the end of time."""

HOME = -1
"""The ``source`` of a path that begins where its datum was brought last."""

WINDOW = 64
"""Cycles that a controller sees at once, where nothing else is asked for."""


class Kind(IntEnum):
    """What a way-point tells of the leg that leads to it."""

    NEAR = 0
    BY = 1
    STEP = 2


@dataclass(frozen=True, eq=False)
class Waypoints:
    """A way-point program. All tables are int64 arrays, one record a row.

    Attributes
    ----------
    hardware : str
        Fingerprint of the Hardware that it is for.
    cycles : int
        Cycles to run.
    window : int
        Cycles that a path may span, and that a search sees.
    word : int
        Bits of a word of the Hardware.
    lead, ahead, depth : int
        Clock cycles from the start of the controller to cycle 0; by how many cycles it may send
        commands ahead; how many of them a port must be able to keep (see `dtt.pace`).
    data : tuple of (str, int, tuple of int)
        Name, element bits and shape of each datum.
    contents : array of `CONTENT`
        By datum.
    paths : array of `PATH`
        By start; ``points`` is the number of way-points.
    points : array of `WAY_POINT`
        Those of the first path, then those of the second, and so on. ``place`` is a Point, or for a
        step a Wire; ``by`` is 0 but for the kind BY, and ``stay`` is 0 at a Junction.
    forms : array of `FORM`
        ``code`` is the position of the op code among the sorted ones of the Actor; ``elements``
        are the pairs of a dot product, ``into`` is -1 where nothing is updated in place, and
        ``reads`` the first row of its reads, or -1.
    reads : array of `READS`
        For each unit-step, the element of each operand; -1: none.
    operations : array of `OPERATION`
        By start.
    operands : array of int64
        The data that the operations read, one operation after the other.
    """

    hardware: str
    cycles: int
    window: int
    word: int
    lead: int
    ahead: int
    depth: int
    data: tuple[tuple[str, int, Shape], ...]
    contents: np.ndarray
    paths: np.ndarray
    points: np.ndarray
    forms: np.ndarray
    reads: np.ndarray
    operations: np.ndarray
    operands: np.ndarray

    def sizes(self) -> list[int]:
        """Return the bits of each datum."""
        return [math.prod(shape, start=bits) for _, bits, shape in self.data]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Waypoints):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            if isinstance(getattr(self, name), np.ndarray)
            else getattr(self, name) == getattr(other, name)
            for name in self.__dataclass_fields__
        )


def steps_of(form: dict[str, int]) -> int:
    """Return the cycles in which the units of a form start something new."""
    if form["parallel"]:
        return 1
    return form["depth"] * -(-form["elements"] // form["units"])
