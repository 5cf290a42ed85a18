"""The exact optimum of small cases, as a mixed integer program that SciPy's HiGHS solves.

For every datum it decides in which cycle it is in which Node, and when it departs on which Wire.
It knows Nodes and Wires on which every datum takes one beat, needs with a deadline, and nothing
else; it shares no code with `dtt`.
"""

from collections import defaultdict

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from dtt import Workload
from hwdsl import Node
from hwdsl.fabrics import Mesh


class Ported(Mesh):
    """A mesh of memories with a DRAM, ten times as dear, at one corner."""

    def __init__(self, rows, columns, capacity, hold=None, bandwidth=8):
        super().__init__(
            rows=rows,
            columns=columns,
            point=lambda: Node(capacity=capacity, pj_per_bit=1, pj_per_bit_cycle=hold),
            bandwidth=bandwidth,
            latency=1,
        )
        self.dram = Node(capacity=1 << 16, pj_per_bit=10)
        self.duplex(self.dram, self.grid[0][0], bandwidth=bandwidth, latency=1)


def instance(seed, requests=12, cycles=20, data=5):
    """Return a random Hardware and Workload of needs with deadlines."""
    random = np.random.default_rng(seed)
    capacity = 8 * int(random.integers(1, 5))
    hold = (None, 0.05)[int(random.integers(2))]
    hardware = Ported(3, 3, capacity, hold).freeze()
    work = Workload(bits=8)
    loaded = work.load(*(f"d{i}" for i in range(data)), at="dram")
    popular = np.arange(1, data + 1) ** -0.7
    for _ in range(requests):
        datum = loaded[random.choice(data, p=popular / popular.sum())]
        row, column = (int(n) for n in random.integers(0, 3, 2))
        work.need(datum, at=f"grid[{row}][{column}]", by=int(random.integers(4, cycles)))
    return hardware, work


class _Program:
    """Rows and columns of the program, gathered one by one."""

    def __init__(self):
        self.cost, self.whole = [], []
        self.rows, self.columns, self.factors = [], [], []
        self.low, self.high = [], []

    def variable(self, cost=0, whole=False):
        self.cost.append(cost)
        self.whole.append(whole)
        return len(self.cost) - 1

    def rule(self, terms, low=-np.inf, high=np.inf):
        """Hold ``low <= sum of factor * variable <= high``."""
        for factor, column in terms:
            self.rows.append(len(self.low))
            self.columns.append(column)
            self.factors.append(factor)
        self.low.append(low)
        self.high.append(high)

    def solve(self, seconds):
        shape = (len(self.low), len(self.cost))
        table = coo_array((self.factors, (self.rows, self.columns)), shape=shape).tocsc()
        return milp(
            np.array(self.cost),
            integrality=np.array(self.whole),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(table, self.low, self.high),
            options={"time_limit": seconds, "mip_rel_gap": 1e-9},
        )


def least_energy(hardware, workload, seconds=120):
    """Return the least energy in 1e-6 pJ, or None if not all needs can be met.

    Each need is a unit of flow from where its datum is loaded to its Node and deadline, over the
    arcs (Wire or None to stay, departure) that its datum takes; that makes the program tight.

    Raises
    ------
    TimeoutError
        If it was neither found nor proved impossible in ``seconds``.
    """
    program = _Program()
    distance = _distances(hardware)
    taken = defaultdict(dict)  # of each datum: arc to its variable
    for request in workload.requests:
        _flow(program, hardware, distance, request, taken[request.datum.index])
    lanes, rows = defaultdict(list), defaultdict(list)
    for d, arcs in taken.items():
        size = workload.data[d].size
        present = defaultdict(list)
        for (kind, i, t), arc in arcs.items():
            if kind == "wire":
                wire = hardware.wires[i]
                lanes[i, t].append((wire.lanes_of(size, 0), arc))
                present[wire.target, t + wire.latency].append(arc)
            else:
                present[i, t + 1].append(arc)
        for (p, t), ways in present.items():
            there = program.variable()
            for way in ways:
                program.rule([(1, there), (-1, way)], low=0)
            rows[p, t].append((hardware.points[p].rows_of(size), there))
    for (w, _), terms in lanes.items():
        program.rule(terms, high=hardware.wires[w].lanes)
    for (p, _), terms in rows.items():
        program.rule(terms, high=hardware.points[p].rows)
    found = program.solve(seconds)
    if found.status == 2:
        return None
    if found.status != 0:
        raise TimeoutError(f"no optimum in {seconds} s: {found.message}")
    return round(found.fun)


def _flow(program, hardware, distance, request, taken):
    source = hardware.point(request.datum.loaded_at).index
    target, size = hardware.point(request.node).index, request.datum.size
    balance = defaultdict(list)
    steps = [("wire", w.index, w.source, w.target, w.latency) for w in hardware.wires]
    steps += [("stay", p.index, p.index, p.index, 1) for p in hardware.points]
    for kind, index, start, end, latency in steps:
        first = distance[source][start]
        for t in range(first, request.by - latency - distance[end][target] + 1):
            key = kind, index, t
            if key not in taken:
                taken[key] = program.variable(_energy(hardware, kind, index) * size, True)
            flow = program.variable()
            program.rule([(1, flow), (-1, taken[key])], high=0)
            balance[start, t].append((-1, flow))
            balance[end, t + latency].append((1, flow))
    balance[source, 0] += []
    balance[target, request.by] += []
    for (p, t), terms in balance.items():
        amount = ((p, t) == (target, request.by)) - ((p, t) == (source, 0))
        program.rule(terms, amount, amount)


def _energy(hardware, kind, index):
    if kind == "stay":
        return hardware.points[index].hold_energy or 0
    wire = hardware.wires[index]
    return (hardware.points[wire.source].energy or 0) + (wire.energy or 0)


def _distances(hardware):
    """Return the least sum of latencies between all Points (Floyd and Warshall)."""
    count = len(hardware.points)
    far = np.full((count, count), 1 << 30)
    np.fill_diagonal(far, 0)
    for w in hardware.wires:
        far[w.source, w.target] = min(far[w.source, w.target], w.latency)
    for via in range(count):
        far = np.minimum(far, far[:, [via]] + far[[via]])
    return far.tolist()
