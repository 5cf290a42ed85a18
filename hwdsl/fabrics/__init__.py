"""Ready-made fabrics, built from the same parts that every user has; each is imported at first use.

``from hwdsl.fabrics import Butterfly``
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "Bus": "networks.bus",
    "Butterfly": "networks.butterfly",
    "Crossbar": "networks.crossbar",
    "FatTree": "networks.fat_tree",
    "Manticore": "manticore",
    "Mesh": "networks.grid",
    "ReductionTree": "reduction",
    "Torus": "networks.grid",
}

__all__ = ["Bus", "Butterfly", "Crossbar", "FatTree", "Manticore", "Mesh", "ReductionTree", "Torus"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
