"""The engines: what each needs, which are here, and which is done first with a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.program import Program

from .compiled import compiler, verilator

if TYPE_CHECKING:
    from .control.source import Instruction
    from .faults import Faults
    from .load import Image
    from .run import Run

Shown = tuple[Path, int, int | None]
"""A file for waveforms, their first cycle, and their last one."""


@dataclass(frozen=True, eq=False)
class Job:
    """What an engine is to run.

    Attributes
    ----------
    depth, time_bits : int
        As for `rtl.simulate`.
    faults : Faults or None
    wave : Shown or None
    cache : Path or None
        Where built models are kept, if not in `rtl.compiled.cache.default_cache`.
    told : Instruction or None
        What a controller is given, if there is one.
    """

    hardware: Hardware
    program: Program
    image: Image
    depth: int
    time_bits: int
    faults: Faults | None = None
    wave: Shown | None = None
    cache: Path | None = None
    told: Instruction | None = None


@dataclass(frozen=True)
class Engine:
    """One way to run the RTL.

    Attributes
    ----------
    missing : callable
        Returns the command that brings what is not here; ``""`` if nothing is missing.
    start : callable
        Takes a Job and returns a Run.
    start_seconds, port_seconds : float
        Rough time to make a model: for any, and for each command port.
    rate : float
        Command ports times cycles that it runs in a second, roughly.
    """

    missing: Callable[[], str]
    start: Callable[[Job], Run]
    start_seconds: float
    port_seconds: float
    rate: float

    def seconds(self, ports: int, cycles: int) -> float:
        """Return how long a run takes, roughly, with the making of its model."""
        return self.start_seconds + ports * self.port_seconds + ports * cycles / self.rate


def _cxxrtl(job: Job) -> Run:
    from .compiled.cxxrtl import CXXRTL
    from .compiled.engine import Run

    return Run(CXXRTL, job)


def _verilator(job: Job) -> Run:
    from .compiled.engine import Run
    from .compiled.verilator import VERILATOR

    return Run(VERILATOR, job)


def _witness(simulator: str, job: Job) -> Run:
    from .witness import Run

    return Run(simulator, job)


def _pysim(job: Job) -> Run:
    from .faults import NONE
    from .pysim import Run

    given = (job.hardware, job.program, job.image, job.depth, job.time_bits)
    return Run(*given, job.faults or NONE, job.wave, job.told)


def _no_compiler() -> str:
    return "" if compiler.find() is not None else compiler.HOW


def _no_verilator() -> str:
    if verilator.find() is None:
        return verilator.HOW
    return _no_compiler()


def _no_icarus() -> str:
    from . import witness

    if not witness.has_cocotb():
        return witness.COCOTB
    return "" if witness.simulator_version("icarus") is not None else witness.ICARUS


def _no_verilator_cocotb() -> str:
    from . import witness

    return _no_verilator() if witness.has_cocotb() else witness.COCOTB


ENGINES = {
    "pysim": Engine(lambda: "", _pysim, 0.2, 0.01, 6e4),
    "cxxrtl": Engine(_no_compiler, _cxxrtl, 8.0, 0.02, 2e7),
    "verilator": Engine(_no_verilator, _verilator, 6.0, 0.02, 4e7),
    "icarus": Engine(_no_icarus, partial(_witness, "icarus"), 3.0, 0.01, 1e5),
    "verilator-cocotb": Engine(
        _no_verilator_cocotb, partial(_witness, "verilator"), 40.0, 0.1, 1e6
    ),
}
"""By name, the default first."""

_AUTO = ("pysim", "cxxrtl", "verilator")


@dataclass(frozen=True)
class Choice:
    """An engine, and why it is not a better one: ``""`` if it is the best there is."""

    engine: str
    reason: str = ""


def known(engine: str, *more: str) -> None:
    """Refuse the name of an engine that there is not; ``more`` names are allowed, too.

    Raises
    ------
    InputError
    """
    names = (*ENGINES, "auto", *more)
    if engine not in names:
        raise InputError(f"engine must be one of {', '.join(names)}, not {engine!r}")


def choose(hardware: Hardware, clocks: int) -> Choice:
    """Return the engine that is done first with a run of so many clock cycles, by rough figures.

    The making of its model is included.
    """
    from .ports import ports_of

    ports = len(ports_of(hardware))

    def seconds(name: str) -> float:
        return ENGINES[name].seconds(ports, clocks)

    best = min(_AUTO, key=seconds)
    here = min((name for name in _AUTO if not ENGINES[name].missing()), key=seconds)
    if best == here:
        return Choice(best)
    return Choice(here, f"engine {best} would be faster: {ENGINES[best].missing()}")


def here() -> dict[str, str]:
    """Return for every engine the command that brings what it lacks; ``""`` if it is here."""
    return {name: engine.missing() for name, engine in ENGINES.items()}


def versions() -> dict[str, Any]:
    """Return for every engine that is here what it is built on."""
    from importlib.metadata import version

    found: dict[str, Any] = {"pysim": f"amaranth {version('amaranth')}"}
    if not ENGINES["cxxrtl"].missing():
        found["cxxrtl"] = compiler.compiler_version()
    for name, tool in (("verilator", "verilator"), ("icarus", "icarus")):
        if not ENGINES[name].missing():
            from . import witness

            found[name] = witness.simulator_version(tool)
    if not ENGINES["verilator-cocotb"].missing():
        found["verilator-cocotb"] = f"cocotb {version('cocotb')}"
    return found
