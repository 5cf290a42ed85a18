"""The space-time chart: time to the right, parts downwards, a bar for each thing that happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..drawing.faces import text_width
from ..drawing.markup import element, number, safe, text, title
from .spans import Scheduled, Spans, names, spans

BARS, CYCLES = 2500, 500
"""What one chart shows at most; a longer Schedule is shown in part, and that is said."""

ROWS = 64
"""Parts of one kind at most."""

TRACKS = 16
"""Bars of one part above each other at most."""

COLOURS = ("#77aadd", "#eedd88", "#ee8866", "#99ddff", "#ffaabb", "#44bb99", "#bbcc33", "#dddddd")
"""Light colours by Paul Tol: colour-blind people can tell them apart, and black text stands out."""

_TRACK, _GAP, _HEAD, _TEXT, _LONG = 17.0, 5.0, 22.0, 10.0, 200.0


@dataclass(frozen=True)
class Bar:
    """One span in a row of the chart; cycles, ends exclusive."""

    track: int
    begin: int
    full: int
    end: int
    tail: int
    datum: int
    name: str
    title: str


@dataclass(frozen=True, eq=False)
class Row:
    """One part: its bars, and how many of them found no track."""

    kind: str
    name: str
    tracks: int
    bars: tuple[Bar, ...]
    hidden: int


@dataclass(frozen=True)
class Chart:
    """A chart of the cycles ``first .. last - 1``.

    Attributes
    ----------
    notes : tuple of str
        What it leaves out, in sentences.
    """

    first: int
    last: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def chart(schedule: Scheduled, first: int = 0) -> Chart:
    """Return the chart of a Schedule from a cycle on, as far as it stays legible."""
    kinds, stop = spans(schedule), schedule.cycles + 1
    first = min(max(first, 0), schedule.cycles)
    begins = np.sort(np.concatenate([s.begin[s.begin > first] for s in kinds]))
    last = min(stop, first + CYCLES)
    if np.searchsorted(begins, last) > BARS:
        last = int(begins[BARS])
    notes, rows = [], []
    if (first, last) != (0, stop):
        notes.append(f"This is cycle {first} to {last - 1} of 0 to {stop - 1}.")
    for found in kinds:
        mine = _rows(schedule, found.between(first, last))
        shown = sorted(mine, key=lambda row: -len(row.bars))[:ROWS]
        if len(mine) > len(shown):
            notes.append(f"Of {len(mine)} {found.kind} in use, the {ROWS} busiest are shown.")
        hidden = sum(row.hidden for row in mine)
        if hidden:
            notes.append(f"{hidden} bars are left out where there are over {TRACKS} at a time.")
        rows += [row for row in mine if row in shown]
    return Chart(first, last, tuple(rows), tuple(notes))


def _rows(schedule: Scheduled, found: Spans) -> list[Row]:
    parts, rows = names(schedule, found.kind), []
    members: dict[int, list[int]] = {}
    for i, part in enumerate(found.part.tolist()):
        members.setdefault(part, []).append(i)
    for part in sorted(members):
        bars: list[Bar] = []
        free: list[int] = []
        for i in members[part]:
            begin = int(found.begin[i])
            track = next((t for t, until in enumerate(free) if until <= begin), len(free))
            if track < TRACKS:
                free[track : track + 1] = [int(found.last[i])]
                bars.append(_bar(found, i, track, parts[part], schedule.cycles))
        hidden = len(members[part]) - len(bars)
        rows.append(Row(found.kind, parts[part], len(free), tuple(bars), hidden))
    return rows


def _bar(found: Spans, i: int, track: int, part: str, cycles: int) -> Bar:
    begin, full, end, tail = (
        int(array[i]) for array in (found.begin, found.full, found.end, found.tail)
    )
    name = found.name[i]
    if found.kind == "memories":
        until = "the end" if end > cycles else f"cycle {end - 1}"
        told = f"{name} in {part}: complete in cycle {full}, there until {until}"
        told += f"; takes space from cycle {begin}" if begin < full else ""
    elif found.kind == "wires":
        lasting = f"{begin}" if end == begin + 1 else f"{begin} to {end - 1}"
        told = f"{name} on {part}: departs in cycle {lasting}, is across in cycle {tail}"
    else:
        told = f"{name} on {part}: starts in cycle {begin}, result in cycle {tail}"
        told += f", units in use to cycle {end - 1}"
    return Bar(track, begin, full, end, tail, int(found.datum[i]), name, told)


def chart_html(picture: Chart) -> str:
    """Return a chart as HTML: the names of the parts stand still, the rest scrolls."""
    tops, height = _tops(picture.rows)
    scale = _scale(picture)
    width = max([60.0, *(text_width(row.name, _TEXT) for row in picture.rows)]) + 16
    plot = (picture.last - picture.first) * scale + 1
    return "\n".join(
        [
            '<div class="chart">',
            _svg(width, height, _names(picture.rows, tops, width)),
            '<div class="scroll">',
            _svg(plot, height, _plot(picture, tops, scale, height)),
            "</div></div>",
        ]
    )


def _svg(width: float, height: float, lines: Iterator[str]) -> str:
    size = f'width="{number(width)}" height="{number(height)}"'
    return "\n".join([f"<svg {size}>", *lines, "</svg>"])


def _tops(rows: Sequence[Row]) -> tuple[list[float], float]:
    """Return where each row begins, and the height of all; each kind has a heading."""
    tops, y, kind = [], _HEAD, ""
    for row in rows:
        y += _HEAD if row.kind != kind else 0
        kind = row.kind
        tops.append(y)
        y += _TRACK * row.tracks + _GAP
    return tops, y + _HEAD


def _scale(picture: Chart) -> float:
    """Return pixels per cycle: as many as the names on short bars want, within reason."""
    wanted = max(
        (text_width(b.name, _TEXT) / (b.end - b.begin) for row in picture.rows for b in row.bars),
        default=0,
    )
    room = 1200 / (picture.last - picture.first)
    return max(5.0, min(48.0, max(wanted + 5, room) if wanted + 5 < 2 * room else room))


def _names(rows: Sequence[Row], tops: Sequence[float], width: float) -> Iterator[str]:
    kind = ""
    for row, top in zip(rows, tops, strict=True):
        if row.kind != kind:
            kind = row.kind
            yield text(kind, 4, top - 7, "kind")
        yield f'<g><text x="{number(width - 8)}" y="{number(top + 12)}" text-anchor="end">'
        yield f"{safe(row.name)}</text>{title(row.name)}</g>"
        if row.hidden:
            yield text(f"+{row.hidden} more", 4, top + 12 + _TRACK)


def _plot(picture: Chart, tops: Sequence[float], scale: float, height: float) -> Iterator[str]:
    first, last = picture.first, picture.last
    width = (last - first) * scale
    for row, top in zip(picture.rows, tops, strict=True):
        tall = _TRACK * row.tracks + _GAP - 1
        yield element("rect", "band", x=0, y=top - 2, width=width, height=tall)
    step = _step(scale)
    for cycle in range(-(-first // step) * step, last, step):
        x = (cycle - first) * scale
        yield element(
            "path", "grid", d=f"M{number(x)} {number(_HEAD - 4)}V{number(height - _HEAD)}"
        )
        for y in (_HEAD - 8, height - 8):
            yield text(str(cycle), x + (scale / 2 if step == 1 else 2), y, middle=step == 1)
    for row, top in zip(picture.rows, tops, strict=True):
        for bar in row.bars:
            yield _bar_svg(bar, row.kind, top + _TRACK * bar.track, first, last, scale)


def _step(scale: float) -> int:
    """Return how many cycles there are from one line to the next."""
    step = 1
    for factor in (2, 2.5, 2, 2, 2.5, 2):  # 2, 5, 10, 20, 50, 100
        if step * scale >= 26:
            break
        step = round(step * factor)
    return step


def _bar_svg(bar: Bar, kind: str, y: float, first: int, last: int, scale: float) -> str:
    def x(cycle: int) -> float:
        return (min(max(cycle, first), last) - first) * scale

    tall, pieces = _TRACK - 3, [title(bar.title)]
    if bar.tail > bar.end:
        pieces.append(element("path", "tail", d=f"M{number(x(bar.end))} {number(y + tall / 2)}"
                                                f"H{number(x(bar.tail))}"))  # fmt: skip
    if bar.full > bar.begin:
        pieces.append(_rectangle("coming", x(bar.begin), x(bar.full), y, tall, bar))
    pieces.append(_rectangle("bar", x(bar.full), x(bar.end), y, tall, bar))
    if kind == "actors" and bar.tail < bar.end:
        pieces.append(
            element("path", "tail", d=f"M{number(x(bar.tail))} {number(y)}v{number(tall)}")
        )
    room = x(min(bar.end, bar.tail) if kind == "actors" else bar.end) - x(bar.begin)
    if text_width(bar.name, _TEXT) + 2 <= room:
        middle = room < _LONG  # the name of a longer bar stands at its beginning
        across = x(bar.begin) + (room / 2 if middle else 4)
        pieces.append(text(bar.name, across, y + 10.5, middle=middle))
    return f'<g data-d="{bar.datum}">{"".join(pieces)}</g>'


def _rectangle(kind: str, left: float, right: float, y: float, tall: float, bar: Bar) -> str:
    fill = COLOURS[bar.datum % len(COLOURS)]
    wide = max(right - left - 1, 0.5)
    return element("rect", kind, x=left + 0.5, y=y, width=wide, height=tall, rx=2, fill=fill)
