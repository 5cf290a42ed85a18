"""A Program on a compiled engine: find the model or build it, load it, run it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.hardware import Hardware

from ..control.complaints import error_layout
from ..control.limits import WORD, Limits
from ..extent import rows_to_build
from ..faults import NONE, Faults
from ..load import finals_of
from ..packing import words_of
from ..plan import Plan
from ..ports import entry_fields, ports_of
from ..probe import Encoder, Records
from ..rtlil import rtlil_of
from ..user_ops import brought, verify
from .cache import built, default_cache, digest_of, source_digest
from .model import Model, Names

if TYPE_CHECKING:
    from ..engines import Job


@dataclass(frozen=True)
class Tool:
    """What makes a machine's shared library.

    Attributes
    ----------
    name : str
    outputs : bool
        Whether probes are read at the outputs of the machine.
    version : callable
        Returns what a model depends on beside the RTL.
    build : callable
        Takes the RTLIL, a folder to fill, and whether waveforms are wanted; leaves ``model.so``.
    """

    name: str
    outputs: bool
    version: Callable[[], str]
    build: Callable[[str, Path, bool], None]


@dataclass(frozen=True)
class Setting:
    """What a model is made of, beside its Hardware."""

    depth: int
    time_bits: int
    most_rows: int
    faults: Faults = NONE
    control: Limits | None = None


_KEPT = 4
_models: OrderedDict[Path, Model] = OrderedDict()


class Run:
    """One run of a Program."""

    def __init__(self, tool: Tool, job: Job):
        verify(job.hardware)
        self._hardware, self._program, told = job.hardware, job.program, job.told
        setting = Setting(
            job.depth,
            job.time_bits,
            rows_to_build(job.hardware, job.program),
            job.faults or NONE,
            None if told is None else told.limits,
        )
        folder = model_folder(tool, job.hardware, setting, job.cache, job.wave is not None)
        self._model = _loaded(folder, job.hardware, setting)
        self._model.renew()
        self._lead = 0 if told is None else told.lead
        if told is None:
            for some in job.image.commands:
                words = some.entries(setting.time_bits)
                self._model.poke(some.port, some.row, words.reshape(-1))
        else:
            for number, words in enumerate(told.words()):
                rows = np.arange(len(words))
                self._model.poke(np.full(len(words), number), rows, words.reshape(-1))
        _store(self._model, job.hardware, job.image.stores)
        if job.wave is not None:
            path, first, last = job.wave
            last = job.program.cycles if last is None else last
            self._model.wave(path, self._lead + first, self._lead + last)

    def records(self, encoder: Encoder | None = None) -> Iterator[Records]:
        """Run, and yield what is seen piece by piece; last, the cycle behind those of the Program.

        A piece is valid until the next one is asked for.

        Parameters
        ----------
        encoder : Encoder, optional
            What it foretells is left out, up to the first cycle that is not so.
        """
        lead, cycles, model = self._lead, self._program.cycles, self._model
        if lead:
            model.skip(lead - 1)  # what goes wrong before cycle 0 is still to be seen in it
        first = model.follow(encoder, 0, cycles - 1, lead) if encoder is not None else 0
        if first < cycles:
            yield from model.run(lead + first, lead + cycles - 1, lead)
        yield from model.run(lead + cycles, lead + cycles, lead)
        self._finals = self._read_finals()
        model.wave_end()

    def skip(self) -> None:
        """Run, and look at nothing: what the simulation alone takes."""
        self._model.skip(self._lead + self._program.cycles)

    def finals(self) -> np.ndarray:
        """Return the finals of the Trace, once all records have been taken."""
        return self._finals

    def error(self) -> int:
        """Return what the controller complained of so far."""
        number = self._model.names.error
        return 0 if number < 0 else self._model.peek(np.array([number]), np.array([0]))[0]

    def _read_finals(self) -> np.ndarray:
        program, stores = self._program, self._model.names.stores
        wanted = sorted({(point, row) for point, row, _, _ in program.finals.tolist()})
        places = [_place(stores[point], row) for point, row in wanted]
        found: dict[int, dict[int, int]] = {}
        if places:
            memory, row = np.array(places, np.int64).T
            for (point, at), value in zip(wanted, self._model.peek(memory, row), strict=True):
                found.setdefault(point, {})[at] = value
        return finals_of(self._hardware, program, found)


def model_folder(
    tool: Tool, hardware: Hardware, setting: Setting, cache: Path | None, waves: bool = False
) -> Path:
    """Return the folder of a built model; it is built on first use."""
    size = setting.depth, setting.time_bits
    limits = {"faults": setting.faults, "most_rows": setting.most_rows, "compact": True}
    limits["control"] = setting.control

    def text() -> str:
        return rtlil_of(hardware, *size, outputs=tool.outputs, **limits)

    # What a user's Component computes is told by nothing but its RTL.
    own = text() if brought(hardware) else ""
    name = digest_of(
        tool.name,
        tool.version(),
        source_digest(),
        hardware.fingerprint,
        setting,
        own,
        waves,
    )

    def build(folder: Path) -> None:
        tool.build(own or text(), folder, waves)
        Names.of(Plan(hardware, *size, **limits), tool.outputs).write(folder / "names.json")

    return built(cache or default_cache(), f"{tool.name}-{name}", build)


def _loaded(folder: Path, hardware: Hardware, setting: Setting) -> Model:
    if folder not in _models:
        names = Names.read(folder / "names.json")
        if setting.control is None:
            tables = [
                sum(width for _, width in entry_fields(port, setting.time_bits))
                for port in ports_of(hardware)
            ]
            error = []
        else:
            tables = [WORD] * names.tables
            error = [error_layout(setting.control.time_bits).size]
        stores = []
        for point, (_, adder) in names.stores.items():
            rows = hardware.points[point].rows if adder else 1
            stores += [hardware.points[point].row] * rows
        _models[folder] = Model(folder / "model.so", names, hardware, [*tables, *stores, *error])
        if len(_models) > _KEPT:
            _models.popitem(last=False)
    _models.move_to_end(folder)
    return _models[folder]


def _store(model: Model, hardware: Hardware, stores: Mapping[int, Mapping[int, int]]) -> None:
    """Write rows of Nodes."""
    for point, held in stores.items():
        if held:
            places = [_place(model.names.stores[point], row) for row in held]
            words = words_of(list(held.values()), hardware.points[point].row)
            model.poke(*np.array(places).T, words.reshape(-1))


def _place(store: tuple[int, bool], row: int) -> tuple[int, int]:
    first, adder = store
    return (first + row, 0) if adder else (first, row)
