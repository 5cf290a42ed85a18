"""Probes: their layout, and their decoding for machines that nothing else is known of."""

import pytest

from hwdsl import Actor, Fabric, Node
from hwdsl.trace import Kind
from rtl.probe import actor_width, decode, fields_of, records_of, wire_width


class Pair(Fabric):
    def __init__(self):
        self.word = 8
        self.a = Node(capacity=768, row=192)
        self.b = Node(capacity=768, row=192)
        self.alu = Actor(at=self.b, ops={"add", "mul", "max"}, units=2, bits=32)
        self.bus = self.wire(self.a, self.b, bandwidth=192, lane=96, latency=3)


@pytest.fixture
def pair():
    return Pair().freeze()


def records(pair, of_wire, of_actor):
    """Return records of probes given as integers by cycle."""
    end = max([*of_wire, *of_actor]) + 1
    return records_of(pair, [(of_wire.get(c, 0), of_actor.get(c, 0)) for c in range(end)])


def test_fields_fill_a_probe_without_gaps(pair):
    for part, width in ((pair.bus, wire_width(pair.bus)), (pair.alu, actor_width(pair.alu))):
        taken = []
        for field in fields_of(part):
            taken += range(field.value, field.value + field.width)
            taken += [field.valid] if field.valid >= 0 else []
        assert sorted(taken) == list(range(width))


def test_a_lane_wider_than_64_bits_is_decoded_in_chunks(pair):
    word = 0xABCDEF012345678987654321
    lane1 = 97  # lane 0 of the departures has 97 bits
    seen = {5: (word << 1 | 1) << lane1}
    events = decode(pair, records(pair, seen, {}), 10)
    assert events.tolist() == [
        (4, Kind.DEPART, 0, 1, 0, word & (1 << 64) - 1),
        (4, Kind.DEPART, 0, 1, 1, word >> 64),
    ]


def test_a_value_of_zero_is_an_event_and_an_idle_lane_is_none(pair):
    arrivals = 2 * 97
    seen = {2: 1 << arrivals}
    events = decode(pair, records(pair, seen, {}), 10)
    assert [e[:5] for e in events.tolist()] == [
        (2, Kind.ARRIVE, 0, 0, 0),
        (2, Kind.ARRIVE, 0, 0, 1),
    ]


def test_an_actor_shows_starts_results_and_its_first_error_once(pair):
    fire, results, errors = 0, 2 * 3, 2 * 3 + 2 * 33
    seen = {
        1: (1 | 2 << 1) << fire + 3,
        4: (1 | 0xFFFFFFFF << 1) << results | 5 << errors + 3,
        5: 5 << errors + 3,
    }
    events = decode(pair, records(pair, {}, seen), 10)
    actor = list(pair.parts).index(pair.alu)
    assert events.tolist() == [
        (1, Kind.FIRE, 0, 1, 0, 2),
        (3, Kind.ERROR, actor, 1, 0, 5),
        (4, Kind.RESULT, 0, 0, 0, 0xFFFFFFFF),
    ]


def test_what_happens_after_the_run_is_cut_off(pair):
    both = 1 | 1 << 2 * 97  # lane 0 departs and arrives
    events = decode(pair, records(pair, {3: both}, {}), 3)
    assert {(e["cycle"], e["kind"]) for e in events} == {(2, Kind.DEPART)}
