"""`rtl.simulate`: run a Program on the machine and return what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.program import Program
from hwdsl.rebuild import rebuild
from hwdsl.trace import Kind, Trace, sort_events
from hwdsl.waypoints import Waypoints

from .engines import ENGINES, Job, choose, known
from .load import LEAST_DEPTH, fit, image_of
from .probe import Encoder, Records, decode, joined

if TYPE_CHECKING:
    from .faults import Faults

CONTROLS = ("tables", "waypoints")


class Run(Protocol):
    """One run of a Program on some engine."""

    def records(self, encoder: Encoder | None = None) -> Iterator[Records]:
        """Yield what is seen piece by piece, the last of them the cycle behind the Program's.

        What an Encoder foretells may be left out, up to the first cycle that is not so.
        """
        ...

    def finals(self) -> np.ndarray:
        """Return the finals of the Trace, once all records have been taken."""
        ...

    def error(self) -> int:
        """Return what the controller complained of so far, by `rtl.control.complaints`, or 0."""
        ...


@dataclass(frozen=True)
class Wave:
    """A file for waveforms, and which cycles it shows; up to the last if ``last`` is None."""

    file: Path
    first: int = 0
    last: int | None = None


def simulate(
    hardware: Hardware,
    program: Program | Waypoints,
    values: Mapping[Any, Any],
    engine: str = "pysim",
    control: str = "tables",
    *,
    vcd: str | Path | Wave | None = None,
    depth: int | None = None,
    time_bits: int | None = None,
    faults: Faults | None = None,
    cache: Path | None = None,
) -> Trace:
    """Run a Program on the RTL of its Hardware.

    Parameters
    ----------
    program : Program or Waypoints
        The control ``"waypoints"`` takes way-points; tables take both.
    values : mapping of Datum or its name to an integer or an array of the datum's shape
        Must hold every loaded datum.
    engine : str
        One of `ENGINES`, or ``"auto"``: the one that is done first. The model of a Hardware is
        made once and kept.
    control : str
        One of `CONTROLS`: where the commands come from.
    vcd : path or Wave, optional
        Write a waveform there (pysim: with a GTKWave save file beside it).
    depth, time_bits : int, optional
        Entries of a command table (a power of two), bits of the cycle counter; by default as many
        as the Program needs, in steps, so that many Programs share one model.
    faults : Faults, optional
        For tests.
    cache : Path, optional
        Where built models are kept; by default ``hwdsl`` in the user's cache folder.

    Raises
    ------
    InputError
        If engine, control, Program or values are wrong.
    LimitReached
        If the Program exceeds ``depth`` or ``time_bits``, or a memory what an engine can take.
    ToolMissing
        If the engine is not here.
    """
    limits = {"depth": depth, "time_bits": time_bits, "faults": faults, "cache": cache}
    name, run = _start(hardware, program, values, engine, control, vcd, **limits)
    seen = joined([piece.copy() for piece in run.records()])
    trace = Trace(
        program.cycles, decode(hardware, seen, program.cycles), run.finals(), name, control
    )
    return _with_error(hardware, trace, run)


def follow(
    hardware: Hardware,
    program: Program | Waypoints,
    values: Mapping[Any, Any],
    expected: Trace,
    engine: str = "pysim",
    control: str = "tables",
    *,
    keep_going: bool = False,
    **options: Any,
) -> Trace:
    """Run as `simulate` does, hold what is seen against a Trace meanwhile, and stop if it differs.

    What is as expected is not kept, so the memory that this takes does not grow with the run.

    Parameters
    ----------
    keep_going : bool
        Run to the end even if something differs.
    options
        As for `simulate`.

    Returns
    -------
    Trace
        What `simulate` returns; if the run was stopped, its first ``cycles`` cycles, a difference
        among them, and no finals. `Trace.until` cuts what was expected to the same length.
    """
    name, run = _start(hardware, program, values, engine, control, **options)
    cycles = program.cycles
    encoder = Encoder(hardware, expected.events)
    odd: list[Records] = []
    for piece in run.records(encoder):
        last = piece.end > cycles  # it shows more than the Trace holds
        if odd or last or not encoder.foretells(piece):
            odd.append(piece.copy())
            # One more piece shows what departed in the last cycle of the one that differs.
            if len(odd) == 2 and not keep_going and not last:
                trace = _seen(hardware, expected, odd, piece.end - 1, name, control)
                return _with_error(hardware, trace, run)
    events = _seen(hardware, expected, odd, cycles, name, control).events
    return _with_error(hardware, Trace(cycles, events, run.finals(), name, control), run)


def _with_error(hardware: Hardware, trace: Trace, run: Run) -> Trace:
    """Add what the controller complained of, if it did."""
    if trace.control != "waypoints":
        return trace
    from .control.complaints import event_of

    error, events = event_of(hardware, run.error()), trace.events
    error = error[error["cycle"] < trace.cycles]
    key = ["cycle", "kind", "part", "lane"]
    if not len(error) or (events[key] == error[key]).any():
        return trace
    return replace(trace, events=sort_events(np.concatenate((events, error))))


def _seen(
    hardware: Hardware, expected: Trace, odd: list[Records], cycles: int, engine: str, control: str
) -> Trace:
    """Return what was seen: as expected, and from the first of the ``odd`` pieces on as in them."""
    wanted = expected.events
    if len(wanted) and wanted["cycle"][-1] >= cycles:
        wanted = wanted[: np.searchsorted(wanted["cycle"], cycles)]
    tail, first = decode(hardware, joined(odd), cycles), odd[0].first
    near = int(np.searchsorted(wanted["cycle"], first - 1))
    known = wanted[near:]["cycle"] + (wanted[near:]["kind"] == Kind.DEPART) < first
    if np.array_equal(wanted[near:][~known], tail):
        return Trace(cycles, wanted, expected.finals, engine, control)
    seen = sort_events(np.concatenate((wanted[:near], wanted[near:][known], tail)))
    return Trace(cycles, seen, expected.finals[:0], engine, control)


def _start(
    hardware: Hardware,
    program: Program | Waypoints,
    values: Mapping[Any, Any],
    engine: str,
    control: str,
    vcd: str | Path | Wave | None = None,
    *,
    depth: int | None = None,
    time_bits: int | None = None,
    faults: Faults | None = None,
    cache: Path | None = None,
) -> tuple[str, Run]:
    """Return the name of the engine, and a run on it."""
    known(engine)
    if control not in CONTROLS:
        raise InputError(f"control must be one of {', '.join(CONTROLS)}, not {control!r}")
    points = program if isinstance(program, Waypoints) else None
    if points is not None:
        program = rebuild(hardware, points)
    image = image_of(hardware, program, values)
    wave = vcd if isinstance(vcd, Wave) or vcd is None else Wave(Path(vcd))
    shown = None if wave is None else (Path(wave.file), wave.first, wave.last)
    told = None
    if control == "waypoints":
        if points is None:
            raise InputError("control 'waypoints' takes a way-point program, not one of tables")
        from .control.source import instruction

        told, depth = instruction(hardware, points, program), LEAST_DEPTH
        if faults is not None and faults.program_bit is not None:
            told, faults = told.with_flip(*faults.program_bit), replace(faults, program_bit=None)
        clocks = program.cycles + told.lead
        time_bits = -(-(clocks + 1).bit_length() // 16) * 16
    else:
        clocks = program.cycles
        depth, time_bits = fit(image, program, depth, time_bits)
    if engine == "auto":
        engine = choose(hardware, clocks).engine
    job = Job(hardware, program, image, depth, time_bits, faults, shown, cache, told)
    return engine, ENGINES[engine].start(job)
