"""Chains: the Moves of a Schedule, joined to the paths of data through the machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.waypoints import FOREVER

from .columns import data_sizes
from .presence import INFINITE, beats_of, find, storing, wire_field

if TYPE_CHECKING:
    from .schedule import Schedule


class Chains:
    """All Moves, by their place in ``schedule.moves``, and which of them follows which.

    A copy that arrives goes on with at most one of the departures that it serves.

    Attributes
    ----------
    moves : list of (int, int, int)
        Datum, Wire and departure.
    source, target, done : list of int
        The ends of the Wire, and when the datum is at the target (see docs/rebuild.md).
    last : array of int64
        For each presence, the last cycle for which a program keeps it: its end, but for an operand
        that is updated in place, which stays to the start of the Op.
    owner : list of bool
        Whether the Move begins the presence that it leads to.
    end : list of int
        The last cycle of that presence; of a Junction: ``done``.
    next : list of int
        The Move that follows, or -1.
    """

    def __init__(self, schedule: Schedule):
        self.hardware = schedule.hardware
        self.sizes = data_sizes(schedule.workload).tolist()
        self.stores = storing(schedule.hardware).tolist()
        moves, presences = schedule.moves, schedule.presences
        self.moves: list[tuple[int, int, int]] = moves[["datum", "wire", "cycle"]].tolist()
        source, target, latency = (
            wire_field(self.hardware, moves, name) for name in ("source", "target", "latency")
        )
        beats = beats_of(self.hardware, schedule.workload, moves)
        lands = storing(self.hardware)[target]
        arrival = moves["cycle"] + latency
        done = np.where(lands, arrival + beats - 1, arrival)
        self.source, self.target, self.done = source.tolist(), target.tolist(), done.tolist()
        self._over = (moves["cycle"] + beats - 1).tolist()
        self.last = presences["end"].copy()
        heirs = presences["previous"] >= 0
        self.last[presences["previous"][heirs]] = presences["begin"][heirs]
        left = find(presences, moves["datum"], source, moves["cycle"])
        left[~storing(self.hardware)[source]] = -1
        reached = find(presences, moves["datum"], target, arrival)
        reached[~lands] = -1
        self.end = np.where(lands, self.last[reached], done).tolist()
        self.owner = [False] * len(moves)
        self.next = [-1] * len(moves)
        self._join_nodes(presences, reached.tolist(), left.tolist(), arrival.tolist())
        self._join_junctions(arrival.tolist())

    def _join_nodes(
        self, presences: np.ndarray, reached: list[int], left: list[int], arrival: list[int]
    ) -> None:
        begins = presences["begin"].tolist()
        by_wire = (presences["cause"] == 2).tolist()
        arrivals: dict[int, list[int]] = defaultdict(list)
        departures: dict[int, list[int]] = defaultdict(list)
        for move, (there, here) in enumerate(zip(reached, left, strict=True)):
            if there >= 0:
                arrivals[there].append(move)
            if here >= 0:
                departures[here].append(move)
        for presence, coming in arrivals.items():
            coming.sort(key=lambda m: (arrival[m], self.moves[m][1]))
            owns = by_wire[presence] and arrival[coming[0]] == begins[presence]
            self.owner[coming[0]] = owns
            leaving = departures.get(presence, [])
            # The first to come goes on with the last to leave: then that is its end.
            closing = [m for m in leaving if self._over[m] == self.end[coming[0]]]
            for move in coming:
                later = [m for m in leaving if self.moves[m][2] >= self.done[move]]
                best = next((m for m in closing if m in later), None) if owns else None
                if later:
                    self.next[move] = best if best is not None else later[0]
                    leaving = [m for m in leaving if m != self.next[move]]
                owns = False

    def _join_junctions(self, arrival: list[int]) -> None:
        there: dict[tuple[int, int, int], int] = {}
        for move, (datum, _, _) in enumerate(self.moves):
            if not self.stores[self.target[move]]:
                there.setdefault((datum, self.target[move], arrival[move]), move)
        for move, (datum, _, cycle) in enumerate(self.moves):
            if not self.stores[self.source[move]]:
                before = there.get((datum, self.source[move], cycle), -1)
                if before >= 0 and self.next[before] < 0:
                    self.next[before] = move

    def firsts(self) -> list[int]:
        """Return the Moves that follow no other."""
        followed = set(self.next)
        return [move for move in range(len(self.moves)) if move not in followed]

    def following(self, move: int, before: int) -> Iterator[int]:
        """Yield a Move and all that follow it and depart before a cycle."""
        while move >= 0 and self.moves[move][2] < before:
            yield move
            move = self.next[move]

    def passes(self, move: int, following: int) -> bool:
        """Return whether the Point between two Moves need not be told of."""
        return not self.owner[move] or self.end[move] == self._over[following]

    def stay(self, move: int, following: int) -> int:
        """Return the stay of the way-point to which a Move leads.

        Parameters
        ----------
        following : int
            The Move with which the same path goes on, or -1.
        """
        if not self.owner[move] or (following >= 0 and self.passes(move, following)):
            return 0
        return FOREVER if self.end[move] >= INFINITE else self.end[move] - self.done[move]
