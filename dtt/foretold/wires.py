"""What is seen at both ends of every Wire: lanes and values by rules 0 and 1 of the contract."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.trace import CHUNK, EVENT, Kind

from .bits import Bits, spread


def wire_events(
    hardware: Hardware, moves: np.ndarray, content: np.ndarray, bits: Bits
) -> tuple[np.ndarray, np.ndarray]:
    """Return DEPART and ARRIVE events, unsorted, and the index of the Move of each.

    ``content`` is what each Move carries, as numbered in ``bits``.
    """
    wires = hardware.wires
    bandwidth, lane, latency = (
        np.array([getattr(w, field) for w in wires], np.int64)
        for field in ("bandwidth", "lane", "latency")
    )
    datum, wire = moves["datum"].astype(np.int64), moves["wire"].astype(np.int64)
    # One row a beat.
    move, beat = spread(-(-bits.size[datum] // bandwidth[wire]))
    cycle = moves["cycle"][move] + beat
    by = np.lexsort((datum[move], moves["cycle"][move], cycle, wire[move]))
    move, beat, cycle = move[by], beat[by], cycle[by]
    width = bandwidth[wire[move]]
    rest = np.minimum(width, bits.size[datum[move]] - beat * width)
    lanes = -(-rest // lane[wire[move]])
    lowest = _before(lanes, wire[move], cycle)
    # One row a lane.
    row, place = spread(lanes)
    offset = (beat * width)[row] + place * lane[wire[move]][row]
    lowest, move, cycle = lowest[row] + place, move[row], cycle[row]
    # One row a chunk of 64 bits.
    row, chunk = spread(-(-lane[wire[move]] // CHUNK))
    lowest, move, cycle = lowest[row], move[row], cycle[row]
    count = lane[wire[move]] - chunk * CHUNK
    value = bits.take(content[move], offset[row] + chunk * CHUNK, count)
    events = np.empty((2, move.size), EVENT)
    events["part"], events["lane"], events["chunk"] = wire[move], lowest, chunk
    events["value"] = value
    events["kind"] = np.array([[Kind.DEPART], [Kind.ARRIVE]])
    events["cycle"] = cycle
    events["cycle"][1] += latency[wire[move]]
    return events.reshape(-1), np.tile(move, 2)


def _before(lanes: np.ndarray, wire: np.ndarray, cycle: np.ndarray) -> np.ndarray:
    """Return the sum of the lanes before each row in its cycle of its Wire; rows are sorted."""
    total = np.cumsum(lanes) - lanes
    opens = np.ones(lanes.size, bool)
    opens[1:] = (wire[1:] != wire[:-1]) | (cycle[1:] != cycle[:-1])
    earlier: np.ndarray = total - total[opens][np.cumsum(opens) - 1]
    return earlier
