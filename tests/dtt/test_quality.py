"""Effort and objective: near the exact optimum, legal, never worse, the same in every run."""

import sys
import warnings

import numpy as np
import pytest
from gathers import BOUNDS, Grid, all_gather, least_steps
from oracle import instance, least_energy
from random_machines import Machine, Seeded, random_workload
from streams import PeMesh, dense, filtered, four_pe, rows

import dtt
from dtt.goals import key
from dtt.improving import improve
from dtt.ordering import in_order, urgent_first
from dtt.replay import Replay
from hwdsl import InputError
from hwdsl.errors import HardwareWarning, LimitReached, NoSchedule

HIGHEST = 3


def gaps(seeds, effort):
    """Return how far each Schedule lies above the optimum, of instances that can be served."""
    found = []
    for seed in seeds:
        hardware, work = instance(seed)
        optimum = least_energy(hardware, work)
        if optimum is None:
            continue
        schedule = dtt.schedule(hardware, work, effort=effort)
        dtt.check(hardware, work, schedule)
        assert not schedule.unserved, f"seed {seed} can be served"
        assert schedule.energy.total >= optimum, f"seed {seed}: better than the optimum"
        found.append(schedule.energy.total / optimum - 1)
    return found


def test_near_the_optimum():
    found = gaps(range(6), effort=2)
    assert len(found) >= 4
    assert np.mean(found) <= 0.02
    assert max(found) <= 0.06


@pytest.mark.campaign
def test_near_the_optimum_on_many(capsys):
    found = gaps(range(50), HIGHEST)
    with capsys.disabled():
        sys.stdout.write(
            f"\n  {len(found)} instances: {np.mean(found):.2%} above the optimum in the mean, "
            f"{max(found):.2%} at worst\n"
        )
    assert len(found) >= 30
    assert np.mean(found) <= 0.02
    assert max(found) <= 0.06


@pytest.mark.parametrize(("sizes", "rings", "least"), BOUNDS[:3])
@pytest.mark.parametrize("seed", [None, 1])
def test_all_gather_reaches_its_bound(sizes, rings, least, seed):
    hardware = Grid(sizes, rings).freeze()
    work = all_gather(hardware, seed)
    schedule = dtt.schedule(hardware, work, objective="time")
    dtt.check(hardware, work, schedule)
    assert not schedule.unserved
    assert schedule.cycles == least == least_steps(hardware)
    assert len(schedule.moves) == len(work.requests)


@pytest.mark.campaign
def test_the_largest_all_gather_reaches_its_bound():
    sizes, rings, least = BOUNDS[3]
    hardware = Grid(sizes, rings).freeze()
    for seed in (None, 1, 2):
        work = all_gather(hardware, seed)
        schedule = dtt.schedule(hardware, work, objective="time")
        dtt.check(hardware, work, schedule)
        assert schedule.cycles == least


def near_the_bound(hardware, work, effort):
    """Hold the cycles of a whole Workload to within 10 % of what the machine needs at least."""
    schedule = dtt.schedule(hardware, work, objective="time", effort=effort)
    dtt.check(hardware, work, schedule)
    least = schedule.bounds()[0].cycles
    assert least <= schedule.cycles <= 1.1 * least


@pytest.mark.parametrize("stream", [rows, filtered])
def test_streams_are_near_the_bound_of_the_machine(stream):
    near_the_bound(four_pe(), stream(), effort=0)


@pytest.mark.campaign
@pytest.mark.filterwarnings("ignore::hwdsl.errors.HardwareWarning")
def test_two_layers_are_near_the_bound_of_the_machine():
    near_the_bound(PeMesh().freeze(), dense(), effort=1)


def random_pairs(seeds):
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HardwareWarning)
            hardware = Machine(Seeded(seed)).freeze()
        work = random_workload(Seeded(7_000_000 + seed), hardware)
        try:
            yield hardware, work, dtt.schedule(hardware, work)
        except (NoSchedule, LimitReached):
            continue


def test_effort_never_makes_it_worse():
    better = 0
    for hardware, work, plain in random_pairs(range(40)):
        for objective in ("energy", "time"):
            found = dtt.schedule(hardware, work, objective=objective, effort=1)
            dtt.check(hardware, work, found)
            assert key(found, objective) <= key(plain, objective)
            better += key(found, objective) < key(plain, objective)
    assert better >= 3


def test_rip_up_never_takes_longer():
    for hardware, work, plain in random_pairs(range(40, 80)):
        found = improve(plain, rounds=1, tries=3, engine=plain.engine)
        dtt.check(hardware, work, found)
        assert found.cycles <= plain.cycles
        assert found.energy.total <= plain.energy.total
        assert found.firings.tolist() == plain.firings.tolist()


def test_what_is_pruned_is_what_nothing_uses():
    for hardware, work, plain in random_pairs(range(80, 110)):
        replay = Replay(plain)
        for datum, steps in enumerate(replay.steps):
            if replay.free[datum]:
                replay.steps[datum] = replay.needed(datum, steps, replay.uses[datum])
                again = replay.needed(datum, replay.steps[datum], replay.uses[datum])
                assert again == replay.steps[datum]
        dtt.check(hardware, work, replay.result())


def test_the_same_in_every_run():
    hardware, work = instance(7)
    once, again = (dtt.schedule(hardware, work, effort=2).to_json() for _ in range(2))
    assert once == again


def test_another_order_is_the_same_workload():
    hardware, work = instance(1)
    view = in_order(work, urgent_first(hardware, work))
    assert sorted(r.index for r in view.items) == [r.index for r in work.items]
    assert [r.by for r in view.items] != [r.by for r in work.items]
    schedule = dtt.schedule(hardware, work, effort=1)
    assert schedule.workload is work


def test_a_request_left_over_says_why_in_the_final_schedule():
    hardware, work = instance(9)
    schedule = dtt.schedule(hardware, work, effort=2)
    assert schedule.unserved
    for unserved in schedule.unserved:
        assert "works is" in unserved.reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "speed"}, "objective must be one of energy, time, not 'speed'"),
        ({"effort": 4}, "effort must be from 0 to 3, not 4"),
        ({"effort": True}, "effort must be from 0 to 3, not True"),
    ],
)
def test_refusals(options, message):
    hardware, work = instance(0)
    with pytest.raises(InputError, match=message):
        dtt.schedule(hardware, work, **options)


def test_rip_up_where_data_share_a_wire():
    """Four lanes and many commits taken back: what another datum holds must stay taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HardwareWarning)
        hardware = PeMesh(3, 3, ports=4).freeze()
    work = dense(inputs=16, hidden=8, outputs=2, ports=4)
    schedule = improve(dtt.schedule(hardware, work), rounds=1, tries=0)
    dtt.check(hardware, work, schedule)
