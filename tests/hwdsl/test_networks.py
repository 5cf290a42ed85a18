"""Ready-made networks: who reaches whom, over how many Wires, and which sizes there are."""

from __future__ import annotations

import pytest

import dtt
import rtl
from dtt.expect import expected_trace
from hwdsl import Actor, Fabric, InputError, Junction, Node
from hwdsl.compare import compare
from hwdsl.fabrics import Bus, Butterfly, Crossbar, FatTree, Mesh, Torus
from hwdsl.values import random_values


class Joined(Fabric):
    """A network with a memory at each port."""

    def __init__(self, network, ports):
        self.net = network
        self.memory = [Node(capacity=64) for _ in range(ports)]
        for i, memory in enumerate(self.memory):
            network.attach(memory, i)


def wires_of(hardware, prefix="net"):
    """Return the wires between two parts of the network, as pairs of names, sorted."""
    names = [p.name for p in hardware.points]
    ends = [(names[w.source], names[w.target]) for w in hardware.wires]
    return sorted(e for e in ends if all(n.startswith(prefix) for n in e))


def reach(hardware, start):
    """Return how many Junctions lie on the shortest way from one memory to each other one."""
    distance, frontier = {start.index: 0}, [start.index]
    for point in frontier:
        for wire in hardware.outgoing[point]:
            if wire.target not in distance:
                distance[wire.target] = distance[point] + 1
                if not hardware.points[wire.target].stores:
                    frontier.append(wire.target)
    others = (m for m in hardware.memory if m is not start)
    return [distance[m.index] - 1 if m.index in distance else 0 for m in others]


KINDS = {
    "butterfly": lambda n: Butterfly(ports=n, bandwidth=8),
    "mesh": lambda n: Mesh(rows=2, columns=n // 2, bandwidth=8),
    "torus": lambda n: Torus(rows=2, columns=n // 2, bandwidth=8),
    "crossbar": lambda n: Crossbar(inputs=n, outputs=n, bandwidth=8),
    "bus": lambda n: Bus(ports=n, bandwidth=8),
    "fat_tree": lambda n: FatTree(ports=n, bandwidth=8),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_ports_reach_all_others(kind):
    hardware = Joined(KINDS[kind](8), 8).freeze()
    for memory in hardware.memory:
        assert min(reach(hardware, memory)) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_multicast_takes_each_wire_once(kind):
    """One datum to seven memories: no wire carries it twice, and the RTL shows the same."""
    hardware = Joined(KINDS[kind](8), 8).freeze()
    work = dtt.Workload()
    a, b = work.load("a", "b", at=hardware.memory[2])
    for datum in (a, b):
        for i in (0, 1, 3, 4, 5, 6, 7):
            work.store(datum, at=hardware.memory[i])
    schedule = dtt.schedule(hardware, work)
    dtt.check(hardware, work, schedule)
    assert not schedule.unserved
    carried = [(datum, wire) for datum, wire, _ in schedule.moves.tolist()]
    assert len(set(carried)) == len(carried)
    values = random_values(work, 1)
    expected = expected_trace(schedule, values)
    seen = rtl.simulate(hardware, schedule.program(), values)
    assert not compare(hardware, expected.trace, seen, expected).mismatches


def test_butterfly_is_the_one_that_is_drawn():
    hardware = Joined(Butterfly(ports=8, bandwidth=8), 8).freeze()
    steps = [
        (f"net.stage[{s}][{j}]", f"net.stage[{s + 1}][{k}]")
        for s in range(2)
        for j in range(4)
        for k in (j, j ^ (2 >> s))
    ]
    assert wires_of(hardware) == sorted(steps)
    assert all(len(hardware.outgoing[p.index]) == 2 for p in hardware.points if not p.stores)
    assert all(len(hardware.incoming[p.index]) == 2 for p in hardware.points if not p.stores)
    assert set(reach(hardware, hardware.memory[5])) == {3}


def test_a_butterfly_of_two_ports_is_one_switch():
    hardware = Joined(Butterfly(ports=2, bandwidth=8), 2).freeze()
    assert [p.name for p in hardware.points if not p.stores] == ["net.stage[0][0]"]
    assert wires_of(hardware) == []


@pytest.mark.parametrize(
    ("kind", "rows", "columns", "wires"),
    [
        (Mesh, 1, 1, 0),
        (Mesh, 1, 2, 2),
        (Mesh, 2, 2, 8),
        (Mesh, 2, 3, 14),
        (Mesh, 64, 1, 126),
        (Mesh, 1, 64, 126),
        (Torus, 1, 1, 0),
        (Torus, 1, 2, 2),
        (Torus, 2, 2, 8),
        (Torus, 2, 3, 18),
        (Torus, 3, 3, 36),
        (Torus, 64, 1, 128),
        (Torus, 1, 64, 128),
    ],
)
def test_grids_of_every_size(kind, rows, columns, wires):
    hardware = Joined(kind(rows=rows, columns=columns, bandwidth=8), rows * columns).freeze()
    inside = wires_of(hardware)
    assert len(inside) == len(set(inside)) == wires
    halves = (rows // 2, columns // 2) if kind is Torus else (rows - 1, columns - 1)
    assert max(reach(hardware, hardware.memory[0]), default=1) == sum(halves) + 1


def test_a_grid_of_memories_keeps_data_on_the_way():
    class Field(Fabric):
        def __init__(self):
            self.net = Mesh(rows=1, columns=3, bandwidth=8, point=lambda: Node(capacity=16))
            self.mac = Actor(at=self.net.grid[0][2], ops={"add"})

    hardware = Field().freeze()
    work = dtt.Workload()
    a, b = work.load("a", "b", at="net.grid[0][0]")
    work.op("add", a, b)
    schedule = dtt.schedule(hardware, work)
    assert schedule.paths(a)[0].startswith("net.grid[0][0]@0 -> net.grid[0][1]@")


def test_a_bus_has_one_medium_and_a_crossbar_does_not():
    """Four data between four pairs at once: one bus cycle each, or all in the same cycle."""

    def cycles(network):
        hardware = Joined(network, 8).freeze()
        work = dtt.Workload()
        for i in range(4):
            datum = work.load(f"d{i}", at=hardware.memory[i])
            work.store(datum, at=hardware.memory[4 + i])
        return dtt.schedule(hardware, work).cycles

    assert cycles(Crossbar(inputs=8, outputs=8, bandwidth=8)) == 2
    assert cycles(FatTree(ports=8, bandwidth=8)) == 6  # all go up and down at once
    assert cycles(Bus(ports=8, bandwidth=8)) == 3 + 3


def test_a_fat_tree_is_as_wide_above_as_below():
    hardware = Joined(FatTree(ports=9, arity=3, bandwidth=8), 9).freeze()
    switch, root = hardware["net.level[0][1]"], hardware["net.level[1][0]"]
    assert sum(w.target == root.index for w in hardware.outgoing[switch.index]) == 3
    assert sum(w.target == switch.index for w in hardware.outgoing[root.index]) == 3
    assert sum(p.kind == "Junction" for p in hardware.points) == 4


def test_ports_may_be_wired_one_way_and_with_their_own_latency():
    class OneWay(Fabric):
        def __init__(self):
            self.net = Crossbar(inputs=64, outputs=1, bandwidth=16, lane=8, pj_per_bit=2)
            self.a, self.b = Node(capacity=8), Node(capacity=8)
            self.net.enter(self.a, 63, latency=7)
            self.out = self.net.leave(0, self.b)

    hardware = OneWay().freeze()
    assert [(w.latency, w.bandwidth, w.lane) for w in hardware.wires] == [(7, 16, 8), (1, 16, 8)]
    assert hardware.out.energy == 2_000_000


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Butterfly(ports=1, bandwidth=8), "Butterfly: ports must be .* at least 2, not 1"),
        (lambda: Butterfly(ports=6, bandwidth=8), "Butterfly: ports must be a power of 2, not 6"),
        (lambda: FatTree(ports=8, arity=3, bandwidth=8), "ports must be a power of 3, not 8"),
        (lambda: FatTree(ports=8, arity=1, bandwidth=8), "arity must be .* at least 2, not 1"),
        (lambda: Mesh(rows=0, columns=1, bandwidth=8), "Mesh: rows must be .* at least 1, not 0"),
        (lambda: Torus(rows=1, columns=2.0, bandwidth=8), "Torus: columns must be .* not 2.0"),
        (lambda: Bus(ports=True, bandwidth=8), "Bus: ports must be .* not True"),
        (lambda: Crossbar(inputs=1, outputs=-1, bandwidth=8), "Crossbar: outputs must be"),
        (lambda: Bus(ports=2, bandwidth=8).enter(Node(capacity=8), 2), "from 0 to 1, not 2"),
        (lambda: Bus(ports=2, bandwidth=8).leave(-1, Junction()), "output port .* not -1"),
    ],
)
def test_sizes_that_are_refused(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
