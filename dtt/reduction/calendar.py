"""Who uses what when, as sets of cycles: one integer per resource, time running backwards.

Bit ``horizon - t`` of an integer stands for cycle t. Seen so, waiting leads from a bit to the next
higher one, and a whole stretch of free cycles is filled by one addition.
"""

from __future__ import annotations

from collections.abc import Iterable


class Calendar:
    """For many resources, the cycles in which each of them is full.

    Parameters
    ----------
    places : iterable of int
        How many can use each resource in one cycle.

    Attributes
    ----------
    full : list of int
        For each resource, the cycles in which nothing more fits.
    """

    def __init__(self, places: Iterable[int]):
        self._layers = [[0] * n for n in places]
        self.full = [0 if layers else -1 for layers in self._layers]

    def take(self, resource: int, cycles: int) -> None:
        """Use one place of a resource in each of a set of cycles, all of which are free."""
        layers = self._layers[resource]
        for i, used in enumerate(layers):
            layers[i] = used | cycles
            cycles &= used
            if not cycles:
                break
        assert not cycles, "a place is taken that is not there"
        self.full[resource] = layers[-1]

    def grow(self, cycles: int) -> None:
        """Move the horizon by that many cycles."""
        for resource, layers in enumerate(self._layers):
            if layers:
                layers[:] = [used << cycles for used in layers]
                self.full[resource] = layers[-1]


def fill(seeds: int, free: int) -> int:
    """Return the cycles from which some seed is reached by waiting in free cycles only.

    The seeds must be free themselves. In a run of free bits the sum carries from the lowest seed
    to the end of the run.
    """
    return ((free + seeds) ^ free) & free | seeds


def spread_down(cycles: int, steps: int) -> int:
    """Return the cycles, and the ``steps`` cycles after each of them."""
    done = 0
    while done < steps:
        more = min(done + 1, steps - done)
        cycles |= cycles >> more
        done += more
    return cycles
