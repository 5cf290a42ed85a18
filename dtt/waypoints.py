"""Way-points: from a Schedule to the program from which the controller rebuilds its Moves."""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hwdsl.errors import InputError
from hwdsl.waypoints import CONTENT, FOREVER, HOME, PATH, WAY_POINT, WINDOW, Kind, Waypoints

from .chains import Chains
from .legs import Legs
from .operations import operations
from .pace import Pace, pace
from .presence import INFINITE, Cause

if TYPE_CHECKING:
    from .schedule import Schedule


def waypoints(
    schedule: Schedule, *, window: int = WINDOW, depth: int = 0, full: bool = False
) -> Waypoints:
    """Return the way-point program of a Schedule; see `paced_waypoints`.

    Parameters
    ----------
    full : bool
        List every Move as a path of its own, with nothing left to be found: what the program would
        be without the rule. No lead is chosen for it.
    """
    if full:
        return _chosen(schedule, schedule.program().cycles, window, full=True)
    return paced_waypoints(schedule, window=window, depth=depth)[0]


def paced_waypoints(
    schedule: Schedule, *, window: int = WINDOW, depth: int = 0
) -> tuple[Waypoints, Pace]:
    """Return the way-point program of a Schedule that `dtt.check` has found legal, and its pace.

    Every path goes to the farthest of its Points from which the rule of docs/rebuild.md comes back
    to the very Moves that are scheduled; where no search gives them back, a Move is a step.

    Parameters
    ----------
    window : int
        Cycles that the controller sees at once.
    depth : int
        Commands that each port can keep until they act; 0: as many as the program takes.

    Raises
    ------
    InputError
        If the Hardware has MAC engines, which a controller does not command.
    LimitReached
        If the program takes longer lists than ``depth``; it says which.
    """
    program = schedule.program()
    made = _chosen(schedule, program.cycles, window, full=False)
    found = pace(schedule.hardware, made, program, depth)
    return replace(made, lead=found.lead, ahead=found.ahead, depth=found.depth), found


def _chosen(schedule: Schedule, cycles: int, window: int, full: bool) -> Waypoints:
    """Return the program before its lead is known."""
    hardware, workload = schedule.hardware, schedule.workload
    for actor in hardware.actors:
        if actor.is_mac_engine:
            rule = "way-points do not command MAC engines; tables do"
            raise InputError(f"Actor {actor.name!r}: {rule}")
    chains = Chains(schedule)
    paths, points = _steps(chains) if full else _Cutter(chains, window).run()
    loaded = schedule.presences[schedule.presences["cause"] == Cause.LOADED]
    last = chains.last[schedule.presences["cause"] == Cause.LOADED]
    contents: Rows = sorted(
        (datum, point, _stay(0, end))
        for datum, point, end in zip(
            loaded["datum"].tolist(), loaded["point"].tolist(), last.tolist(), strict=True
        )
    )
    forms, reads, ops, operands = operations(schedule, chains.last)
    _leave_out_homes(schedule, contents, paths, points)
    return Waypoints(
        hardware=hardware.fingerprint,
        cycles=cycles,
        window=window,
        word=hardware.word,
        lead=0,
        ahead=0,
        depth=0,
        data=tuple((d.name, d.bits, d.shape) for d in workload.data),
        contents=np.array(contents, np.int64).reshape(-1, len(CONTENT)),
        paths=np.array(paths, np.int64).reshape(-1, len(PATH)),
        points=np.array(points, np.int64).reshape(-1, len(WAY_POINT)),
        forms=forms,
        reads=reads,
        operations=ops,
        operands=operands,
    )


Rows = list[tuple[int, ...]]


def _stay(complete: int, end: int) -> int:
    return FOREVER if end >= INFINITE else end - complete


def _leave_out_homes(schedule: Schedule, contents: Rows, paths: Rows, points: Rows) -> None:
    """Leave out the sources of paths that begin where their datum was brought last."""
    hardware, workload = schedule.hardware, schedule.workload
    home = {datum: point for datum, point, _ in contents}
    firings = schedule.firings.tolist()
    made = at = 0
    for i, (start, datum, source, count) in enumerate(paths):
        while made < len(firings) and firings[made][3] < start:
            op, _, actor, _ = firings[made]
            home[workload.ops[op].result.index] = hardware.actors[actor].result_at
            made += 1
        if home.get(datum) == source or points[at][1] == Kind.STEP:
            paths[i] = (start, datum, HOME, count)
        at += count
        _, kind, place, _, _ = points[at - 1]
        home[datum] = hardware.wires[place].target if kind == Kind.STEP else place


def _steps(chains: Chains) -> tuple[Rows, Rows]:
    """Return every Move as a path of one step."""
    paths: Rows = []
    points: Rows = []
    for i, (datum, wire, cycle) in enumerate(chains.moves):
        paths.append((cycle, datum, chains.source[i], 1))
        stay = _stay(chains.done[i], chains.end[i]) if chains.owner[i] else 0
        points.append((0, Kind.STEP, wire, 0, stay))
    return paths, points


class _Cutter:
    """Cuts chains of Moves into legs, in the order in which the controller works."""

    def __init__(self, chains: Chains, window: int):
        self._chains, self._window = chains, window
        self._legs = Legs(chains.hardware, window)
        self._paths: Rows = []
        self._points: Rows = []

    def run(self) -> tuple[Rows, Rows]:
        chains = self._chains
        heap = [(*self._rank(first), first) for first in chains.firsts()]
        heapq.heapify(heap)
        while heap:
            first = heapq.heappop(heap)[-1]
            rest = self._path(first)
            if rest >= 0:
                heapq.heappush(heap, (*self._rank(rest), rest))
        return self._paths, self._points

    def _rank(self, move: int) -> tuple[int, int, int]:
        datum, wire, cycle = self._chains.moves[move]
        return cycle, datum, wire

    def _path(self, first: int) -> int:
        """Write one path from a Move on; return the Move with which another must begin, or -1."""
        chains = self._chains
        datum, _, start = chains.moves[first]
        self._legs.open(start, chains.sizes[datum])
        chain = list(chains.following(first, start + self._window))
        at, cycle, count, reached = chains.source[first], start, len(self._points), 0
        while reached < len(chain) and cycle < start + self._window:
            wait, kind, place, by, length = self._leg(chain[reached:], at, cycle, start)
            for move in chain[reached : reached + length]:
                self._legs.reserve(*chains.moves[move][1:])
            reached += length
            arrived = chain[reached - 1]
            goes_on = reached < len(chain) and chains.done[arrived] < start + self._window
            stay = chains.stay(arrived, chain[reached] if goes_on else -1)
            self._points.append((wait, kind, place, by, stay))
            at, cycle = chains.target[arrived], chains.done[arrived]
        source = chains.source[first]
        self._paths.append((start, datum, source, len(self._points) - count))
        return chain[reached] if reached < len(chain) else chains.next[chain[-1]]

    def _leg(
        self, chain: list[int], at: int, cycle: int, start: int
    ) -> tuple[int, Kind, int, int, int]:
        """Return wait, kind, place and by of the leg that covers the most Moves, and how many."""
        chains, legs = self._chains, self._legs
        late = chains.moves[chain[0]][2] - cycle
        for length in reversed(range(1, self._reach(chain, start) + 1)):
            end = chain[length - 1]
            target, done = chains.target[end], chains.done[end] - start
            moves = [chains.moves[move][1:] for move in chain[:length]]
            ends = ((Kind.NEAR, self._window - 1), (Kind.BY, done))
            for kind, last in ends if target != at else ():
                if kind is Kind.BY and not chains.stores[target]:
                    last = -done - 1
                for wait in (0, late) if late else (0,):
                    begin = cycle + wait - start
                    if legs.gives(at, begin, target, last, moves):
                        by = done - begin if kind is Kind.BY else 0
                        return wait, kind, target, by, length
        return late, Kind.STEP, chains.moves[chain[0]][1], 0, 1

    def _reach(self, chain: list[int], start: int) -> int:
        """Return how many Moves a leg can cover: those in the window, up to a Point that stays."""
        chains = self._chains
        for length, move in enumerate(chain):
            if chains.done[move] >= start + self._window:
                return length
            if length + 1 == len(chain) or not chains.passes(move, chain[length + 1]):
                return length + 1
        return len(chain)


def way_points_per_path(program: Waypoints) -> float:
    """Return the mean number of way-points of a path; 0 without paths."""
    return len(program.points) / len(program.paths) if len(program.paths) else 0.0
