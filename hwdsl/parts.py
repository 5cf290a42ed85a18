"""What a user declares: Node, Junction, Adder, Actor and Wire, as immutable descriptions.

A description holds what was given, unchecked: `Fabric.freeze` checks all of them together and
reports every fault at once. Sizes are bits, times are cycles, energies are pJ; an energy that
is ``None`` is undeclared, which is not the same as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

KiB = 8 * 1024
MiB = 8 * 1024 * 1024
"""Bits in a kibibyte and in a mebibyte: ``Node(capacity=128 * KiB)``."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Part:
    """Base of all descriptions; two parts are equal only if they are the same object."""

    def __repr__(self) -> str:
        given = ((f.name, getattr(self, f.name)) for f in fields(self))
        return (
            f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given if v is not None)})"
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Node(Part):
    """A memory.

    Parameters
    ----------
    capacity : int
        Bits; whole rows.
    row : int, optional
        Bits behind one address; a multiple of the word, which is the default. A datum takes
        whole rows.
    pj_per_bit : float, optional
        Energy of a bit that leaves the Node.
    pj_per_bit_cycle : float, optional
        Energy of a bit that stays for one cycle.
    transit : bool, optional
        ``False``: no path leads through it; only what is wanted there comes there.
    """

    capacity: int
    row: int | None = None
    pj_per_bit: float | None = None
    pj_per_bit_cycle: float | None = None
    transit: bool | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Junction(Part):
    """A switch point without storage: a datum leaves in the cycle in which it arrives."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Adder(Node):
    """A Node of a reduction network, in which partial sums of one result become one.

    Parameters
    ----------
    inputs : int
        Partial sums of one result that may arrive in one cycle: 2, or 3 with a side link.
    pj_per_add : float, optional
        Energy of one two-input addition.
    """

    inputs: int = 2
    pj_per_add: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Actor(Part):
    """Something that computes, at a Node.

    Parameters
    ----------
    at : Node
        Where the operands must be.
    ops : set of str, or mapping of str to mapping
        The op codes that it knows. A mapping gives an op its own ``latency``, ``cooldown``,
        ``hold``, ``units`` (how many of the Actor's units it uses) and ``pj_per_op``; what is
        left out is the Actor's.
    units : int
        Multipliers, or lanes: a dot product uses one per pair. At most 65,536.
    latency : int
        Cycles from the start of an Op to its result, for the first step (see `OpTiming`).
    cooldown : int
        Cycles for which an Op keeps its units, for the first step.
    result_at : Node, optional
        Where results appear; ``at`` by default.
    bits : int, optional
        Widest element that it computes on; the word by default.
    pj_per_op : float, optional
        Energy of one Firing.
    """

    at: Node
    ops: Iterable[str] | Mapping[str, Mapping[str, Any]]
    units: int = 1
    latency: int = 1
    cooldown: int = 1
    result_at: Node | None = None
    bits: int | None = None
    pj_per_op: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Wire(Part):
    """A one-way connection; made by `Fabric.wire`.

    Parameters
    ----------
    source, target : Node or Junction
    bandwidth : int
        Bits per cycle; whole lanes.
    latency : int
        Cycles, at least 1.
    lane : int, optional
        Bits of the smallest piece that it carries; the word by default. Divides the row of
        each Node at its ends.
    pj_per_bit : float, optional
    """

    source: Part = field(repr=False)
    target: Part = field(repr=False)
    bandwidth: int
    latency: int
    lane: int | None = None
    pj_per_bit: float | None = None
