"""``hwdsl manticore``, as a user runs it."""

import json

import pytest

from hwdsl.__main__ import main

QUADRANT = ("--l1-per-l2", "1", "--l2-per-l3", "1", "--l3", "1")
SMALL = ("--wi", "6", "--di", "2", "--do", "5")


def said(capsys, *arguments):
    status = main(["manticore", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_one_object_has_all_figures(capsys):
    status, found = said(capsys, "conv", *SMALL, *QUADRANT, "--algorithm", "2", "--stack", "2")
    assert (status, found["verdict"]) == (0, "pass")
    words = 5 * 36 + 9 * 2 * 5 + 3 * 2 * 36
    wanted = {
        "algorithm": 2,
        "macs": 36 * 9 * 2 * 5,
        "printed": None,
        "closed_form_words": words,
        "scheduled_words": words,
        "rtl_words": None,
        "mac_per_word": 36 * 9 * 2 * 5 / words,
        "tasks": 3,
        "reduction": None,
    }
    assert {name: found[name] for name in wanted} == wanted
    assert found["links"]["scheduled"] == found["links"]["expected"]
    assert found["cycles"] >= found["bound_cycles"] == max(found["bounds"].values())
    assert found["bounds"][found["bound_by"]] == found["bound_cycles"]


def test_the_papers_case_is_shown_beside_what_can_be(capsys):
    assert main(["manticore", "conv", "--algorithm", "3", "--stack", "23"]) == 0
    shown = capsys.readouterr().out
    assert "MAC/word        541.4    368.64       368.64    -" in shown
    assert "spflop/B        270.7    184.32       184.32    -" in shown
    assert "printed: not reachable: the printed value has lost the factor D_I" in shown
    assert "cycles     1696430, 1.000 of the least, 1695744 by compute" in shown


def test_with_every_copy_a_source_each_word_crosses_once(capsys):
    _, found = said(capsys, "conv", "--stack", "24", "--reuse")
    assert (found["scheduled_words"], found["mac_per_word"]) == (409_600, 368.64)
    assert (found["closed_form_words"], found["printed"]) == (1_064_960, 141.8)


@pytest.mark.parametrize("kind", [("conv", "--f", "2", "--reuse"), ("fc", "--batch", "2")])
def test_the_rtl_counts_the_same_words(capsys, kind):
    small = ("--wi", "3", "--di", "2", "--do", "2", "--clusters-per-l1", "2", "--hbm-latency", "15")
    status, found = said(capsys, *kind, *small, *QUADRANT, "--engine", "pysim")
    assert (status, found["engine"], found["first_mismatch"]) == (0, "pysim", None)
    assert found["rtl_words"] == found["scheduled_words"]
    assert found["links"]["rtl"] == found["links"]["scheduled"]
    assert found["links"]["rtl_padding"] == found["links"]["scheduled_padding"]


def test_private_outputs_have_a_line_of_their_own(capsys):
    given = ("fc", *SMALL, "--batch", "3", *QUADRANT, "--precision", "double")
    assert main(["manticore", *given]) == 0
    shown = capsys.readouterr().out
    # Two clusters have work: one sends 5 x 3 words to the other.
    assert "leaves out: 15 between clusters, 15 to main memory, 5 additions" in shown
    assert "dpflop/B" in shown
    _, found = said(capsys, *given)
    assert found["reduction"] == {"exchanged": 15, "stored": 15, "additions": 5}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("conv", "--algorithm", "4"), "conv takes Algorithm 1, 2, 3, not 4"),
        (("fc", "--algorithm", "2"), "fc takes Algorithm 4, 5, not 2"),
        (("conv", "--algorithm", "1", "--stack", "3"), "Algorithm 1 has no stacks"),
        (("conv", "--stride", "0"), "stride must be a whole number of at least 1, not 0"),
        (("conv", "--wi", "200"), "no output slice fits: 61696 bytes short"),
        (("conv", "--l3", "0"), "l3 must be a whole number of at least 1, not 0"),
        (("conv", "--narrow", "l9=256"), "narrow knows cluster, l1, l2, l3, not 'l9'"),
        (("conv", "--uplink", "100"), "lane must be a multiple of the word (32 bits), not 100"),
        (("conv", *SMALL, "--engine", "abacus"), "engine must be one of"),
    ],
)
def test_what_is_refused(capsys, given, why):
    assert main(["manticore", *given]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("given", [("conv", "--wi", "x"), ("conv", "--narrow", "l1"), ()])
def test_what_is_no_command(capsys, given):
    with pytest.raises(SystemExit) as stop:
        main(["manticore", *given])
    assert stop.value.code == 2
