"""Reduction trees: multipliers at the leaves, Adders above, plain or augmented with side links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..fabric import Fabric
from ..parts import Actor, Adder, Node

LEAST, MOST = 2, 256
"""Leaves of the smallest and the largest tree."""

COLLECT = ("root", "any")


class ReductionTree(Fabric):
    """A binary tree of Adders over ``leaves`` multipliers, with memories in front and behind.

    Operands are loaded in ``feed``, which has a Wire to every ``leaf[i]``; the multiplier
    ``mul[i]`` works there, and its products appear in ``add[0][i // 2]``. ``add[0]`` is the level
    above the multipliers, and the last level is the root. Results are collected in ``out``. The
    Wires are named by their ends: ``add[0][1]->add[1][0]``.

    Parameters
    ----------
    leaves : int
        A power of two from 2 to 256.
    augmented : bool
        Whether there are side links: on every level of more than two Adders, a Wire each way
        between Adders 1 and 2, 3 and 4, and so on. An Adder with a link takes three inputs.
    collect : {"root", "any"}
        Which Adders have a Wire to ``out``: the root, or every one.
    word : int
        Bits of an operand.
    sum_bits : int
        Bits of a partial sum, and of a result.
    bandwidth : int or sequence of int, optional
        Bits per cycle of the Wires that leave the Adders upwards: of all of them, or level by
        level. The default is one partial sum.
    link_bandwidth, out_bandwidth : int, optional
        Of the side links, and of the Wires to ``out``; the default is one partial sum.
    feed_bandwidth : int, optional
        Of the Wires to the leaves; the default is two operands.
    latency, link_latency, out_latency, feed_latency : int
        Cycles of each kind of Wire. Adding is covered by them.
    multiply_latency : int
        Cycles of a multiplier, which starts a product in every cycle.
    partial_sums, operands : int
        How many of them an Adder and a leaf hold.
    feed_capacity, out_capacity : int
        Bits; in words and in partial sums.
    pj_per_bit, link_pj_per_bit, out_pj_per_bit, feed_pj_per_bit : float, optional
        Of the Wires, per bit.
    read_pj_per_bit : float, optional
        Of a bit that leaves ``feed``.
    adder_pj_per_bit, pj_per_add, pj_per_product : float, optional
        Of a bit that leaves an Adder, of a two-input addition, of a multiplication.

    Raises
    ------
    InputError
        For a number of leaves that is not supported, or an unknown ``collect``.
    """

    def __init__(
        self,
        *,
        leaves: int = 8,
        augmented: bool = False,
        collect: str = "root",
        word: int = 8,
        sum_bits: int = 32,
        bandwidth: int | Sequence[int] | None = None,
        link_bandwidth: int | None = None,
        out_bandwidth: int | None = None,
        feed_bandwidth: int | None = None,
        latency: int = 1,
        link_latency: int = 1,
        out_latency: int = 1,
        feed_latency: int = 1,
        multiply_latency: int = 1,
        partial_sums: int = 4,
        operands: int = 4,
        feed_capacity: int | None = None,
        out_capacity: int | None = None,
        pj_per_bit: float | None = None,
        link_pj_per_bit: float | None = None,
        out_pj_per_bit: float | None = None,
        feed_pj_per_bit: float | None = None,
        read_pj_per_bit: float | None = None,
        adder_pj_per_bit: float | None = None,
        pj_per_add: float | None = None,
        pj_per_product: float | None = None,
    ):
        levels = levels_of(leaves)
        if collect not in COLLECT:
            raise InputError(f"ReductionTree: collect must be 'root' or 'any', not {collect!r}")
        self.word = word
        self.feed = Node(capacity=feed_capacity or 1024 * word, pj_per_bit=read_pj_per_bit)
        self.leaf = [Node(capacity=operands * word, pj_per_bit=0) for _ in range(leaves)]
        self.add = [
            [
                Adder(
                    capacity=partial_sums * sum_bits,
                    row=sum_bits,
                    inputs=3 if augmented and has_link(width, i) else 2,
                    pj_per_bit=adder_pj_per_bit,
                    pj_per_add=pj_per_add,
                )
                for i in range(width)
            ]
            for width in levels
        ]
        self.mul = [
            Actor(
                at=leaf,
                ops={"dot"},
                latency=multiply_latency,
                result_at=self.add[0][i // 2],
                bits=max(word, sum_bits),
                pj_per_op=pj_per_product,
            )
            for i, leaf in enumerate(self.leaf)
        ]
        self.out = Node(capacity=out_capacity or 1024 * sum_bits, row=sum_bits)
        for leaf in self.leaf:
            self.wire(
                self.feed,
                leaf,
                bandwidth=feed_bandwidth or 2 * word,
                latency=feed_latency,
                pj_per_bit=feed_pj_per_bit,
            )
        up: dict[str, Any] = {"latency": latency, "lane": sum_bits, "pj_per_bit": pj_per_bit}
        each = bandwidths(bandwidth or sum_bits, len(levels) - 1)
        for below, above, bits in zip(self.add, self.add[1:], each, strict=False):
            for i, adder in enumerate(below):
                self.wire(adder, above[i // 2], bandwidth=bits, **up)
        for level in self.add if augmented else ():
            for i in range(2, len(level) - 1, 2):
                self.duplex(
                    level[i - 1],
                    level[i],
                    bandwidth=link_bandwidth or sum_bits,
                    latency=link_latency,
                    lane=sum_bits,
                    pj_per_bit=link_pj_per_bit,
                )
        for adder in self.add[-1] if collect == "root" else [a for v in self.add for a in v]:
            self.wire(
                adder,
                self.out,
                bandwidth=out_bandwidth or sum_bits,
                latency=out_latency,
                lane=sum_bits,
                pj_per_bit=out_pj_per_bit,
            )


def levels_of(leaves: object) -> list[int]:
    """Return the number of Adders of each level of a tree, from the multipliers to the root.

    Raises
    ------
    InputError
        If the leaves are not a power of two from 2 to 256.
    """
    known = isinstance(leaves, int) and not isinstance(leaves, bool)
    if not known or not isinstance(leaves, int) or not LEAST <= leaves <= MOST:
        rule = f"ReductionTree: leaves must be a power of two from {LEAST} to {MOST}"
        raise InputError(f"{rule}, not {leaves!r}")
    if leaves & (leaves - 1):
        rule = "ReductionTree: leaves must be a power of two, since every Adder has two below it"
        raise InputError(f"{rule}, not {leaves}")
    return [leaves >> level for level in range(1, leaves.bit_length())]


def has_link(width: int, index: int) -> bool:
    """Whether the Adder ``index`` of a level of ``width`` Adders has a side link."""
    return 0 < index < width - 1


def link_of(width: int, index: int) -> int | None:
    """Return the Adder at the other end of the side link, if there is one."""
    if not has_link(width, index):
        return None
    return index + 1 if index % 2 else index - 1


def bandwidths(bandwidth: int | Sequence[int], levels: int) -> list[int]:
    """Return the bandwidth of the Wires that go up from each of ``levels`` levels."""
    if not isinstance(bandwidth, Sequence):
        return [bandwidth] * levels
    if len(bandwidth) != levels:
        rule = f"ReductionTree: bandwidth must be one number, or one for each of {levels} levels"
        raise InputError(f"{rule} that go up, not {len(bandwidth)}")
    return list(bandwidth)
