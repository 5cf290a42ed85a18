"""Network: what all ready-made networks share - alike Wires, and ports that parts are wired to."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InputError
from ...fabric import Fabric
from ...parts import Part, Wire


class Network(Fabric):
    """A Fabric whose Wires are all alike and whose ports are Junctions or Nodes.

    Place it in a Fabric and wire parts to its ports, with `attach` or one way at a time::

        self.net = Butterfly(ports=8, bandwidth=32)
        self.net.attach(self.pe[3], 3)

    Parameters
    ----------
    bandwidth : int
        Bits per cycle of every Wire.
    latency : int
        Cycles of every Wire.
    lane : int, optional
        Bits; the word by default.
    pj_per_bit : float, optional
        Energy of a bit on a Wire.
    """

    def __init__(
        self,
        *,
        bandwidth: int,
        latency: int = 1,
        lane: int | None = None,
        pj_per_bit: float | None = None,
    ):
        self.bandwidth = bandwidth
        self.latency = latency
        self.lane = lane
        self.pj_per_bit = pj_per_bit

    @property
    def inputs(self) -> Sequence[Part]:
        """The part behind each port at which data enter."""
        raise NotImplementedError

    @property
    def outputs(self) -> Sequence[Part]:
        """The part behind each port at which data leave."""
        return self.inputs

    def enter(self, source: Part, port: int, *, latency: int | None = None) -> Wire:
        """Wire a part to an input port, by a Wire like all others (or of its own latency)."""
        return self.link(source, _port(self, "input", self.inputs, port), latency)

    def leave(self, port: int, target: Part, *, latency: int | None = None) -> Wire:
        """Wire an output port to a part."""
        return self.link(_port(self, "output", self.outputs, port), target, latency)

    def attach(self, part: Part, port: int, *, latency: int | None = None) -> tuple[Wire, Wire]:
        """Wire a part to the input and to the output port of one number."""
        return self.enter(part, port, latency=latency), self.leave(port, part, latency=latency)

    def link(self, source: Part, target: Part, latency: int | None = None) -> Wire:
        """Declare one of the alike Wires."""
        return self.wire(
            source,
            target,
            bandwidth=self.bandwidth,
            latency=self.latency if latency is None else latency,
            lane=self.lane,
            pj_per_bit=self.pj_per_bit,
        )


def _port(network: Network, side: str, parts: Sequence[Part], port: int) -> Part:
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port < len(parts):
        rule = f"{side} port must be from 0 to {len(parts) - 1}"
        raise InputError(f"{type(network).__name__}: {rule}, not {port!r}")
    return parts[port]


def size(network: Network, name: str, value: object, least: int = 1) -> int:
    """Return a size of a network; refuse what is not a whole number of at least ``least``."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        rule = f"{name} must be a whole number, at least {least}"
        raise InputError(f"{type(network).__name__}: {rule}, not {value!r}")
    return value


def power(network: Network, name: str, value: object, base: int) -> int:
    """Return the exponent of a size that must be ``base``, or its square, its cube and so on."""
    rest, exponent = size(network, name, value, base), 0
    while rest % base == 0:
        rest, exponent = rest // base, exponent + 1
    if rest != 1:
        rule = f"{name} must be a power of {base}"
        raise InputError(f"{type(network).__name__}: {rule}, not {value!r}")
    return exponent
