"""Every kind of difference between two Traces is counted, located and told."""

from dataclasses import replace

import numpy as np
import pytest

from hwdsl import Actor, Fabric, Node
from hwdsl.compare import compare
from hwdsl.trace import EVENT, FINAL, ErrorKind, Kind, Trace, sort_events


class Machine(Fabric):
    def __init__(self):
        self.word = 8
        self.sram = Node(capacity=64)
        self.pe = Node(capacity=64)
        self.mac = Actor(at=self.pe, ops={"add", "mul"}, units=2, latency=1)
        self.bus = self.wire(self.sram, self.pe, bandwidth=16, latency=2)


HARDWARE = Machine().freeze()
BUS, MAC = HARDWARE["bus"].index, HARDWARE["mac"].index

EVENTS = [
    (0, Kind.DEPART, BUS, 0, 0, 0x2A),
    (0, Kind.DEPART, BUS, 1, 0, 0x17),
    (1, Kind.DEPART, BUS, 0, 0, 0x99),
    (2, Kind.ARRIVE, BUS, 0, 0, 0x2A),
    (2, Kind.ARRIVE, BUS, 1, 0, 0x17),
    (3, Kind.ARRIVE, BUS, 0, 0, 0x99),
    (4, Kind.FIRE, MAC, 1, 0, 1),
    (5, Kind.RESULT, MAC, 1, 0, 0x41),
]
FINALS = [(HARDWARE["pe"].index, 3, 0, 0x41)]


def trace(events=EVENTS, finals=FINALS, cycles=6):
    return Trace(cycles, sort_events(np.array(events, EVENT)), np.array(finals, FINAL), "", "")


class Names:
    """Names the data of EVENTS, and lets only the low half of the final matter."""

    datum = np.array([0, 1, 2, 0, 1, 2, 3, 3])
    final_datum = np.array([3])
    final_mask = np.array([0x0F], np.uint64)

    def name(self, datum):
        return "ABDC"[datum]

    def way(self, event):
        return f"the way of event {event}"

    def final_way(self, final):
        return f"the way of final {final}"


def changed(index, **fields):
    rows = np.array(EVENTS, EVENT)
    for name, value in fields.items():
        rows[name][index] = value
    return trace(rows.tolist())


def found(seen, **kwargs):
    verdict = compare(HARDWARE, trace(), seen, **kwargs)
    assert not verdict.passed
    assert str(verdict).startswith(f"FAIL: {verdict.count} mismatches, 9 events")
    return verdict


def test_alike():
    verdict = compare(HARDWARE, trace(), trace(), Names())
    assert verdict.passed
    assert verdict.first is None
    assert str(verdict) == "PASS: 9 events and addresses as expected"


def test_a_wrong_value():
    verdict = found(changed(3, value=0x2B), label=Names())
    assert verdict.count == 1
    first = verdict.first
    assert (first.cycle, first.kind, first.part, first.lane) == (2, "ARRIVE", "bus", 0)
    assert (first.expected, first.seen, first.datum) == (0x2A, 0x2B, "A")
    assert first.sentence == (
        "cycle 2, Wire 'bus' lane 0 arrives: expected 0x2a (datum 'A'), saw 0x2b; "
        "the way of event 3"
    )


def test_without_a_label():
    sentence = found(changed(3, value=0x2B)).first.sentence
    assert sentence == "cycle 2, Wire 'bus' lane 0 arrives: expected 0x2a, saw 0x2b"


@pytest.mark.parametrize("index", range(len(EVENTS)))
def test_any_event_that_is_missing(index):
    verdict = found(trace(EVENTS[:index] + EVENTS[index + 1 :]), label=Names())
    assert verdict.count == 1
    assert verdict.first.cycle == EVENTS[index][0]
    assert "saw nothing" in verdict.first.sentence
    assert f"the way of event {index}" in verdict.first.sentence


@pytest.mark.parametrize("index", range(len(EVENTS)))
def test_any_event_that_is_too_much(index):
    extra = (EVENTS[index][0] + 1, *EVENTS[index][1:3], 7, 0, EVENTS[index][5])
    verdict = found(trace([*EVENTS, extra]), label=Names())
    assert verdict.count == 1
    assert (verdict.first.lane, verdict.first.expected, verdict.first.datum) == (7, None, None)
    assert "expected nothing, saw" in verdict.first.sentence


def test_a_departure_one_cycle_late():
    verdict = found(changed(2, cycle=2), label=Names())
    assert [(m.cycle, m.expected, m.seen) for m in verdict.mismatches] == [
        (1, 0x99, None),
        (2, None, 0x99),
    ]


def test_lanes_that_are_swapped():
    rows = np.array(EVENTS, EVENT)
    rows["lane"][3:5] = [1, 0]
    verdict = found(trace(rows.tolist()), label=Names())
    assert [(m.lane, m.seen) for m in verdict.mismatches] == [(0, 0x17), (1, 0x2A)]


def test_a_register_too_many_on_a_wire():
    rows = np.array(EVENTS, EVENT)
    rows["cycle"][3:6] += 1
    verdict = found(trace(rows.tolist()), label=Names())
    assert verdict.first.sentence.endswith("; every word on Wire 'bus' arrives 1 cycle late")
    assert verdict.notes == ()


def test_a_wire_that_is_early_is_noted_even_if_something_else_came_first():
    rows = np.array(EVENTS, EVENT)
    rows["cycle"][3:6] -= 1
    rows["value"][1] = rows["value"][4] = 0x16
    verdict = found(trace(rows.tolist()), label=Names())
    assert verdict.first.kind == "DEPART"
    assert verdict.notes == ("every word on Wire 'bus' arrives 1 cycle early",)


def test_a_single_late_word_is_not_taken_for_a_late_wire():
    assert "every word" not in str(found(changed(5, cycle=4), label=Names()))


def test_a_late_wire_whose_last_words_are_cut_off():
    rows = np.array(EVENTS[:7], EVENT)
    rows["cycle"][3:6] += 3
    rows = np.delete(rows, 5)
    assert "every word on Wire 'bus' arrives 3 cycles late" in str(found(trace(rows.tolist())))


def test_the_wrong_op_on_an_actor():
    sentence = found(changed(6, value=0), label=Names()).first.sentence
    assert sentence.startswith(
        "cycle 4, Actor 'mac' unit 1 fires: expected mul (datum 'C'), saw add"
    )


def test_an_actor_one_cycle_slow():
    verdict = found(replace(changed(7, cycle=6), cycles=7), label=Names())
    assert verdict.first.sentence.startswith("cycle 5, Actor 'mac' unit 1 writes: expected 0x41")
    assert verdict.first.sentence.endswith("; every result of Actor 'mac' comes 1 cycle late")


def test_errors_are_told_in_words():
    index = [p.name for p in HARDWARE.parts].index("bus")
    error = (3, Kind.ERROR, index, 1, 0, ErrorKind.MISSING)
    verdict = found(trace([*EVENTS, error]), label=Names())
    assert (verdict.first.kind, verdict.first.part, verdict.first.seen) == ("ERROR", "bus", 3)
    assert verdict.first.sentence == (
        "cycle 3, Wire 'bus' lane 1: error MISSING, "
        "a command waited for something that did not arrive"
    )
    for kind in ErrorKind:
        sentence = found(trace([*EVENTS, (3, Kind.ERROR, index, 1, 0, kind)])).first.sentence
        assert f"error {kind.name}, " in sentence


def test_finals_and_the_bits_that_do_not_matter():
    point = HARDWARE["pe"].index
    assert compare(HARDWARE, trace(), trace(finals=[(point, 3, 0, 0xF1)]), Names()).passed
    verdict = found(trace(finals=[(point, 3, 0, 0x42)]), label=Names())
    assert verdict.first.sentence == (
        "after the last cycle, Node 'pe' row 3: expected 0x01 (datum 'C'), saw 0x02; "
        "the way of final 0"
    )
    assert found(trace(finals=[(point, 3, 0, 0xF1)])).count == 1
    assert found(trace(finals=[]), label=Names()).first.seen is None
    assert found(trace(finals=[(point, 4, 0, 0x41)]), label=Names()).count == 2


def test_a_run_that_ends_early():
    verdict = found(trace(cycles=4))
    assert verdict.first.kind == "END"
    assert verdict.first.sentence == "the run ended after 4 cycles, but 6 were expected"
    assert compare(HARDWARE, trace(), trace(cycles=9)).passed


def test_wide_values_are_told_as_one():
    wide = [(0, Kind.DEPART, BUS, 0, 0, 1), (0, Kind.DEPART, BUS, 0, 1, 2)]
    seen = [wide[0], (0, Kind.DEPART, BUS, 0, 1, 3)]
    verdict = compare(HARDWARE, trace(wide), trace(seen))
    assert (verdict.count, verdict.first.expected, verdict.first.seen) == (
        1,
        (2 << 64) + 1,
        (3 << 64) + 1,
    )


def test_the_first_are_told_and_all_are_counted():
    verdict = compare(HARDWARE, trace(), trace([], []), limit=3)
    assert (verdict.count, len(verdict.mismatches)) == (9, 3)
    assert str(verdict).endswith("... and 6 more")
    assert compare(HARDWARE, trace([], []), trace()).count == 9
