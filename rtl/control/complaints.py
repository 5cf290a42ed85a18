"""What a controller complains of: the first thing that went wrong, and the event that it is."""

from __future__ import annotations

import numpy as np
from amaranth.lib import data

from hwdsl.hardware import Hardware
from hwdsl.trace import EVENT, ErrorKind, Kind

from ..ports import ports_of

KIND_BITS, NUMBER_BITS = 4, 16


def error_layout(time_bits: int) -> data.StructLayout:
    """Return the layout of an error.

    ``kind`` is an `ErrorKind`, or 0; ``cycle`` the one that was worked on. ``number`` is that of a
    port, to which a packet was sent too late, or else the index of a datum.
    """
    return data.StructLayout({"kind": KIND_BITS, "number": NUMBER_BITS, "cycle": time_bits})


def event_of(hardware: Hardware, error: int) -> np.ndarray:
    """Return an error as events: none if there is none."""
    found = np.zeros(int(error != 0), EVENT)
    if not error:
        return found
    kind, rest = error & ((1 << KIND_BITS) - 1), error >> KIND_BITS
    number, cycle = rest & ((1 << NUMBER_BITS) - 1), rest >> NUMBER_BITS
    part, lane = len(list(hardware.parts)), number
    if kind == ErrorKind.LATE:
        port = ports_of(hardware)[number]
        before = len(hardware.points)
        if port.kind in ("fire", "result"):
            before += len(hardware.wires)
        part, lane = before + port.part, port.lane
    found[0] = (cycle, Kind.ERROR, part, lane, 0, kind)
    return found
