"""Where a command's text goes: to the screen, or whole into a file."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ..errors import InputError


def check_output(path: str | None, given: str) -> None:
    """Refuse a file that cannot be written, or is the one that was given, before any long work."""
    both = path is not None and os.path.exists(path) and os.path.exists(given)
    if path is not None and both and os.path.samefile(path, given):
        raise InputError(f"{path} cannot be written: it is the FILE that is read")
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
    try:
        if path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        target = Path(path).resolve()  # behind a link stays a file, and the link a link
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
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "the screen" if path is None else path
        raise InputError(f"{where} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
