"""An Adder: a Node of flip-flops, in which what lands in one row is summed."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, Module, Mux, Signal

from hwdsl import hardware

from .node import Access, Neighbours, Node


class Adder(Node):
    """Sums modulo 2^row whatever is written to a row in one cycle.

    The sum starts from what the row holds, or from 0 if one of the writes is ``first``. It can be
    read in the same cycle. All members are those of `Node`.

    Parameters
    ----------
    deaf_to : int, optional
        Number of a write that is left out of the sum: a planted fault, for tests.
    """

    def __init__(
        self,
        point: hardware.Point,
        word: int,
        neighbours: Neighbours,
        loadable: bool = False,
        deaf_to: int | None = None,
    ):
        self._deaf_to = deaf_to
        super().__init__(point, word, neighbours, loadable)

    def _store(self) -> None:
        rows = range(self._point.rows)
        self.sums = [Signal(self._point.row, name=f"row{i}", reset_less=True) for i in rows]

    def _access(self, m: Module, reads: Sequence[Access], writes: Sequence[Access]) -> None:
        following = [Signal.like(kept, name=f"next{i}") for i, kept in enumerate(self.sums)]
        for row, (kept, sum_) in enumerate(zip(self.sums, following, strict=True)):
            first, added = 0, 0
            for i, write in enumerate(writes):
                here = write["words"].any() & (write["row"] == row)
                first = (here & write["first"]) | first
                if i != self._deaf_to:
                    added = Mux(here, write["data"], 0) + added
            m.d.comb += sum_.eq(Mux(first, 0, kept) + added)
            m.d.sync += kept.eq(sum_)
            if hasattr(self, "load"):
                with m.If(self.load.write & (self.load.address == row)):
                    m.d.sync += kept.eq(self.load.data)
        for read in reads:
            with m.If(read["enable"]):
                m.d.sync += read["data"].eq(Array(following)[read["row"]])
