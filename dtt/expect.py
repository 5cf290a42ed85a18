"""The Trace that a Schedule foretells, from its Moves and Firings and NumPy's values alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.trace import CHUNK, FINAL, WIRE_KINDS, Trace
from hwdsl.values import Given, evaluate

from .foretold.actors import actor_events
from .foretold.bits import Bits
from .foretold.stored import final_table, stored_rows
from .foretold.sums import partial_sums
from .foretold.ways import way_of_firing, way_of_move, way_to
from .foretold.wires import wire_events
from .schedule import Schedule


@dataclass(frozen=True, eq=False)
class Expected:
    """A foretold Trace, and what each part of it is about.

    It serves `hwdsl.compare.compare` as the label of its Trace.

    Attributes
    ----------
    trace : Trace
        ``cycles`` is the largest cycle of any event plus 1. Finals are sorted by Node and address.
    schedule : Schedule
    origin : array of int
        For each event: the index of the Move (DEPART, ARRIVE) or of the Firing (FIRE, RESULT).
    datum : array of int
        For each event: the datum that it carries; of a FIRE, the result.
    final_datum, final_mask : arrays of int and uint64
        For each final: whose bits they are, and which of them matter (the rest is don't-care).
    """

    trace: Trace
    schedule: Schedule
    origin: np.ndarray
    datum: np.ndarray
    final_datum: np.ndarray
    final_mask: np.ndarray

    def name(self, datum: int) -> str:
        """Return the name of a datum."""
        return self.schedule.workload.data[datum].name

    def way(self, event: int) -> str:
        """Tell how what an event carries came there: ``"A: SRAM@0 -> Reg@1 -> PE@2"``."""
        origin = int(self.origin[event])
        on_wire = self.trace.events["kind"][event] in WIRE_KINDS
        return (way_of_move if on_wire else way_of_firing)(self.schedule, origin)

    def final_way(self, final: int) -> str:
        """Tell how a stored datum came to its Node."""
        point = int(self.trace.finals["point"][final])
        return way_to(self.schedule, int(self.final_datum[final]), point, self.trace.cycles)


def expected_trace(schedule: Schedule, values: Given) -> Expected:
    """Foretell what the hardware must show when it runs a legal Schedule.

    Parameters
    ----------
    schedule : Schedule
    values : mapping of Datum or its name to an integer or an array
        Of the loaded data, as for `hwdsl.values.evaluate`.

    Raises
    ------
    InputError
        If a loaded datum has no value, or a value does not fit.
    """
    hardware, workload = schedule.hardware, schedule.workload
    known = evaluate(workload, values)
    sums = partial_sums(schedule, known)
    bits = Bits(workload, known, sums.values)
    on_wires, moves = wire_events(hardware, schedule.moves, sums.moved, bits)
    at_actors, firings = actor_events(hardware, workload, schedule.firings, sums.made, bits)
    events = np.concatenate((on_wires, at_actors))
    origin = np.concatenate((moves, firings))
    results = np.array([op.result.index for op in workload.ops], np.int64)
    datum = np.concatenate(
        (schedule.moves["datum"][moves], results[schedule.firings["op"][firings]])
    )
    by = np.lexsort([events[name] for name in ("chunk", "lane", "part", "kind", "cycle")])
    events = events[by]
    cycles = int(events["cycle"][-1]) + 1 if events.size else 0
    finals, of_datum, mask = _finals(schedule, bits)
    trace = Trace(cycles, events, finals, "expected", "expected")
    return Expected(trace, schedule, origin[by], datum[by], of_datum, mask)


def _finals(schedule: Schedule, bits: Bits) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = final_table(schedule.hardware, stored_rows(schedule))
    width = np.array([p.row for p in schedule.hardware.points], np.int64)[table[:, 0]]
    chunks = -(-width // CHUNK)
    row = np.repeat(np.arange(chunks.size), chunks)
    chunk = np.arange(row.size) - np.repeat(np.cumsum(chunks) - chunks, chunks)
    point, address, datum, part = table[row].T
    bit = part * width[row] + chunk * CHUNK
    count = np.minimum(width[row] - chunk * CHUNK, CHUNK)
    finals = np.zeros(row.size, FINAL)
    finals["point"], finals["row"], finals["chunk"] = point, address, chunk
    finals["value"] = bits.take(datum, bit, count)
    return finals, datum, bits.mask(datum, bit, count)
