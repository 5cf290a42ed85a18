"""The load bus of the emitted machine: what it writes is what pysim pokes."""

from amaranth.sim import Simulator

import rtl
from hwdsl.trace import ErrorKind
from rtl.load import image_of
from rtl.probe import decode, probed_parts, records_of
from rtl.top import Machine
from tests.rtl.builder import Builder
from tests.rtl.machines import Sum


def test_a_machine_that_is_loaded_through_its_bus_shows_the_same():
    h = Sum().freeze()
    b = Builder(h)
    for i in range(3):
        b.datum(f"X{i}", h.leaf[i], i, bits=16)
        b.move(1 + i, h.up[i], i, 2)
    b.datum("Y", h.adder, 2, bits=16)  # an Adder is loaded as well
    for lane in range(2):
        b.send(5, h.out, 2, lane, lane)
        b.land(7, h.out, 7, lane, lane)
    b.final("Y", h.root, 7)
    program, values, cycles = b.program(8), {"X0": 1, "X1": 2, "X2": 3, "Y": 1000}, 8
    expected = rtl.simulate(h, program, values)
    assert expected.finals["value"].tolist() == [1006]

    machine = Machine(h, 32, 16, loadable=True)
    image = image_of(h, program, values)
    probes = [getattr(machine, n) for n in machine.signature.members if n.startswith("probe_")]
    seen = []

    async def bench(ctx):
        for _ in range(2):  # a second run finds the machine as the first did
            select = 0
            for rows in image.entries(machine.time_bits):
                for address, row in enumerate([*rows, 0]):
                    await write(ctx, select, address, row)
                select += 1
            for rows in image.stores.values():
                for address, row in rows.items():
                    await write(ctx, select, address, row)
                select += 1
            ctx.set(machine.run, 1)
            seen.clear()
            async for _, _, *values in ctx.tick().sample(*probes):
                seen.append(values)
                if len(seen) > cycles:
                    break
            ctx.set(machine.run, 0)

    async def write(ctx, select, address, data):
        ctx.set(machine.load_valid, 1)
        ctx.set(machine.load_select, select)
        ctx.set(machine.load_address, address)
        ctx.set(machine.load_data, data)
        await ctx.tick()
        ctx.set(machine.load_valid, 0)

    simulator = Simulator(machine)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
    assert len(probes) == len(probed_parts(h))
    assert decode(h, records_of(h, seen), cycles).tolist() == expected.events.tolist()


def test_the_error_outputs_name_kind_part_and_lane():
    h = Sum().freeze()
    machine = Machine(h, 2, 16, loadable=True)
    number = [str(p) for p in machine.ports].index("land out[1]")
    found = {}

    async def bench(ctx):
        ctx.set(machine.load_valid, 1)
        ctx.set(machine.load_select, number)
        width = machine.ports[number].width
        ctx.set(machine.load_data, (1 << 16 | 3) << width)  # in cycle 3, words that do not come
        await ctx.tick()
        ctx.set(machine.load_valid, 0)
        await ctx.tick()
        ctx.set(machine.run, 1)
        for cycle in range(6):
            found[cycle] = ctx.get(machine.error)
            await ctx.tick()
        part = list(h.parts)[ctx.get(machine.error_part)]
        found["what"] = (
            ErrorKind(ctx.get(machine.error_kind)),
            part.name,
            ctx.get(machine.error_lane),
        )
        ctx.set(machine.run, 0)
        await ctx.tick()
        found["after"] = ctx.get(machine.error)

    simulator = Simulator(machine)
    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
    assert [found[cycle] for cycle in range(6)] == [0, 0, 0, 0, 1, 1]
    assert found["what"] == (ErrorKind.MISSING, "out", 1)
    assert found["after"] == 0
