"""`rtl.simulate`: run a Program on the machine and return what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.program import Program
from hwdsl.trace import Trace

from .load import fit, image_of

if TYPE_CHECKING:
    from .faults import Faults

ENGINES = ("pysim",)
CONTROLS = ("tables",)


def simulate(
    hardware: Hardware,
    program: Program,
    values: Mapping[Any, Any],
    engine: str = "pysim",
    control: str = "tables",
    *,
    vcd: str | Path | None = None,
    depth: int | None = None,
    time_bits: int | None = None,
    faults: Faults | None = None,
) -> Trace:
    """Run a Program on the RTL of its Hardware.

    Parameters
    ----------
    values : mapping of Datum or its name to an integer or an array of the datum's shape
        Must hold every loaded datum.
    engine : str
        One of `ENGINES`. The model of a Hardware is made once and kept.
    control : str
        One of `CONTROLS`: where the commands come from.
    vcd : path, optional
        Write a waveform there, and a GTKWave save file beside it.
    depth, time_bits : int, optional
        Entries of a command table (a power of two), bits of the cycle counter; by default as many
        as the Program needs, in steps, so that many Programs share one model.
    faults : Faults, optional
        For tests.

    Raises
    ------
    InputError
        If engine, control, Program or values are wrong.
    LimitReached
        If the Program exceeds ``depth`` or ``time_bits``, or a memory what an engine can take.
    """
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    if control not in CONTROLS:
        raise InputError(f"control must be one of {', '.join(CONTROLS)}, not {control!r}")
    image = image_of(hardware, program, values)
    depth, time_bits = fit(image, program, depth, time_bits)
    from . import pysim

    return pysim.run(hardware, program, image, depth, time_bits, vcd=vcd, faults=faults)
