"""The compiled kernel, loaded through ctypes; the package works without it."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

INTERFACE = 6
"""The number that `dtt_interface` of the kernel gives; raised whenever a function changes."""

_WORD = ctypes.c_int64
_TABLE = ctypes.c_void_p
_ENGINE = ctypes.c_void_p

# Parameters after the engine: i a number, t the address of a table of numbers.
_FUNCTIONS = {
    "stretch": "i",
    "settled": "",
    "mark": "",
    "rollback": "i",
    "room": "iiii",
    "rows_used": "iii",
    "units_used": "iii",
    "lanes_free": "iii",
    "stays": "iiti",
    "places": "it",
    "present": "it",
    "home": "i",
    "load": "ittt",
    "stay": "iiiiii",
    "close": "i",
    "hand_over": "iii",
    "start": "iiii",
    "way": "ti",
    "route": "iiiiiiti",
    "earliest": "iiiii",
    "commit": "iiiitii",
    "place": "iiittttttttttt",
    "move_count": "",
    "moves": "t",
}


def _path() -> Path | None:
    for suffix in EXTENSION_SUFFIXES:
        path = Path(__file__).with_name(f"_kernel{suffix}")
        if path.exists():
            return path
    return None


@cache
def _load() -> ctypes.CDLL | str:
    path = _path()
    if path is None:
        return "it was not built: no C++ compiler was found when the package was installed"
    try:
        kernel = ctypes.CDLL(str(path))
        kernel.dtt_interface.restype = _WORD
        built = kernel.dtt_interface()
    except (OSError, AttributeError) as error:
        return f"{path.name} cannot be loaded: {error}"
    if built != INTERFACE:
        return f"{path.name} was built from other sources; install the package again"
    kernel.dtt_new.restype = _ENGINE
    kernel.dtt_new.argtypes = [_WORD, _TABLE, _WORD, _TABLE, _WORD, _WORD, _TABLE]
    kernel.dtt_delete.restype = None
    kernel.dtt_delete.argtypes = [_ENGINE]
    for name, parameters in _FUNCTIONS.items():
        function = getattr(kernel, f"dtt_{name}")
        function.restype = _WORD
        function.argtypes = [_ENGINE, *(_WORD if p == "i" else _TABLE for p in parameters)]
    return kernel


def why_not() -> str | None:
    """Return why there is no native engine, or ``None`` if there is one."""
    found = _load()
    return found if isinstance(found, str) else None


def kernel() -> ctypes.CDLL:
    """Return the kernel.

    Raises
    ------
    OSError
        If there is none; `why_not` says so beforehand.
    """
    found = _load()
    if isinstance(found, str):
        raise OSError(found)
    return found
