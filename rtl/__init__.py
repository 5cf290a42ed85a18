"""The machine itself, in Amaranth: its Verilog, and the engines that run it.

Importing this package imports no Amaranth; what needs it imports it at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "simulate": "run",
    "follow": "run",
    "Wave": "run",
    "emit": "verilog",
    "write_testbench": "testbench",
}

__all__ = ["Wave", "emit", "follow", "simulate", "write_testbench"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
