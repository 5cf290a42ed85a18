"""What can be said before any search: a layer that no Actor runs, a tensor that fits nowhere."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

from hwdsl.errors import NoSchedule
from hwdsl.hardware import Actor, Hardware, Point
from hwdsl.workload import Datum, Op, Workload


def prove_fit(
    hardware: Hardware, workload: Workload, owner: Mapping[str, str], resident: Sequence[Datum]
) -> None:
    """Raise if a layer can never run, naming it, the tensor, the bytes it needs and those there.

    Parameters
    ----------
    owner : mapping of str to str
        The layer of each datum, by name.
    resident : sequence of Datum
        Data that must fit in the memories of all Actors together.

    Raises
    ------
    NoSchedule
    """
    _loads(hardware, workload, owner)
    able = [_able(hardware, op, owner[op.name]) for op in workload.ops]
    ways = _Ways(hardware)
    for op, actors in zip(workload.ops, able, strict=True):
        layer = owner[op.name]
        targets = [a.at for a in actors]
        for datum in dict.fromkeys(op.operands):
            if datum.made_by is None:
                starts = [hardware.point(datum.loaded_at or "").index]
            else:
                starts = [a.result_at for a in able[datum.made_by]]
            _way(ways, layer, datum, starts, targets, f"an Actor that knows {op.code!r}")
    for request in workload.requests:
        made_by = request.datum.made_by
        if made_by is not None:
            target = hardware.point(request.node)
            starts = [a.result_at for a in able[made_by]]
            layer = owner[request.datum.name]
            _way(ways, layer, request.datum, starts, [target.index], f"Node {target.name!r}")
    _resident(hardware, owner, resident)


def _bytes(bits: int) -> str:
    count = -(-bits // 8)
    return f"{count} byte{'s'[: count != 1]}"


def _loads(hardware: Hardware, workload: Workload, owner: Mapping[str, str]) -> None:
    used: dict[int, int] = {}
    for datum in workload.data:
        if datum.loaded_at is None:
            continue
        node = hardware.point(datum.loaded_at)
        before = used.get(node.index, 0)
        used[node.index] = before + node.rows_of(datum.size)
        if used[node.index] > node.rows:
            raise NoSchedule(
                f"Layer {owner[datum.name]!r}: {datum.name!r} needs {_bytes(datum.size)} of Node "
                f"{node.name!r}, which has {_bytes((node.rows - before) * node.row)} left of "
                f"{_bytes(node.capacity)}"
            )


def _able(hardware: Hardware, op: Op, layer: str) -> list[Actor]:
    """Return the Actors that know an op and have room for all of its data."""
    knows = [a for a in hardware.actors if op.code in a.ops]
    makes = f"which makes {op.name!r} ({_bytes(op.result.size)})"
    if not knows:
        raise NoSchedule(
            f"Layer {layer!r}: no Actor of {hardware.name} knows the op code {op.code!r}, {makes}"
        )
    widest = max(d.bits for d in (*op.operands, op.result))
    wide = [a for a in knows if a.bits >= widest]
    if not wide:
        raise NoSchedule(
            f"Layer {layer!r}: no Actor that knows {op.code!r}, {makes}, computes on elements of "
            f"{widest} bits; declare Actor(bits={widest})"
        )
    fitting = [a for a in wide if not _missing(hardware, op, a)]
    if not fitting:
        best = max(wide, key=lambda a: hardware.points[a.at].capacity)
        raise NoSchedule(f"Layer {layer!r}: {_missing(hardware, op, best)}; split it further")
    return fitting


def _missing(hardware: Hardware, op: Op, actor: Actor) -> str:
    """Say what of an Op has no room at an Actor, or nothing."""
    timing = actor.timing(op.code, op.work, op.parallel, op.depth, op.spans)
    together = timing.latency - timing.hold + 1 <= timing.hold - 1
    node, result_node = hardware.points[actor.at], hardware.points[actor.result_at]
    data = list(dict.fromkeys(op.operands))
    if result_node is node and together and op.into is None:
        data.append(op.result)
    if sum(node.rows_of(d.size) for d in data) > node.rows:
        largest = max(data, key=lambda d: d.size)
        needed = sum(node.rows_of(d.size) * node.row for d in data)
        rest = "" if len(data) == 1 else f", and with all else of {op.code!r} {_bytes(needed)}"
        return (
            f"{largest.name!r} needs {_bytes(largest.size)}{rest}, and Node {node.name!r}, the "
            f"largest at an Actor that knows {op.code!r}, holds {_bytes(node.capacity)}"
        )
    if result_node.rows < result_node.rows_of(op.result.size):
        return (
            f"the result {op.name!r} needs {_bytes(op.result.size)}, and Node "
            f"{result_node.name!r} holds {_bytes(result_node.capacity)}"
        )
    return ""


class _Ways:
    """How large a datum can be that goes from one Point to another."""

    def __init__(self, hardware: Hardware):
        self.hardware = hardware
        self._known: dict[tuple[int, ...], list[Point | None]] = {}

    def narrowest(self, starts: Iterable[int], target: int) -> Point | None:
        """Return the smallest memory of the roomiest way (``None``: there is no way)."""
        key = tuple(sorted(set(starts)))
        if key not in self._known:
            self._known[key] = self._search(key)
        return self._known[key][target]

    def _search(self, starts: tuple[int, ...]) -> list[Point | None]:
        points = self.hardware.points
        found: list[Point | None] = [None] * len(points)
        heap = [(-points[s].capacity, s, s) for s in starts]
        heapq.heapify(heap)
        while heap:
            room, at, narrow = heapq.heappop(heap)
            if found[at] is not None:
                continue
            found[at] = points[narrow]
            for wire in self.hardware.outgoing[at]:
                target = points[wire.target]
                if target.kind == "Adder":
                    continue
                if target.stores and target.capacity < -room:
                    heapq.heappush(heap, (-target.capacity, target.index, target.index))
                else:
                    heapq.heappush(heap, (room, target.index, narrow))
        return found


def _way(
    ways: _Ways, layer: str, datum: Datum, starts: Sequence[int], targets: Sequence[int], to: str
) -> None:
    narrow = [n for n in (ways.narrowest(starts, t) for t in targets) if n is not None]
    needs = f"Layer {layer!r}: {datum.name!r} needs {_bytes(datum.size)}"
    if not narrow:
        raise NoSchedule(f"{needs}, and there is no way for it to {to}")
    best = max(narrow, key=lambda node: node.capacity)
    if best.rows < best.rows_of(datum.size):
        raise NoSchedule(
            f"{needs}, and on the roomiest way to {to} Node {best.name!r} holds "
            f"{_bytes(best.capacity)}; split it further"
        )


def _resident(hardware: Hardware, owner: Mapping[str, str], resident: Sequence[Datum]) -> None:
    nodes = sorted({actor.at for actor in hardware.actors})
    there = sum(hardware.points[n].capacity for n in nodes)
    needed = 0
    for datum in resident:
        needed += datum.size
        if needed > there:
            total = sum(d.size for d in resident)
            raise NoSchedule(
                f"Layer {owner[datum.name]!r}: with {datum.name!r} the weights exceed the chip: "
                f"all of them need {_bytes(total)}, and the memories of its Actors hold "
                f"{_bytes(there)}"
            )
