"""Improving: rip some uses of a Schedule up and route them again, the others' copies present.

Every Firing stays where it is, and so does the cycle in which each item is served: cycles never
grow. Data are taken in batches. For each batch an engine holds everything else, and some uses of
the batch are routed again in another order, now and then by way of a Node that one of their data
had not visited; whatever serves no more requests, or all at less energy, is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

from .engine import Engine
from .replay import Replay, Steps, Use
from .schedule import Schedule

BATCH = 16
"""The most uses in one batch, unless one datum alone has more."""

SEED = 20_260_101

Cost = tuple[int, int, int]
"""Requests that are not served, energy (1e-6 pJ), Moves."""


def improve(schedule: Schedule, rounds: int, tries: int, engine: str = "auto") -> Schedule:
    """Return a Schedule of no more energy that serves no fewer requests.

    Parameters
    ----------
    schedule : Schedule
        A legal one.
    rounds : int
        How often each datum comes into a batch, each time with others.
    tries : int
        Random attempts for each use of a batch, after every use was routed again on its own.
    engine : str
        See `dtt.engine.make_engine`.
    """
    if (schedule.firings["part"] >= 0).any():
        return schedule  # partial sums are no copies, so nothing can be routed around them
    replay = Replay(schedule, engine)
    random = Random(SEED)
    for turn in range(rounds):
        batches = _batches(replay, random, shuffled=turn > 0)
        _visit(replay, replay.engine(), [_Batch(replay, b, random) for b in batches], tries)
    return replay.result()


def _batches(replay: Replay, random: Random, shuffled: bool) -> list[list[int]]:
    """Group the data; those that may not be routed anew come last, each alone."""
    lacking = {use.datum for use in replay.missing.values()}
    free = [d for d, free in enumerate(replay.free) if free and (replay.steps[d] or d in lacking)]
    if shuffled:
        random.shuffle(free)
    batches: list[list[int]] = []
    room = 0
    for datum in free:
        uses = len(replay.uses[datum]) + (datum in lacking)
        if uses > room:
            batches.append([])
            room = BATCH
        batches[-1].append(datum)
        room -= uses
    return batches


def _visit(replay: Replay, engine: Engine, batches: Sequence[_Batch], tries: int) -> None:
    """Work on each batch with all others in the engine, which ends as it began.

    By halves, so that each datum is put into the engine once for every doubling of the batches.
    """
    inside = {d for batch in batches for d in batch.data}
    for datum, steps in enumerate(replay.steps):
        if datum not in inside:
            replay.put(engine, datum, steps, replay.uses[datum])
    _halve(engine, batches, tries)


def _halve(engine: Engine, batches: Sequence[_Batch], tries: int) -> None:
    if len(batches) == 1:
        batches[0].work(engine, tries)
    elif batches:
        half = len(batches) // 2
        for mine, others in ((batches[:half], batches[half:]), (batches[half:], batches[:half])):
            mark = engine.mark()
            for batch in others:
                batch.put(engine)
            _halve(engine, mine, tries)
            engine.rollback(mark)


class _Batch:
    """Some data whose uses are routed again, over all that is promised to others."""

    def __init__(self, replay: Replay, data: list[int], random: Random):
        self.data = data
        self._replay = replay
        self._random = random
        inside = set(data)
        self._missing = [u for u in replay.missing.values() if u.datum in inside]

    def put(self, engine: Engine) -> None:
        """Promise everything of the batch as it is now."""
        for datum in self.data:
            self._replay.put(engine, datum, self._replay.steps[datum], self._replay.uses[datum])

    def work(self, engine: Engine, tries: int) -> None:
        """Try, and keep what is better; the engine ends as it began."""
        best = self._measure(engine)
        for ruined, by_way in self._ideas(tries):
            mark = engine.mark()
            found = self._again(engine, ruined, by_way)
            if found is not None:
                cost, steps, uses = found
                if cost <= best:
                    best = cost
                    for datum in steps:
                        self._replay.steps[datum] = steps[datum]
                        self._replay.uses[datum] = uses[datum]
                    served = {u for mine in uses.values() for u in mine}
                    self._missing = [u for u in self._missing if u not in served]
            engine.rollback(mark)
        for use in self._missing:
            self._replay.missing[use.request or 0] = use

    def _measure(self, engine: Engine) -> Cost:
        mark = engine.mark()
        self.put(engine)
        cost = self._cost(engine, {d: self._replay.steps[d] for d in self.data}, self._missing)
        engine.rollback(mark)
        return cost

    def _cost(self, engine: Engine, steps: dict[int, Steps], missing: Sequence[Use]) -> Cost:
        energy = sum(self._replay.energy(engine, d, s) for d, s in steps.items())
        return len(missing), energy, sum(map(len, steps.values()))

    def _ideas(self, tries: int) -> Iterator[tuple[list[Use], list[tuple[int, int, int]]]]:
        """Yield uses to route again, in order, and the ways (datum, point, cycle) to go before."""
        for datum in self.data:
            for use in list(self._replay.uses[datum]):
                if use in self._replay.uses[datum]:
                    yield [*self._missing, use], []
        for datum in self.data:
            uses = list(self._replay.uses[datum])
            if 2 <= len(uses) <= 3:
                for order in permutations(uses):
                    yield [*order, *self._missing], []
            else:
                yield sorted(uses, key=lambda use: (use.by, use.point)), []
                yield sorted(uses, key=lambda use: (-use.by, use.point)), []
        for _ in range(tries * sum(len(self._replay.uses[d]) for d in self.data)):
            yield self._random_idea()

    def _random_idea(self) -> tuple[list[Use], list[tuple[int, int, int]]]:
        random, replay = self._random, self._replay
        uses = [use for d in self.data for use in replay.uses[d]]
        kind = random.randrange(3)
        if kind == 0:
            datum = random.choice(self.data)
            ruined = list(replay.uses[datum])
        elif kind == 1:
            few = random.sample(self.data, min(len(self.data), 2))
            ruined = [use for d in few for use in replay.uses[d]]
        else:
            ruined = random.sample(uses, min(len(uses), random.randint(1, 5)))
        ruined += self._missing
        random.shuffle(ruined)
        by_way = []
        if ruined and random.randrange(2):
            use = random.choice(ruined)
            stores = [p.index for p in replay.hardware.points if p.stores and p.kind != "Adder"]
            by_way.append((use.datum, random.choice(stores), random.randint(0, use.by)))
        return ruined, by_way

    def _again(
        self, engine: Engine, ruined: list[Use], by_way: list[tuple[int, int, int]]
    ) -> tuple[Cost, dict[int, Steps], dict[int, list[Use]]] | None:
        """Route some uses again; ``None`` if one that was served no longer is."""
        replay = self._replay
        mark = engine.mark()
        out = set(ruined)
        uses = {d: [u for u in replay.uses[d] if u not in out] for d in self.data}
        steps = {d: replay.needed(d, replay.steps[d], uses[d]) for d in self.data}
        for datum in self.data:
            replay.put(engine, datum, steps[datum], uses[datum])
        for datum, point, cycle in by_way:
            _go(engine, Use(datum, point, cycle, cycle), steps)
        lost = set(self._missing)
        for use in ruined:
            if _go(engine, use, steps):
                uses[use.datum].append(use)
                lost.discard(use)
            elif use not in lost:
                return None
        pruned = {d: replay.needed(d, steps[d], uses[d]) for d in self.data}
        if pruned != steps or by_way:
            # What only the way round had needed goes, and so do its stays.
            engine.rollback(mark)
            for datum in self.data:
                replay.put(engine, datum, pruned[datum], uses[datum])
        missing = [use for use in self._missing if use in lost]
        return self._cost(engine, pruned, missing), pruned, uses


def _go(engine: Engine, use: Use, steps: dict[int, Steps]) -> bool:
    path = engine.route(use.datum, use.point, use.by, use.last)
    if path is None:
        return False
    engine.commit(use.datum, path, use.last)
    steps[use.datum] = tuple(
        sorted([*steps[use.datum], *((cycle, wire) for wire, cycle in path.moves)])
    )
    return True
