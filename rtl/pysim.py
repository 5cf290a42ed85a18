"""The pysim engine: Amaranth's own simulator, which needs nothing but pip."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from amaranth.sim import Simulator

from hwdsl.hardware import Hardware
from hwdsl.ops import OpKind
from hwdsl.program import Program
from hwdsl.trace import Trace

from .extent import check_rows
from .faults import NONE, Faults
from .load import Image, finals_of
from .probe import decode, records_of
from .top import MOST_ROWS, Machine
from .user_ops import brought, verify
from .waveform import groups_of

_KEPT = 8
_models: OrderedDict[tuple[str, tuple[OpKind, ...], int, int, Faults], Model] = OrderedDict()


def run(
    hardware: Hardware,
    program: Program,
    image: Image,
    depth: int,
    time_bits: int,
    *,
    vcd: str | Path | None = None,
    faults: Faults | None = None,
) -> Trace:
    """Run a Program on the model of its Hardware, which is elaborated once and kept."""
    check_rows(hardware, program, MOST_ROWS, "pysim")
    key = (hardware.fingerprint, brought(hardware), depth, time_bits, faults or NONE)
    if key not in _models:
        _models[key] = Model(hardware, depth, time_bits, faults or NONE)
        if len(_models) > _KEPT:
            _models.popitem(last=False)
    _models.move_to_end(key)
    return _models[key].run(program, image, vcd)


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
    """An elaborated machine that runs one Program after another."""

    def __init__(self, hardware: Hardware, depth: int, time_bits: int, faults: Faults):
        self._hardware = hardware
        verify(hardware)
        self._machine = Machine(hardware, depth, time_bits, faults=faults)
        self._probes = [
            getattr(self._machine, name)
            for name in self._machine.signature.members
            if name.startswith("probe_")
        ]
        with _long_numbers():  # a signal may have tens of thousands of bits
            self._simulator = Simulator(self._machine)
        self._simulator.add_clock(1e-9)
        self._simulator.add_process(self._load)
        self._simulator.add_testbench(self._bench)
        self._runs = 0

    def run(self, program: Program, image: Image, vcd: str | Path | None) -> Trace:
        self._program, self._image = program, image
        self._seen: list[tuple[int, ...]] = []
        self._finals: dict[int, dict[int, int]] = {}
        if self._runs:
            self._simulator.reset()
        self._runs += 1
        with self._waveform(vcd):
            self._simulator.run()
        events = decode(self._hardware, records_of(self._hardware, self._seen), program.cycles)
        finals = finals_of(self._hardware, program, self._finals)
        return Trace(program.cycles, events, finals, "pysim", "tables")

    def _waveform(self, vcd: str | Path | None):
        if vcd is None:
            return nullcontext()
        path = Path(vcd)
        traces = groups_of(self._machine)
        return self._simulator.write_vcd(str(path), str(path.with_suffix(".gtkw")), traces=traces)

    async def _load(self, ctx) -> None:
        """Fill the memories, all at once: what a process sets takes effect when it waits."""
        machine = self._machine
        entries = self._image.entries(machine.ports, machine.time_bits)
        for contents, rows in zip(machine.tables, entries, strict=True):
            for i, entry in enumerate(rows):
                ctx.set(contents[i], entry)
        stores = machine.stores
        for point, rows in self._image.stores.items():
            for row, value in rows.items():
                ctx.set(stores[point][row], value)

    async def _bench(self, ctx) -> None:
        cycles = self._program.cycles
        await ctx.tick()
        if cycles == 0:
            self._read_finals(ctx)
        ctx.set(self._machine.run, 1)
        ticks = ctx.tick().sample(*self._probes)
        async for _, _, *probes in ticks:
            self._seen.append(tuple(probes))
            if len(self._seen) == cycles:
                self._read_finals(ctx)
            if len(self._seen) > cycles:
                break

    def _read_finals(self, ctx) -> None:
        stores = self._machine.stores
        for point, row, _, _ in self._program.finals.tolist():
            self._finals.setdefault(point, {})[row] = ctx.get(stores[point][row])
