"""The path engine in RTL against the plain function: the same Moves, with the same ends."""

import warnings

import pytest
from amaranth.hdl import Elaboratable, Module
from amaranth.sim import Simulator
from random_machines import Machine, Seeded, random_workload

import dtt
from dtt.waypoints import waypoints
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.errors import HardwareWarning, LimitReached, NoSchedule
from hwdsl.legs import carries
from hwdsl.program_file import sections_of
from hwdsl.rebuild import rebuild
from hwdsl.waypoints import FOREVER, Kind
from rtl.control.decoder import Decoder
from rtl.control.limits import limits_of
from rtl.control.paths import Paths
from rtl.control.tools import Store, log2

MOST_CLOCKS = 20_000


class Bench(Elaboratable):
    """A path engine with its program memory, and the two tables that it reads."""

    def __init__(self, hardware, limits):
        self.decoder = Decoder("path", limits.path_words)
        self.sizes = Store("sizes", limits.size_bits, limits.data)
        self.homes = Store("homes", log2(len(hardware.points)), limits.data)
        self.paths = Paths(hardware, limits, self.decoder)

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = self.decoder
        m.submodules.paths = self.paths
        m.d.comb += [
            self.paths.size.eq(self.sizes.read(m, self.paths.datum)),
            self.paths.home.eq(self.homes.read(m, self.paths.datum)),
        ]
        with m.If(self.paths.brought):
            self.homes.put(m, self.paths.datum, self.paths.place)
        self.sizes.build(m)
        self.homes.build(m)
        return m


def words(data):
    data += bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def rebuilt(hardware, program):
    """Return datum, Wire, departure and end of all that the engine reserves."""
    sections = sections_of(program)
    sizes = {tag: len(data) for tag, data in sections.items()}
    bench = Bench(hardware, limits_of(hardware, program, rebuild(hardware, program), sizes))
    paths, lanes = bench.paths, bench.paths.lanes
    simulator = Simulator(bench)
    simulator.add_clock(1e-9)
    found = []

    async def until_idle(ctx):
        before = None
        for _ in range(MOST_CLOCKS):
            await ctx.tick()
            if ctx.get(lanes.adding) and ctx.get(lanes.second):
                names = ("datum", "wire", "cycle", "end")
                now = tuple(ctx.get(getattr(lanes, name)) for name in names)
                if now != before:
                    found.append(now)
                before = now
            else:
                before = None
            assert not ctx.get(paths.failed)
            if not ctx.get(paths.busy):
                return
        raise AssertionError("the path engine does not come to an end")

    async def test_bench(ctx):
        for i, word in enumerate(words(sections["PATH"])):
            ctx.set(bench.decoder.contents[i], word)
        for datum, bits in enumerate(program.sizes()):
            ctx.set(bench.sizes.contents[datum], bits // hardware.word)
        for datum, point, _ in program.contents.tolist():
            ctx.set(bench.homes.contents[datum], point)
        for _, actor, _, result, _ in program.operations.tolist():
            ctx.set(bench.homes.contents[result], hardware.actors[actor].result_at)
        ctx.set(paths.begin, 1)
        await ctx.tick()
        ctx.set(paths.begin, 0)
        await until_idle(ctx)
        while ctx.get(paths.waiting):
            ctx.set(paths.start, 1)
            await ctx.tick()
            ctx.set(paths.start, 0)
            await until_idle(ctx)

    simulator.add_testbench(test_bench)
    simulator.run()
    forever = (1 << bench.paths.cycle.shape().width) - 1
    ends = [hardware.points[hardware.wires[wire].target].stores for _, wire, _, _ in found]
    return sorted(
        (datum, wire, cycle, None if not stores else -1 if end == forever else end)
        for (datum, wire, cycle, end), stores in zip(found, ends, strict=True)
    )


def agree(hardware, program):
    wanted = carries(hardware, program)
    told = sorted((c.datum, c.wire, c.cycle, -1 if c.end == FOREVER else c.end) for c in wanted)
    found = rebuilt(hardware, program)
    # Nothing stays in a Junction, so what the engine says of its end means nothing.
    ours = [row if row[3] is not None else (*row[:3], None) for row in told]
    assert found == ours


class Hub(Fabric):
    """Forks at a Junction, beats, parallel Wires, and one Wire of a long latency."""

    def __init__(self):
        self.ram = Node(capacity=1024)
        self.hub = Junction()
        self.pe = [Node(capacity=256) for _ in range(3)]
        self.mac = [Actor(at=pe, ops={"add"}, units=2, latency=2) for pe in self.pe]
        self.feed = self.wire(self.ram, self.hub, bandwidth=16, latency=2)
        self.branch = [self.wire(self.hub, pe, bandwidth=16, latency=1) for pe in self.pe]
        self.back = [self.wire(pe, self.ram, bandwidth=24, latency=3, lane=8) for pe in self.pe]
        self.slow = self.wire(self.ram, self.pe[0], bandwidth=8, latency=40)


def hub_schedule():
    work = dtt.Workload(bits=8)
    a, b = work.load("a", "b", at="ram", shape=5)
    c = work.load("c", at="ram")
    for i in range(3):
        work.need(c, at=f"pe[{i}]", by=9)
        work.store(work.op("add", a, b, name=f"sum{i}", on=f"mac[{i}]"), at="ram")
    return dtt.schedule(Hub().freeze(), work)


@pytest.mark.parametrize("full", [False, True])
def test_forks_beats_and_lanes(full):
    schedule = hub_schedule()
    program = waypoints(schedule, full=full)
    if full:
        assert set(program.points[:, 1].tolist()) == {Kind.STEP}
    agree(schedule.hardware, program)


def test_random_pairs():
    pairs = 0
    for seed in range(40_000, 40_012):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HardwareWarning)
            hardware = Machine(Seeded(seed)).freeze()
        try:
            schedule = dtt.schedule(hardware, random_workload(Seeded(seed), hardware))
        except (NoSchedule, LimitReached):
            continue
        if len(schedule.moves):
            agree(hardware, waypoints(schedule, window=32))
            pairs += 1
    assert pairs >= 6
