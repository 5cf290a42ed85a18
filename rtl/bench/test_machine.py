"""A cocotb test: load the program, run it, record what every probe shows, and compare.

It works in a folder with ``program.json``, and needs nothing but cocotb. What was seen is written
to ``seen.txt``: a line ``cycle probe value`` for each probe that was not 0 (value in hexadecimal,
probes counted from 0 in the order of ``program.json``), then a line ``final value`` for each
memory row that was to be read. Where there is an ``expected.json``, the test fails on the first
difference from it.
"""

from __future__ import annotations

import json
from pathlib import Path

import cocotb
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time


async def tick(dut) -> None:
    """Let what was set take effect, then give one rising edge of the clock."""
    await Timer(1, "ns")
    dut.clk.value = 1
    await Timer(1, "ns")
    dut.clk.value = 0


async def load(dut, rows) -> None:
    """Write rows of memories through the load bus."""
    select = getattr(dut, "load_select", None)  # a machine with a single memory has none
    dut.load_valid.value = 1
    for number, address, value in rows:
        if select is not None:
            select.value = number
        dut.load_address.value = address
        dut.load_data.value = int(value, 16)
        await tick(dut)
    dut.load_valid.value = 0


def inside(dut, path):
    """Return what is found under a path: names of instances, then a signal or a memory."""
    for name in path:
        dut = dut[name]
    return dut


def difference(program, expected, seen) -> str:
    """Tell the first record that is not as expected."""
    wanted = {(cycle, probe): value for cycle, probe, value in expected["records"]}
    end = program["cycles"]
    found = {(cycle, probe): value for cycle, probe, value in seen if cycle < end}
    for cycle, probe in sorted({*wanted, *found}):
        ours, theirs = wanted.get((cycle, probe), "0"), found.get((cycle, probe), "0")
        if ours != theirs:
            name = program["probes"][probe]
            return f"cycle {cycle}: {name} shows 0x{theirs}, and 0x{ours} was expected"
    return ""


@cocotb.test()
async def the_machine_does_as_expected(dut) -> None:
    program = json.loads(Path("program.json").read_text())
    dut.clk.value = 0
    dut.run.value = 0
    dut.load_valid.value = 0
    await Timer(1, "ns")
    await load(dut, program["load"])
    await tick(dut)
    dut.run.value = 1
    await Timer(1, "ns")
    for _ in range(program.get("lead", 0)):
        await tick(dut)
    probes = [getattr(dut, name) for name in program["probes"]]
    began = int(get_sim_time("ns"))
    seen = []
    for cycle in range(program["cycles"] + 1):
        if cycle:
            await tick(dut)
        for number, probe in enumerate(probes):
            assert probe.value.is_resolvable, f"cycle {cycle}: {probe._name} shows {probe.value}"
            value = int(probe.value)
            if value:
                seen.append((cycle, number, f"{value:x}"))
    error = getattr(dut, "control_error", None)  # only a controller has one
    finals = []
    for path, row in program["finals"]:
        place = inside(dut, path)
        finals.append(int((place if row is None else place[row]).value))
    with open("seen.txt", "w", encoding="ascii") as file:
        file.write(f"began {began}\n")
        file.writelines(f"{cycle} {number} {value}\n" for cycle, number, value in seen)
        if error is not None:
            file.write(f"error {int(error.value):x}\n")
        file.writelines(f"final {value:x}\n" for value in finals)
    if not Path("expected.json").is_file():
        return
    expected = json.loads(Path("expected.json").read_text())
    wrong = difference(program, expected, seen)
    assert not wrong, wrong
    for (path, row), value, (wanted, mask) in zip(
        program["finals"], finals, expected["finals"], strict=True
    ):
        wanted, mask = int(wanted, 16), int(mask, 16)
        where = ".".join(path) + ("" if row is None else f"[{row}]")
        assert value & mask == wanted & mask, (
            f"after the last cycle: {where} holds 0x{value:x}, and 0x{wanted:x} was expected"
        )
