"""How busy every part is over the whole of a long Schedule: one small curve for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..drawing.faces import text_width
from ..drawing.markup import element, number, safe, text, title
from .spans import KINDS, Scheduled, Spans, capacities, names, spans

BINS = 240
ROWS = 40
"""Parts of one kind at most."""

_TALL, _LINE, _WIDE, _HEAD, _TEXT = 16.0, 20.0, 960.0, 22.0, 10.0


@dataclass(frozen=True, eq=False)
class Profile:
    """The share of each part that is in use, in stretches of time of equal length.

    Attributes
    ----------
    edges : array
        Cycles between which the stretches lie, one more than there are stretches.
    rows : tuple of (str, str, array)
        Kind, name and shares of each part.
    notes : tuple of str
        What is left out, in sentences.
    """

    edges: np.ndarray
    rows: tuple[tuple[str, str, np.ndarray], ...]
    notes: tuple[str, ...]


def profile(schedule: Scheduled) -> Profile:
    """Return how busy the busiest parts of each kind are."""
    stop = schedule.cycles + 1
    bins = min(BINS, stop)
    edges = np.arange(bins + 1, dtype=np.int64) * stop // bins
    rows, notes = [], []
    for kind, found in zip(KINDS, spans(schedule), strict=True):
        shares = _shares(found, capacities(schedule, kind), edges)
        used = np.nonzero(shares.any(axis=1))[0]
        busiest = used[np.argsort(-shares[used].mean(axis=1), kind="stable")][:ROWS]
        if len(used) > ROWS:
            notes.append(f"Of {len(used)} {kind} in use, the {ROWS} busiest are shown.")
        parts = names(schedule, kind)
        rows += [(kind, parts[i], shares[i]) for i in sorted(busiest.tolist())]
    return Profile(edges, tuple(rows), tuple(notes))


def _shares(found: Spans, capacity: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the share of each part (first axis) in use in each stretch (second axis)."""
    before = np.stack(
        [
            np.bincount(
                found.part,
                weights=found.amount * np.clip(edge - found.begin, 0, found.end - found.begin),
                minlength=len(capacity),
            )
            for edge in edges
        ],
        axis=1,
    )
    shares: np.ndarray = np.diff(before, axis=1) / (capacity[:, None] * np.diff(edges))
    return shares


def profile_svg(picture: Profile) -> str:
    """Return the curves as SVG; full height is full use."""
    left = max((text_width(name, _TEXT) for _, name, _ in picture.rows), default=0) + 16
    headings = len(dict.fromkeys(kind for kind, _, _ in picture.rows))
    height = _HEAD * (headings + 1) + _LINE * len(picture.rows)
    size = f'width="{number(left + _WIDE + 60)}" height="{number(height)}"'
    return "\n".join([f"<svg {size}>", *_lines(picture, left, height), "</svg>"])


def _lines(picture: Profile, left: float, height: float) -> Iterator[str]:
    y, before = 0.0, ""
    scale = _WIDE / int(picture.edges[-1])
    for kind, name, shares in picture.rows:
        if kind != before:
            yield text(kind, 4, y + 15, "kind")
            y, before = y + _HEAD, kind
        mean = float(np.average(shares, weights=np.diff(picture.edges)))
        yield f"<g>{title(f'{name}: {mean:.1%} on average, {shares.max():.1%} at most')}"
        yield element("rect", "band", x=left, y=y, width=_WIDE, height=_TALL)
        yield f'<text x="{number(left - 8)}" y="{number(y + 12)}" text-anchor="end">'
        yield f"{safe(name)}</text>"
        yield element("path", "curve", d=_curve(picture.edges, shares, left, y + _TALL, scale))
        yield text(f"{mean:.1%}", left + _WIDE + 8, y + 12)
        yield "</g>"
        y += _LINE
    for part in range(5):
        cycle = (int(picture.edges[-1]) - 1) * part // 4
        yield text(str(cycle), left + cycle * scale, height - 8, middle=True)


def _curve(edges: np.ndarray, shares: np.ndarray, left: float, base: float, scale: float) -> str:
    steps = [f"M{number(left)} {number(base)}"]
    tops = base - _TALL * np.clip(shares, 0, 1)
    for top, right in zip(tops.tolist(), edges[1:].tolist(), strict=True):
        steps.append(f"V{number(top)}H{number(left + right * scale)}")
    return "".join(steps) + f"V{number(base)}Z"
