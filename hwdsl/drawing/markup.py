"""Pieces of SVG and HTML: elements, texts, numbers, with whatever a name may hold made harmless."""

from __future__ import annotations

import re
from html import escape

# What XML cannot hold in any form: controls, surrogates, and two code points that are no letters.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe(words: str) -> str:
    """Return text as it can stand in an element or an attribute."""
    return escape(_FORBIDDEN.sub("\ufffd", words))


def number(value: float) -> str:
    """Return a coordinate to a tenth of a pixel."""
    return f"{round(value, 1) + 0.0:.10g}"


def element(name: str, kind: str, **fields: float | str) -> str:
    """Return an empty element of a class, such as ``rect``."""
    told = (
        f' {key}="{safe(value) if isinstance(value, str) else number(value)}"'
        for key, value in fields.items()
    )
    return f'<{name} class="{kind}"{"".join(told)}/>'


def text(words: str, x: float, y: float, kind: str = "", *, middle: bool = False) -> str:
    """Return one line of text that starts, or has its middle, at ``x``."""
    fields = (f' class="{kind}"' if kind else "") + (' text-anchor="middle"' if middle else "")
    return f'<text{fields} x="{number(x)}" y="{number(y)}">{safe(words)}</text>'


def title(words: str) -> str:
    """Return what a viewer shows when the pointer rests on an element."""
    return f"<title>{safe(words)}</title>"
