"""What a waveform shows at first sight: the probes, under the names that the user gave."""

from __future__ import annotations

from amaranth.hdl import Signal

from hwdsl.names import verilog_name

from .probe import probed_parts
from .top import Machine


def groups_of(machine: Machine) -> dict[str, Signal]:
    """Return for each part its probe, by the user's name."""
    return {
        part.name: getattr(machine, f"probe_{verilog_name(part.name)}")
        for part in probed_parts(machine.hardware)
    }
