"""Layers of a neural network, and how they become Ops over tiles of their tensors.

A layer that is *split* makes its outputs in so many blocks, each by Ops of their own, so that
several Actors work on it; a layer behind it adds up what it takes from each block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hwdsl.errors import InputError
from hwdsl.workload import Datum, Workload

Load = Callable[[str, np.ndarray, int], Datum]
"""Loads a constant of a layer once: name, value, bits of an element."""


@dataclass
class Tile:
    """What a layer works on: one part of the batch, in blocks of features or channels.

    Attributes
    ----------
    index : int
        Which part of the batch.
    blocks : list of Datum
        Each of shape (images, features) or (images, channels, height, width).
    """

    index: int
    blocks: list[Datum]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all blocks together."""
        images, _, *rest = self.blocks[0].shape
        return (images, sum(b.shape[1] for b in self.blocks), *rest)


class Layer(Protocol):
    """What `dtt.network.infer` asks of a layer."""

    name: str

    def apply(self, work: Workload, load: Load, name: str, tile: Tile) -> Tile:
        """Append the Ops for one tile, and return their results."""


@dataclass(frozen=True, eq=False)
class Dense:
    """Fully connected: ``x @ weights + bias``; images are flattened in C order.

    Parameters
    ----------
    weights : array of (inputs, outputs)
        Integers of ``weight_bits``.
    bias : array of (outputs,), optional
        Integers of ``bits``.
    bits : int
        Of an element of the result, and of the sum.
    split : int
        Blocks of outputs.
    """

    weights: np.ndarray
    bias: np.ndarray | None = None
    bits: int = 32
    weight_bits: int = 8
    split: int = 1
    name: str = ""

    def apply(self, work: Workload, load: Load, name: str, tile: Tile) -> Tile:
        inputs, outputs = _dimensions(name, "weights", self.weights, 2)
        features = tile.shape[1:]
        if inputs != np.prod(features):
            found = f"an input of {' x '.join(map(str, features))}"
            raise InputError(f"Layer {name!r}: weights for {inputs} inputs do not fit {found}")
        if len(features) == 1:
            return _sums(self, work, load, name, tile, "matmul", self.weights, self.bias, ())
        filters = self.weights.T.reshape(outputs, *features)
        return _filtered(self, work, load, name, tile, filters, (1, 0))


@dataclass(frozen=True, eq=False)
class Convolution:
    """Two-dimensional convolution over (images, channels, height, width).

    Parameters
    ----------
    weights : array of (filters, channels, height, width)
        Integers of ``weight_bits``.
    bias : array of (filters,), optional
        Integers of ``bits``.
    stride, padding : int
    bits : int
        Of an element of the result, and of the sum.
    split : int
        Blocks of filters.
    """

    weights: np.ndarray
    bias: np.ndarray | None = None
    stride: int = 1
    padding: int = 0
    bits: int = 32
    weight_bits: int = 8
    split: int = 1
    name: str = ""

    def apply(self, work: Workload, load: Load, name: str, tile: Tile) -> Tile:
        channels = _dimensions(name, "weights", self.weights, 4)[1]
        if len(tile.shape) != 4 or tile.shape[1] != channels:
            found = f"an input of {' x '.join(map(str, tile.shape[1:]))}"
            raise InputError(f"Layer {name!r}: filters of {channels} channels do not fit {found}")
        options = (self.stride, self.padding)
        return _filtered(self, work, load, name, tile, self.weights, options)


@dataclass(frozen=True, eq=False)
class Activation:
    """An elementwise op: ``"relu"``, or one that a user brought.

    Parameters
    ----------
    code : str
        Its op code.
    bits : int, optional
        Of an element of the result; those of the operand by default.
    """

    code: str = "relu"
    bits: int | None = None
    name: str = ""

    def apply(self, work: Workload, load: Load, name: str, tile: Tile) -> Tile:
        return _each(work, name, tile, self.code, self.bits, ())


@dataclass(frozen=True, eq=False)
class MaxPool:
    """The largest of each square window of each channel; windows do not overlap."""

    window: int = 2
    name: str = ""

    def apply(self, work: Workload, load: Load, name: str, tile: Tile) -> Tile:
        return _each(work, name, tile, "maxpool", None, (self.window,))


def _each(
    work: Workload, name: str, tile: Tile, code: str, bits: int | None, options: tuple[int, ...]
) -> Tile:
    made = [
        work.op(code, block, name=_label(name, tile, j), bits=bits or block.bits, options=options)
        for j, block in enumerate(tile.blocks)
    ]
    return Tile(tile.index, made)


def _filtered(
    layer: Dense | Convolution,
    work: Workload,
    load: Load,
    name: str,
    tile: Tile,
    filters: np.ndarray,
    options: tuple[int, int],
) -> Tile:
    bias = None if layer.bias is None else np.asarray(layer.bias).reshape(-1, 1, 1)
    filters = np.moveaxis(filters, 0, 1)  # channels first, as the inputs of a Dense are
    return _sums(layer, work, load, name, tile, "conv2d", filters, bias, options)


def _sums(
    layer: Dense | Convolution,
    work: Workload,
    load: Load,
    name: str,
    tile: Tile,
    code: str,
    weights: np.ndarray,
    bias: np.ndarray | None,
    options: tuple[int, ...],
) -> Tile:
    """Append, for each block of outputs, one Op for each block of inputs, each onto the last."""
    outputs = weights.shape[1]
    if bias is not None and len(bias) != outputs:
        raise InputError(f"Layer {name!r}: bias must be one for each of {outputs} outputs")
    if not 1 <= layer.split <= outputs:
        raise InputError(f"Layer {name!r}: split must be from 1 to {outputs}, not {layer.split}")
    edges = np.cumsum([0, *(block.shape[1] for block in tile.blocks)]).tolist()
    made = []
    for j, columns in enumerate(np.array_split(np.arange(outputs), layer.split)):
        total = None
        if bias is not None:
            total = load(f"{name}.bias[{j}]", bias[columns], layer.bits)
        for i, block in enumerate(tile.blocks):
            part = weights[edges[i] : edges[i + 1]][:, columns]
            part = part if code == "matmul" else np.moveaxis(part, 0, 1)
            factor = load(f"{name}.weights[{i}][{j}]", part, layer.weight_bits)
            operands = [block, factor] if total is None else [block, factor, total]
            last = i == len(tile.blocks) - 1
            label = _label(name, tile, j) + ("" if last else f".sum{i}")
            total = work.op(code, *operands, name=label, bits=layer.bits, options=options)
        assert total is not None
        made.append(total)
    return Tile(tile.index, made)


def _label(name: str, tile: Tile, block: int) -> str:
    return f"{name}[{tile.index}][{block}]"


def _dimensions(name: str, tensor: str, array: np.ndarray, count: int) -> Sequence[int]:
    if array.ndim != count:
        rule = f"{tensor} must have {count} dimensions"
        raise InputError(f"Layer {name!r}: {rule}, not {array.ndim}")
    return array.shape
