"""Layer: the dimensions of a convolutional or fully connected layer, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from hwdsl.errors import InputError
from hwdsl.slices import output_width

WORD_BYTES = {"single": 4, "double": 8}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A layer as the paper names its dimensions; sizes are words, slices are square.

    Attributes
    ----------
    wi, di : int
        Width (and height) of an input slice; number of them.
    do : int
        Number of output slices.
    f : int
        Width of a filter.
    stride, padding : int
        Step of the filter; zeros around an input slice.
    batch : int
        Images in a batch.
    precision : {"single", "double"}
        Words of 4 or of 8 bytes.
    """

    wi: int
    di: int
    do: int
    f: int
    stride: int = 1
    padding: int = 0
    batch: int = 1
    precision: str = "single"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "padding" else 1
            if field.name != "precision":
                _whole(field.name, value, least)
        if self.precision not in WORD_BYTES:
            rule = f"precision must be {' or '.join(map(repr, WORD_BYTES))}"
            raise InputError(f"Layer: {rule}, not {self.precision!r}")
        if self.f > self.wi + 2 * self.padding:
            padded = f"{self.wi} with {self.padding} around it"
            raise InputError(f"Layer: a filter of width {self.f} is wider than a slice of {padded}")

    @classmethod
    def convolutional(
        cls,
        *,
        wi: int,
        di: int,
        do: int,
        f: int,
        stride: int = 1,
        padding: int | None = None,
        precision: str = "single",
    ) -> Layer:
        """Return a convolutional layer; by default the padding keeps the width at stride 1."""
        if padding is None:
            _whole("f", f, 1)
            padding = (f - 1) // 2
        return cls(wi=wi, di=di, do=do, f=f, stride=stride, padding=padding, precision=precision)

    @classmethod
    def fully_connected(
        cls, *, wi: int, di: int, do: int, batch: int, precision: str = "single"
    ) -> Layer:
        """Return a fully connected layer: a filter covers the whole slice."""
        return cls(wi=wi, di=di, do=do, f=wi, batch=batch, precision=precision)

    @property
    def wo(self) -> int:
        """Width of an output slice."""
        return output_width(self.wi, self.f, self.stride, self.padding)

    @property
    def macs(self) -> int:
        """Multiply-accumulates: one for each tap of each output, those beyond the edge as well."""
        return self.wo**2 * self.f**2 * self.di * self.do * self.batch

    @property
    def word_bytes(self) -> int:
        return WORD_BYTES[self.precision]

    @property
    def word_bits(self) -> int:
        return 8 * self.word_bytes


def _whole(name: str, value: Any, least: int) -> None:
    if type(value) is not int or value < least:
        rule = f"{name} must be a whole number of at least {least}"
        raise InputError(f"Layer: {rule}, not {value!r}")
