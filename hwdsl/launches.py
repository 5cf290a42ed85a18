"""Launches: the Ops of a way-point program, with their units, and what each unit does when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .errors import InputError
from .hardware import Actor, Hardware
from .program import OPERANDS
from .waypoints import FORM, OPERATION, Waypoints, steps_of


@dataclass(frozen=True, eq=False)
class Launch:
    """One Op, started.

    Attributes
    ----------
    form : dict of str to int
        Of `hwdsl.waypoints.FORM`.
    reads : list of list of int, or None
        For each unit-step, the element of each operand; -1: none.
    units : list of int
        The units that it has.
    """

    actor: Actor
    start: int
    form: dict[str, int]
    operands: list[int]
    result: int
    stay: int
    reads: list[list[int]] | None
    units: list[int]

    @property
    def done(self) -> int:
        """The cycle from which the result is there."""
        return self.start + self.form["latency"]

    @property
    def heir_of(self) -> int | None:
        """The operand that is updated in place."""
        into = self.form["into"]
        return self.operands[into] if into >= 0 else None

    def steps(self) -> Iterator[Step]:
        """Yield what its units start: round by round, and unit by unit."""
        for round_ in range(steps_of(self.form)):
            yield from self.round(round_)

    def round(self, round_: int) -> Iterator[Step]:
        """Yield what its units start so many cycles after the start of the Op."""
        for j, unit in enumerate(self.units):
            element = round_ // self.form["depth"] * len(self.units) + j
            if element < self.form["elements"]:
                yield self._step(round_, unit, element)

    def _step(self, round_: int, unit: int, element: int) -> Step:
        form = self.form
        if form["parallel"]:
            first, last = element == 0, element == form["elements"] - 1
            return Step(round_, unit, 0, first, last, False, self._pair(element))
        turn = round_ % form["depth"]
        number = element * form["depth"] + turn
        last = turn == form["depth"] - 1
        more = not last or element + len(self.units) < form["elements"]
        reads = [number] * OPERANDS if self.reads is None else self.reads[number]
        slots = [
            (slot, datum, reads[slot])
            for slot, datum in enumerate(self.operands)
            if reads[slot] >= 0
        ]
        return Step(round_, unit, element, turn == 0, last, more, slots)

    def _pair(self, pair: int) -> list[tuple[int, int, int]]:
        """Return the slots of one unit of a dot product; its first also has the accumulator."""
        slots = [(i, self.operands[2 * pair + i], 0) for i in range(2)]
        if pair == 0 and len(self.operands) % 2:
            slots.append((2, self.operands[-1], 0))
        return slots


@dataclass(frozen=True, eq=False)
class Step:
    """One start of one unit.

    Attributes
    ----------
    round : int
        Cycles after the start of the Op.
    element : int
        Of the result, which is written ``latency - steps + 1`` cycles later if ``last``.
    slots : list of (int, int, int)
        Slot, datum and element of what it reads.
    """

    round: int
    unit: int
    element: int
    first: bool
    last: bool
    more: bool
    slots: list[tuple[int, int, int]]


def launches(hardware: Hardware, program: Waypoints) -> list[Launch]:
    """Return the Ops of a program, each with the lowest free units.

    Raises
    ------
    InputError
        If too few units are free.
    """
    free_at = [[0] * actor.units for actor in hardware.actors]
    forms = [dict(zip(FORM, row, strict=True)) for row in program.forms.tolist()]
    operands = program.operands.tolist()
    reads = program.reads.tolist()
    found = []
    for row in program.operations.tolist():
        op = dict(zip(OPERATION, row, strict=True))
        form, start, busy = forms[op["form"]], op["start"], free_at[op["actor"]]
        units = [unit for unit, cycle in enumerate(busy) if cycle <= start][: form["units"]]
        actor = hardware.actors[op["actor"]]
        if len(units) < form["units"]:
            rule = f"too few units are free in cycle {start}"
            raise InputError(f"Program: Actor {actor.name!r}: {rule}")
        for unit in units:
            busy[unit] = start + form["cooldown"]
        mine, operands = operands[: form["operands"]], operands[form["operands"] :]
        work = form["elements"] * form["depth"]
        at = form["reads"]
        pattern = None if at < 0 else reads[at : at + work]
        found.append(Launch(actor, start, form, mine, op["result"], op["stay"], pattern, units))
    return found
