import os
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import machines, workloads

from hwdsl import InputError
from hwdsl.values import random_values
from hwdsl.yaml_reader import parse_yaml, read_yaml
from hwdsl.yaml_tree import DEEPEST, Scalar, parse
from hwdsl.yaml_writer import to_yaml, workload_data, write_yaml

FIG1 = """\
name: Fig1
word: 8
nodes:
  sram: {capacity: 512, pj_per_bit: 0.625}
  reg: {capacity: 64, pj_per_bit: 0.125}
  pe: {capacity: 64}
wires:
  bus0: {source: sram, target: reg, bandwidth: 32, latency: 1}
  bus1: {source: reg, target: pe, bandwidth: 8, latency: 1}
actors:
  mac: {at: pe, ops: [mul, dot]}
workload:
  bits: 8
  items:
  - {load: [A, B], at: sram}
  - {op: mul, name: C, operands: [A, B]}
  - {need: C, at: pe, by: 9}
values: {A: 7, B: -6}
"""


def faults(text):
    """The first line of each fault: place and sentence."""
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "f.yaml")
    assert all(fault.where is not None for fault in caught.value.faults)
    return [str(fault).partition("\n")[0] for fault in caught.value.faults]


def replaced(old, new):
    assert FIG1.count(old) == 1
    return FIG1.replace(old, new)


def test_a_file_holds_a_fabric_a_workload_and_values():
    found = parse_yaml(FIG1)
    assert found.hardware.name == "Fig1"
    assert found.hardware.pe.capacity == 64
    assert list(found.hardware.mac.ops) == ["dot", "mul"]
    assert [d.name for d in found.workload.data] == ["A", "B", "C"]
    assert found.workload.requests[0].by == 9
    assert found.values == {"A": 7, "B": -6}


def test_workload_and_values_may_be_left_out():
    found = parse_yaml("nodes: {a: {capacity: 8}}\n", "there/tiny.yaml")
    assert (found.hardware.name, found.hardware.word) == ("tiny", 8)
    assert (found.workload, found.values) == (None, None)


def test_wires_may_be_listed_without_names():
    text = "nodes: {a: {capacity: 8}, b: {capacity: 8}}\nwires:\n"
    text += "- {source: a, target: b, bandwidth: 8, latency: 2}\n" * 2
    assert [w.name for w in parse_yaml(text).hardware.wires] == ["a->b", "a->b#2"]


@settings(max_examples=60)
@given(st.data())
def test_what_is_written_is_read_back(data):
    hardware = data.draw(machines())
    workload = data.draw(workloads(hardware))
    values = random_values(workload, data.draw(st.integers(0, 9)))
    text = to_yaml(hardware, workload, values)
    found = parse_yaml(text)
    assert found.hardware == hardware
    assert found.hardware.name == hardware.name
    assert workload_data(found.workload) == workload_data(workload)
    assert [(d.name, d.bits, d.shape) for d in found.workload.data] == [
        (d.name, d.bits, d.shape) for d in workload.data
    ]
    assert to_yaml(found.hardware, found.workload, found.values) == text


def test_options_and_what_a_request_waits_for_are_read_back():
    text = """
name: Small
word: 8
nodes: {m: {capacity: 512}}
actors: {a: {at: m, ops: {conv2d: {}, maxpool: {}}}}
workload:
  items:
  - {load: image, at: m, shape: [1, 3, 3]}
  - {load: filters, at: m, shape: [1, 1, 2, 2]}
  - {op: conv2d, name: y, operands: [image, filters], options: [1, 1]}
  - {op: maxpool, name: z, operands: [y], options: 4}
  - {need: image, at: m, after: y}
  - {store: z, at: m, after: z}
"""
    found = parse_yaml(text, "small.yaml")
    assert [op.options for op in found.workload.ops] == [(1, 1), (4,)]
    assert [r.after.name for r in found.workload.requests] == ["y", "z"]
    again = parse_yaml(to_yaml(found.hardware, found.workload), "again.yaml")
    assert workload_data(again.workload) == workload_data(found.workload)


@given(st.text(min_size=1))
def test_any_name_of_a_datum_survives(name):
    hardware = parse_yaml("nodes: {a: {capacity: 8}}\n").hardware
    workload = type(parse_yaml(FIG1).workload)()
    workload.load(name, at="a")
    assert parse_yaml(to_yaml(hardware, workload)).workload.data[0].name == name


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "fig1.yaml"
    path.write_text("old")
    found = parse_yaml(FIG1)
    write_yaml(path, found.hardware, found.workload, found.values)
    assert read_yaml(path).hardware == found.hardware
    assert os.listdir(tmp_path) == ["fig1.yaml"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", full)
    path = tmp_path / "fig1.yaml"
    path.write_text("old")
    found = parse_yaml(FIG1)
    with pytest.raises(OSError, match="full"):
        write_yaml(path, found.hardware)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["fig1.yaml"]


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_fault_has_its_place_and_a_caret():
    with pytest.raises(InputError) as caught:
        parse_yaml(replaced("bandwidth: 32", "bandwidth: 0"), "fig1.yaml")
    assert str(caught.value) == (
        "fig1.yaml:8:48: Wire 'bus0': bandwidth must be a positive whole number of bits per cycle, "
        "not 0\n"
        "  bus0: {source: sram, target: reg, bandwidth: 0, latency: 1}\n"
        "                                               ^"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("word: 8", "word: 0", "2:7: Fig1: word must be a positive whole number of bits, not 0"),
        ("capacity: 512", "capacity: no", "4:20: Node 'sram': capacity must be a positive whole"),
        ("capacity: 512", "capacity: 1:30", "4:20: Node 'sram': capacity must be a positive whole"),
        ("capacity: 512", "capacity: 0x200", "4:20: Node 'sram': capacity must be a positive"),
        ("capacity: 512", "capacity: 0512", "4:20: Node 'sram': capacity must be a positive whole"),
        (
            "capacity: 512",
            "capacity: '512'",
            "4:20: Node 'sram': capacity must be a positive whole",
        ),
        ("capacity: 512", "capacity: 5_12", "4:20: Node 'sram': capacity must be a positive whole"),
        ("capacity: 512", "capacity: [8]", "4:20: Node 'sram': capacity must be a positive whole"),
        ("pj_per_bit: 0.625", "pj_per_bit: .inf", "4:37: Node 'sram': pj_per_bit must be 0, or"),
        ("capacity: 512", "capcity: 512", "4:10: Node 'sram' has no key 'capcity'; did you mean "),
        ("nodes:", "notes:", "3:1: the file has no key 'notes'; did you mean 'nodes'?"),
        ("[mul, dot]", "mul", "11:22: Actor 'mac': ops must be a list, not 'mul'"),
        ("[mul, dot]", "[mul, 3x]", "11:22: Actor 'mac': an op code must be an identifier, not"),
        ("[mul, dot]", "{mul: {hold: 2}}", "11:35: Actor 'mac': op 'mul': hold must be at most"),
        ("[mul, dot]", "{mul: {hld: 2}}", "11:29: Actor 'mac': op 'mul' has no key 'hld'; did"),
        ("at: pe, ops", "at: pr, ops", "11:13: Actor 'mac': at must be a part of the fabric"),
        ("bits: 8", "bits: 0", "13:9: Workload: bits must be a whole number from 1 to 64, not 0"),
        ("at: sram}", "at: srm}", "15:24: load: at: the fabric has no Node 'srm'; did you mean"),
        ("[A, B], at", "[A, A], at", "15:16: two data are named 'A'"),
        ("op: mul", "op: mull", "16:10: op code 'mull' is not defined; known are"),
        ("operands: [A, B]", "operands: [A, D]", "16:38: op 'mul': no datum 'D' has been made"),
        ("operands: [A, B]", "operands: [A]", "16:10: Op 'C': mul takes 2 operands, not 1"),
        (
            "need: C",
            "ned: C",
            "17:5: an item must be a mapping with a key load, op, store or need, not "
            "one with 'ned', 'at'",
        ),
        ("by: 9", "by: soon", "17:27: need: by must be a whole number, not 'soon'"),
        ("by: 9", "by: -1", "17:5: need of 'C': by must be a cycle from 0 to 2^40 - 1, not -1"),
        ("A: 7", "A: 700", "18:13: values: 'A' must be a whole number of 8 bits, from -128 to 255"),
        ("A: 7", "A: [7]", "18:13: values: 'A' must be a whole number of 8 bits"),
        ("A: 7", "C: 7", "18:10: values: 'C' is not a loaded datum"),
        ("A: 7", "A: yes", "18:13: values: 'A' must be a whole number of 8 bits"),
    ],
)
def test_every_mistake_is_placed(old, new, expected):
    found = faults(replaced(old, new))
    assert any(sentence.startswith(f"f.yaml:{expected}") for sentence in found), found
    assert len(found) <= 3


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file():
    text = replaced("capacity: 512", "capacity: 0").replace("by: 9", "by: x")
    found = faults(text.replace("at: pe, ops", "at: hub, ops"))
    assert [sentence.split(":")[1] for sentence in found] == ["4", "11", "17"]


def test_an_item_with_a_fault_is_not_blamed_again():
    found = faults(replaced("op: mul", "op: mull"))
    assert len(found) == 1  # the need of C, which was not made, is not named


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: the file is empty"),
        ("- a\n", "1:1: the file must be a mapping, not a list"),
        ("a: &x 1\n", "1:4: anchors are refused: take away &x"),
        ("a: *x\n", "1:4: aliases are refused: write out what *x stands for"),
        ("a: !!python/object:os.system {}\n", "1:4: tags are refused: take away "),
        ("a: !!int 3\n", "1:4: tags are refused: take away 'tag:yaml.org,2002:int'"),
        ("<<: {a: 1}\n", "1:1: merge keys are refused: write out what << brings in"),
        ("word: 8\nword: 16\n", "2:1: the key 'word' stands here twice; first in line 1"),
        ("a: {b: 1, 'b': 2}\n", "1:11: the key 'b' stands here twice; first in line 1"),
        ("a: 1\n---\nb: 2\n", "2:1: a file holds one document; a second one starts here"),
        ("? [a]\n: b\n", "1:3: a key must be a name, not a list"),
        ("a: {b: 1\n", "2:1: this is not YAML: "),
        ("a: b: c\n", "1:5: this is not YAML: "),
        ("a: 1\nb: \x07\n", "2:4: this is not YAML: "),
        (b"a: 1\nb: \xff\n", "2:4: the text is not UTF-8"),
        ("[" * 10_000, "1:1001: this is not YAML: "),
        ("[" * 100, f"1:{DEEPEST + 1}: the file is nested more than {DEEPEST} deep"),
    ],
)
def test_what_is_more_than_a_description_is_refused(text, expected):
    assert faults(text)[0].startswith(f"f.yaml:{expected}")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml cannot be read: No such file"):
        read_yaml(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-6", 1e-6),
        (".5", 0.5),
        ("true", True),
        ("~", None),
        *((t, t) for t in ("yes", "no", "on", "True", "012", "0x1", "1_0", "1:30", "nan", ".inf")),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_only_what_looks_like_a_number_is_one(text, value):
    tree = parse(text.encode(), "f.yaml")
    assert isinstance(tree, Scalar)
    assert tree.value == value
    assert type(tree.value) is type(value)


@settings(max_examples=200)
@given(st.data())
def test_damage_is_a_fault_or_a_description_and_nothing_else(data):
    text = bytearray(FIG1.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with suppress(InputError):
        parse_yaml(bytes(text), "f.yaml")
