"""The engines: what each needs, which are here, and which is done first with a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


@dataclass(frozen=True)
class Engine:
    """One way to run the RTL.

    Attributes
    ----------
    missing : callable
        Returns the command that brings what is not here; ``""`` if nothing is missing.
    start : callable
        Takes Hardware, Program, Image, depth, bits of time, Faults or None, `Shown` or None, the
        cache folder or None, and what a controller is given, if there is one; returns a Run.
    start_seconds, port_seconds : float
        Rough time to make a model: for any, and for each command port.
    rate : float
        Command ports times cycles that it runs in a second, roughly.
    """

    missing: Callable[[], str]
    start: Callable[..., Run]
    start_seconds: float
    port_seconds: float
    rate: float

    def seconds(self, ports: int, cycles: int) -> float:
        """Return how long a run takes, roughly, with the making of its model."""
        return self.start_seconds + ports * self.port_seconds + ports * cycles / self.rate


def _compiled(tool: str) -> Callable[..., Run]:
    def start(
        hardware: Hardware,
        program: Program,
        image: Image,
        depth: int,
        time_bits: int,
        faults: Faults | None,
        wave: Shown | None,
        cache: Path | None,
        told: Instruction | None = None,
    ) -> Run:
        from .compiled.cxxrtl import CXXRTL
        from .compiled.engine import Run, Setting
        from .compiled.verilator import VERILATOR
        from .faults import NONE

        setting = Setting(depth, time_bits, 0, faults or NONE)
        chosen = CXXRTL if tool == "cxxrtl" else VERILATOR
        return Run(chosen, hardware, program, image, setting, cache=cache, wave=wave, told=told)

    return start


def _witness(simulator: str) -> Callable[..., Run]:
    def start(
        hardware: Hardware,
        program: Program,
        image: Image,
        depth: int,
        time_bits: int,
        faults: Faults | None,
        wave: Shown | None,
        cache: Path | None,
        told: Instruction | None = None,
    ) -> Run:
        from .faults import NONE
        from .witness import Run, Setting

        setting = Setting(depth, time_bits, faults or NONE)
        return Run(simulator, hardware, program, image, setting, cache=cache, wave=wave, told=told)

    return start


def _pysim(
    hardware: Hardware,
    program: Program,
    image: Image,
    depth: int,
    time_bits: int,
    faults: Faults | None,
    wave: Shown | None,
    cache: Path | None,
    told: Instruction | None = None,
) -> Run:
    from .faults import NONE
    from .pysim import Run

    return Run(hardware, program, image, depth, time_bits, faults or NONE, wave, told)


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
    "cxxrtl": Engine(_no_compiler, _compiled("cxxrtl"), 8.0, 0.01, 2e7),
    "verilator": Engine(_no_verilator, _compiled("verilator"), 15.0, 0.04, 4e7),
    "icarus": Engine(_no_icarus, _witness("icarus"), 5.0, 0.01, 1e5),
    "verilator-cocotb": Engine(_no_verilator_cocotb, _witness("verilator"), 40.0, 0.1, 1e6),
}
"""By name, the default first."""

_AUTO = ("pysim", "cxxrtl", "verilator")


@dataclass(frozen=True)
class Choice:
    """An engine, and why it is not a better one: ``""`` if it is the best there is."""

    engine: str
    reason: str = ""


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
