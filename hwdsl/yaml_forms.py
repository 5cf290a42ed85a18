"""The forms of which a YAML description is made: mappings with known keys, lists, names, flags.

What does not have its form is a fault with its place, and reading goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from .errors import Fault, InputError, Location
from .yaml_tree import Items, Scalar, Table, Tree, kind


class Forms:
    """Reads trees, and gathers their faults."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, where: Location, sentence: str) -> None:
        self.faults.append(Fault(sentence, where))

    def table(self, tree: Tree, what: str, known: Iterable[str]) -> dict[str, Tree]:
        """Return a mapping's values; an unknown key is a fault, and stands for the nearest one."""
        if not isinstance(tree, Table):
            self.fault(tree.where, f"{what} must be a mapping, not {kind(tree)}")
            return {}
        known = tuple(known)
        found: dict[str, Tree] = {}
        for key, value in tree:
            name = key.text
            if name not in known:
                nearest = near(name, known)
                self.fault(key.where, f"{what} has no key {name!r}; {nearest or _has(known)}")
                name = get_close_matches(name, known, 1)[0] if nearest else name
            found.setdefault(name, value)
        return found

    def items(self, tree: Tree, what: str) -> Iterable[Tree]:
        if isinstance(tree, Items):
            return tree
        self.fault(tree.where, f"{what} must be a list, not {kind(tree)}")
        return ()

    def text(self, tree: Tree, what: str) -> str:
        if isinstance(tree, Scalar) and tree.text:
            return tree.text
        self.fault(tree.where, f"{what} must be a name, not {kind(tree)}")
        return ""

    def flag(self, tree: Tree, what: str) -> bool | None:
        value = plain(tree)
        if isinstance(value, bool):
            return value
        self.fault(tree.where, f"{what} must be true or false, not {kind(tree)}")
        return None

    def attempt(self, where: Location, make: Callable[[], Any]) -> Any:
        """Make something that checks itself; its faults are placed ``where`` it was written."""
        try:
            return make()
        except InputError as error:
            self.faults += [Fault(f.sentence, f.where or where) for f in error.faults]
            return None


def plain(tree: Tree) -> Any:
    """Return the value of a scalar; what is none is returned as the words for it."""
    return tree.value if isinstance(tree, Scalar) else kind(tree)


def near(name: str, known: Iterable[str]) -> str:
    found = get_close_matches(name, list(known), 1)
    return f"did you mean {found[0]!r}?" if found else ""


def _has(known: Iterable[str]) -> str:
    return f"it has {', '.join(known)}"
