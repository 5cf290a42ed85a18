"""Where two sorted arrays of events differ, port by port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .trace import CHUNK


@dataclass(frozen=True)
class Difference:
    """All chunks of one port in one cycle (or of one address) that are not alike.

    Attributes
    ----------
    key : tuple of int
        The values of the key columns.
    index : int
        Where it begins in the expected array, or -1.
    expected, seen : int or None
        The whole value on each side; ``None`` where there is nothing.
    """

    key: tuple[int, ...]
    index: int
    expected: int | None
    seen: int | None


class Differences:
    """The groups of rows, alike in the key columns, that two arrays do not share.

    Parameters
    ----------
    expected, seen : structured arrays
        With the key columns, ``chunk`` and ``value``.
    key : tuple of str

    Attributes
    ----------
    groups : int
        Groups of ``expected``.
    count : int
        Groups that differ.
    """

    def __init__(self, expected: np.ndarray, seen: np.ndarray, key: tuple[str, ...]):
        self._key = key
        self._bounds: list[tuple[int, int]] = []
        self.count = 0
        self.groups = int(_opens(expected, key).sum())
        if expected is seen or np.array_equal(expected, seen):
            return
        rows = np.concatenate((expected, seen))
        side = np.repeat([0, 1], [expected.size, seen.size])
        order = np.lexsort([side, rows["chunk"], *(rows[k] for k in reversed(key))])
        self._rows, self._side, self._order = rows[order], side[order], order
        bounds = np.append(np.flatnonzero(_opens(self._rows, key)), rows.size)
        alike = np.logical_and.reduceat(self._paired(), bounds[:-1])
        different = np.flatnonzero(~alike)
        self.count = different.size
        self._bounds = list(zip(bounds[different], bounds[different + 1], strict=True))

    def _paired(self) -> np.ndarray:
        """Return which rows have a twin on the other side; twins are neighbours."""
        rows, side = self._rows, self._side
        twins = (side[:-1] == 0) & (side[1:] == 1)
        for name in (*self._key, "chunk", "value"):
            twins &= rows[name][1:] == rows[name][:-1]
        paired = np.zeros(rows.size, bool)
        paired[1:] |= twins
        paired[:-1] |= twins
        return paired

    def first(self, limit: int) -> Iterator[Difference]:
        """Yield the first differences, in the order of the key."""
        for begin, end in self._bounds[: max(0, limit)]:
            rows, side = self._rows[begin:end], self._side[begin:end]
            ours = self._order[begin:end][side == 0]
            yield Difference(
                tuple(int(rows[name][0]) for name in self._key),
                int(ours[0]) if ours.size else -1,
                _value(rows[side == 0]),
                _value(rows[side == 1]),
            )


def _opens(rows: np.ndarray, key: tuple[str, ...]) -> np.ndarray:
    opens = np.ones(rows.size, bool)
    if rows.size:
        opens[1:] = np.any([rows[name][1:] != rows[name][:-1] for name in key], axis=0)
    return opens


def _value(chunks: np.ndarray) -> int | None:
    if not chunks.size:
        return None
    return sum(int(c["value"]) << (CHUNK * int(c["chunk"])) for c in chunks)
