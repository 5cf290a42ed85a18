"""The reduction tree as declared, and what the published switch makes of it."""

import pytest

from hwdsl.errors import InputError
from hwdsl.fabrics import ReductionTree
from hwdsl.fabrics.maeri_switch import blocked


def links(hardware):
    adders = {p.index: p.name for p in hardware.points if p.kind == "Adder"}
    level = {i: name.split("[")[1] for i, name in adders.items()}
    joined = [w for w in hardware.wires if w.source in adders and w.target in adders]
    return [w.name for w in joined if level[w.source] == level[w.target]]


@pytest.mark.parametrize(
    ("leaves", "count"), [(2, 0), (4, 0), (8, 1), (16, 4), (32, 11), (64, 26), (256, 120)]
)
def test_links(leaves, count):
    plain = ReductionTree(leaves=leaves).freeze()
    augmented = ReductionTree(leaves=leaves, augmented=True).freeze()
    assert links(plain) == []
    assert len(links(augmented)) == 2 * count
    adders = [p for p in plain.points if p.kind == "Adder"]
    assert len(adders) == leaves - 1
    assert augmented.without(*links(augmented)).wires == plain.wires


def test_the_link_of_eight_leaves():
    tree = ReductionTree(leaves=8, augmented=True).freeze()
    assert links(tree) == ["add[0][1]->add[0][2]", "add[0][2]->add[0][1]"]
    assert [a.inputs for a in tree.add[0]] == [2, 3, 3, 2]
    one_way = ReductionTree(leaves=8, augmented=True).without("add[0][1]->add[0][2]")
    assert links(one_way) == ["add[0][2]->add[0][1]"]
    with pytest.raises(InputError, match=r"only a Wire can be taken out of ReductionTree"):
        tree.without("out")


def test_collect_and_bandwidth():
    tree = ReductionTree(leaves=8, collect="any", bandwidth=[32, 64]).freeze()
    assert len(tree.incoming[tree.out.index]) == 7
    assert tree["add[0][3]->add[1][1]"].lanes == 1
    assert tree["add[1][0]->add[2][0]"].lanes == 2
    assert len(ReductionTree(leaves=8).freeze().incoming[tree.out.index]) == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"leaves": 6}, "since every Adder has two below it, not 6"),
        ({"leaves": 512}, "a power of two from 2 to 256, not 512"),
        ({"leaves": True}, "a power of two from 2 to 256, not True"),
        ({"collect": "some"}, "collect must be 'root' or 'any', not 'some'"),
        ({"bandwidth": [32]}, "one for each of 2 levels that go up, not 1"),
    ],
)
def test_refusals(given, why):
    with pytest.raises(InputError, match=why):
        ReductionTree(**given)


def partitions(leaves, least):
    if leaves == 0:
        yield ()
    for first in range(least, leaves + 1):
        yield from ((first, *rest) for rest in partitions(leaves - first, least))


@pytest.mark.parametrize(
    ("leaves", "least", "count", "plain", "augmented"),
    [(8, 2, 13, 8, 12), (8, 3, 4, 2, 4), (16, 2, 610, 100, 452), (16, 3, 88, 8, 87)],
)
def test_the_published_switch(leaves, least, count, plain, augmented):
    ways = list(partitions(leaves, least))
    assert len(ways) == count
    assert sum(blocked(leaves, w, augmented=False) is None for w in ways) == plain
    assert sum(blocked(leaves, w, augmented=True) is None for w in ways) == augmented


def test_where_it_blocks():
    why = blocked(8, (3, 2, 3), augmented=True)
    assert str(why) == "add[0][1] must pass on dot products 0 and 1 together"
    assert blocked(8, (3, 5), augmented=False) is not None
    assert blocked(8, (3, 5), augmented=True) is None
    assert blocked(8, (3, 3), augmented=False) is not None
    assert blocked(8, (3, 3), augmented=False, at=(0, 4)) is None
    assert blocked(64, (7,) * 9, augmented=True) is None
    with pytest.raises(InputError, match="leaf 2 is given to two"):
        blocked(8, (3, 3), augmented=False, at=(0, 2))
    with pytest.raises(InputError, match="do not fit on 8 leaves"):
        blocked(8, (5, 5), augmented=False)
