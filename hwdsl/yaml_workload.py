"""The ``workload`` and ``values`` sections of a YAML description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .workload import Datum, Workload
from .yaml_forms import Forms, near, plain
from .yaml_tree import Items, Table, Tree, kind

_ITEMS: Mapping[str, tuple[str, ...]] = {
    "load": ("at", "bits", "shape"),
    "op": ("name", "operands", "into", "bits", "not_before", "on", "reuse", "options"),
    "store": ("at", "reuse", "after"),
    "need": ("at", "by", "source", "reuse", "after"),
}


class WorkloadReader:
    """Builds a Workload item by item; an item with a fault is left out, and not asked for again.

    Parameters
    ----------
    forms : Forms
        Where faults go.
    kinds : mapping of str to str
        The kind of each part of the fabric, by name.
    """

    def __init__(self, forms: Forms, kinds: Mapping[str, str]):
        self.forms = forms
        self.kinds = kinds
        self.data: dict[str, Datum | None] = {}  # None: its item has a fault

    def workload(self, tree: Tree) -> Workload | None:
        given = self.forms.table(tree, "workload", ("bits", "reuse", "items"))
        settings: dict[str, Any] = {}
        if "bits" in given:
            settings["bits"] = plain(given["bits"])
        if "reuse" in given:
            settings["reuse"] = self.forms.flag(given["reuse"], "workload: reuse")
        where = given["bits"].where if "bits" in given else tree.where
        workload = self.forms.attempt(where, lambda: Workload(**settings)) or Workload()
        for item in self.forms.items(given["items"], "items") if "items" in given else ():
            self.item(workload, item)
        return workload

    def item(self, workload: Workload, tree: Tree) -> None:
        verb = next((v for v in _ITEMS if isinstance(tree, Table) and tree.get(v)), None)
        if verb is None:
            shape = "an item must be a mapping with a key load, op, store or need"
            keys = ", ".join(map(repr, tree.entries)) if isinstance(tree, Table) else ""
            found = f"one with {keys}" if keys else kind(tree)
            return self.forms.fault(tree.where, f"{shape}, not {found}")
        before = len(self.forms.faults)
        given = self.forms.table(tree, verb, (verb, *_ITEMS[verb]))
        subject = given.pop(verb)
        options: dict[str, Any] = {}
        for field, value in given.items():
            if field not in ("operands", "name", "into"):
                options[field] = self.option(verb, field, value)
        if verb != "op" and "at" not in options:
            self.forms.fault(tree.where, f"{verb}: at is missing")
        if verb == "load":
            self.load(workload, subject, options, before)
        elif verb == "op":
            self.op(workload, subject, given, options, before)
        else:
            datum = self.datum(subject, verb)
            if len(self.forms.faults) == before and datum is not None:
                request = workload.store if verb == "store" else workload.need
                self.forms.attempt(tree.where, lambda: request(datum, **options))
        return None

    def option(self, verb: str, field: str, tree: Tree) -> Any:
        what = f"{verb}: {field}"
        if field in ("at", "source"):
            return self.named_part(tree, what, ("Node", "Adder"))
        if field == "on":
            return self.named_part(tree, what, ("Actor",))
        if field == "reuse":
            return self.forms.flag(tree, what)
        if field in ("shape", "options") and isinstance(tree, Items):
            return tuple(plain(number) for number in tree)
        if field == "after":
            return self.datum(tree, what)
        value = plain(tree)
        if not isinstance(value, int) or isinstance(value, bool):
            self.forms.fault(tree.where, f"{what} must be a whole number, not {kind(tree)}")
        return (value,) if field == "options" else value

    def named_part(self, tree: Tree, what: str, kinds: tuple[str, ...]) -> str:
        name = self.forms.text(tree, what)
        if name and self.kinds.get(name) not in kinds:
            known = [n for n, k in self.kinds.items() if k in kinds]
            nearest = near(name, known)
            hint = f"; {nearest}" if nearest else ""
            self.forms.fault(tree.where, f"{what}: the fabric has no {kinds[0]} {name!r}{hint}")
        return name

    def datum(self, tree: Tree, what: str) -> Datum | None:
        name = self.forms.text(tree, what)
        if name and name not in self.data:
            nearest = near(name, self.data)
            hint = f"; {nearest}" if nearest else ""
            self.forms.fault(tree.where, f"{what}: no datum {name!r} has been made so far{hint}")
        return self.data.get(name)

    def load(self, workload: Workload, subject: Tree, options: dict[str, Any], before: int) -> None:
        for tree in subject if isinstance(subject, Items) else [subject]:
            name = self.forms.text(tree, "load")
            sound = name and len(self.forms.faults) == before

            def make(name: str = name) -> Datum:
                return workload.load(name, **options)

            made = self.forms.attempt(tree.where, make) if sound else None
            self.data.setdefault(name, made)

    def op(
        self,
        workload: Workload,
        subject: Tree,
        given: dict[str, Tree],
        options: dict[str, Any],
        before: int,
    ) -> None:
        code = self.forms.text(subject, "op")
        name = self.forms.text(given["name"], "op: name") if "name" in given else None
        trees = self.forms.items(given["operands"], "op: operands") if "operands" in given else ()
        operands = [self.datum(t, f"op {code!r}") for t in trees]
        if "into" in given:
            options["into"] = self.datum(given["into"], f"op {code!r}: into")
        found = [d for d in operands if d is not None]
        complete = len(found) == len(operands) and options.get("into", found) is not None
        made = None
        if complete and len(self.forms.faults) == before:

            def make() -> Datum:
                return workload.op(code, *found, name=name, **options)

            made = self.forms.attempt(subject.where, make)
        known = made.name if made else name or f"{code}_{len(workload.ops)}"
        self.data.setdefault(known, made)

    def values(self, tree: Tree) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if not isinstance(tree, Table):
            self.forms.fault(tree.where, f"values must map data to numbers, not be {kind(tree)}")
            return found
        for key, value in tree:
            datum = self.data.get(key.text)
            if key.text not in self.data or (datum and datum.loaded_at is None):
                self.forms.fault(key.where, f"values: {key.text!r} is not a loaded datum")
            elif datum:
                found[key.text] = self.array(datum, value, datum.shape)
        return found

    def array(self, datum: Datum, tree: Tree, shape: tuple[int, ...]) -> Any:
        called = f"values: {datum.name!r}"
        if shape:
            if not isinstance(tree, Items) or len(tree.items) != shape[0]:
                found = len(tree.items) if isinstance(tree, Items) else kind(tree)
                rule = f"{called} of shape {datum.shape} needs a list of {shape[0]} here"
                self.forms.fault(tree.where, f"{rule}, not {found}")
                return None
            return [self.array(datum, item, shape[1:]) for item in tree]
        value, low, high = plain(tree), -(1 << (datum.bits - 1)), (1 << datum.bits) - 1
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            rule = f"{called} must be a whole number of {datum.bits} bits, from {low} to {high}"
            self.forms.fault(tree.where, f"{rule}, not {kind(tree)}")
            return None
        return value
