"""Random machines and workloads, for every test that wants them."""

from hypothesis import strategies as st

from hwdsl import Actor, Adder, Fabric, Junction, Node
from hwdsl.workload import Workload

ENERGIES = st.none() | st.just(0) | st.floats(1e-6, 1e3)


@st.composite
def machines(draw, *, adders=True):
    """A frozen Hardware: up to eight points, some of them in a nested Fabric, wired at random."""
    word = draw(st.sampled_from([1, 4, 8, 16]))

    def words(most):
        return word * draw(st.integers(1, most))

    def node(kind=Node, **fields):
        row = words(2)
        return kind(
            capacity=row * draw(st.integers(1, 9)),
            row=draw(st.sampled_from([None, row])) if row == word else row,
            pj_per_bit=draw(ENERGIES),
            pj_per_bit_cycle=draw(ENERGIES),
            **fields,
        )

    class Cluster(Fabric):
        def __init__(self):
            self.memory = node()
            self.unit = [actor(self.memory)]

    def actor(at):
        timings = st.fixed_dictionaries(
            {},
            optional={
                "latency": st.integers(2, 5),
                "cooldown": st.integers(4, 6),
                "hold": st.integers(1, 2),
                "pj_per_op": ENERGIES,
            },
        )
        codes = st.sampled_from(["mul", "dot", "add"])
        return Actor(
            at=at,
            ops=draw(
                st.sets(codes, min_size=1)
                | st.dictionaries(codes, timings.map(lambda t: _settled(t)), min_size=1)
            ),
            units=draw(st.integers(1, 4)),
            latency=draw(st.integers(2, 5)),
            cooldown=draw(st.integers(4, 6)),  # no two results meet in one unit
            bits=draw(st.sampled_from([None, word, 2 * word])),
            pj_per_op=draw(ENERGIES),
        )

    class Machine(Fabric):
        def __init__(self):
            self.word = word
            self.m = [node() for _ in range(draw(st.integers(1, 3)))]
            self.cluster = [Cluster() for _ in range(draw(st.integers(0, 2)))]
            self.hub = [Junction() for _ in range(draw(st.integers(0, 2)))]
            inputs = draw(st.integers(2, 3))
            if adders and draw(st.booleans()):
                self.sum = node(Adder, inputs=inputs, pj_per_add=draw(ENERGIES))
            points = [*self.m, *(c.memory for c in self.cluster), *self.hub]
            points += [self.sum] if "sum" in vars(self) else []
            ends = st.permutations(points).map(lambda p: p[:2])
            for i in range(draw(st.integers(0, 6)) if len(points) > 1 else 0):
                source, target = draw(ends)
                named = draw(st.booleans())
                through = source in self.hub or target in self.hub
                made = self.wire(
                    source,
                    target,
                    bandwidth=2 * word if through else words(3),
                    latency=draw(st.integers(1, 20)),
                    pj_per_bit=draw(ENERGIES),
                )
                if named:
                    setattr(self, f"w{i}", made)

    return Machine().freeze()


def _settled(timing):
    return {key: value for key, value in timing.items() if value is not None}


@st.composite
def workloads(draw, hardware):
    """A Workload that names the Nodes and Actors of a Hardware; it need not be schedulable."""
    nodes = [p.name for p in hardware.points if p.kind == "Node"]
    workload = Workload(bits=draw(st.sampled_from([4, 8, 16])), reuse=draw(st.booleans()))
    maybe = st.none() | st.booleans()
    shapes = st.sampled_from([(), (), (2,), (2, 3)])
    bits = st.none() | st.sampled_from([8, 12])
    data = list(workload.load("x0", "x1", at=draw(st.sampled_from(nodes)), bits=draw(bits)))
    for i in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["load", "op", "dot", "store", "need"]))
        at = draw(st.sampled_from(nodes))
        if kind == "load":
            data.append(workload.load(f"y {i}", at=at, bits=draw(bits), shape=draw(shapes)))
        elif kind == "op":
            one = draw(st.sampled_from(data))
            code = draw(st.sampled_from(["relu", "add"]))
            into = one if code == "relu" and draw(st.booleans()) else None
            operands = [one] if code == "relu" else [one, one]
            on = draw(st.sampled_from([None, *(a.name for a in hardware.actors)]))
            width = None if into else draw(bits)
            made = workload.op(
                code, *operands, into=into, bits=width, on=on, not_before=draw(st.integers(0, 3))
            )
            data.append(made)
        elif kind == "dot":
            scalars = st.sampled_from([d for d in data if d.shape == ()])
            pairs = [(draw(scalars), draw(scalars)) for _ in range(draw(st.integers(1, 3)))]
            data.append(workload.dot(pairs, reuse=draw(maybe)))
        elif kind == "store":
            workload.store(draw(st.sampled_from(data)), at=at, reuse=draw(maybe))
        else:
            by = draw(st.none() | st.integers(0, 99))
            source = draw(st.sampled_from([None, *nodes]))
            datum = draw(st.sampled_from(data))
            workload.need(datum, at=at, by=by, source=source, reuse=draw(maybe))
    return workload
