"""What a command works on: the hardware, workload and values that a FILE defines."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import Fault, HwdslError, InputError, Location
from ..fabric import Fabric
from ..hardware import Hardware
from ..workload import Workload


@dataclass(frozen=True, eq=False)
class Subject:
    """What a FILE defines; ``values`` is what it gives of them, to be completed by a seed."""

    file: str
    hardware: Hardware
    workload: Workload
    values: Mapping[Any, Any] | None


def file_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a Python or a YAML file")


def read_hardware(file: str) -> Hardware:
    """Return the hardware that a FILE defines.

    Raises
    ------
    InputError
        If it has faults; a Python file's with the line that raised.
    """
    return _hardware(file, _definitions(file))


def read_subject(file: str) -> Subject:
    """Return what a FILE defines; a FILE without a workload is refused. See `read_hardware`."""
    found = _definitions(file)
    workload, values = found.get("workload"), found.get("values")
    if not isinstance(workload, Workload):
        raise InputError(f"{file} must define 'workload', a dtt.Workload, not {_what(workload)}")
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"{file}: 'values' must map data to values, not {_what(values)}")
    return Subject(file, _hardware(file, found), workload, values)


def _hardware(file: str, found: Mapping[str, Any]) -> Hardware:
    hardware = found.get("hardware")
    if isinstance(hardware, Fabric):
        hardware = hardware.freeze()
    if not isinstance(hardware, Hardware):
        wanted = "a Fabric or what its freeze() returns"
        raise InputError(f"{file} must define 'hardware', {wanted}, not {_what(hardware)}")
    return hardware


def _what(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _definitions(file: str) -> Mapping[str, Any]:
    if Path(file).suffix.lower() in (".yaml", ".yml"):
        from ..yaml_reader import read_yaml

        return vars(read_yaml(file))
    return vars(_run(Path(file)))


def _run(path: Path) -> ModuleType:
    """Run a user's Python file as a module; what it prints goes to stderr."""
    if not path.is_file():
        raise InputError(f"{path} is not a file")
    name = "hwdsl_input"
    loader = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    assert loader is not None
    module = importlib.util.module_from_spec(loader)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses and the like look themselves up there
    sys.path.insert(0, str(path.parent))
    try:
        with _located(path), redirect_stdout(sys.stderr):
            code = compile(path.read_bytes(), str(path), "exec")
            exec(code, vars(module))
    finally:
        sys.path.remove(str(path.parent))
        del sys.modules[name]
    return module


@contextmanager
def _located(path: Path) -> Iterator[None]:
    """Turn what a user's file raises into faults with the line of the file that raised."""
    try:
        yield
    except InputError as error:
        where = _line(path, error)
        raise InputError(*(Fault(f.sentence, f.where or where) for f in error.faults)) from None
    except HwdslError:  # such as a timing fault: it says all itself
        raise
    except SyntaxError as error:
        text = (error.text or "").rstrip("\n")
        where = Location(error.filename or str(path), error.lineno or 1, error.offset or 1, text)
        raise InputError(Fault(f"this is not Python: {error.msg}", where)) from None
    except SystemExit as error:
        raise InputError(Fault("the file ended the program", _line(path, error))) from None
    except Exception as error:
        sentence = f"{type(error).__name__}: {error}"
        raise InputError(Fault(sentence, _line(path, error))) from None


def _line(path: Path, error: BaseException) -> Location:
    """Return the last line of the user's file that was running."""
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    if not lines:
        return Location(str(path), 1, 1)
    last = lines[-1]
    shown = path.read_text(errors="replace").splitlines()[(last.lineno or 1) - 1]
    return Location(str(path), last.lineno or 1, (last.colno or 0) + 1, shown)
