import pytest

from hwdsl import Actor, Fabric, InputError, Node
from hwdsl.workload import Workload


class One(Fabric):
    def __init__(self):
        self.ram = Node(capacity=512)
        self.mac = Actor(at=self.ram, ops={"mul"})


@pytest.fixture
def work():
    return Workload(bits=8)


def test_data_and_items_keep_the_order_of_the_program(work):
    a, b = work.load("a", "b", at="ram")
    product = work.op("mul", a, b)
    work.store(product, at="ram")
    c = work.load("c", at="ram", bits=16, shape=(2, 3))
    total = work.dot([(a, b), (product, a)], name="total")
    work.need(total, at="ram", by=9, source="ram")
    assert [d.name for d in work.data] == ["a", "b", "mul_0", "c", "total"]
    assert [d.index for d in work.data] == list(range(5))
    assert [type(item).__name__ for item in work.items] == ["Op", "Request", "Op", "Request"]
    assert (c.bits, c.shape, c.elements, c.size) == (16, (2, 3), 6, 96)
    assert work.ops[1].operands == (a, b, product, a)
    assert (work.ops[1].work, work.ops[1].parallel) == (2, True)
    assert (work.requests[0].store, work.requests[1].store) == (True, False)


def test_parts_are_given_by_themselves_or_by_name(work):
    hardware = One().freeze()
    a = work.load("a", at=hardware.ram)
    work.op("mul", a, a, on=hardware.mac)
    assert (a.loaded_at, work.ops[0].on) == ("ram", "mac")


def test_one_name_gives_one_datum_and_several_a_tuple(work):
    assert work.load("a", at="ram").name == "a"
    assert [d.name for d in work.load("b", "c", at="ram")] == ["b", "c"]


def test_into_takes_shape_and_bits_of_what_it_updates(work):
    wide = work.load("wide", at="ram", bits=32)
    a, b = work.load("a", "b", at="ram")
    updated = work.dot([(a, b)], into=wide)
    assert updated.bits == 32
    assert work.ops[0].operands == (a, b, wide)
    assert work.ops[0].into == 2


def test_reuse_is_the_workloads_unless_said(work):
    careless = Workload(reuse=False)
    a = careless.load("a", at="ram")
    careless.op("relu", a)
    careless.op("relu", a, reuse=True)
    assert [op.reuse for op in careless.ops] == [False, True]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (
            lambda w, a: Workload(bits=0),
            "Workload: bits must be a whole number from 1 to 64, not 0",
        ),
        (lambda w, a: w.load("a", at="ram"), "two data are named 'a'"),
        (lambda w, a: w.load("", at="ram"), "a datum's name must be a non-empty string, not ''"),
        (lambda w, a: w.load(at="ram"), "load needs at least one name"),
        (lambda w, a: w.load("b", at=3), "a place must be a Node of the Hardware or its name"),
        (lambda w, a: w.load("b", at="ram", bits=65), "Datum 'b': bits must be a whole number"),
        (lambda w, a: w.load("b", at="ram", shape=0), "Datum 'b': shape must be positive whole"),
        (lambda w, a: w.load("b", at="ram", shape=2.5), "Datum 'b': shape must be positive whole"),
        (lambda w, a: w.op("mull", a, a), "op code 'mull' is not defined; known are"),
        (lambda w, a: w.op("mul", a), "Op 'mul_0': mul takes 2 operands, not 1"),
        (lambda w, a: w.op("relu", a, a), "Op 'relu_0': relu takes 1 operand, not 2"),
        (lambda w, a: w.op("mul", a, "a"), "Op 'mul_0': 'a' is not a datum of this Workload"),
        (lambda w, a: w.op("relu", a, not_before=-1), "Op 'relu_0': not_before must be a cycle"),
        (lambda w, a: w.op("relu", a, on=3), "Op 'relu_0': on must be an Actor of the Hardware"),
        (lambda w, a: w.op("mul", a, a, into=a), "into='a' must be an operand only once"),
        (lambda w, a: w.op("relu", a, into=a, bits=9), "into='a' must have the result's shape"),
        (lambda w, a: w.dot([(a, a, a)]), "dot takes pairs, not a group of 3"),
        (lambda w, a: w.dot([]), "dot takes at least one pair"),
        (lambda w, a: w.store("a", at="ram"), "store: 'a' is not a datum of this Workload"),
        (lambda w, a: w.need(a, at="ram", by=-1), "need of 'a': by must be a cycle from 0"),
        (lambda w, a: w.need(a, at="ram", by=1.0), "need of 'a': by must be a cycle from 0"),
    ],
)
def test_mistakes_are_named(work, act, sentence):
    a = work.load("a", at="ram")
    with pytest.raises(InputError) as caught:
        act(work, a)
    assert sentence in str(caught.value)


def test_a_datum_of_another_workload_is_refused(work):
    work.load("a", at="ram")
    other = Workload().load("a", at="ram")
    with pytest.raises(InputError, match="is not a datum of this Workload"):
        work.op("relu", other)


def test_shapes_of_operands_must_agree(work):
    a = work.load("a", at="ram", shape=2)
    b = work.load("b", at="ram", shape=(2, 1))
    with pytest.raises(InputError, match=r"mul takes operands of one shape, not \(2,\), \(2, 1\)"):
        work.op("mul", a, b)
    with pytest.raises(InputError, match="dot takes pairs of scalars"):
        work.dot([(a, a)])
