"""The bits of all data, laid end to end, and any 64 of them at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hwdsl.values import Values, pack
from hwdsl.workload import Workload

WORD = 64


class Bits:
    """The value of every datum as words of 64 bits, element 0 least significant.

    Parameters
    ----------
    sums : sequence of (int, int)
        Bits and value of further scalars (partial sums), which are numbered after the data.

    Attributes
    ----------
    size : array of int64
        Bits of each datum.
    """

    def __init__(self, workload: Workload, values: Values, sums: Sequence[tuple[int, int]] = ()):
        sizes = [*(d.size for d in workload.data), *(bits for bits, _ in sums)]
        self.size = np.array(sizes, np.int64)
        count = -(-self.size // WORD)
        self._start = np.cumsum(count) - count
        self._words = np.zeros(int(count.sum()) + 1, np.uint64)
        scalars = [d.index for d in workload.data if d.elements == 1]
        whole = [int(values[i].reshape(())) for i in scalars]
        scalars += range(len(workload.data), len(sizes))
        flat = np.array([*whole, *(value for _, value in sums)], np.int64)
        self._words[self._start[scalars]] = flat.view(np.uint64) & _mask(self.size[scalars])
        for datum in workload.data:
            if datum.elements > 1:
                words = int(count[datum.index])
                packed = pack(values[datum.index], datum.bits).to_bytes(words * 8, "little")
                start = int(self._start[datum.index])
                self._words[start : start + words] = np.frombuffer(packed, "<u8")

    def take(self, datum: np.ndarray, bit: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Return ``count`` bits (at most 64) of each datum from ``bit`` on; 0 beyond its end."""
        count = self._kept(datum, bit, count)
        bit = np.where(count > 0, bit, 0)
        word = self._start[datum] + bit // WORD
        shift = (bit % WORD).astype(np.uint64)
        low = self._words[word] >> shift
        # A shift by 64 is undefined: shift by 63 and once more.
        high = (self._words[word + 1] << (np.uint64(WORD - 1) - shift)) << np.uint64(1)
        value: np.ndarray = (low | high) & _mask(count)
        return value

    def mask(self, datum: np.ndarray, bit: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Return ones for those of the bits that `take` returns that are the datum's own."""
        return _mask(self._kept(datum, bit, count))

    def _kept(self, datum: np.ndarray, bit: np.ndarray, count: np.ndarray) -> np.ndarray:
        kept: np.ndarray = np.clip(np.minimum(count, self.size[datum] - bit), 0, WORD)
        return kept


def _mask(bits: np.ndarray) -> np.ndarray:
    """Return words whose lowest ``bits`` (0 to 64) bits are ones."""
    ones = np.full(np.shape(bits), ~np.uint64(0))
    kept = np.maximum(bits, 1).astype(np.uint64)
    return np.where(bits > 0, ones >> (np.uint64(WORD) - kept), np.uint64(0))


def spread(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for ``counts[i]`` rows each, the index ``i`` and the place among its rows."""
    owner = np.repeat(np.arange(counts.size), counts)
    return owner, np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)
