"""The page of a report: verdict, figures, drawing, charts, tables, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..drawing.markup import safe
from .chart import chart, chart_html
from .profile import profile, profile_svg
from .spans import Scheduled
from .style import CSS, SCRIPT

ROWS = 200
"""Rows of a table at most."""


@dataclass(frozen=True)
class Table:
    """A table; ``note`` stands below it, and ``wide`` gives it the width of the page."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    note: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the comparison said.

    Attributes
    ----------
    passed : bool or None
        ``None``: the RTL did not run.
    sentence : str
        What ran, and how much was compared.
    details : tuple of str
        The first mismatch, requests that were not served, and what else is to be known.
    """

    passed: bool | None
    sentence: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """All that a page shows.

    Attributes
    ----------
    figures : tuple of (str, str)
        What, and how much.
    drawing : str
        The architecture as SVG.
    first : int
        The cycle with which the chart begins.
    """

    title: str
    file: str
    outcome: Outcome
    figures: tuple[tuple[str, str], ...]
    drawing: str
    schedule: Scheduled
    tables: tuple[Table, ...]
    first: int = 0


def write(report: Report) -> str:
    """Return the HTML; equal reports give equal text."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{safe(report.title)}</title>",
            f"<style>\n{CSS}</style></head>",
            '<body class="report">',
            f"<h1>{safe(report.title)}</h1>",
            f'<p class="file">{safe(report.file)}</p>',
            *_outcome(report.outcome),
            '<dl class="figures">',
            *(f"<div><dt>{safe(k)}</dt><dd>{safe(v)}</dd></div>" for k, v in report.figures),
            "</dl>",
            f'<h2>Architecture</h2>\n<div class="drawing">\n{report.drawing}</div>',
            *_charts(report),
            '<div class="tables">',
            *(line for table in report.tables for line in _table(table)),
            "</div>",
            f"<script>\n{SCRIPT}</script>",
            "</body></html>",
            "",
        ]
    )


def _outcome(outcome: Outcome) -> Iterator[str]:
    word = {True: "PASS", False: "FAIL", None: "NOT RUN"}[outcome.passed]
    kind = {True: "pass", False: "fail", None: "none"}[outcome.passed]
    yield f'<div class="verdict {kind}"><b>{word}</b> {safe(outcome.sentence)}'
    yield from (f"<pre>{safe(line)}</pre>" for line in outcome.details)
    yield "</div>"


def _charts(report: Report) -> Iterator[str]:
    picture = chart(report.schedule, report.first)
    yield "<h2>Space and time</h2>"
    yield from _notes(
        "Each column is a cycle. A bar in a memory is a datum that is there (dashed: that is "
        "arriving); on a wire, one that departs, and the line behind it its way across; at an "
        "actor, an op that keeps units busy, and the line the cycle of its result.",
        *picture.notes,
    )
    yield f'<div class="time">\n{chart_html(picture)}\n</div>'
    if (picture.first, picture.last) == (0, report.schedule.cycles + 1):
        return
    curves = profile(report.schedule)
    stretch = int(curves.edges[1] - curves.edges[0])
    yield "<h2>Use over time</h2>"
    yield from _notes(
        f"All cycles, in stretches of about {stretch}; full height is all rows, all bits or all "
        "units in use. Beside it the average.",
        *curves.notes,
    )
    yield f'<div class="time scroll">\n{profile_svg(curves)}\n</div>'


def _notes(*sentences: str) -> Iterator[str]:
    yield from (f'<p class="note">{safe(sentence)}</p>' for sentence in sentences)


def _table(table: Table) -> Iterator[str]:
    shown = table.rows[:ROWS]
    numbers = [
        bool(shown) and all(isinstance(row[i], int | float) for row in shown)
        for i in range(len(table.head))
    ]
    kinds = [' class="number"' if is_number else "" for is_number in numbers]
    wide = ' class="wide"' if table.wide else ""
    yield f"<section{wide}><h2>{safe(table.title)}</h2>"
    if shown:
        cells = "".join(f"<th{k}>{safe(h)}</th>" for k, h in zip(kinds, table.head, strict=True))
        yield f"<table><thead><tr>{cells}</tr></thead><tbody>"
        for row in shown:
            cells = "".join(f"<td{k}>{_cell(v)}</td>" for k, v in zip(kinds, row, strict=True))
            yield f"<tr>{cells}</tr>"
        yield "</tbody></table>"
    else:
        yield '<p class="note">none</p>'
    if len(table.rows) > ROWS:
        yield f'<p class="note">and {len(table.rows) - ROWS} more</p>'
    if table.note:
        yield f'<p class="note">{safe(table.note)}</p>'
    yield "</section>"


def _cell(value: object) -> str:
    return safe(f"{value:.10g}" if isinstance(value, float) else str(value))
