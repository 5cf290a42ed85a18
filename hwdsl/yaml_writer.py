"""YAML out: a Hardware, and with it a Workload and values; `hwdsl.yaml_reader` reads it back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from .build import declarations_of
from .hardware import Hardware
from .workload import Datum, Op, Request, Workload
from .yaml_reader import SECTIONS


def write_yaml(
    path: str | Path,
    hardware: Hardware,
    workload: Workload | None = None,
    values: Mapping[Datum | str, Any] | None = None,
) -> None:
    """Write a YAML file; a reader sees the old file or the new one, never half of it."""
    path = Path(path)
    text = to_yaml(hardware, workload, values)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # a temporary file is private; this one is not
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def to_yaml(
    hardware: Hardware,
    workload: Workload | None = None,
    values: Mapping[Datum | str, Any] | None = None,
) -> str:
    """Return a Hardware as YAML text; the same Hardware gives the same bytes."""
    data: dict[str, Any] = {"name": hardware.name, "word": hardware.word}
    declared = declarations_of(hardware)
    for section, part in SECTIONS.items():
        found = {d.name: dict(d.fields) for d in declared if d.kind == part}
        if found:
            data[section] = list(found) if part == "Junction" else found
    if workload is not None:
        data["workload"] = workload_data(workload)
    if values is not None:
        named = {k.name if isinstance(k, Datum) else k: v for k, v in values.items()}
        data["values"] = {name: np.asarray(value).tolist() for name, value in named.items()}
    return "".join(_sections(data))


def workload_data(workload: Workload) -> dict[str, Any]:
    """Return a Workload as plain data; equal Workloads give equal data."""
    items: list[dict[str, Any]] = []
    loads = [d for d in workload.data if d.loaded_at is not None]
    for item in workload.items:
        last = item.result.index if isinstance(item, Op) else item.datum.index
        due = [d for d in loads if d.index <= last]
        loads = loads[len(due) :]
        items += _loads(due, workload.bits)
        items.append(_op(item, workload) if isinstance(item, Op) else _request(item, workload))
    items += _loads(loads, workload.bits)
    return {"bits": workload.bits, "reuse": workload.reuse, "items": items}


def _loads(data: list[Datum], bits: int) -> Iterator[dict[str, Any]]:
    """Yield items that load ``data`` in their order; neighbours that are alike share one."""
    for (node, size, shape), group in groupby(data, lambda d: (d.loaded_at, d.bits, d.shape)):
        names = [d.name for d in group]
        item: dict[str, Any] = {"load": names if len(names) > 1 else names[0], "at": node}
        if size != bits:
            item["bits"] = size
        if shape:
            item["shape"] = list(shape)
        yield item


def _op(op: Op, workload: Workload) -> dict[str, Any]:
    item: dict[str, Any] = {"op": op.code, "name": op.name}
    item["operands"] = [d.name for d in op.operands]
    if op.into is not None:
        item["into"] = op.operands[op.into].name
    elif op.result.bits != workload.bits:
        item["bits"] = op.result.bits
    if op.not_before:
        item["not_before"] = op.not_before
    if op.on is not None:
        item["on"] = op.on
    if op.reuse != workload.reuse:
        item["reuse"] = op.reuse
    if op.options:
        item["options"] = list(op.options)
    return item


def _request(request: Request, workload: Workload) -> dict[str, Any]:
    verb = "store" if request.store else "need"
    item: dict[str, Any] = {verb: request.datum.name, "at": request.node}
    if request.by is not None:
        item["by"] = request.by
    if request.source is not None:
        item["source"] = request.source
    if request.reuse != workload.reuse:
        item["reuse"] = request.reuse
    if request.after is not None:
        item["after"] = request.after.name
    return item


class _Dumper(yaml.SafeDumper):
    """Plain block YAML, in which no two places share an anchor."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _sections(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text, a blank line between sections; the innermost collections on one line."""
    for key, value in data.items():
        blank = "\n" if isinstance(value, dict | list) else ""
        yield blank + yaml.dump(
            {key: value},
            Dumper=_Dumper,
            sort_keys=False,
            default_flow_style=None if blank else False,
            allow_unicode=True,
            width=1 << 20,
        )
