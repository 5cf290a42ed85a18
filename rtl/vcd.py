"""Cuts a waveform (VCD) to a range of cycles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TextIO


def cut(source: Path, target: Path, began: int, period: int, first: int, last: int) -> None:
    """Write cycles ``first .. last`` of a waveform to a file of their own.

    Parameters
    ----------
    began, period : int
        The time at which cycle 0 is seen, and the time from cycle to cycle, both in ps.
    """
    values: dict[str, str] = {}
    shown = False
    with open(source, encoding="latin-1") as given, open(target, "w", encoding="latin-1") as made:
        tick = _header(given, made)
        from_ = (began + period * first) * 1000 // tick
        to = (began + period * (last + 1)) * 1000 // tick - 1
        time = 0
        for line in given:
            if line.startswith("#"):
                time = int(line[1:])
                if time > to:
                    break
                if time >= from_:
                    if not shown and values:
                        made.write(f"#{from_}\n" + "".join(values.values()))
                        shown = True
                        if time == from_:
                            continue
                    made.write(line)
            elif line.startswith("$"):
                continue
            elif time < from_:
                values[line.split()[-1] if line[0] in "bBrR" else line[1:].strip()] = line
            else:
                made.write(line)
        if not shown and values:
            made.write(f"#{from_}\n" + "".join(values.values()))


# Readers take a name that begins with a dollar sign only where it is escaped; Verilator forgets it.
_NAME = re.compile(r"^(\s*\$(?:scope \S+|var \S+ \d+ \S+) )(?=\$)")
_UNITS = {"fs": 1, "ps": 1_000, "ns": 1_000_000, "us": 1_000_000_000}


def _header(given: TextIO, made: TextIO) -> int:
    """Copy the declarations, names escaped; return the femtoseconds of a tick."""
    words: list[str] = []
    for line in given:
        made.write(_NAME.sub(r"\1\\", line))
        words += line.split()
        if "$enddefinitions" in line:
            break
    at = words.index("$timescale") + 1
    told = "".join(words[at : words.index("$end", at)])
    unit = told.lstrip("0123456789")
    return int(told.removesuffix(unit)) * _UNITS[unit]
