"""The Workload of a layer by one of the paper's algorithms, and the values that it works on."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.workload import Datum, Workload

from .chiplet import Chiplet
from .forms import CONVOLUTIONAL, stack_of
from .groups import check_fit
from .layer import Layer


@dataclass(frozen=True)
class LayerWork:
    """A layer as a Workload.

    Attributes
    ----------
    layer : Layer
    algorithm, stack : int
    reuse : bool
        Whether loads may take any copy.
    workload : Workload
    images : list of Datum
        Each input slice in main memory, the whole batch (innermost) of it.
    filters : mapping of Datum to list of (int, int)
        For each group of filters, the input and the output slice of each.
    outputs : list of Datum
        Each finished output slice; empty if private outputs are not reduced.
    tasks : int
        Parts of the work that run on one cluster each.
    """

    layer: Layer
    algorithm: int
    stack: int
    reuse: bool
    workload: Workload
    images: list[Datum] = field(default_factory=list)
    filters: dict[Datum, list[tuple[int, int]]] = field(default_factory=dict)
    outputs: list[Datum] = field(default_factory=list)
    tasks: int = 0

    def values(self, images: np.ndarray, filters: np.ndarray) -> Mapping[Datum | str, Any]:
        """Return the value of every loaded datum.

        Parameters
        ----------
        images : array of shape (di, wi, wi, batch)
        filters : array of shape (di, do, f, f)
        """
        given: dict[Datum | str, Any] = {}
        for datum, image in zip(self.images, images, strict=True):
            given[datum] = image.reshape(datum.shape)
        for datum, pairs in self.filters.items():
            given[datum] = np.stack([filters[di, do] for di, do in pairs])
        return given


def generate(
    hardware: Hardware,
    layer: Layer,
    algorithm: int,
    *,
    stack: int | None = None,
    reuse: bool = False,
    reduction: bool = True,
) -> LayerWork:
    """Return the Workload of a layer.

    Parameters
    ----------
    hardware : Hardware
        A `Manticore` whose word is the layer's.
    algorithm : int
        1 to 5.
    stack : int, optional
        Output slices of a task of Algorithms 2, 3 and 5; by default the most that fit.
    reuse : bool
        ``False``: every load comes from the memory that the algorithm names. ``True``: any copy
        may be its source, and an input slice is brought by the Ops that read it, when they start.
    reduction : bool
        Whether the private outputs of Algorithms 4 and 5 are added up over the clusters.

    Raises
    ------
    InputError
        If the algorithm is not for such a layer, the words differ, or a slice does not fit.
    """
    from .connected import connect
    from .convolution import convolve

    per_task = stack_of(algorithm, layer, stack)
    chiplet = Chiplet(hardware)
    if hardware.word != layer.word_bits:
        rule = f"{layer.precision} precision takes a word of {layer.word_bits} bits"
        raise InputError(f"Layer: {rule}; {hardware.name} has {hardware.word}")
    check_fit(algorithm, layer, per_task, chiplet.tcdm[0])
    work = LayerWork(layer, algorithm, per_task, reuse, Workload(bits=layer.word_bits))
    with _uncollected():
        if algorithm in CONVOLUTIONAL:
            return convolve(chiplet, work)
        return connect(chiplet, work, reduction)


_MANY = 1_000_000
"""New objects after which the collector would go through all that there are."""


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector from going through millions of items of which none becomes garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if gc.get_count()[0] > _MANY:
                gc.collect()  # once here, or several times while they are scheduled
            gc.enable()
