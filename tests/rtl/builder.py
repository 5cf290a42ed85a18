"""Write Programs by hand: one call for each command."""

from __future__ import annotations

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.program import (
    CONTENT_COLUMNS,
    FIRE_COLUMNS,
    LAND_COLUMNS,
    OPERANDS,
    RESULT_COLUMNS,
    SEND_COLUMNS,
    STEER_COLUMNS,
    Program,
    table_columns,
)


class Builder:
    """Collects commands; parts are given as they are in the Hardware."""

    def __init__(self, hardware: Hardware):
        self.hardware = hardware
        self.data: list[tuple[str, int, tuple[int, ...]]] = []
        self.rows: dict[str, list[dict[str, int]]] = {
            k: [] for k in ("contents", "finals", "sends", "steers", "lands", "fires", "results")
        }
        self.width = max(
            (
                -(-a.bits // hardware.points[p].row)
                for a in hardware.actors
                for p in (a.at, a.result_at)
            ),
            default=1,
        )

    def datum(self, name, point=None, row=0, *, bits=None, shape=()):
        """Declare a datum; load it if a point is given, in consecutive rows."""
        bits = bits or self.hardware.word
        self.data.append((name, bits, shape))
        if point is not None:
            self._place("contents", name, point, row)
        return name

    def final(self, name, point, row=0):
        self._place("finals", name, point, row)

    def _place(self, table, name, point, row):
        index = next(i for i, d in enumerate(self.data) if d[0] == name)
        _, bits, shape = self.data[index]
        rows = point.rows_of(bits * int(np.prod(shape, dtype=int)))
        for part in range(rows):
            self.rows[table].append(
                {"point": point.index, "row": row + part, "datum": index, "part": part}
            )

    def send(self, cycle, wire, row=0, lane=0, offset=0, size=None):
        size = wire.lane // self.hardware.word if size is None else size
        self._add(
            "sends", cycle=cycle, wire=wire.index, lane=lane, row=row, offset=offset, size=size
        )

    def steer(self, cycle, wire, from_wire, lane=0, from_lane=0):
        self._add(
            "steers",
            cycle=cycle,
            wire=wire.index,
            lane=lane,
            from_wire=from_wire.index,
            from_lane=from_lane,
        )

    def land(self, cycle, wire, row=0, lane=0, offset=0, first=0):
        self._add(
            "lands", cycle=cycle, wire=wire.index, lane=lane, row=row, offset=offset, first=first
        )

    def move(self, cycle, wire, row, to, lane=0, size=None):
        """Send and land one lane's worth."""
        self.send(cycle, wire, row, lane, size=size)
        self.land(cycle + wire.latency, wire, to, lane)

    def fire(self, cycle, actor, code, *slots, unit=0, first=1, last=1, more=0):
        """Start a unit; a slot is None or (size, offset, rows...)."""
        row = {
            "cycle": cycle,
            "actor": actor.index,
            "unit": unit,
            "code": sorted(actor.ops).index(code),
            "first": first,
            "last": last,
            "more": more,
        }
        for i, slot in enumerate(slots):
            if slot is not None:
                row[f"size{i}"], row[f"offset{i}"] = slot[:2]
                row |= {f"row{i}_{k}": r for k, r in enumerate(slot[2:])}
        self.rows["fires"].append(row)

    def result(self, cycle, actor, *rows, unit=0, size=1, offset=0, first=0):
        self._add(
            "results",
            cycle=cycle,
            actor=actor.index,
            unit=unit,
            size=size,
            offset=offset,
            first=first,
            **{f"row{i}": r for i, r in enumerate(rows)},
        )

    def _add(self, table, **row):
        self.rows[table].append(row)

    def packed(self, values):
        """Return the bits of each loaded datum by index, from elements by name."""
        return {
            i: sum((int(x) & ((1 << bits) - 1)) << (k * bits) for k, x in enumerate(np.ravel(v)))
            for i, (name, bits, _) in enumerate(self.data)
            if (v := values.get(name)) is not None
        }

    def program(self, cycles: int) -> Program:
        width = self.width
        slots = [
            name
            for i in range(OPERANDS)
            for name in (f"size{i}", f"offset{i}", *(f"row{i}_{k}" for k in range(width)))
        ]
        columns = {
            "contents": CONTENT_COLUMNS,
            "finals": CONTENT_COLUMNS,
            "sends": SEND_COLUMNS,
            "steers": STEER_COLUMNS,
            "lands": LAND_COLUMNS,
            "fires": (*FIRE_COLUMNS, *slots),
            "results": (*RESULT_COLUMNS, *(f"row{k}" for k in range(width))),
        }
        tables = {}
        for name, names in columns.items():
            rows = [tuple(row.get(c, 0) for c in names) for row in self.rows[name]]
            if name not in ("contents", "finals"):
                rows.sort()
            tables[name] = np.array(rows, np.int64).reshape(len(rows), table_columns(width)[name])
        return Program(
            hardware=self.hardware.fingerprint,
            cycles=cycles,
            data=tuple(self.data),
            width=width,
            **tables,
        )
