"""The closed forms of Algorithms 1 to 5: work, local memory and traffic, and what the paper prints.

They are computed from the layer alone and never look at a Schedule: what a Schedule moves is
counted on its own (`dtt.manticore.traffic`) and held against them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hwdsl.errors import InputError

from .layer import Layer

ALGORITHMS = (1, 2, 3, 4, 5)
STACKED = (2, 3, 5)
"""Algorithms that work on stacks of output slices."""

CONVOLUTIONAL = (1, 2, 3)

LOCAL_BYTES = 128 * 1024
BUFFER_BYTES = 16 * 1024
"""Local memory of a cluster, and what hides the latency of main memory: 256 cycles of 64 bytes."""

QUADRANT = 16
"""Clusters of an L2 quadrant."""


@dataclass(frozen=True)
class Forms:
    """The figures of one algorithm on one layer.

    Attributes
    ----------
    macs : int
    local_words : int
        The least local memory of a cluster, without buffers.
    memory_words : int
        Loaded from main memory and stored there; of Algorithms 4 and 5 loaded only, since the
        paper leaves out what becomes of the private outputs.
    largest_stack : int
        The most output slices that fit beside the buffers; of Algorithm 4 the largest ``do``.
    """

    macs: int
    local_words: int
    memory_words: int
    largest_stack: int
    word_bytes: int

    @property
    def mac_per_word(self) -> float:
        return self.macs / self.memory_words

    @property
    def flop_per_byte(self) -> float:
        """Two operations to a multiply-accumulate."""
        return 2 * self.mac_per_word / self.word_bytes


def forms(
    algorithm: int, layer: Layer, stack: int | None = None, *, quadrant: int = QUADRANT
) -> Forms:
    """Return the closed forms.

    Parameters
    ----------
    stack : int, optional
        Output slices of a stack; by default the most that fit. Algorithms 1 and 4 have none.
    quadrant : int
        Clusters of an L2 quadrant.

    Raises
    ------
    InputError
        If the algorithm is not for such a layer.
    """
    stack = stack_of(algorithm, layer, stack)
    stacks = -(-layer.do // stack)
    image, output, field = layer.wi**2, layer.wo**2, layer.f**2
    if algorithm in CONVOLUTIONAL:
        loads = {1: layer.do, 2: stacks, 3: -(-stacks // quadrant)}[algorithm]
        words = layer.do * output + field * layer.di * layer.do + loads * layer.di * image
        local = stack * output + image * (2 if algorithm == 3 else 1) + field
    else:
        words = layer.di * image * (stacks * layer.batch + layer.do)
        local = stack * layer.batch + image * (layer.batch + 1)
    most = largest_stack(algorithm, layer)
    return Forms(layer.macs, local, words, most, layer.word_bytes)


def least_words(algorithm: int, layer: Layer) -> int:
    """Return what `Forms.memory_words` counts if each word crosses once."""
    outputs = layer.do * layer.wo**2 if algorithm in CONVOLUTIONAL else 0
    return outputs + layer.di * (layer.wi**2 * layer.batch + layer.f**2 * layer.do)


def largest_stack(algorithm: int, layer: Layer) -> int:
    """Return how many output slices fit in local memory beside the buffers (0: none)."""
    free = LOCAL_BYTES - (3 if algorithm == 1 else 2) * BUFFER_BYTES
    if algorithm == 3:
        free -= layer.wi**2 * layer.word_bytes
    slice_words = layer.wo**2 if algorithm in CONVOLUTIONAL else layer.batch
    most = max(0, free // (slice_words * layer.word_bytes))
    return min(1, most) if algorithm == 1 else most


def stack_of(algorithm: int, layer: Layer, stack: int | None) -> int:
    """Return the output slices of a task, checked: 1 for Algorithm 1, all for Algorithm 4.

    Raises
    ------
    InputError
        If the algorithm is not for such a layer, has no stacks, or none fits.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"algorithm must be from 1 to 5, not {algorithm!r}")
    if algorithm in CONVOLUTIONAL and layer.batch != 1:
        raise InputError(f"Algorithm {algorithm} takes one image, not a batch of {layer.batch}")
    if algorithm not in CONVOLUTIONAL and (layer.wo, layer.f) != (1, layer.wi):
        rule = "takes fully connected layers: filters as wide as the slices, no padding"
        raise InputError(f"Algorithm {algorithm} {rule}; here f={layer.f}, wi={layer.wi}")
    if algorithm not in STACKED:
        if stack is not None:
            raise InputError(f"Algorithm {algorithm} has no stacks; leave stack out")
        return 1 if algorithm == 1 else layer.do
    if stack is None:
        most = min(layer.do, largest_stack(algorithm, layer))
        if most < 1:
            short = slice_shortage(algorithm, layer)
            raise InputError(f"Algorithm {algorithm}: no output slice fits: {short} bytes short")
        return most
    if type(stack) is not int or stack < 1:
        raise InputError(f"stack must be a whole number of at least 1, not {stack!r}")
    return min(stack, layer.do)


def slice_shortage(algorithm: int, layer: Layer) -> int:
    """Return the bytes by which one output slice is too large for what the buffers leave."""
    free = LOCAL_BYTES - 2 * BUFFER_BYTES
    if algorithm == 3:
        free -= layer.wi**2 * layer.word_bytes
    slice_words = layer.wo**2 if algorithm in CONVOLUTIONAL else layer.batch
    return slice_words * layer.word_bytes - free


@dataclass(frozen=True)
class Printed:
    """What the paper prints for a case: MAC/word, flop/B, and why it differs, if it does."""

    mac_per_word: float | None
    flop_per_byte: float
    reason: str | None = None


_LOST_FACTOR = (
    "not reachable: the printed value has lost the factor D_I of the input term; reading each "
    "input, filter and output word once takes {once} words already, {best:.2f} MAC/word"
)

_CONVOLUTION = {"wi": 32, "di": 128, "do": 128, "f": 3, "stride": 1, "padding": 1}
_PRINTED: dict[tuple[int, str, int | None], tuple[float | None, float]] = {
    (1, "single", None): (8.9, 4.4),
    (1, "double", None): (8.9, 2.2),
    (2, "single", 24): (141.8, 70.9),
    (2, "double", 12): (87.8, 21.9),
    (3, "single", 23): (541.4, 270.7),
    (3, "double", 11): (540.6, 135.2),
    (4, "single", 768): (30.7, 15.4),
    (4, "double", 384): (29.5, 7.4),
    (5, "single", 768): (30.6, 15.3),
    (5, "double", 384): (29.5, 7.4),
}


def printed(algorithm: int, layer: Layer, stack: int | None = None) -> Printed | None:
    """Return what the paper prints for exactly this case, or ``None``.

    The paper does not say ``di`` of its fully connected cases; it cancels out.
    """
    per_task = stack_of(algorithm, layer, stack)
    if algorithm in CONVOLUTIONAL:
        same = all(getattr(layer, name) == value for name, value in _CONVOLUTION.items())
    else:
        same = (layer.wi, layer.batch) == (7, 32) and (algorithm == 4 or layer.do == 4096)
    found = _PRINTED.get((algorithm, layer.precision, None if algorithm == 1 else per_task))
    if not same or found is None:
        return None
    reason = None
    if algorithm == 3:
        once = least_words(algorithm, layer)
        reason = _LOST_FACTOR.format(once=once, best=layer.macs / once)
    return Printed(*found, reason)
