"""Pace: the lead that a controller needs so that nothing is late, and how long its lists must be.

A list of pending commands never overflows: the controller works off no cycle that is more than
``ahead`` cycles away, and ``ahead`` is such that no port has more commands than its list holds in
any ``ahead + 1`` cycles. So a packet never waits, and every clock cycle is known beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwdsl.errors import LimitReached
from hwdsl.hardware import Hardware
from hwdsl.program import Program
from hwdsl.waypoints import Waypoints

from .controller_clocks import Clocks

MOST_AHEAD = (1 << 24) - 1
"""Cycles by which a command is sent ahead at most."""


@dataclass(frozen=True)
class Pace:
    """What a controller needs for a program, and what it then does.

    Attributes
    ----------
    lead : int
        Clock cycles from its start to cycle 0.
    ahead : int
        Cycles by which it sends a command ahead at most.
    depth : int
        Commands that a port must be able to keep.
    clocks : int
        Clock cycles in which it works, and does not only go on to the next cycle.
    busy : float
        Their share of all clock cycles up to the end of the program, and of the work for it.
    slack : int
        Clock cycles by which the tightest packet comes earlier than it must.
    """

    lead: int
    ahead: int
    depth: int
    clocks: int
    busy: float
    slack: int


def pace(hardware: Hardware, waypoints: Waypoints, program: Program, depth: int = 0) -> Pace:
    """Return what a controller needs for a program.

    Parameters
    ----------
    program : Program
        What is rebuilt from the way-points.
    depth : int
        Commands that the list of each port holds; 0: the least that will do.

    Raises
    ------
    LimitReached
        If lists of that depth are too short; it says which depth would do.
    """
    work = _Work(Clocks(hardware, waypoints), waypoints.cycles, _commands(program))
    if depth:
        found = work.paced(depth)
        if found is not None:
            return found
    least, most = 1, max((len(cycles) for cycles in work.commands), default=1)
    while least < most:
        middle = (least + most) // 2
        if work.paced(middle) is None:
            least = middle + 1
        else:
            most = middle
    found = work.paced(least)
    if found is None:
        raise LimitReached(f"Program: it is longer than {MOST_AHEAD} cycles can be sent ahead")
    if depth:
        rule = f"lists of {depth} pending commands are too short for it: it needs {least}"
        raise LimitReached(f"Program: {rule}")
    return found


class _Work:
    """The work of a controller, and the cycles of the commands of each port."""

    def __init__(self, clocks: Clocks, cycles: int, commands: list[np.ndarray]):
        self._clocks, self._cycles, self.commands = clocks, cycles, commands
        self._work = sorted(clocks.stretches.items())

    def paced(self, depth: int) -> Pace | None:
        """Return the lead for lists of a depth; ``None`` if the controller is too slow for it."""
        startup, ahead = self._clocks.startup, self._ahead(depth)
        # Late by nothing that a longer lead could mend: even with all of it the cycles wait.
        if self._late(startup, 2 * self._cycles + self._busy, ahead)[0] > 0:
            return None
        lead = max(1, self._late(startup, 0, MOST_AHEAD)[0])
        ahead = min(ahead, lead + self._cycles)
        late, end = self._late(startup, lead, ahead)
        busy = self._busy / max(end, lead + self._cycles)
        return Pace(lead, ahead, depth, self._busy, busy, -late)

    @property
    def _busy(self) -> int:
        work = sum(stretch.paths + stretch.rest for _, stretch in self._work)
        return self._clocks.startup + work

    def _late(self, now: int, lead: int, ahead: int) -> tuple[int, int]:
        """Return by how many clock cycles the latest packet is late, and when the work ends."""
        done, late = 0, -lead - self._cycles
        for cycle, stretch in self._work:
            gate = cycle + lead - ahead
            # A cycle with nothing to do takes one clock cycle, and waits for its turn, too.
            now = max(now + cycle - done, gate if cycle > done else now) + stretch.paths
            now = max(now, gate)
            if stretch.reach:
                late = max(late, now + stretch.reach - cycle - lead)
            now, done = now + stretch.rest, cycle + 1
        return late, now

    def _ahead(self, depth: int) -> int:
        """Return by how many cycles commands may be sent ahead, for lists of a depth."""
        ahead = MOST_AHEAD
        for cycles in self.commands:
            if len(cycles) > depth:
                # Between a command and the one ``depth`` later there must be more cycles.
                ahead = min(ahead, int((cycles[depth:] - cycles[:-depth]).min()) - 1)
        return ahead


def _commands(program: Program) -> list[np.ndarray]:
    """Return the cycles of the commands of each port that has any."""
    found = []
    for name in ("sends", "steers", "lands", "fires", "results"):
        rows = getattr(program, name)
        rows = rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1]))]
        starts = np.flatnonzero(np.any(np.diff(rows[:, 1:3], axis=0), axis=1)) + 1
        found += [some[:, 0] for some in np.split(rows, starts) if len(some)]
    return found
