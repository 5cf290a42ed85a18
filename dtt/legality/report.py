"""What is broken: the violations, of which the first are told in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hwdsl.errors import IllegalSchedule, Violation

LIMIT = 20
"""Violations that are told in words; the rest is counted."""


class Report:
    """Gathers violations; the sentences of those beyond `LIMIT` are never made."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.count = 0

    def first(self, bad: np.ndarray) -> Iterator[int]:
        """Count the rows that a mask or an index array names, and yield those to be told."""
        rows = np.flatnonzero(bad) if bad.dtype == bool else bad
        self.count += rows.size
        yield from rows[: max(0, LIMIT - len(self.violations))].tolist()

    def tell(
        self,
        rule: str,
        sentence: str,
        part: str | None = None,
        datum: str | None = None,
        cycle: int | None = None,
    ) -> None:
        """Add the words of a violation that `first` has counted."""
        self.violations.append(Violation(rule, sentence, part, datum, cycle))

    def add(
        self,
        rule: str,
        sentence: str,
        part: str | None = None,
        datum: str | None = None,
        cycle: int | None = None,
    ) -> None:
        """Count a violation, and keep its words while there is room."""
        self.count += 1
        if len(self.violations) < LIMIT:
            self.tell(rule, sentence, part, datum, cycle)

    def close(self) -> None:
        """Raise `IllegalSchedule` if anything was found."""
        if self.count:
            raise IllegalSchedule(*self.violations, count=self.count)
