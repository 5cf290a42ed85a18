"""From a small neural network in NumPy to one Workload, so that results stay on the chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware, Point
from hwdsl.values import evaluate
from hwdsl.workload import Datum, Workload

from .layers import Layer, Tile
from .network_faults import prove_fit


@dataclass(frozen=True, eq=False)
class Inference:
    """The Workload of a network on a batch of images.

    Attributes
    ----------
    workload : Workload
    values : dict of Datum to array
        Of all that is loaded: images, weights and biases.
    weights : tuple of Datum
        The weights and biases, in the order of the layers.
    outputs : tuple of Tile
        The results of the last layer, for each part of the batch.
    """

    workload: Workload
    values: Mapping[Datum, np.ndarray]
    weights: tuple[Datum, ...]
    outputs: tuple[Tile, ...]

    def numpy(self) -> np.ndarray:
        """Return the outputs as NumPy computes them, for all images."""
        values = evaluate(self.workload, self.values)
        return self.gather(lambda datum: values[datum.index])

    def gather(self, value: Callable[[Datum], np.ndarray]) -> np.ndarray:
        """Put the outputs of all images together from the value of each Datum."""
        parts = [np.concatenate([value(b) for b in t.blocks], axis=1) for t in self.outputs]
        return np.concatenate(parts)


def infer(
    hardware: Hardware,
    layers: Sequence[Layer],
    images: np.ndarray,
    *,
    at: Point | str,
    out: Point | str | None = None,
    tiles: int = 1,
    bits: int = 8,
    resident: bool = False,
) -> Inference:
    """Return the Workload that runs layers on a batch of images, and prove that it can fit.

    Parameters
    ----------
    hardware : Hardware
    layers : sequence of Dense, Convolution, Activation and MaxPool
    images : array of (images, features) or (images, channels, height, width)
        Integers of ``bits``.
    at : Node
        Where images, weights and biases are loaded.
    out : Node, optional
        Where the outputs are stored; ``at`` by default.
    tiles : int
        Parts of the batch: each has Ops of its own, and all share the weights.
    resident : bool
        Demand that all weights fit in the memories of the Actors together, so that each can be
        read once.

    Raises
    ------
    InputError
        If the shapes do not fit each other.
    NoSchedule
        If something can never fit; the sentence names layer and tensor, and the bytes.
    """
    if not 1 <= tiles <= len(images):
        raise InputError(f"tiles must be from 1 to the {len(images)} images, not {tiles}")
    builder = _Builder(hardware.point(at).name, layers)
    outputs = []
    for index, part in enumerate(np.array_split(images, tiles)):
        name = f"images[{index}]"
        tile = Tile(index, [builder.load(name, part, bits)])
        builder.owner.setdefault(name, "images")
        for layer_name, layer in zip(builder.names, layers, strict=True):
            tile = builder.apply(layer_name, layer, tile)
        outputs.append(tile)
        for block in tile.blocks:
            builder.workload.store(block, at=at if out is None else out)
    weights = tuple(d for d in builder.values if not d.name.startswith("images["))
    prove_fit(hardware, builder.workload, builder.owner, weights if resident else ())
    return Inference(builder.workload, builder.values, weights, tuple(outputs))


def layer_by_layer(
    hardware: Hardware,
    layers: Sequence[Layer],
    images: np.ndarray,
    *,
    at: Point | str,
    tiles: int = 1,
    bits: int = 8,
) -> tuple[Inference, ...]:
    """Return one Workload for each layer, from memory and back: what there is without reuse."""
    apart = []
    for layer in layers:
        made = infer(hardware, [layer], images, at=at, tiles=tiles, bits=bits)
        apart.append(made)
        images, bits = made.numpy(), made.outputs[0].blocks[0].bits
    return tuple(apart)


class _Builder:
    """Collects the Workload; ``owner`` is the layer of each datum, by name."""

    def __init__(self, at: str, layers: Sequence[Layer]):
        self.at = at
        self.workload = Workload()
        self.values: dict[Datum, np.ndarray] = {}
        self.owner: dict[str, str] = {}
        self.names = [
            layer.name or f"{type(layer).__name__.lower()}{i}" for i, layer in enumerate(layers, 1)
        ]
        if len(set(self.names)) < len(self.names):
            raise InputError(f"two layers have one name: {', '.join(map(repr, self.names))}")
        self._loaded: dict[str, Datum] = {}

    def load(self, name: str, value: np.ndarray, bits: int) -> Datum:
        if name not in self._loaded:
            made = self.workload.load(name, at=self.at, bits=bits, shape=value.shape)
            self._loaded[name] = made
            self.values[made] = value
        return self._loaded[name]

    def apply(self, name: str, layer: Layer, tile: Tile) -> Tile:
        before = len(self.workload.data)
        made = layer.apply(self.workload, self.load, name, tile)
        for datum in self.workload.data[before:]:
            self.owner[datum.name] = name
        return made
