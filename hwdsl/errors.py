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
        return f"{self.text}\n{' ' * (self.column - 1)}^" if self.text else ""


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


class IllegalSchedule(HwdslError):
    """A Schedule breaks a rule of the timing contract; raised by `dtt.check`."""

    status = 1


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
