import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwdsl.names import VERILOG_KEYWORDS, clashes, natural_key, parse_path, verilog_name

NAMES = st.from_regex(r"[a-b]{1,2}[0-9]{0,3}(\[[0-9]{1,2}\])?(\.x[0-9]?)?", fullmatch=True)


def test_numbers_are_ordered_as_numbers():
    names = ["pe[10]", "pe[9]", "pe[2].b", "pe[2].a10", "pe[2].a9", "b", "a->b#10", "a->b#2"]
    expected = ["a->b#2", "a->b#10", "b", "pe[2].a9", "pe[2].a10", "pe[2].b", "pe[9]", "pe[10]"]
    assert sorted(names, key=natural_key) == expected


@given(st.lists(NAMES, unique=True), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_where_one_starts(names, shuffler: random.Random):
    shuffled = shuffler.sample(names, len(names))
    assert sorted(shuffled, key=natural_key) == sorted(names, key=natural_key)


def test_names_that_differ_in_zeros_only_still_have_an_order():
    assert natural_key("a1") != natural_key("a01")


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("sram", ("sram",)),
        ("cluster[4].tcdm", ("cluster", 4, "tcdm")),
        ("grid[0][12]", ("grid", 0, 12)),
    ],
)
def test_a_path_is_split_as_python_reads_it(path, steps):
    assert parse_path(path) == steps


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".a",
        "a.",
        "a..b",
        "[0]",
        "a[",
        "a[x]",
        "a[-1]",
        "a[0]b",
        "a[01]",
        "a b",
        "ä",
        "a[\u0663]",
    ],
)
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValueError, match="path"):
        parse_path(path)


def test_verilog_names_are_legal_and_never_keywords():
    assert verilog_name("cluster[4].tcdm") == "cluster_4_tcdm"
    assert verilog_name("a->pe[0]#2") == "a_to_pe_0_2"
    for keyword in VERILOG_KEYWORDS:
        assert verilog_name(keyword) not in VERILOG_KEYWORDS


@pytest.mark.parametrize(
    ("one", "other"),
    [("a_b", "a.b"), ("pe[1]", "pe_1"), ("reg", "reg_"), ("ram", "RAM"), ("a->b", "a_to_b")],
)
def test_names_that_become_one_in_verilog_clash(one, other):
    assert clashes([one, "between", other]) == [(one, other)]
