"""Sorting, joining by time and summing over time, on whole arrays: what every rule is made of."""

from __future__ import annotations

import numpy as np

_MOST = 1 << 62


def order(group: np.ndarray, time: np.ndarray, rank: np.ndarray | None = None) -> np.ndarray:
    """Return the stable order by group, then time, then rank (0 or 1)."""
    if not group.size:
        return np.zeros(0, np.int64)
    if (int(group.max()) + 1) * (int(time.max()) + 1) * 2 >= _MOST:
        return np.lexsort((time, group) if rank is None else (rank, time, group))
    key = group * (int(time.max()) + 1) + time
    return np.argsort(key if rank is None else key * 2 + rank, kind="stable")


def starts(*columns: np.ndarray) -> np.ndarray:
    """Return a mask of the rows that differ from the row before in some column."""
    mask = np.ones(columns[0].size, bool)
    if mask.size:
        mask[1:] = np.any([c[1:] != c[:-1] for c in columns], axis=0)
    return mask


def latest(
    group: np.ndarray, time: np.ndarray, of_group: np.ndarray, at_time: np.ndarray
) -> np.ndarray:
    """Return, for each query, the last event of its group not after its time, or -1.

    Parameters
    ----------
    group, time : arrays of int, one row an event
    of_group, at_time : arrays of int, one row a query

    Returns
    -------
    array of int
        Index of an event; among equals the one that was given last.
    """
    events = group.size
    groups = np.concatenate((group, of_group))
    query = np.arange(groups.size) >= events
    by = order(groups, np.concatenate((time, at_time)), query.astype(np.int64))
    place = np.maximum.accumulate(np.where(query[by], -1, np.arange(by.size)))
    found = np.where(place >= 0, by[place], -1)
    found[groups[found] != groups[by]] = -1
    answer = np.empty(groups.size, np.int64)
    answer[by] = found
    return answer[events:]


def running_max(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the largest value so far within each group; rows of a group are adjacent."""
    if not group.size:
        return values
    known, level = np.unique(values, return_inverse=True)
    ascending = np.cumsum(starts(group)) * known.size
    largest: np.ndarray = known[np.maximum.accumulate(ascending + level) - ascending]
    return largest


def occupancy(
    place: np.ndarray, begin: np.ndarray, end: np.ndarray, amount: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum amounts that are each taken in a place for the cycles ``begin .. end``.

    Returns
    -------
    place, cycle, total : arrays of int
        In each cycle in which something changes in a place, what is taken from then on; sorted.
    """
    places = np.concatenate((place, place))
    cycles = np.concatenate((begin, end + 1))
    by = order(places, cycles)
    places, cycles = places[by], cycles[by]
    total = np.cumsum(np.concatenate((amount, -amount))[by])  # every place ends with 0
    last = np.roll(starts(places, cycles), -1)
    return places[last], cycles[last], total[last]


def overfull(
    place: np.ndarray, begin: np.ndarray, end: np.ndarray, amount: np.ndarray, limit: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return place, cycle and total wherever a place comes to hold more than its limit."""
    places, cycles, total = occupancy(place, begin, end, amount)
    over = total > limit[places]
    onset = over.copy()
    onset[1:] &= ~(over[:-1] & (places[1:] == places[:-1]))
    return places[onset], cycles[onset], total[onset]
