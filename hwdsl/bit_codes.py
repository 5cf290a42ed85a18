"""Bit codes: whole numbers as bits, in a fixed width or the more bits the larger (Exp-Golomb).

A stream is read from the least significant bit of its first byte on.

A code is a byte. Below `GOLOMB` it is the width of all values. From `GOLOMB` on it is the order k:
m zeros and a one, then m + k bits that hold ``value - (2^m - 1) * 2^k``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .errors import InputError

GOLOMB = 64
WIDEST = 40
"""Bits of the largest value that a stream holds."""
_ORDERS = 24


class BitWriter:
    """Collects values, and gives them as bytes."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._kept = self._bits = 0

    def _put(self, value: int, width: int) -> None:
        self._kept |= value << self._bits
        self._bits += width
        if self._bits >= 512:
            whole = self._bits // 8
            self._bytes += (self._kept & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            self._kept >>= 8 * whole
            self._bits -= 8 * whole

    def write(self, value: int, code: int) -> None:
        if code < GOLOMB:
            self._put(value, code)
            return
        order = code - GOLOMB
        zeros = ((value >> order) + 1).bit_length() - 1
        self._put(1 << zeros, zeros + 1)
        self._put(value - (((1 << zeros) - 1) << order), zeros + order)

    def tobytes(self) -> bytes:
        """Return all that was written; the last byte is filled with zeros."""
        return bytes(self._bytes) + self._kept.to_bytes(-(-self._bits // 8), "little")


class BitReader:
    """Reads what a `BitWriter` wrote.

    Raises
    ------
    InputError
        If the bits come to an end, or hold what no writer writes.
    """

    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def _take(self, width: int) -> int:
        first, end = self._at // 8, -(-(self._at + width) // 8)
        if end > len(self._data):
            raise InputError("a section ends too early")
        value = int.from_bytes(self._data[first:end], "little") >> (self._at % 8)
        self._at += width
        return value & ((1 << width) - 1)

    def read(self, code: int) -> int:
        if code < GOLOMB:
            return self._take(code)
        order, zeros = code - GOLOMB, 0
        while not self._take(1):
            zeros += 1
            if zeros > WIDEST:
                raise InputError("a section holds a number that is too large")
        return self._take(zeros + order) + (((1 << zeros) - 1) << order)

    def finish(self) -> None:
        """Refuse what is left, but for the zeros that fill the last byte."""
        rest = 8 * len(self._data) - self._at
        if rest >= 8 or self._take(rest):
            raise InputError("a section is longer than its records")


def best_code(values: Sequence[int]) -> int:
    """Return the code that writes all the values in the fewest bits.

    Raises
    ------
    InputError
        If a value is negative or too large.
    """
    table = np.asarray(values, np.int64)
    largest = int(table.max(initial=0))
    if table.min(initial=0) < 0 or largest.bit_length() > WIDEST:
        raise InputError(f"Program: a number must be from 0 to 2^{WIDEST} - 1, not {largest}")
    best, least = largest.bit_length(), largest.bit_length() * len(table)
    for order in range(_ORDERS):
        zeros = np.floor(np.log2((table >> order) + 1.0)).astype(np.int64)
        bits = int((2 * zeros + 1 + order).sum())
        if bits < least:
            best, least = GOLOMB + order, bits
    return best
