"""Ops that users bring: each Component is held against its NumPy function before it is used."""

from __future__ import annotations

import numpy as np
from amaranth.hdl import Elaboratable, Module, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.sim import Simulator

from hwdsl.errors import InputError
from hwdsl.hardware import Hardware
from hwdsl.ops import KINDS, OpKind, wrap

VECTORS = 200
_LATER = 8
"""Cycles for which a wrong latency is looked for, to name the right one."""

_verified: set[tuple[OpKind, int]] = set()


def brought(hardware: Hardware) -> tuple[OpKind, ...]:
    """Return the ops of a Hardware that users brought, by code."""
    codes = sorted({code for actor in hardware.actors for code in actor.ops})
    return tuple(KINDS[c] for c in codes if c in KINDS and KINDS[c].component is not None)


def verify(hardware: Hardware) -> None:
    """Hold each Component that a Hardware uses against NumPy, once for each size of element.

    Raises
    ------
    InputError
        If one lacks a member, or does not show NumPy's values after the latency that it declares.
    """
    for actor in hardware.actors:
        for kind in brought(hardware):
            if kind.code in actor.ops and (kind, actor.bits) not in _verified:
                _verify(kind, actor.bits)
                _verified.add((kind, actor.bits))


def _verify(kind: OpKind, bits: int) -> None:
    operands = _vectors(kind.arity, bits)
    with np.errstate(over="ignore"):
        expected = wrap(kind.compute(operands), bits)
    seen = _run(kind, bits, operands, VECTORS + kind.latency + _LATER)
    if kind.reads is not None:
        return  # not elementwise: its values are held against NumPy's where it is used
    told = kind.latency - 1
    wrong = np.flatnonzero(seen[told : told + VECTORS] != expected)
    if not wrong.size:
        return
    for other in range(kind.latency + _LATER):
        if other != told and np.array_equal(seen[other : other + VECTORS], expected):
            edges = f"{other} clock edge{'s'[: other != 1]}"
            rule = f"its Component shows NumPy's values {edges} after its operands"
            found = f"latency must be {other + 1}, not {kind.latency}"
            raise InputError(f"Op code {kind.code!r}: {rule}; {found}")
    first = int(wrong[0])
    given = ", ".join(str(int(o[first])) for o in operands)
    rule = f"its Component gives {seen[told + first]} for ({given}), and NumPy {expected[first]}"
    raise InputError(f"Op code {kind.code!r}: {rule} (elements of {bits} bits)")


def _vectors(arity: int, bits: int) -> list[np.ndarray]:
    """Return operands of every magnitude, and all pairs of extremes."""
    generator = np.random.default_rng(0)
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    extremes = np.array([low, low + 1, -1, 0, 1, high], np.int64)
    made = []
    for i in range(arity):
        drawn = generator.integers(low, high, VECTORS, np.int64, endpoint=True)
        drawn >>= generator.integers(0, bits, VECTORS)
        corners = np.repeat(np.tile(extremes, 6 ** (1 - i % 2)), 6 ** (i % 2))
        drawn[: len(corners)] = corners
        made.append(drawn)
    return made


def _run(kind: OpKind, bits: int, operands: list[np.ndarray], cycles: int) -> np.ndarray:
    """Feed new operands in every cycle; return the result that is seen in each cycle."""
    component = kind.component(bits)
    simulator = Simulator(_Clocked(component))
    names = [f"operand{i}" for i in range(kind.arity)]
    for name in (*names, "result"):
        member = getattr(component, name, None)
        if member is None or Value.cast(member).shape() != signed(bits):
            rule = f"its Component must have a member {name!r} of signed({bits})"
            raise InputError(f"Op code {kind.code!r}: {rule}")
    seen = []

    async def bench(ctx):
        for cycle in range(cycles):
            for name, operand in zip(names, operands, strict=True):
                ctx.set(getattr(component, name), int(operand[cycle % VECTORS]))
            seen.append(ctx.get(component.result))
            await ctx.tick()

    simulator.add_clock(1e-9)
    simulator.add_testbench(bench)
    simulator.run()
    return np.array(seen, np.int64)


class _Clocked(Elaboratable):
    """Gives a clock to a Component that may have no register."""

    def __init__(self, component: wiring.Component):
        self._component = component

    def elaborate(self, platform) -> Module:
        m = Module()
        m.d.sync += Signal(name="clocked").eq(0)
        m.submodules.component = self._component
        return m
