"""Every rule of a fabric, with its wording: faults are what a user reads most."""

import pytest

from hwdsl import Actor, Adder, Fabric, InputError, Junction, Node
from hwdsl.build import build
from hwdsl.checks import costly
from hwdsl.declaration import Declaration
from hwdsl.errors import HardwareWarning


def node(name="n", **fields):
    return Declaration(name, "Node", {"capacity": 64, **fields})


def wire(name="w", source="n", target="m", **fields):
    ends = {"source": source, "target": target}
    return Declaration(name, "Wire", {**ends, "bandwidth": 8, "latency": 1, **fields})


def actor(name="mac", at="n", ops=("mul",), **fields):
    return Declaration(name, "Actor", {"at": at, "ops": ops, **fields})


def faults(*declarations, word=8):
    with pytest.raises(InputError) as caught:
        build("Test", word, declarations)
    return [fault.sentence for fault in caught.value.faults]


def sound(*declarations, word=8):
    return build("Test", word, declarations)


WHOLE = "must be a positive whole number of"


@pytest.mark.parametrize("value", [0, -8, 8.0, "8", True, float("nan")])
def test_sizes_are_positive_and_whole(value):
    assert faults(node(capacity=value)) == [f"Node 'n': capacity {WHOLE} bits, not {value!r}"]


@pytest.mark.parametrize(
    ("declaration", "sentence"),
    [
        (node(row=0), f"Node 'n': row {WHOLE} bits, not 0"),
        (wire(bandwidth=0), f"Wire 'w': bandwidth {WHOLE} bits per cycle, not 0"),
        (wire(latency=0), f"Wire 'w': latency {WHOLE} cycles, not 0"),
        (wire(lane=-1), f"Wire 'w': lane {WHOLE} bits, not -1"),
        (actor(units=0), f"Actor 'mac': units {WHOLE} units, not 0"),
        (actor(units=1 << 40), "Actor 'mac': units must be below 2^40, not 1099511627776"),
        (actor(units=65_537), "Actor 'mac': units must be at most 65536, not 65537"),
        (actor(latency=0), f"Actor 'mac': latency {WHOLE} cycles, not 0"),
        (actor(cooldown=1.5), f"Actor 'mac': cooldown {WHOLE} cycles, not 1.5"),
        (actor(bits=12), "Actor 'mac': bits must be a multiple of the word (8 bits), not 12"),
        (node(capacity=60), "Node 'n': capacity must be a multiple of the word (8 bits), not 60"),
        (node(row=24), "Node 'n': capacity must be whole rows of 24 bits, not 64"),
        (wire(bandwidth=4), "Wire 'w': bandwidth must be a multiple of the word (8 bits), not 4"),
        (node(row=8, capacity=1 << 41), "Node 'n': capacity must be below 2^40, not 2199023255552"),
        (node(capacity=1 << 40), "Node 'n': capacity must be below 2^40, not 1099511627776"),
    ],
)
def test_each_size_has_its_rule(declaration, sentence):
    rest = [d for d in (node(), node("m")) if d.name != declaration.name]
    assert faults(declaration, *rest) == [sentence]


def test_a_lane_divides_the_rows_at_both_ends():
    found = faults(node(row=32), node("m"), wire(bandwidth=32, lane=32))
    assert found == ["Wire 'w': its lane of 32 bits must divide the row of 'm' (8 bits)"]


def test_bandwidth_is_whole_lanes():
    found = faults(node(row=16), node("m", row=16), wire(bandwidth=24, lane=16))
    assert found == ["Wire 'w': bandwidth must be whole lanes of 16 bits, not 24"]


@pytest.mark.parametrize("energy", [-1, float("nan"), float("inf"), "1", True, 2e9, 1e-7])
def test_energies_are_finite_and_never_silently_zero(energy):
    assert faults(node(pj_per_bit=energy)) == [
        f"Node 'n': pj_per_bit must be 0, or from 1e-06 to 1e+09 pJ, not {energy!r}"
    ]


def test_an_undeclared_energy_is_not_zero():
    hardware = sound(node(pj_per_bit=0.0), node("m"))
    assert hardware["n"].energy == 0
    assert hardware["m"].energy is None


@pytest.mark.parametrize("word", [0, -8, 8.0, None, "8", True, 1 << 40])
def test_the_word_is_checked_and_the_rest_with_it(word):
    found = faults(node(capacity=0), word=word)
    assert found == [
        f"Test: word must be a positive whole number of bits, not {word!r}",
        f"Node 'n': capacity {WHOLE} bits, not 0",
    ]


@pytest.mark.parametrize(
    ("declaration", "sentence"),
    [
        (wire(target="n"), "Wire 'w': a wire must join two different parts, not 'n' to itself"),
        (wire(target="x"), "Wire 'w': target must be a part of the fabric, not 'x'"),
        (wire(source=None), "Wire 'w': source is missing"),
        (
            wire(target="mac"),
            "Wire 'w': target must be a Node or a Junction or an Adder, not Actor 'mac'",
        ),
        (actor("a", at="hub"), "Actor 'a': at must be a Node, not Junction 'hub'"),
        (
            actor("a", result_at="w2"),
            "Actor 'a': result_at must be a Node or an Adder, not Wire 'w2'",
        ),
    ],
)
def test_references_are_to_parts_of_the_right_kind(declaration, sentence):
    rest = [node(), node("m"), Declaration("hub", "Junction", {}), actor(), wire("w2")]
    assert faults(declaration, *rest) == [sentence]


@pytest.mark.parametrize(
    ("ops", "sentence"),
    [
        ((), "ops must name at least one op code"),
        ("mul", "ops must be a set of op codes or a mapping, not 'mul'"),
        (None, "ops must be a set of op codes or a mapping, not None"),
        (3, "ops must be a set of op codes or a mapping, not 3"),
        (("mul", 3), "an op code must be an identifier, not 3"),
        ({"a b": {}}, "an op code must be an identifier, not 'a b'"),
        ({"mul": 3}, "op 'mul' must map to its own values, not 3"),
        (
            {"mul": {"laten": 3}},
            "op 'mul' has no field 'laten'; it has latency, cooldown, hold, units, pj_per_op",
        ),
        ({"mul": {"latency": 0}}, f"op 'mul': latency {WHOLE} cycles, not 0"),
        ({"mul": {"units": 3}}, "op 'mul': units must be at most the Actor's 2, not 3"),
        (
            {"mul": {"hold": 4}},
            "op 'mul': hold must be at most the latency (3 cycles), not 4",
        ),
    ],
)
def test_op_codes_and_their_timing(ops, sentence):
    assert faults(node(), actor(ops=ops, units=2, latency=3)) == [f"Actor 'mac': {sentence}"]


def test_all_wires_of_a_junction_are_alike():
    found = faults(
        node(row=16),
        node("m", row=16),
        Declaration("hub", "Junction", {}),
        wire("a", "n", "hub", bandwidth=32),
        wire("b", "hub", "m", bandwidth=16),
        wire("c", "m", "hub", bandwidth=32, lane=16),
    )
    assert found == [
        "Wire 'b': all wires of Junction 'hub' must have the same bandwidth: "
        "'a' has 32, this one 16",
        "Wire 'c': all wires of Junction 'hub' must have the same lane: 'a' has 8, this one 16",
    ]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a b", "a name must be a path of identifiers: 'a b' is not a path such as"),
        ("a[01]", "a name must be a path of identifiers: 'a[01]' is not a path such as"),
        ("points", "'points' is a name that Hardware itself uses; take another"),
        ("cluster._x", "a name must not begin with '_'"),
        ("m.x", "Node 'm' is a part, and can hold no other"),
        ("M", "in Verilog its name is that of 'm'; rename one of them"),
    ],
)
def test_names_are_paths_that_can_be_reached(name, sentence):
    (found,) = faults(node("m"), node(name))
    assert found.startswith(f"Node {name!r}: {sentence}")


def test_two_parts_of_one_name():
    assert faults(node(), node("m"), actor("m")) == ["Actor 'm': two parts have this name"]


def test_an_arrow_names_the_ends():
    found = faults(node(), node("m"), wire("n->x"))
    assert found == ["Wire 'n->x': a name with '->' must be that of its ends, 'n->m'"]
    assert sound(node(), node("m"), wire("n->m#7")).wires[0].name == "n->m#7"


class Careless(Fabric):
    def __init__(self):
        self.word = 8
        self.a_b = Node(capacity=12)
        self.a = [Node(capacity=64), Node(capacity=64, row=0)]
        self.b = self.a[0]
        self.mac = Actor(at=self.a[0], ops={"mul", "a-b", "c-d"}, units=-1)
        self.w = self.wire(self.a[0], self.a[0], bandwidth=8, latency=1)
        self.v = self.wire(self.a[0], self.a[1], bandwidth=8, latency=0)
        self.A_b = Node(capacity=64)
        self.hub = Junction()
        self.sum = Adder(capacity=64, inputs=0)


def test_all_faults_are_reported_at_once_in_one_order():
    with pytest.raises(InputError) as caught:
        Careless().freeze()
    assert caught.value.status == 2
    assert str(caught.value).splitlines() == [
        "Node 'a[0]': one part under two names, also 'b'",
        "Node 'A_b': in Verilog its name is that of 'a_b'; rename one of them",
        "Node 'a_b': capacity must be a multiple of the word (8 bits), not 12",
        "Node 'a[1]': row must be a positive whole number of bits, not 0",
        "Actor 'mac': units must be a positive whole number of units, not -1",
        "Actor 'mac': an op code must be an identifier, not 'a-b'",
        "Actor 'mac': an op code must be an identifier, not 'c-d'",
        "Wire 'w': a wire must join two different parts, not 'a[0]' to itself",
        "Wire 'v': latency must be a positive whole number of cycles, not 0",
        "Adder 'sum': inputs must be a positive whole number of partial sums, not 0",
    ]


def test_a_large_memory_with_many_write_ports_is_warned_of():
    def parts(lane):
        return [
            node(capacity=128 * 8192, row=512),
            node("m", row=512, capacity=512),
            wire(source="m", target="n", bandwidth=512, lane=lane),
        ]

    assert list(costly(parts(512), 8)) == []
    with pytest.warns(HardwareWarning, match=r"Node 'n': 1048576 bits with 64 write ports"):
        sound(*parts(8))


def test_results_of_one_actor_never_meet_at_a_unit():
    def actor(cooldown):
        ops = {"mul": {"latency": 3, "cooldown": cooldown}, "add": {}}
        return Declaration("mac", "Actor", {"at": "n", "ops": ops, "latency": 1, "cooldown": 1})

    assert sound(node(), actor(3))
    with pytest.raises(InputError, match=r"Actor 'mac': op 'mul': cooldown must be at least 3"):
        sound(node(), actor(2))
