"""The verdict: an expected Trace against the Trace that was seen, port by port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .delays import delay_note
from .differences import Difference, Differences
from .hardware import Hardware
from .trace import WIRE_KINDS, ErrorKind, Kind, Trace

CONTROLLER = "controller"
"""Stands for the controller, where a part is named."""

LIMIT = 100
"""Mismatches that are told in words; the rest is counted."""

_VERBS = {
    Kind.DEPART: "departs",
    Kind.ARRIVE: "arrives",
    Kind.FIRE: "fires",
    Kind.RESULT: "writes",
}

_ERRORS = {
    ErrorKind.LATE: "the cycle of a command had passed, or another command had it",
    ErrorKind.UNEXPECTED: "something arrived for which no command told where it lands",
    ErrorKind.MISSING: "a command waited for something that did not arrive",
    ErrorKind.ADDRESS: "a row beyond the memory was named",
    ErrorKind.BUSY: "a unit was started within its cooldown",
    ErrorKind.STEER: "a Junction was told to pass on a lane that was empty",
    ErrorKind.LOST: "words reached a Junction and nobody took them",
    ErrorKind.NO_WAY: "no way leads to the next way-point in time",
    ErrorKind.NO_ROW: "no row is free for it",
    ErrorKind.NO_UNIT: "no unit is free for it",
    ErrorKind.ABSENT: "it is not where it leaves from, or is updated",
}


class Label(Protocol):
    """What an expected Trace is about; `dtt.expect.Expected` is one.

    Attributes
    ----------
    datum : array of int
        For each event: the index of its datum.
    final_datum, final_mask : arrays
        For each final: the index of its datum, and which bits of the value matter.
    """

    @property
    def datum(self) -> np.ndarray: ...
    @property
    def final_datum(self) -> np.ndarray: ...
    @property
    def final_mask(self) -> np.ndarray: ...

    def name(self, datum: int) -> str:
        """Return the name of a datum."""
        ...

    def way(self, event: int) -> str:
        """Tell how what an event carries came there."""
        ...

    def final_way(self, final: int) -> str:
        """Tell how what is stored at the end came there."""
        ...


@dataclass(frozen=True)
class Mismatch:
    """One port in one cycle, or one address after the last, that is not as expected.

    Attributes
    ----------
    kind : str
        The name of a `Kind`; ``"FINAL"`` for an address after the last cycle; ``"END"`` for a run
        that ended too early.
    part : str
        Name of the Wire, Actor or Node.
    lane : int
        Of a Wire; the unit of an Actor; the address of a FINAL.
    expected, seen : int or None
        Values; ``None`` for nothing.
    datum : str or None
        What was expected there.
    sentence : str
        All of it in words, with the datum's way through the machine.
    """

    cycle: int
    kind: str
    part: str
    lane: int
    expected: int | None
    seen: int | None
    datum: str | None
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """Whether a Trace was as expected, and where not.

    Attributes
    ----------
    events : int
        How many ports in a cycle, and addresses at the end, something was expected of.
    count : int
        How many differ.
    mismatches : tuple of Mismatch
        The first of them, by cycle, kind, part and lane; those of addresses come last.
    notes : tuple of str
        What is evident of whole parts, and not told with the first mismatch: ``"every word on
        Wire 'bus1' arrives 1 cycle late"``.
    """

    events: int
    count: int
    mismatches: tuple[Mismatch, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.count == 0

    @property
    def first(self) -> Mismatch | None:
        return self.mismatches[0] if self.mismatches else None

    def __str__(self) -> str:
        if self.passed:
            return f"PASS: {self.events} events and addresses as expected"
        head = f"FAIL: {self.count} mismatches, {self.events} events and addresses expected"
        more = self.count - len(self.mismatches)
        tail = [f"... and {more} more"] if more else []
        return "\n".join([head, *(m.sentence for m in self.mismatches), *tail])


def compare(
    hardware: Hardware,
    expected: Trace,
    seen: Trace,
    label: Label | None = None,
    *,
    limit: int = LIMIT,
) -> Verdict:
    """Hold a Trace against the one that was expected.

    Parameters
    ----------
    label : Label, optional
        Names the data of ``expected``, and masks the bits of its finals that do not matter;
        without it, every bit counts.
    limit : int
        Mismatches to tell in words.
    """
    ports = Differences(expected.events, seen.events, ("cycle", "kind", "part", "lane"))
    finals = Differences(*_masked(expected, seen, label), ("point", "row"))
    words = _Words(hardware, expected, seen, label)
    told = [words.port(d) for d in ports.first(limit)]
    told += [words.final(d) for d in finals.first(limit - len(told))]
    early = seen.cycles < expected.cycles
    if early and len(told) < limit:
        told.append(words.early())
    count = ports.count + finals.count + early
    known = told[0].sentence if told else ""
    notes = tuple(note for note in words.notes() if note not in known)
    return Verdict(ports.groups + finals.groups, count, tuple(told), notes)


def _masked(expected: Trace, seen: Trace, label: Label | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the finals of both without the bits that do not matter."""
    ours, theirs = expected.finals.copy(), seen.finals.copy()
    key = ["point", "row", "chunk"]
    # Other addresses than expected are mismatches as they stand.
    if label is not None and np.array_equal(ours[key], theirs[key]):
        mask = label.final_mask[: len(ours)]
        ours["value"] &= mask
        theirs["value"] &= mask
    return ours, theirs


class _Words:
    """Puts differences into sentences."""

    def __init__(self, hardware: Hardware, expected: Trace, seen: Trace, label: Label | None):
        self.hardware, self.label = hardware, label
        self.expected, self.seen = expected, seen
        self._delays: dict[tuple[int, int], str] = {}

    def port(self, d: Difference) -> Mismatch:
        cycle, number, part, lane = d.key
        kind = Kind(number)
        if kind == Kind.ERROR:
            return self._error(d)
        at = self.hardware.wires[part] if kind in WIRE_KINDS else self.hardware.actors[part]
        place = f"Wire {at.name!r} lane" if kind in WIRE_KINDS else f"Actor {at.name!r} unit"
        found = d.index if self.label is not None else -1
        datum = self.label.name(int(self.label.datum[found])) if self.label and found >= 0 else None
        way = f"; {self.label.way(found)}" if self.label and found >= 0 else ""
        difference = self._difference(d, datum, kind, part)
        if (kind, part) not in self._delays:
            note = delay_note(self.hardware, self.expected, self.seen, kind, part)
            self._delays[kind, part] = note
        delay = self._delays[kind, part] and f"; {self._delays[kind, part]}"
        sentence = f"cycle {cycle}, {place} {lane} {_VERBS[kind]}: {difference}{way}{delay}"
        return Mismatch(cycle, kind.name, at.name, lane, d.expected, d.seen, datum, sentence)

    def final(self, d: Difference) -> Mismatch:
        point, row = d.key
        node, cycle = self.hardware.points[point], self.expected.cycles
        datum, way = None, ""
        if self.label is not None and d.index >= 0:
            datum = self.label.name(int(self.label.final_datum[d.index]))
            way = f"; {self.label.final_way(d.index)}"
        difference = self._difference(d, datum)
        sentence = f"after the last cycle, {node.kind} {node.name!r} row {row}: {difference}{way}"
        return Mismatch(cycle, "FINAL", node.name, row, d.expected, d.seen, datum, sentence)

    def early(self) -> Mismatch:
        ended, wanted = self.seen.cycles, self.expected.cycles
        sentence = f"the run ended after {ended} cycles, but {wanted} were expected"
        return Mismatch(ended, "END", self.hardware.name, 0, wanted, ended, None, sentence)

    def notes(self) -> list[str]:
        """Return what has been found evident of whole parts."""
        return [note for note in self._delays.values() if note]

    def _error(self, d: Difference) -> Mismatch:
        cycle, _, index, lane = d.key
        parts, datum = list(self.hardware.parts), None
        if index == len(parts):
            name, datum = CONTROLLER, self._datum(lane)
            place = f"the controller, datum {datum!r}"
        else:
            part = parts[index]
            kind, name = getattr(part, "kind", type(part).__name__), part.name
            place = f"{kind} {name!r} {'unit' if kind == 'Actor' else 'lane'} {lane}"
        told = _error_words(d.seen if d.seen is not None else d.expected)
        missing = " was expected, but not raised" if d.seen is None else ""
        sentence = f"cycle {cycle}, {place}: error {told}{missing}"
        return Mismatch(cycle, "ERROR", name, lane, d.expected, d.seen, datum, sentence)

    def _datum(self, number: int) -> str:
        """Return the name of a datum, if it is one."""
        try:
            return str(number) if self.label is None else self.label.name(number)
        except IndexError:
            return str(number)

    def _difference(
        self, d: Difference, datum: str | None, kind: Kind | None = None, part: int = 0
    ) -> str:
        def told(value: int | None) -> str:
            if value is None:
                return "nothing"
            if kind == Kind.FIRE:
                codes = sorted(self.hardware.actors[part].ops)
                return codes[value] if value < len(codes) else f"op code {value}"
            return f"0x{value:02x}"

        name = "" if datum is None else f" (datum {datum!r})"
        return f"expected {told(d.expected)}{name}, saw {told(d.seen)}"


def _error_words(value: int | None) -> str:
    try:
        kind = ErrorKind(value or 0)
    except ValueError:
        return f"{value}, which is not a known kind"
    return f"{kind.name}, {_ERRORS[kind]}"
