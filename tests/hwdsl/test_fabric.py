import pytest

from hwdsl import Actor, Fabric, InputError, Junction, KiB, MiB, Node


def faults_of(fabric):
    with pytest.raises(InputError) as caught:
        fabric.freeze()
    return [fault.sentence for fault in caught.value.faults]


def fabric(build):
    """A Fabric whose ``__init__`` is ``build``."""
    return type("Made", (Fabric,), {"__init__": build})()


class Cluster(Fabric):
    def __init__(self, neighbour=None):
        self.tcdm = Node(capacity=4 * KiB, pj_per_bit=0.5)
        self.core = [Actor(at=self.tcdm, ops={"mul"}) for _ in range(2)]
        if neighbour is not None:
            self.link = self.wire(neighbour, self.tcdm, bandwidth=64, latency=3)


class Chip(Fabric):
    def __init__(self):
        self.hbm = Node(capacity=MiB)
        self.cluster = [Cluster(self.hbm) for _ in range(11)]


def test_assignment_names_parts_through_nested_fabrics_and_lists():
    chip = Chip().freeze()
    assert chip.cluster[4].tcdm.name == "cluster[4].tcdm"
    assert chip.cluster[10].core[1].name == "cluster[10].core[1]"
    assert chip.cluster[-1].tcdm is chip["cluster[10].tcdm"]
    assert [c.tcdm.index for c in chip.cluster] == list(range(11))
    assert len(chip.cluster) == 11
    assert len(chip.cluster[2:4]) == 2
    assert chip.points[chip.cluster[3].link.source] is chip.hbm


def test_a_wire_that_nobody_named_is_named_by_its_ends():
    def build(self):
        self.a, self.b = Node(capacity=8), Node(capacity=8)
        self.duplex(self.a, self.b, bandwidth=8, latency=1)
        self.wire(self.a, self.b, bandwidth=16, latency=1)

    assert [w.name for w in fabric(build).freeze().wires] == ["a->b", "a->b#2", "b->a"]


def test_parallel_wires_are_told_apart_whatever_their_order():
    def build(self, order=(1, 2)):
        self.a, self.b = Node(capacity=8), Node(capacity=8)
        for latency in order:
            self.wire(self.a, self.b, bandwidth=8, latency=latency)

    one = fabric(build).freeze()
    other = fabric(lambda self: build(self, (2, 1))).freeze()
    assert one == other
    assert [w.latency for w in one.wires] == [1, 2]


def test_the_outermost_fabric_sets_the_word():
    class Inner(Fabric):
        def __init__(self):
            self.word = 16
            self.node = Node(capacity=32)

    def build(self):
        self.word = 32
        self.inner = Inner()

    assert faults_of(fabric(build)) == ["Fabric 'inner': word is set to 16, the outermost has 32"]


def test_a_name_holds_one_part():
    def build(self):
        self.a = Node(capacity=8)
        self.a = Node(capacity=16)

    assert faults_of(fabric(build)) == ["'a' was assigned twice; a name holds one part"]


def test_plain_attributes_may_change_and_growing_lists_are_not_reassigned():
    def build(self):
        self.count = 1
        self.count = 2
        self.nodes = []
        self.nodes += [Node(capacity=8)]
        self.nodes.append(Node(capacity=8))

    assert [p.name for p in fabric(build).freeze().points] == ["nodes[0]", "nodes[1]"]


def test_one_part_under_two_names():
    def build(self):
        self.a = Node(capacity=8)
        self.b = [self.a]

    assert faults_of(fabric(build)) == ["Node 'a': one part under two names, also 'b[0]'"]


def test_one_fabric_under_two_names():
    def build(self):
        self.x = Cluster()
        self.y = self.x

    assert faults_of(fabric(build)) == ["Fabric 'x': one Fabric under two names, also 'y'"]


def test_a_fabric_that_holds_itself_is_refused_not_followed():
    def build(self):
        self.a = Node(capacity=8)
        self.me = self

    found = faults_of(fabric(build))
    assert found == ["Fabric 'the outermost': one Fabric under two names, also 'me'"]


@pytest.mark.parametrize("container", [lambda n: {"x": n}, lambda n: {n}])
def test_parts_in_a_set_or_dict_have_no_name(container):
    def build(self):
        self.a = container(Node(capacity=8))

    assert "of parts; use a list, whose order names" in faults_of(fabric(build))[0]


@pytest.mark.parametrize("name", ["wire", "duplex", "freeze"])
def test_a_part_cannot_hide_a_method_of_fabric(name):
    def build(self):
        self.a = Node(capacity=8)
        setattr(self, name, Node(capacity=8))

    assert faults_of(fabric(build)) == [f"{name!r} is a method of every Fabric; take another name"]


@pytest.mark.parametrize("name", ["points", "word", "name", "fingerprint"])
def test_a_part_cannot_hide_what_hardware_has(name):
    def build(self):
        self.a = Node(capacity=8)
        setattr(self, name, [Node(capacity=8)])

    assert any(name in sentence for sentence in faults_of(fabric(build)))


def test_a_part_of_a_nested_fabric_may_have_any_plain_name():
    def build(self):
        self.inner = fabric(inner)

    def inner(self):
        self.of, self.points = Node(capacity=8), Node(capacity=8)

    frozen = fabric(build).freeze()
    assert frozen.inner.of is frozen["inner.of"]
    assert frozen.inner.points is frozen["inner.points"]


def test_a_part_that_is_not_in_the_fabric_is_named_with_its_field():
    def build(self):
        lost = Node(capacity=24)
        self.a = Node(capacity=8)
        self.mac = Actor(at=lost, ops={"mul"})
        self.w = self.wire(self.a, Junction(), bandwidth=8, latency=1)

    assert faults_of(fabric(build)) == [
        "Actor 'mac': at must be a part of the fabric, not Node(capacity=24)",
        "Wire 'w': target must be a part of the fabric, not Junction()",
    ]


def test_op_codes_may_come_from_any_iterable():
    def build(self):
        self.a = Node(capacity=8)
        self.mac = Actor(at=self.a, ops=(code for code in ("mul", "add")))

    assert list(fabric(build).freeze().mac.ops) == ["add", "mul"]


def test_a_subclass_of_a_part_is_that_part():
    class Sram(Node):
        pass

    def build(self):
        self.a = Sram(capacity=8)

    assert fabric(build).freeze().a.kind == "Node"


def test_an_empty_fabric_is_refused():
    assert faults_of(Fabric()) == ["Fabric: a fabric needs at least one Node"]
