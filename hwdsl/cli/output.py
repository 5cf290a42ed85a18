"""Where a command's text goes: to the screen, or whole into a file."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ..errors import InputError


def check_output(path: str | None) -> None:
    """Refuse a file that cannot be written, before any long work."""
    folder = Path(path or "").resolve().parent
    if path is not None and not os.access(folder, os.W_OK):
        why = "its folder cannot be written" if folder.is_dir() else "its folder is not there"
        raise InputError(f"{path} cannot be written: {why}")


def write_output(path: str | None, text: str) -> None:
    """Print a text, or put it in a file; a file that was there stays whole until then.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    if path is None:
        sys.stdout.write(text)
        return
    target = Path(path).resolve()  # behind a link stays a file, and the link a link
    try:
        if target.exists() and not target.is_file():  # such as /dev/stdout
            target.write_text(text, encoding="utf-8", newline="\n")
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(temporary, 0o666 & ~_umask())  # mkstemp lets nobody else read
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
