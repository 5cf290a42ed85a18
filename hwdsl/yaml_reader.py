"""YAML in: a fabric, and with it, if the file likes, a Workload and the values of its data.

Keys and units are those of `hwdsl.parts` and `hwdsl.workload`; parts are called by their full
names, such as ``cluster[4].tcdm``. All faults of a file are reported at once, each with its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .build import build
from .declaration import FIELDS, OP_FIELDS, Declaration
from .errors import Fault, InputError, Location
from .hardware import Hardware
from .workload import Workload
from .yaml_forms import Forms, plain
from .yaml_tree import Items, Scalar, Table, Tree, kind, parse
from .yaml_workload import WorkloadReader

SECTIONS = {
    "nodes": "Node",
    "junctions": "Junction",
    "adders": "Adder",
    "wires": "Wire",
    "actors": "Actor",
}
"""The kind of the parts in each section of a file."""

_TOP = ("name", "word", *SECTIONS, "workload", "values")


@dataclass(frozen=True, eq=False)
class Description:
    """What a YAML file holds.

    Attributes
    ----------
    hardware : Hardware
    workload : Workload or None
    values : dict or None
        The value of each loaded datum, by its name: a number, or nested lists of numbers.
    """

    hardware: Hardware
    workload: Workload | None = None
    values: dict[str, Any] | None = None


def read_yaml(path: str | Path) -> Description:
    """Read a YAML file.

    Raises
    ------
    InputError
        With every fault of the file, or if it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return parse_yaml(content, str(path))


def parse_yaml(content: bytes | str, file: str = "text.yaml") -> Description:
    """Read YAML text; ``file`` is what faults call it. See `read_yaml`."""
    tree = parse(content.encode() if isinstance(content, str) else content, file)
    return _Reader(file).read(tree)


class _Reader(Forms):
    def __init__(self, file: str):
        super().__init__()
        self.file = file

    def read(self, tree: Tree) -> Description:
        top = self.table(tree, "the file", _TOP)
        declared: list[Declaration] = []
        for section, part in SECTIONS.items():
            declared += self.section(section, part, top.get(section))
        stream = WorkloadReader(self, {d.name: d.kind for d in declared})
        workload = stream.workload(top["workload"]) if "workload" in top else None
        values = stream.values(top["values"]) if "values" in top else None
        name = self.text(top["name"], "name") if "name" in top else Path(self.file).stem
        word = plain(top["word"]) if "word" in top else 8
        where = {"": tree.where} | {key: top[key].where for key in ("word",) if key in top}
        try:
            hardware = build(name, word, declared, *self.faults, where=where)
        except InputError as error:
            raise InputError(*sorted(error.faults, key=_place)) from None
        return Description(hardware, workload, values)

    def section(self, section: str, part: str, tree: Tree | None) -> Iterable[Declaration]:
        if tree is None:
            return
        if part == "Junction":
            for item in self.items(tree, section):
                yield Declaration(self.text(item, "a junction"), part, {}, {"": item.where})
        elif part == "Wire" and isinstance(tree, Items):
            for item in tree:
                yield self.part(part, "", item.where, item)
        elif isinstance(tree, Table):
            for key, value in tree:
                yield self.part(part, key.text, key.where, value)
        else:
            form = "map names to fields" + (" or list them" if part == "Wire" else "")
            self.fault(tree.where, f"{section} must {form}, not be {kind(tree)}")

    def part(self, part: str, name: str, where: Location, tree: Tree) -> Declaration:
        called = f"{part} {name!r}" if name else "a wire"
        given = self.table(tree, called, FIELDS[part])
        places = {"": where} | {field: value.where for field, value in given.items()}
        fields: dict[str, Any] = {}
        for field, value in given.items():
            if field in ("at", "result_at", "source", "target"):
                fields[field] = self.text(value, f"{called}: {field}")
            elif field == "ops":
                fields[field] = self.ops(called, value, places)
            elif isinstance(value, Scalar) and value.value is None:
                self.fault(value.where, f"{called}: {field} has no value")
                fields[field] = ""
            else:
                fields[field] = plain(value)
        return Declaration(name, part, fields, places)

    def ops(self, called: str, tree: Tree, places: dict[str, Location]) -> Any:
        if not isinstance(tree, Table):
            codes = self.items(tree, f"{called}: ops")
            return [self.text(code, f"{called}: an op code") for code in codes]
        found = {}
        for key, value in tree:
            code = key.text
            own = self.table(value, f"{called}: op {code!r}", OP_FIELDS)
            places[f"ops.{code}"] = key.where
            places |= {f"ops.{code}.{field}": v.where for field, v in own.items()}
            found[code] = {field: plain(v) for field, v in own.items() if field in OP_FIELDS}
        return found


def _place(fault: Fault) -> tuple[int, int]:
    return (fault.where.line, fault.where.column) if fault.where else (0, 0)
