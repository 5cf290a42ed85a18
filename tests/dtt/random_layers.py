"""Random layers for chiplets; how large they may be is the caller's."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from dtt.manticore.forms import CONVOLUTIONAL
from dtt.manticore.layer import Layer

WORDS = {"single": 32, "double": 64}


def random_layer(
    chance: Random, algorithm: int, precision: str, most: Mapping[str, int], do: int
) -> Layer:
    """Return a layer of ``do`` output slices for an algorithm.

    Parameters
    ----------
    most : mapping of str to int
        The largest ``f`` of a convolution, ``batch`` of another layer, and ``wi`` and ``di``.
    """
    if algorithm not in CONVOLUTIONAL:
        return Layer.fully_connected(
            wi=chance.randint(1, most["wi"]),
            di=chance.randint(1, most["di"]),
            do=do,
            batch=chance.randint(1, most["batch"]),
            precision=precision,
        )
    field = chance.randint(1, most["f"])
    return Layer.convolutional(
        wi=chance.randint(field, most["wi"]),
        di=chance.randint(1, most["di"]),
        do=do,
        f=field,
        stride=chance.randint(1, 3),
        padding=chance.choice([None, 0, 1, 2]),
        precision=precision,
    )
