"""Account: what the paper prints of a layer, what its formulas say, and what was counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hwdsl.hardware import Hardware

from ..schedule import Schedule
from .chiplet import Chiplet
from .expected import Expected, Roofline
from .forms import CONVOLUTIONAL, STACKED, Forms, Printed, forms, least_words, printed
from .generate import LayerWork
from .traffic import Traffic, count


@dataclass(frozen=True)
class Reduction:
    """What adding up the private outputs of Algorithms 4 and 5 takes; the paper leaves it out.

    Attributes
    ----------
    exchanged, stored : int
        Words between clusters, and of the sums to main memory.
    additions : int
        Ops that add two private outputs.
    """

    exchanged: int
    stored: int
    additions: int


@dataclass(frozen=True)
class Account:
    """The figures of a layer on a chiplet, side by side.

    Attributes
    ----------
    seen : Traffic, optional
        Counted in the Trace of a run.
    """

    hardware: Hardware
    work: LayerWork
    schedule: Schedule
    reduction: bool = True
    seen: Traffic | None = None

    @property
    def _stack(self) -> int | None:
        return self.work.stack if self.work.algorithm in STACKED else None

    @cached_property
    def forms(self) -> Forms:
        """The closed forms of the algorithm, as the paper has it."""
        quadrant = Chiplet(self.hardware).quadrants[1]
        return forms(self.work.algorithm, self.work.layer, self._stack, quadrant=quadrant)

    @cached_property
    def printed(self) -> Printed | None:
        return printed(self.work.algorithm, self.work.layer, self._stack)

    @cached_property
    def scheduled(self) -> Traffic:
        return count(self.schedule)

    @cached_property
    def expected(self) -> Expected:
        """What layer and machine alone ask of every part."""
        work = self.work
        return Expected(
            self.hardware, work.layer, work.algorithm, stack=self._stack, reuse=work.reuse
        )

    @cached_property
    def roofline(self) -> Roofline:
        return self.expected.roofline()

    @property
    def least_words(self) -> int:
        """Words at main memory if each of those that the closed form counts crosses once."""
        return least_words(self.work.algorithm, self.work.layer)

    def memory_words(self, traffic: Traffic) -> int:
        """Return what the closed form counts: of Algorithms 4 and 5 the loads alone."""
        if self.work.algorithm in CONVOLUTIONAL:
            return traffic.loads + traffic.stores
        return traffic.loads

    @property
    def scheduled_words(self) -> int:
        return self.memory_words(self.scheduled)

    @property
    def rtl_words(self) -> int | None:
        return None if self.seen is None else self.memory_words(self.seen)

    @property
    def mac_per_word(self) -> float:
        """Of the words that were counted in the Schedule."""
        return self.work.layer.macs / self.scheduled_words

    @cached_property
    def private_sums(self) -> Reduction | None:
        if self.work.algorithm in CONVOLUTIONAL:
            return None
        additions = sum(op.code == "add" for op in self.schedule.workload.ops)
        return Reduction(self.scheduled.exchanged, self.scheduled.stores, additions)

    @property
    def agrees(self) -> bool:
        """Whether what was counted is what was to be expected.

        As the paper has an algorithm, that is the closed form at main memory and what it means for
        every uplink; where every copy may be a source, it is at most that.
        """
        counted = dict(self.scheduled.words)
        if self.seen is not None and self.seen != self.scheduled:
            return False
        if self.work.reuse:
            return self.least_words <= self.scheduled_words <= self.forms.memory_words
        fits = self.scheduled_words == self.forms.memory_words
        return fits and counted == self.expected.words
