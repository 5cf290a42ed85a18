"""Faults that reach a user: each is one sentence, and knows its exit status."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in an input file; line and column count from 1."""

    file: str
    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def caret(self) -> str:
        """Return the source line with a caret under the column, or ``""``."""
        if not self.text:
            return ""
        indent = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
        return f"{self.text}\n{indent:<{self.column - 1}}^"


@dataclass(frozen=True)
class Fault:
    """One broken rule: the sentence, and where in a file it was found."""

    sentence: str
    where: Location | None = None

    def __str__(self) -> str:
        if self.where is None:
            return self.sentence
        caret = self.where.caret()
        return f"{self.where}: {self.sentence}" + (f"\n{caret}" if caret else "")


class HwdslError(Exception):
    """Base of every error that a user can cause; ``status`` is the exit status."""

    status = 1


class InputError(HwdslError):
    """Bad input: carries all faults that were found, not only the first.

    Attributes
    ----------
    faults : tuple[Fault, ...]
    """

    status = 2

    def __init__(self, *faults: Fault | str):
        self.faults = tuple(f if isinstance(f, Fault) else Fault(f) for f in faults)
        super().__init__("\n".join(str(f) for f in self.faults))


class TimingFault(HwdslError):
    """An operand or a need that cannot be where it is needed in time (``strict=True``)."""

    status = 1


@dataclass(frozen=True)
class Violation:
    """One place where a Schedule breaks the timing contract.

    Attributes
    ----------
    rule : str
        Short name of the rule, such as ``"lanes"`` or ``"capacity"``, or ``""``.
    part, datum : str or None
        Names; ``None`` where the rule has none.
    cycle : int or None
    """

    rule: str
    sentence: str
    part: str | None = None
    datum: str | None = None
    cycle: int | None = None

    def __str__(self) -> str:
        return f"{self.rule}: {self.sentence}" if self.rule else self.sentence


class IllegalSchedule(HwdslError):
    """A Schedule breaks rules of the timing contract; raised by `dtt.check`.

    Attributes
    ----------
    violations : tuple of Violation
        The first of those that were found.
    count : int
        How many were found.
    """

    status = 1

    def __init__(self, *violations: Violation | str, count: int = 0):
        self.violations = tuple(Violation("", v) if isinstance(v, str) else v for v in violations)
        self.count = max(count, len(violations))
        lines = [str(v) for v in self.violations]
        if self.count > len(violations):
            lines.append(f"... and {self.count - len(violations)} more")
        super().__init__("\n".join(lines))


class NoSchedule(HwdslError):
    """It is proved that no schedule exists."""

    status = 3


class LimitReached(HwdslError):
    """The search ran out of ideas or of limits; a schedule may still exist."""

    status = 4


class ToolMissing(HwdslError):
    """A program or package that the request needs is not installed."""

    status = 5


class HardwareWarning(UserWarning):
    """A legal fabric that will cost more in hardware than its author may expect."""
