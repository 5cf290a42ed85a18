"""Where built models are kept: one folder for each, made as a whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import rtl


def default_cache() -> Path:
    """Return the folder of built models: ``hwdsl`` in the user's cache folder (XDG)."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hwdsl"


@cache
def source_digest() -> str:
    """Return a digest of all that writes the RTL and drives it."""
    digest = hashlib.sha256()
    folder = Path(rtl.__file__).parent
    for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.cc"), *folder.rglob("*.h")]):
        digest.update(str(file.relative_to(folder)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def digest_of(*parts: object) -> str:
    """Return the name of the model that these parts determine."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def built(folder: Path, name: str, build: Callable[[Path], None]) -> Path:
    """Return the folder ``name``, built on first use.

    Parameters
    ----------
    build : callable
        Fills an empty folder. Two processes may build the same at once: the first one's stays.
    """
    wanted = folder / name
    if wanted.is_dir():
        return wanted
    folder.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f"{name}.", suffix=".part", dir=folder))
    try:
        build(made)
        try:
            made.rename(wanted)
        except OSError:
            if not wanted.is_dir():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return wanted
