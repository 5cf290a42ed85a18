"""`rtl.emit`: the machine as Verilog."""

from __future__ import annotations

from amaranth.back import verilog

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware

from .faults import NONE, Faults
from .top import Machine
from .user_ops import verify

TOP = "machine"
"""Name of the top module."""


def emit(
    hardware: Hardware,
    *,
    depth: int = 256,
    time_bits: int = 32,
    most_rows: int = 1 << 14,
    faults: Faults = NONE,
) -> str:
    """Return the Verilog of a Hardware: the same bytes for the same machine.

    The ports of the top module are those of `rtl.top.Machine`, with the load bus, and ``clk``.
    Instances bear the names of `Hardware.verilog_names`; module ``control`` holds the command
    tables.

    Parameters
    ----------
    depth : int
        Entries of each command table, a power of two; a port takes one command fewer.
    time_bits : int
        Bits of the cycle counter.
    most_rows : int
        A larger memory is written with so many rows (Verilog spells each of them out, with its
        initial 0): a stand-in for one that is not on the chip.

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
    machine = Machine(hardware, depth, time_bits, loadable=True, faults=faults, most_rows=most_rows)
    signals = {name: getattr(machine, name) for name in machine.signature.members}
    ports = {name: (signal, None) for name, signal in signals.items() if len(signal)}
    return verilog.convert(
        machine,
        name=TOP,
        ports={"clk": (machine.domain.clk, None), **ports},
        emit_src=False,
        strip_internal_attrs=True,
    )
