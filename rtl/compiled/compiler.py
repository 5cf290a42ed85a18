"""The C++ compiler that compiled engines need."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

from hwdsl.errors import ToolMissing

HOW = "apt-get install g++"


@cache
def find() -> str | None:
    """Return the path of a C++ compiler, if there is one."""
    found = (shutil.which(name) for name in ("g++", "clang++", "c++"))
    return next((path for path in found if path is not None), None)


def compiler() -> str:
    """Return the path of a C++ compiler.

    Raises
    ------
    ToolMissing
    """
    found = find()
    if found is None:
        raise ToolMissing(f"compiled engines need a C++ compiler: {HOW}")
    return found


@cache
def compiler_version() -> str:
    """Return what the compiler says of itself."""
    said = subprocess.run([compiler(), "--version"], capture_output=True, text=True)
    return said.stdout.partition("\n")[0]
