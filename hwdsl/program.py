"""Program: what the hardware is given to run a Schedule.

A Program says in which cycle each port of the machine does what. Ports are numbered by part and
lane (of a Wire) or unit (of an Actor). All tables are int64 arrays, one command a row, sorted by
cycle, part and lane or unit; no port has two commands for one cycle in a legal Program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SEND_COLUMNS = ("cycle", "wire", "lane", "row", "offset", "size")
STEER_COLUMNS = ("cycle", "wire", "lane", "from_wire", "from_lane")
LAND_COLUMNS = ("cycle", "wire", "lane", "row", "offset", "first")
FIRE_COLUMNS = ("cycle", "actor", "unit", "code", "first", "last", "more")
RESULT_COLUMNS = ("cycle", "actor", "unit", "size", "offset", "first")
LAUNCH_COLUMNS = (
    *("cycle", "actor", "unit", "code", "elements", "lanes", "taps", "columns"),
    *("across", "down", "before", "padding", "high", "wide", "stride", "last", "line"),
    *("input", "filter", "word", "total", "result", "adds"),
)
LIST_COLUMNS = ("actor", "index", "row")
CONTENT_COLUMNS = ("point", "row", "datum", "part")

OPERANDS = 3
"""Operand slots of a unit: a, b, and the accumulator of a dot product."""


@dataclass(frozen=True, eq=False)
class Program:
    """The commands of every port, and what the memories hold before and after.

    Attributes
    ----------
    hardware : str
        Fingerprint of the Hardware that it is for.
    cycles : int
        Cycles to run: all commands lie in cycles ``0 .. cycles-1``.
    data : tuple of (str, int, tuple of int)
        Name, element bits and shape of each datum.
    contents : array of `CONTENT_COLUMNS`
        Row ``part`` of ``datum`` is in ``row`` of ``point`` before cycle 0.
    finals : array of `CONTENT_COLUMNS`
        What must be there after the last cycle.
    sends : array of `SEND_COLUMNS`
        A Node puts ``size`` words on a lane, and zeros behind them: those of address ``row`` from
        word ``offset`` on.
    steers : array of `STEER_COLUMNS`
        A Junction puts on a lane what arrives on lane ``from_lane`` of ``from_wire``.
    lands : array of `LAND_COLUMNS`
        What arrives on a lane is written to ``row`` from word ``offset`` on. In an Adder it is
        added to what is there, unless ``first``.
    fires : array of `FIRE_COLUMNS` and, for each of the `OPERANDS` slots, ``size``, ``offset``
        and ``width`` rows
        A unit starts. ``code`` is the position of the op code in the Actor's sorted ops. A slot
        of ``size`` words (0: unused) is read from its rows, from word ``offset`` on, and
        sign-extended. ``first`` and ``last`` bound the units of one dot product, whose sum is the
        result of the ``last`` unit; other ops have both in every unit. ``more``: this unit goes
        on with the same Op in a later cycle, so its cooldown does not start yet.
    results : array of `RESULT_COLUMNS` and ``width`` rows
        The result of a unit is written, ``size`` words of it. In an Adder it is added to what
        is there, unless ``first``.
    width : int
        Rows that the widest element of any Actor takes.
    launches : array of `LAUNCH_COLUMNS`
        A MAC engine begins an Op (``unit`` is 0) that makes ``elements``, 2^``lanes`` at a time in
        ``taps`` cycles. Its operands are words, counted from the first of their datum. Element 0
        begins ``before`` words ahead of its input. From tap to tap the input moves ``across``
        words, but ``down`` words after each ``columns`` of them; from element to element it moves
        ``stride`` words, and after the element that is ``last`` words along, to the next ``line``.
        What a tap finds is 0 unless its row lies from ``padding`` to below ``high`` and its column
        from ``padding`` to below ``wide``, counted with the padding. ``input``, ``filter``,
        ``total`` and ``result`` are indices in the list of rows: where those of each operand begin;
        the taps begin with ``word`` of the filter. ``adds``: there is a total to begin with. Of an
        ``add``, each tap is 1.
    lists : array of `LIST_COLUMNS`
        What the list of rows of a MAC engine holds before cycle 0: the rows of each datum that it
        works on, one after the other.
    """

    hardware: str
    cycles: int
    data: tuple[tuple[str, int, tuple[int, ...]], ...]
    contents: np.ndarray
    finals: np.ndarray
    sends: np.ndarray
    steers: np.ndarray
    lands: np.ndarray
    fires: np.ndarray
    results: np.ndarray
    width: int
    launches: np.ndarray = field(default_factory=lambda: _none(LAUNCH_COLUMNS))
    lists: np.ndarray = field(default_factory=lambda: _none(LIST_COLUMNS))

    def slot(self, operand: int) -> slice:
        """Return the columns of ``fires`` that belong to an operand slot."""
        start = len(FIRE_COLUMNS) + operand * (2 + self.width)
        return slice(start, start + 2 + self.width)


def _none(columns: tuple[str, ...]) -> np.ndarray:
    return np.empty((0, len(columns)), np.int64)


TABLES = ("contents", "finals", "sends", "steers", "lands", "fires", "results", "launches", "lists")


def table_columns(width: int) -> dict[str, int]:
    """Return the number of columns of each table of a Program of that ``width``."""
    return {
        "contents": len(CONTENT_COLUMNS),
        "finals": len(CONTENT_COLUMNS),
        "sends": len(SEND_COLUMNS),
        "steers": len(STEER_COLUMNS),
        "lands": len(LAND_COLUMNS),
        "fires": len(FIRE_COLUMNS) + OPERANDS * (2 + width),
        "results": len(RESULT_COLUMNS) + width,
        "launches": len(LAUNCH_COLUMNS),
        "lists": len(LIST_COLUMNS),
    }
