"""Filters in groups: how many filters one DmaLoad carries, so that its last beat is full."""

from __future__ import annotations

from hwdsl.errors import InputError
from hwdsl.hardware import Point

from .forms import BUFFER_BYTES, CONVOLUTIONAL
from .layer import Layer

BUFFER_BITS = 8 * BUFFER_BYTES


def group_size(filter_bits: int, per_step: int, steps: int, row: int) -> int:
    """Return for how many steps, of ``per_step`` filters each, one load carries the filters.

    Parameters
    ----------
    filter_bits, row : int
        Bits of a filter and of a beat.
    per_step, steps : int
        Filters that are read together, and how often there are.

    Returns
    -------
    int
        The number, of those of which two loads fit in the buffer, that wastes least of the last
        beats; the smallest among equals.
    """

    def waste(count: int) -> tuple[float, int]:
        bits = count * per_step * filter_bits
        return (-bits % row) / bits, count

    fitting = [
        count
        for count in range(1, min(steps, 16) + 1)
        if 2 * count * per_step * filter_bits <= BUFFER_BITS
    ]
    return min(fitting, key=waste, default=1)


def buffer_rows(row: int) -> int:
    """Return the rows of a buffer."""
    return BUFFER_BITS // row


def check_fit(algorithm: int, layer: Layer, stack: int, tcdm: Point) -> None:
    """Refuse a layer whose slices do not fit in local memory.

    Raises
    ------
    InputError
        With the bytes short.
    """
    bits = layer.word_bits
    image = layer.wi**2 * layer.batch * bits
    parts = [("an input slice", image), ("a filter", layer.f**2 * bits)]
    for what, size in parts:
        short = (tcdm.rows_of(size) * tcdm.row - BUFFER_BITS) // 8
        if short > 0:
            rule = f"does not fit in its buffer of {BUFFER_BYTES} bytes"
            raise InputError(f"Algorithm {algorithm}: {what} {rule}: {short} bytes short")
    output = (layer.wo**2 if algorithm in CONVOLUTIONAL else layer.batch) * bits
    buffers = (3 if algorithm == 1 else 2) * BUFFER_BITS // tcdm.row
    needed = stack * tcdm.rows_of(output) + buffers + (algorithm == 3) * tcdm.rows_of(image)
    if needed > tcdm.rows:
        short = (needed - tcdm.rows) * tcdm.row // 8
        slices = "an output slice" if stack == 1 else f"a stack of {stack} output slices"
        rule = f"does not fit in {tcdm.name!r} beside the buffers"
        raise InputError(f"Algorithm {algorithm}: {slices} {rule}: {short} bytes short")
