"""Lowering: from a legal Schedule to the Program that makes the hardware run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.errors import IllegalSchedule
from hwdsl.program import Program

from .addresses import Addresses
from .columns import data_sizes
from .firing import lower_firings
from .launching import lower_launches
from .partial_sums import in_adders
from .presence import (
    INFINITE,
    Cause,
    beats_of,
    find,
    ragged,
    storing,
    wire_field,
)

if TYPE_CHECKING:
    from .schedule import Schedule


def lower(schedule: Schedule) -> Program:
    """Return the Program of a Schedule that `dtt.check` has found legal.

    Raises
    ------
    InputError
        If an element is wider than its Actor, or the elements of an array straddle rows.
    IllegalSchedule
        If there are no lanes, rows or units for what is scheduled, or no source for a Move.
    """
    hardware, workload = schedule.hardware, schedule.workload
    addresses = Addresses(hardware, workload, schedule.presences)
    pieces = _pieces(schedule)
    fires, results, width = lower_firings(schedule, addresses)
    launches, lists = lower_launches(schedule, addresses)
    sends = _sends(schedule, addresses, pieces)
    steers = _steers(schedule, pieces)
    lands = _lands(schedule, addresses, pieces)
    tables = (sends, steers, lands, fires, results)
    last = max(int(table[:, 0].max(initial=-1)) for table in tables)
    # Of a MAC engine no command tells when it writes.
    last = max(last, int((schedule.firings["cycle"] + schedule.times.latency).max(initial=-1)))
    return Program(
        hardware=hardware.fingerprint,
        cycles=max(last + 1, schedule.cycles),
        data=tuple((d.name, d.bits, d.shape) for d in workload.data),
        contents=_contents(addresses, schedule.presences["cause"] == Cause.LOADED),
        finals=_contents(addresses, schedule.presences["end"] >= INFINITE),
        sends=sends,
        steers=steers,
        lands=lands,
        fires=_ordered(fires),
        results=_ordered(results),
        width=width,
        launches=launches,
        lists=lists,
    )


@dataclass(frozen=True, eq=False)
class _Pieces:
    """What one lane of a Wire carries in one cycle, one entry each, sorted by Move.

    ``offset`` is the bit of the datum with which it begins, ``bits`` how many it carries; ``cycle``
    is that of the departure.
    """

    move: np.ndarray
    cycle: np.ndarray
    wire: np.ndarray
    lane: np.ndarray
    offset: np.ndarray
    bits: np.ndarray


def _pieces(schedule: Schedule) -> _Pieces:
    """Give every beat its lanes: the lowest free, by departure and then by datum (rule 1)."""
    hardware, moves = schedule.hardware, schedule.moves
    size = data_sizes(schedule.workload)[moves["datum"]]
    move, beat = ragged(beats_of(hardware, schedule.workload, moves))
    bandwidth = wire_field(hardware, moves, "bandwidth")[move]
    width = wire_field(hardware, moves, "lane")[move]
    offset = beat * bandwidth
    lanes = -(-np.minimum(bandwidth, size[move] - offset) // width)
    departure, wire = moves["cycle"][move], moves["wire"][move].astype(np.int64)
    cycle = departure + beat
    order = np.lexsort([moves["datum"][move], departure, cycle, wire])
    lowest = np.empty(len(move), np.int64)
    before = np.cumsum(lanes[order]) - lanes[order]
    starts = np.flatnonzero(_new_group(wire[order], cycle[order]))
    counts = np.diff(np.append(starts, len(order)))
    lowest[order] = before - np.repeat(before[starts], counts)
    over = np.flatnonzero((lowest + lanes) * width > bandwidth)
    if len(over):
        name = hardware.wires[wire[over[0]]].name
        raise IllegalSchedule(f"Wire {name!r}: too many data in cycle {cycle[over[0]]}")
    of, place = ragged(lanes)
    first = offset[of] + place * width[of]
    bits = np.minimum(width[of], size[move[of]] - first)
    return _Pieces(move[of], cycle[of], wire[of], lowest[of] + place, first, bits)


def _new_group(*keys: np.ndarray) -> np.ndarray:
    """Return where any of the sorted keys changes."""
    new = np.zeros(len(keys[0]), bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def _rows(
    schedule: Schedule, addresses: Addresses, pieces: _Pieces, end: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return presence, row and word offset of each piece, at one end of its Wire."""
    hardware, moves = schedule.hardware, schedule.moves
    point = wire_field(hardware, moves, end)
    when = moves["cycle"]
    if end == "target":
        when = when + wire_field(hardware, moves, "latency")
    presence = find(schedule.presences, moves["datum"], point, when)
    lost = np.flatnonzero((presence < 0) & storing(hardware)[point])
    if len(lost):
        move = moves[lost[0]]
        raise _absent(schedule, move["datum"], point[lost[0]], move["cycle"])
    row, offset = addresses.of(presence[pieces.move], pieces.offset)
    return presence[pieces.move], row, offset


def _take(pieces: _Pieces, mask: np.ndarray) -> _Pieces:
    return _Pieces(*(getattr(pieces, name)[mask] for name in _Pieces.__dataclass_fields__))


def _ended(schedule: Schedule, pieces: _Pieces, end: str) -> np.ndarray:
    """Return which pieces have a Node, and not a Junction, at that end of their Wire."""
    hardware = schedule.hardware
    stores = storing(hardware)[wire_field(hardware, schedule.moves, end)]
    ended: np.ndarray = stores[pieces.move]
    return ended


def _sends(schedule: Schedule, addresses: Addresses, pieces: _Pieces) -> np.ndarray:
    sent = _take(pieces, _ended(schedule, pieces, "source"))
    _, row, offset = _rows(schedule, addresses, sent, "source")
    size = sent.bits // schedule.hardware.word
    return _table(sent.cycle, sent.wire, sent.lane, row, offset, size)


def _lands(schedule: Schedule, addresses: Addresses, pieces: _Pieces) -> np.ndarray:
    hardware = schedule.hardware
    landed = _take(pieces, _ended(schedule, pieces, "target"))
    presence, row, offset = _rows(schedule, addresses, landed, "target")
    cycle = landed.cycle + wire_field(hardware, schedule.moves, "latency")[landed.move]
    held = schedule.presences[presence]
    first = in_adders(hardware)[held["point"]] & (held["begin"] == cycle)
    return _table(cycle, landed.wire, landed.lane, row, offset, first)


def _steers(schedule: Schedule, pieces: _Pieces) -> np.ndarray:
    """Join what leaves each Junction with what arrives there: the lowest wire and lane of it."""
    hardware, moves = schedule.hardware, schedule.moves
    comes = _take(pieces, ~_ended(schedule, pieces, "target"))
    goes = _take(pieces, ~_ended(schedule, pieces, "source"))
    arrival = comes.cycle + wire_field(hardware, moves, "latency")[comes.move]
    junction = np.concatenate(
        [
            wire_field(hardware, moves, "target")[comes.move],
            wire_field(hardware, moves, "source")[goes.move],
        ]
    )
    cycle = np.concatenate([arrival, goes.cycle])
    datum = moves["datum"][np.concatenate([comes.move, goes.move])]
    offset = np.concatenate([comes.offset, goes.offset])
    wire = np.concatenate([comes.wire, goes.wire])
    lane = np.concatenate([comes.lane, goes.lane])
    leaves = np.arange(len(cycle)) >= len(comes.move)
    order = np.lexsort([lane, wire, leaves, offset, datum, cycle, junction])
    new = _new_group(junction[order], cycle[order], datum[order], offset[order])
    head = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    out, source = order[leaves[order]], head[leaves[order]]
    lost = np.flatnonzero(leaves[source])
    if len(lost):
        at = out[lost[0]]
        raise _absent(schedule, datum[at], junction[at], cycle[at])
    return _table(cycle[out], wire[out], lane[out], wire[source], lane[source])


def _absent(schedule: Schedule, datum: int, point: int, cycle: int) -> IllegalSchedule:
    name, where = schedule.workload.data[datum].name, schedule.hardware.points[point].name
    return IllegalSchedule(f"Datum {name!r} leaves {where!r} in cycle {cycle}, but is not there")


def _contents(addresses: Addresses, which: np.ndarray) -> np.ndarray:
    """Return the rows of the presences that are marked, by Node and row."""
    presence = np.flatnonzero(which)
    owner, part = ragged(addresses.counts[presence])
    held = addresses.presences[presence[owner]]
    row = addresses.row(presence[owner], part)
    return _table(held["point"], row, held["datum"], part, keys=2)


def _table(*columns: np.ndarray, keys: int = 3) -> np.ndarray:
    """Return columns as one int64 table, sorted by the first ``keys`` of them."""
    return _ordered(np.stack([np.asarray(c, np.int64) for c in columns], axis=1), keys)


def _ordered(table: np.ndarray, keys: int = 3) -> np.ndarray:
    rows: np.ndarray = table[np.lexsort([table[:, i] for i in reversed(range(keys))])]
    return rows
