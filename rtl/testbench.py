"""`rtl.write_testbench`: a test of a fabric that works with cocotb alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.program import Program
from hwdsl.trace import CHUNK, Trace

from .extent import rows_to_build
from .faults import NONE, Faults
from .load import fit, image_of
from .plan import Plan
from .probe import Encoder, probe_words, probed_parts
from .rtlil import rtlil_of
from .simulator import BENCH, FILES
from .user_ops import verify
from .verilog import verilog_of
from .witness import program_file


def write_testbench(
    folder: Path,
    hardware: Hardware,
    program: Program,
    values: Mapping[Any, Any],
    expected: Trace,
    *,
    faults: Faults = NONE,
) -> list[Path]:
    """Write Verilog, a Program with its values, what is expected, a cocotb test and its runner.

    ``python run.py icarus`` (or ``verilator``) in that folder builds and runs it.

    Parameters
    ----------
    expected : Trace
        What a Schedule foretells; every bit of its finals is compared.
    faults : Faults
        For tests.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    verify(hardware)
    image = image_of(hardware, program, values)
    size = fit(image, program, None, None)
    limits = {"faults": faults, "most_rows": rows_to_build(hardware, program)}
    plan = Plan(hardware, *size, loadable=True, **limits)
    texts = {
        "machine.v": verilog_of(rtlil_of(hardware, *size, **limits)),
        "program.json": json.dumps(program_file(plan, program, image)),
        "expected.json": json.dumps(_expected(hardware, program, expected)),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        for name in FILES:
            shutil.copyfile(BENCH / name, folder / name)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from None
    return [folder / name for name in (*texts, *FILES)]


def _expected(hardware: Hardware, program: Program, expected: Trace) -> dict[str, Any]:
    """Return ``expected.json``: (cycle, probe, hexadecimal) each, and (value, mask) of finals."""
    seen = Encoder(hardware, expected.events).records(0, program.cycles)
    sizes, parts = probe_words(hardware), max(1, len(probed_parts(hardware)))
    records, at = [], 0
    for key in seen.keys.tolist():
        cycle, probe = divmod(key, parts)
        words = seen.words[at : at + sizes[probe]]
        at += sizes[probe]
        records.append((cycle, probe, f"{int.from_bytes(words.tobytes(), 'little'):x}"))
    stored: dict[tuple[int, int], int] = {}
    for point, row, chunk, value in expected.finals.tolist():
        stored[point, row] = stored.get((point, row), 0) | value << (chunk * CHUNK)
    masks: dict[tuple[int, int], int] = {}
    for point, row, datum, part in program.finals.tolist():
        _, bits, shape = program.data[datum]
        for side in shape:
            bits *= side
        width = hardware.points[point].row
        masks[point, row] = (1 << min(width, bits - part * width)) - 1
    finals = [(f"{stored[place]:x}", f"{mask:x}") for place, mask in sorted(masks.items())]
    return {"records": records, "finals": finals}
