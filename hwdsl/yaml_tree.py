"""Untrusted YAML text to a small tree whose every item knows its place in the file.

YAML is more than a description needs. What is ambiguous or unbounded is refused, with file, line
and column: anchors, aliases, tags, merge keys, equal keys, several documents, text that is not
UTF-8, and files that are too large or too deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from .errors import Fault, InputError, Location

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes."""
MOST_ITEMS = 1_000_000
DEEPEST = 16

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?\Z")
_LONGEST_NUMBER = 40
_WIDEST_LINE = 200  # a longer one is not shown under its fault


@dataclass(frozen=True)
class Scalar:
    """One piece of text; ``plain`` is without quotes."""

    text: str
    plain: bool
    where: Location

    @property
    def value(self) -> Any:
        """What it says: an int, a float, a bool, ``None``, or the text itself.

        Only decimal numbers, ``true``, ``false`` and ``null`` are more than text: ``no``, ``0x10``,
        ``010`` and ``1:30`` are not.
        """
        if not self.plain:
            return self.text
        if len(self.text) <= _LONGEST_NUMBER:
            if _WHOLE.match(self.text):
                return int(self.text)
            if _DECIMAL.match(self.text):
                return float(self.text)
        words = {"true": True, "false": False, "null": None, "~": None, "": None}
        return words.get(self.text, self.text)


@dataclass(frozen=True)
class Items:
    """A sequence."""

    items: list[Tree]
    where: Location

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.items)


@dataclass(frozen=True)
class Table:
    """A mapping, in the order of the file; each key with its own place."""

    entries: dict[str, tuple[Scalar, Tree]]
    where: Location

    def __iter__(self) -> Iterator[tuple[Scalar, Tree]]:
        return iter(self.entries.values())

    def get(self, key: str) -> Tree | None:
        return self.entries[key][1] if key in self.entries else None


Tree = Scalar | Items | Table


def kind(tree: Tree) -> str:
    """Return what an error calls it."""
    if isinstance(tree, Scalar):
        return "nothing" if tree.value is None else repr(tree.text)
    return "a list" if isinstance(tree, Items) else "a mapping"


def parse(content: bytes, file: str) -> Tree:
    """Return the tree of one YAML document.

    Parameters
    ----------
    content : bytes
    file : str
        What errors call it.

    Raises
    ------
    InputError
        If it is not YAML, or uses what is refused.
    """
    if len(content) > LARGEST_FILE:
        raise InputError(f"{file} has {len(content)} bytes; at most {LARGEST_FILE} are read")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        place = Location(file, line, column)
        raise InputError(Fault("the text is not UTF-8", place)) from None
    builder = _Builder(file, text.splitlines())
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        builder.refuse(mark, f"this is not YAML: {error.problem or error.context}")
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = Location(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        sentence = f"this is not YAML: {error.reason} (U+{error.character:04X})"
        raise InputError(Fault(sentence, place)) from None
    if builder.faults:
        raise InputError(*builder.faults)
    if builder.root is None:
        raise InputError(Fault("the file is empty", Location(file, 1, 1)))
    return builder.root


@dataclass
class _Open:
    """A sequence or mapping whose end has not been seen."""

    tree: Items | Table
    key: Scalar | None = None


@dataclass
class _Builder:
    file: str
    lines: list[str]
    faults: list[Fault] = field(default_factory=list)
    root: Tree | None = None
    count: int = 0
    documents: int = 0
    open: list[_Open] = field(default_factory=list)

    def place(self, mark: Any) -> Location:
        text = self.lines[mark.line] if mark.line < len(self.lines) else ""
        shown = text if len(text) <= _WIDEST_LINE else ""
        return Location(self.file, mark.line + 1, mark.column + 1, shown)

    def fault(self, mark: Any, sentence: str) -> None:
        self.faults.append(Fault(sentence, self.place(mark)))

    def refuse(self, mark: Any, sentence: str) -> None:
        """Stop here: what follows cannot be read."""
        self.fault(mark, sentence)
        raise InputError(*self.faults) from None

    def take(self, event: yaml.Event) -> None:
        mark = event.start_mark
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse(mark, "a file holds one document; a second one starts here")
        elif isinstance(event, yaml.AliasEvent):
            self.refuse(mark, f"aliases are refused: write out what *{event.anchor} stands for")
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._node(event, mark)

    def _node(self, event: Any, mark: Any) -> None:
        self.count += 1
        if self.count > MOST_ITEMS:
            self.refuse(mark, f"the file has more than {MOST_ITEMS} items")
        if event.anchor is not None:
            self.fault(mark, f"anchors are refused: take away &{event.anchor}")
        if event.tag is not None:
            self.fault(mark, f"tags are refused: take away {event.tag!r}")
        where = self.place(mark)
        if isinstance(event, yaml.ScalarEvent):
            self._add(Scalar(event.value, event.style in (None, ""), where), mark)
            return
        made = Table({}, where) if isinstance(event, yaml.MappingStartEvent) else Items([], where)
        self._add(made, mark)
        self.open.append(_Open(made))
        if len(self.open) > DEEPEST:
            self.refuse(mark, f"the file is nested more than {DEEPEST} deep")

    def _add(self, tree: Tree, mark: Any) -> None:
        if not self.open:
            self.root = tree
            return
        parent = self.open[-1]
        if isinstance(parent.tree, Items):
            parent.tree.items.append(tree)
        elif parent.key is not None:
            parent.tree.entries.setdefault(parent.key.text, (parent.key, tree))
            parent.key = None
        elif not isinstance(tree, Scalar):
            self.refuse(mark, f"a key must be a name, not {kind(tree)}")
        else:
            self._key(parent.tree, tree, mark)
            parent.key = tree

    def _key(self, table: Table, key: Scalar, mark: Any) -> None:
        if key.plain and key.text == "<<":
            self.fault(mark, "merge keys are refused: write out what << brings in")
        elif key.text in table.entries:
            first = table.entries[key.text][0].where
            self.fault(mark, f"the key {key.text!r} stands here twice; first in line {first.line}")
