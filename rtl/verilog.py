"""`rtl.emit`: the machine as Verilog."""

from __future__ import annotations

import re

from amaranth._toolchain.yosys import find_yosys

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware

from .control.limits import Limits
from .faults import NONE, Faults
from .rtlil import rtlil_of
from .user_ops import verify


def emit(
    hardware: Hardware,
    *,
    depth: int = 256,
    time_bits: int = 32,
    most_rows: int = 1 << 14,
    shared: bool = True,
    faults: Faults = NONE,
    control: Limits | None = None,
) -> str:
    """Return the Verilog of a Hardware: the same bytes for the same machine.

    The ports of the top module are those of `rtl.top.Machine`, with the load bus, and ``clk``.
    Instances bear the names of `Hardware.verilog_names`; what holds a part's commands is beside it.

    Parameters
    ----------
    depth : int
        Entries of each command table, a power of two; a port takes one command fewer.
    time_bits : int
        Bits of the cycle counter.
    most_rows : int
        A larger memory is written with so many rows (Verilog spells each of them out, with its
        initial 0): a stand-in for one that is not on the chip.
    shared : bool
        Whether parts that are alike share a module.
    control : Limits, optional
        Of a controller that sends the commands; see `rtl.control.source.instruction`. Without it
        they come from tables.

    Raises
    ------
    InputError
        If ``depth`` or ``time_bits`` is out of range.
    """
    if depth < 2 or depth & (depth - 1):
        raise InputError(f"depth must be a power of two from 2 on, not {depth}")
    if not 1 <= time_bits <= 64:
        raise InputError(f"time_bits must be from 1 to 64, not {time_bits}")
    verify(hardware)
    limits = {"faults": faults, "most_rows": most_rows, "shared": shared, "control": control}
    return verilog_of(rtlil_of(hardware, depth, time_bits, **limits))


def verilog_of(text: str) -> str:
    """Return RTLIL as Verilog."""
    tidy = "-remove generator -remove top -remove src -remove amaranth.decoding"
    script = f"""\
read_rtlil <<rtlil
{text}
rtlil
proc -nomux -norom
memory_collect
attrmap {tidy}
attrmap -modattr {tidy}
write_verilog -norename
"""
    # Yosys warns of processes that it cannot translate; Amaranth writes only such as it can.
    written: str = find_yosys(lambda version: version >= (0, 40)).run(
        ["-q", "-"], script, ignore_warnings=True
    )
    return short_lines(re.sub(_WAKE, _waked, written))


LONGEST_LINE = 10_000
"""Characters. Verilator takes at most 40,000 words on a line, and top modules list thousands."""


def short_lines(verilog: str) -> str:
    """Return Verilog with its longest lines broken behind commas."""
    lines = verilog.splitlines(keepends=True)
    return "".join(
        line if len(line) <= LONGEST_LINE or '"' in line else line.replace(", ", ",\n    ")
        for line in lines
    )


_WAKE = r"(  reg )?\\\$auto\$verilog_backend\.cc:\d+:dump_module\$(\d+) ( = 0;)?"


def _waked(found: re.Match[str]) -> str:
    """Return a better declaration of what is to start each ``always @*`` at time 0.

    Yosys leaves it at its initial value, and some simulators then never evaluate a block of which
    no input changes: Icarus shows its outputs as x.
    """
    declared, number, initial = found.groups()
    name = f"\\$wake${number} "
    return f"  reg {name}= 0;\n  initial {name}<= 1;" if declared and initial else name
