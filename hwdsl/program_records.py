"""The records of a program file: which numbers are written for a way-point program, in which order.

The controller's decoder reads the same fields in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .bit_codes import BitReader
from .errors import InputError
from .waypoints import (
    CONTENT,
    FOREVER,
    FORM,
    HOME,
    OPERATION,
    PATH,
    READS,
    WAY_POINT,
    Kind,
    Waypoints,
)

FIELDS: dict[str, tuple[str, ...]] = {
    "DATA": ("words", "elements"),
    "LOAD": ("skipped", "point", "stay"),
    "FORM": FORM,
    "READ": READS,
    "OPER": ("later", "actor", "form", "operand", "result", "stay"),
    "PATH": (
        "later",
        "datum",
        "elsewhere",
        "source",
        "points",
        "wait",
        "kind",
        "point",
        "wire",
        "by",
        "stay",
    ),
}
"""Sections and their fields. ``later``: cycles after the start before. ``elsewhere``: 0 if a path
begins at `HOME`; then ``source`` is left out."""

Record = list[tuple[str, int]]
"""Names and values of one record, as they are written."""


def write_records(program: Waypoints) -> dict[str, list[Record]]:
    """Return the records of each section."""
    return {
        "DATA": [
            [("words", bits // program.word), ("elements", int(np.prod(shape, dtype=np.int64)))]
            for _, bits, shape in program.data
        ],
        "LOAD": list(_contents(program)),
        "FORM": [_forms(row) for row in program.forms.tolist()],
        "READ": [_above(READS, row, 1) for row in program.reads.tolist()],
        "OPER": list(_operations(program)),
        "PATH": list(_paths(program)),
    }


def _above(names: tuple[str, ...], row: list[int], more: int) -> Record:
    return [(name, value + more) for name, value in zip(names, row, strict=True)]


def _forms(row: list[int]) -> Record:
    return [(name, value + (name in _MAY_LACK)) for name, value in zip(FORM, row, strict=True)]


_MAY_LACK = ("into", "reads")


def _stay(stay: int) -> int:
    return 1 if stay == FOREVER else stay + (stay > 0)


def _stay_of(written: int) -> int:
    return FOREVER if written == 1 else written - (written > 1)


def _contents(program: Waypoints) -> Iterator[Record]:
    before = -1
    for datum, point, stay in program.contents.tolist():
        yield [("skipped", datum - before - 1), ("point", point), ("stay", _stay(stay))]
        before = datum


def _operations(program: Waypoints) -> Iterator[Record]:
    before, operands = 0, iter(program.operands.tolist())
    counts = program.forms[:, FORM.index("operands")].tolist()
    for start, actor, form, result, stay in program.operations.tolist():
        yield [
            ("later", start - before),
            ("actor", actor),
            ("form", form),
            *(("operand", next(operands)) for _ in range(counts[form])),
            ("result", result),
            ("stay", _stay(stay)),
        ]
        before = start


def _paths(program: Waypoints) -> Iterator[Record]:
    before, points = 0, iter(program.points.tolist())
    for start, datum, source, count in program.paths.tolist():
        record = [("later", start - before), ("datum", datum), ("elsewhere", int(source != HOME))]
        if source != HOME:
            record.append(("source", source))
        record.append(("points", count))
        for wait, kind, place, by, stay in (next(points) for _ in range(count)):
            record += [("wait", wait), ("kind", kind)]
            record.append(("wire" if kind == Kind.STEP else "point", place))
            if kind == Kind.BY:
                record.append(("by", by))
            record.append(("stay", _stay(stay)))
        yield record
        before = start


class Read:
    """One section, as it is read.

    Parameters
    ----------
    codes : mapping of str to int
        The code of each field.
    count : int
        Records.
    """

    def __init__(self, codes: Mapping[str, int], count: int, data: bytes):
        if count > 8 * len(data):
            raise InputError("a section says that it has more records than bits")
        self.count = count
        self._codes, self._bits = codes, BitReader(data)

    def __call__(self, field: str) -> int:
        return self._bits.read(self._codes[field])

    def finish(self) -> None:
        self._bits.finish()


def read_records(sections: Mapping[str, Read], word: int) -> dict[str, Any]:
    """Return the tables of `Waypoints`, and its data without their names.

    Raises
    ------
    InputError
        If a section is not what a writer writes.
    """
    data, forms = sections["DATA"], sections["FORM"]
    found: dict[str, Any] = {"data": tuple(_read_datum(data, i, word) for i in range(data.count))}
    found["contents"] = _table(CONTENT, _read_contents(sections["LOAD"]))
    found["forms"] = _table(FORM, (_read_form(forms) for _ in range(forms.count)))
    reads = sections["READ"]
    rows = ([reads(name) - 1 for name in READS] for _ in range(reads.count))
    found["reads"] = _table(READS, rows)
    counts = found["forms"][:, FORM.index("operands")].tolist()
    operands: list[int] = []
    operations = _read_operations(sections["OPER"], counts, operands)
    found["operations"] = _table(OPERATION, operations)
    found["operands"] = np.array(operands, np.int64)
    points: list[list[int]] = []
    found["paths"] = _table(PATH, _read_paths(sections["PATH"], points))
    found["points"] = _table(WAY_POINT, points)
    for section in sections.values():
        section.finish()
    return found


def _table(names: tuple[str, ...], rows: Iterable[list[int]]) -> np.ndarray:
    return np.array(list(rows), np.int64).reshape(-1, len(names))


def _read_datum(read: Read, index: int, word: int) -> tuple[str, int, tuple[int, ...]]:
    words, elements = read("words"), read("elements")
    return f"datum {index}", words * word, () if elements == 1 else (elements,)


def _read_contents(read: Read) -> Iterator[list[int]]:
    datum = -1
    for _ in range(read.count):
        datum += 1 + read("skipped")
        yield [datum, read("point"), _stay_of(read("stay"))]


def _read_form(read: Read) -> list[int]:
    return [read(name) - (name in _MAY_LACK) for name in FORM]


def _read_operations(read: Read, counts: list[int], operands: list[int]) -> Iterator[list[int]]:
    start = 0
    for _ in range(read.count):
        start += read("later")
        actor, form = read("actor"), read("form")
        if form >= len(counts):
            raise InputError(f"an operation is of form {form}, which there is not")
        operands += [read("operand") for _ in range(counts[form])]
        yield [start, actor, form, read("result"), _stay_of(read("stay"))]


def _read_paths(read: Read, points: list[list[int]]) -> Iterator[list[int]]:
    start = 0
    for _ in range(read.count):
        start += read("later")
        datum = read("datum")
        source = read("source") if read("elsewhere") else HOME
        count = read("points")
        for _ in range(count):
            wait, kind = read("wait"), read("kind")
            if kind not in _KINDS:
                raise InputError(f"a way-point is of kind {kind}, which there is not")
            place = read("wire" if kind == Kind.STEP else "point")
            by = read("by") if kind == Kind.BY else 0
            points.append([wait, kind, place, by, _stay_of(read("stay"))])
        yield [start, datum, source, count]


_KINDS = frozenset(Kind)
