"""Schedules of which each has its own Program run on one built model."""

import pytest
from engine_needed import need
from many_schedules import different, judge
from streams import four_pe


@pytest.mark.engines
def test_fifty_different_schedules_run_on_one_model(cache):
    need("cxxrtl")
    models = set()
    for seed, schedule in enumerate(different(four_pe(), 50)):
        passed, events = judge(schedule, seed, "cxxrtl", cache)
        assert passed
        assert events > 10
        models.add(frozenset(path.name for path in cache.iterdir()))
    assert len(models) == 1
