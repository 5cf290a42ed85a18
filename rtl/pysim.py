"""The pysim engine: Amaranth's own simulator, which needs nothing but pip."""

from __future__ import annotations

import sys
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from amaranth.hdl import Const
from amaranth.sim import Simulator

from hwdsl.hardware import Hardware
from hwdsl.program import Program

from .control.limits import Limits
from .control.source import Instruction
from .extent import check_rows
from .faults import NONE, Faults
from .load import Image, finals_of
from .probe import Encoder, Records, records_of
from .top import MOST_ROWS, Machine
from .user_ops import brought, verify
from .vcd import cut
from .waveform import groups_of

PIECE = 4096
"""Cycles that are seen before they are handed on."""

_KEPT = 8
_models: OrderedDict[tuple[object, ...], Model] = OrderedDict()


class Run:
    """One run of a Program on the model of its Hardware, which is elaborated once and kept.

    Parameters
    ----------
    wave : (Path, int, int or None), optional
        A file for waveforms, their first and their last cycle.
    """

    def __init__(
        self,
        hardware: Hardware,
        program: Program,
        image: Image,
        depth: int,
        time_bits: int,
        faults: Faults = NONE,
        wave: tuple[Path, int, int | None] | None = None,
        told: Instruction | None = None,
    ):
        check_rows(hardware, program, MOST_ROWS, "pysim")
        self._hardware, self._program, self._image, self._wave = hardware, program, image, wave
        limits = None if told is None else told.limits
        key = (hardware.fingerprint, brought(hardware), depth, time_bits, faults, limits)
        if key not in _models:
            _models[key] = Model(hardware, depth, time_bits, faults, limits)
            if len(_models) > _KEPT:
                _models.popitem(last=False)
        _models.move_to_end(key)
        self._model = _models[key]
        self._told = told

    def records(self, encoder: Encoder | None = None) -> Iterator[Records]:
        """Run, and yield what is seen piece by piece; last, the cycle behind the Program's."""
        self._model.renew()
        with _waveform(self._model, self._wave):
            yield from self._model.run(self._program, self._image, self._told)

    def finals(self) -> np.ndarray:
        """Return the finals of the Trace, once all records have been taken."""
        return finals_of(self._hardware, self._program, self._model.finals)

    def error(self) -> int:
        """Return what the controller complained of so far."""
        return self._model.error


@contextmanager
def _waveform(model: Model, wave: tuple[Path, int, int | None] | None) -> Iterator[None]:
    if wave is None:
        yield
        return
    path, first, last = wave
    names = {"gtkw_file": str(path.with_suffix(".gtkw")), "traces": groups_of(model.machine)}
    if last is None:
        with model.simulator.write_vcd(str(path), **names):
            yield
        return
    with tempfile.TemporaryDirectory(prefix="hwdsl-") as folder:
        whole = Path(folder) / "whole.vcd"
        with model.simulator.write_vcd(str(whole), **names):
            yield
        # The first edge is after half a period of 1 ns, and cycle 0 begins there.
        cut(whole, path, 500, 1000, first, last)


@contextmanager
def _long_numbers() -> Iterator[None]:
    """Let Python print and read integers of any length."""
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(most)


class Model:
    """An elaborated machine that runs one Program after another.

    Attributes
    ----------
    error : int
        What the controller complained of, as `rtl.control.complaints` has it.
    """

    def __init__(
        self,
        hardware: Hardware,
        depth: int,
        time_bits: int,
        faults: Faults,
        control: Limits | None = None,
    ):
        self._hardware = hardware
        verify(hardware)
        self.machine = Machine(hardware, depth, time_bits, faults=faults, control=control)
        self._probes = [
            getattr(self.machine, name)
            for name in self.machine.signature.members
            if name.startswith("probe_")
        ]
        controlled = control is not None
        self._error = self.machine.control_error if controlled else Const(0, 1)
        with _long_numbers():  # a signal may have tens of thousands of bits
            self.simulator = Simulator(self.machine)
        self.simulator.add_clock(1e-9)
        self.simulator.add_process(self._load)
        self.simulator.add_testbench(self._bench)
        self._runs = 0

    def renew(self) -> None:
        """Go back to power-up."""
        if self._runs:
            self.simulator.reset()
        self._runs += 1

    def run(
        self, program: Program, image: Image, told: Instruction | None = None
    ) -> Iterator[Records]:
        """Run a Program; yield what is seen, in pieces of `PIECE` cycles, the last of one."""
        self._program, self._image, self._told = program, image, told
        self._seen: list[tuple[int, ...]] = []
        self.finals: dict[int, dict[int, int]] = {}
        first, more = 0, True
        while more:
            more = self.simulator.advance()
            if len(self._seen) > PIECE or not more:
                count = len(self._seen) - (not more)
                yield records_of(self._hardware, self._seen[:count], first)
                del self._seen[:count]
                first += count
        yield records_of(self._hardware, self._seen, first)

    async def _load(self, ctx) -> None:
        """Fill the memories, all at once: what a process sets takes effect when it waits."""
        machine = self.machine
        if self._told is None:
            entries = self._image.entries(machine.time_bits)
        else:
            entries = self._told.memories
        for contents, rows in zip(machine.tables, entries, strict=True):
            for i, entry in enumerate(rows):
                ctx.set(contents[i], entry)
        stores = machine.stores
        for point, rows in self._image.stores.items():
            for row, value in rows.items():
                ctx.set(stores[point][row], value)

    async def _bench(self, ctx) -> None:
        left, self.error = self._program.cycles + 1, 0
        await ctx.tick()
        ctx.set(self.machine.run, 1)
        if self._told is not None and self._told.lead:
            await ctx.tick().repeat(self._told.lead)
        if left == 1:
            self._read_finals(ctx)
        ticks = ctx.tick().sample(self._error, *self._probes)
        async for _, _, self.error, *probes in ticks:
            self._seen.append(tuple(probes))
            left -= 1
            if left == 1:
                self._read_finals(ctx)
            if left == 0:
                break

    def _read_finals(self, ctx) -> None:
        stores = self.machine.stores
        for point, row, _, _ in self._program.finals.tolist():
            self.finals.setdefault(point, {})[row] = ctx.get(stores[point][row])
