"""Dot products for reduction trees, and trees to try them on."""

from hwdsl.workload import Workload


def dots(lengths, at=None, *, bits=32, store=True):
    """Return a Workload of dot products, on the multipliers from ``at`` on if it is given."""
    work = Workload(bits=8)
    for i, length in enumerate(lengths):
        pairs = [work.load(f"a{i}_{j}", f"b{i}_{j}", at="feed") for j in range(length)]
        on = None if at is None else f"mul[{at[i]}]"
        result = work.dot(pairs, name=f"dot{i}", bits=bits, on=on)
        if store:
            work.store(result, at="out")
    return work


def packed(lengths):
    """Return the first leaf of each dot product, packed from leaf 0 on."""
    return [sum(lengths[:i]) for i in range(len(lengths))]


def partitions(leaves, least=2):
    """Yield every way to part adjacent leaves into dot products."""
    if leaves == 0:
        yield ()
    for first in range(least, leaves + 1):
        yield from ((first, *rest) for rest in partitions(leaves - first, least))


def link_moves(schedule):
    """Return how many Moves cross side links."""
    names = [wire.name for wire in schedule.hardware.wires]
    ends = [names[w].split("->") for w in schedule.moves["wire"].tolist()]
    return sum(a[:6] == b[:6] for a, b in ends)
