"""Layers in NumPy, term by term in integers of any size; shares no code with what computes them.

Shapes are those of `dtt.manticore.generate.LayerWork.values`.
"""

from __future__ import annotations

import numpy as np


def convolved(images, filters, stride, padding, bits):
    """Return output slices (do, wo, wo) of images (di, wi, wi, 1) and filters (di, do, f, f)."""
    images, filters = images.astype(object), filters.astype(object)
    depth, wide = images.shape[:2]
    _, outputs, field, _ = filters.shape
    width = len(range(0, wide + 2 * padding - field + 1, stride))
    made = np.zeros((outputs, width, width), object)
    for do, y, x, di, i, j in np.ndindex(outputs, width, width, depth, field, field):
        line, column = y * stride + i - padding, x * stride + j - padding
        if 0 <= line < wide and 0 <= column < wide:
            made[do, y, x] += images[di, line, column, 0] * filters[di, do, i, j]
    return wrapped(made, bits)


def connected(images, filters, bits):
    """Return outputs (do, batch) of images (di, wi, wi, batch) and filters (di, do, wi, wi)."""
    depth, wide, _, batch = images.shape
    images, filters = images.astype(object), filters.astype(object)
    made = np.zeros((filters.shape[1], batch), object)
    for di, y, x in np.ndindex(depth, wide, wide):
        made += np.outer(filters[di, :, y, x], images[di, y, x])
    return wrapped(made, bits)


def wrapped(values, bits):
    """Return integers modulo 2^bits, in two's complement."""
    half = 1 << (bits - 1)
    return ((values + half) % (2 * half) - half).astype(np.int64)


def random_layer(layer, seed):
    """Return images and filters of a layer, of words of any size."""
    random = np.random.default_rng(seed)
    most = 1 << (layer.word_bits - 1)
    images = (layer.di, layer.wi, layer.wi, layer.batch)
    filters = (layer.di, layer.do, layer.f, layer.f)
    return [random.integers(-most, most, shape, np.int64) for shape in (images, filters)]
