"""Integers of any width side by side, in words of 64 bits, for many rows at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def packed(fields: Sequence[tuple[np.ndarray, int]], below: np.ndarray, bits: int) -> np.ndarray:
    """Return rows of words, least significant first, in which fields follow upon each other.

    Parameters
    ----------
    fields : sequence of (array, int)
        For each row a value, and its bits (at most 64) for all rows; the first field is lowest.
    below : array of uint64
        A row each, of ``bits`` bits that lie below the first field.
    """
    total = bits + sum(width for _, width in fields)
    made = np.zeros((len(below), -(-total // 64)), np.uint64)
    made[:, : below.shape[1]] = below
    at = bits
    for values, width in fields:
        word, shift = divmod(at, 64)
        value = values.astype(np.uint64)
        if width:
            made[:, word] |= value << np.uint64(shift)
        if shift + width > 64:
            made[:, word + 1] |= value >> np.uint64(64 - shift)
        at += width
    return made


def integers_of(words: np.ndarray) -> list[int]:
    """Return each row of words as one integer."""
    if words.shape[1] == 1:
        return words[:, 0].tolist()
    raw, size = words.tobytes(), 8 * words.shape[1]
    starts = range(0, len(raw), size) if size else [0] * len(words)
    return [int.from_bytes(raw[i : i + size], "little") for i in starts]


def words_of(values: Sequence[int], bits: int) -> np.ndarray:
    """Return integers of ``bits`` bits as rows of words."""
    size = -(-bits // 64)
    raw = b"".join(int(value).to_bytes(8 * size, "little") for value in values)
    return np.frombuffer(raw, "<u8").reshape(-1, size)
