"""Which dot products the published switch of the augmented reduction tree reduces in one pass.

A property of the tree alone, after MAERI: all products arrive together, nothing waits, an addition
takes no cycle, one partial sum leaves an Adder upwards, and a complete one leaves the tree where
it is completed. A side link carries one partial sum across in the same step, to an Adder all of
whose own inputs belong to the same dot product. (Our machine has none of these limits: its Adders
hold partial sums, and what is blocked here costs cycles there.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from ..errors import InputError
from .reduction import levels_of, link_of

_Sums = tuple[int | None, ...]  # the dot product whose partial sum comes from each Adder of a level


@dataclass(frozen=True)
class Blocking:
    """Where partial sums get into each other's way.

    Attributes
    ----------
    level, index : int
        The Adder ``add[level][index]``.
    dots : tuple of int
        The dot products that would have to leave it upwards together.
    """

    level: int
    index: int
    dots: tuple[int, ...]

    def __str__(self) -> str:
        listed = " and ".join(map(str, self.dots))
        return f"add[{self.level}][{self.index}] must pass on dot products {listed} together"


def blocked(
    leaves: int, lengths: Sequence[int], *, augmented: bool, at: Sequence[int] | None = None
) -> Blocking | None:
    """Return where the published switch blocks, or ``None`` if it reduces all in one pass.

    Parameters
    ----------
    leaves : int
    lengths : sequence of int
        Of dot products on adjacent leaves, at least 2 each.
    at : sequence of int, optional
        The first leaf of each; the default packs them from leaf 0 on.

    Raises
    ------
    InputError
        If they do not fit on the leaves.
    """
    levels = levels_of(leaves)
    sums: list[int | None] = [None] * leaves
    for dot, start in enumerate(positions(leaves, lengths, at)):
        sums[start : start + lengths[dot]] = [dot] * lengths[dot]
    return _pass(tuple(sums), 0, len(levels), augmented)


def positions(leaves: int, lengths: Sequence[int], at: Sequence[int] | None) -> list[int]:
    """Return the first leaf of each dot product; refuse what does not fit."""
    if at is None:
        at = [sum(lengths[:i]) for i in range(len(lengths))]
    if len(at) != len(lengths):
        raise InputError(f"{len(lengths)} dot products need as many positions, not {len(at)}")
    if any(length < 2 for length in lengths):
        raise InputError(f"a dot product to reduce has at least 2 pairs, not {min(lengths)}")
    if any(start < 0 for start in at):
        raise InputError(f"a position must be a leaf from 0, not {min(at)}")
    end = 0
    for start, length in sorted(zip(at, lengths, strict=True)):
        if start < end:
            raise InputError(f"leaf {start} is given to two dot products")
        end = start + length
    if end > leaves:
        raise InputError(f"dot products that end before leaf {end} do not fit on {leaves} leaves")
    return list(at)


@cache
def _pass(sums: _Sums, level: int, levels: int, augmented: bool) -> Blocking | None:
    """Return what blocks ``sums`` from this level on, however the links are used."""
    if level == levels:
        return None
    worst: Blocking | None = None
    for inputs in _steered(sums, augmented):
        up = _upwards(inputs, level)
        found = up if isinstance(up, Blocking) else _pass(up, level + 1, levels, augmented)
        if found is None:
            return None
        if worst is None or found.level > worst.level:
            worst = found
    return worst


def _steered(sums: _Sums, augmented: bool) -> Iterator[list[list[int]]]:
    """Yield the inputs of every Adder of a level, for each use of the links that may matter."""
    own = [[d for d in sums[i : i + 2] if d is not None] for i in range(0, len(sums), 2)]
    choices: list[list[tuple[int, int] | None]] = []
    for left in range(len(own) if augmented else 0):
        right = link_of(len(own), left)
        if right is None or right < left:
            continue
        near = sums[2 * left + 1], sums[2 * right]
        ways = ((left, right, near[0]), (right, left, near[1]))
        across = [(a, b) for a, b, dot in ways if _may_cross(own[a], own[b], dot)]
        if across:
            choices.append([*across, None])
    for chosen in product(*choices):
        inputs = [list(dots) for dots in own]
        for source, target in filter(None, chosen):
            dot = own[target][0]
            inputs[source].remove(dot)
            inputs[target].append(dot)
        yield inputs


def _may_cross(source: list[int], target: list[int], dot: int | None) -> bool:
    """Whether ``dot`` may cross, and gains by it: what the source has of it is only this."""
    return dot is not None and source.count(dot) == 1 and set(target) == {dot}


def _upwards(inputs: list[list[int]], level: int) -> _Sums | Blocking:
    """Return what leaves each Adder upwards; what is complete leaves the tree here."""
    places: dict[int, int] = {}
    for dots in inputs:
        for dot in dict.fromkeys(dots):
            places[dot] = places.get(dot, 0) + 1
    sums: list[int | None] = []
    for index, dots in enumerate(inputs):
        rest = tuple(d for d in dict.fromkeys(dots) if places[d] > 1)
        if len(rest) > 1:
            return Blocking(level, index, rest)
        sums.append(rest[0] if rest else None)
    return tuple(sums)
