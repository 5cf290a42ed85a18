"""Words of data on every level of a chiplet, counted in the Moves of a Schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hwdsl.hardware import Hardware

from ..columns import data_sizes
from ..schedule import Schedule
from .chiplet import LEVELS, Chiplet

_UPLINKS = (f"{level}_{way}" for level in LEVELS for way in ("down", "up"))
LINKS = ("hbm_read", "hbm_write", *_UPLINKS)
"""What is counted: the channels of main memory, and both ways of the uplinks of each level."""


@dataclass(frozen=True)
class Traffic:
    """Words that crossed each of `LINKS`, all wires of a level together.

    Attributes
    ----------
    words : mapping of str to int
        Words of data.
    padding : mapping of str to int
        Words that the last beats had to spare.
    loads, stores : int
        Words that left main memory and that came there.
    exchanged : int
        Words that left the local memory of one cluster for that of another.
    """

    words: Mapping[str, int]
    padding: Mapping[str, int]

    @property
    def loads(self) -> int:
        return self.words["hbm_read"]

    @property
    def stores(self) -> int:
        return self.words["hbm_write"]

    @property
    def exchanged(self) -> int:
        return self.words["cluster_up"] - self.stores


def count(schedule: Schedule) -> Traffic:
    """Count the words of all Moves."""
    word = schedule.hardware.word
    size = data_sizes(schedule.workload)
    bandwidth = np.array([w.bandwidth for w in schedule.hardware.wires], np.int64)
    wire, bits = schedule.moves["wire"], size[schedule.moves["datum"]]
    carried = -(-bits // bandwidth[wire]) * bandwidth[wire]
    wires = len(bandwidth)
    words = np.bincount(wire, bits // word, wires).astype(np.int64)
    full = np.bincount(wire, carried // word, wires).astype(np.int64)
    return of_links(schedule.hardware, words, full - words)


def of_links(hardware: Hardware, words: np.ndarray, padding: np.ndarray) -> Traffic:
    """Add up what is counted by Wire: in a Schedule, or in a Trace (`hwdsl.carried`)."""
    chiplet = Chiplet(hardware)
    links = {name: [w.index for w in chiplet.link(name)] for name in LINKS}
    return Traffic(
        {name: int(words[which].sum()) for name, which in links.items()},
        {name: int(padding[which].sum()) for name, which in links.items()},
    )
