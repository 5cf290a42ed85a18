"""What the commands print: tables, colours where they are wanted, progress, JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO


class Screen:
    """Colours for one stream: none unless it is a terminal, and none where NO_COLOR is set."""

    def __init__(self, stream: TextIO):
        self.coloured = stream.isatty() and not os.environ.get("NO_COLOR")

    def _paint(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.coloured else text

    def red(self, text: str) -> str:
        return self._paint(31, text)

    def green(self, text: str) -> str:
        return self._paint(32, text)

    def yellow(self, text: str) -> str:
        return self._paint(33, text)

    def bold(self, text: str) -> str:
        return self._paint(1, text)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows of text in columns; a column of numbers is set to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    numbers = [
        bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        for i in range(len(head))
    ]
    widths = [max(len(row[i]) for row in [list(head), *cells]) for i in range(len(head))]
    lines = []
    for row in [list(head), ["-" * width for width in widths], *cells]:
        set_cells = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numbers, strict=True)
        )
        lines.append("  ".join(set_cells).rstrip())
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def amount(number: int, one: str, many: str = "") -> str:
    """Return ``1 move`` or ``2 moves``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def print_json(data: Mapping[str, Any]) -> None:
    """Print one object; the same data give the same bytes."""
    print(json.dumps(data, indent=2, allow_nan=False))


@contextmanager
def progress(stage: str) -> Iterator[None]:
    """Show on a terminal's stderr what is going on, for as long as it goes on."""
    if not sys.stderr.isatty():
        yield
        return
    print(f"\r\x1b[K{stage} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
