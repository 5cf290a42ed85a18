"""A two-layer perceptron that reads handwritten digits, in int8, over a batch of images.

::

    dram <==> crossbar <==> pe[0..3], each with 8 multipliers

Both layers are one Workload: the first is split over the four cores, what it finds stays with them,
and the second adds up over them. Each weight is read from DRAM once, for all images of the batch.
The same layers one by one, each from DRAM and back, show what that saved. The RTL must classify
every image as NumPy does. The weights are made by ``examples/digits/train.py``.

Run it: ``python examples/mlp.py [IMAGES]``, or ``hwdsl check examples/mlp.py``.
"""

import sys
from pathlib import Path

import numpy as np
from amaranth.hdl import Module, Mux, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

import dtt
import rtl
from dtt.expect import expected_trace
from dtt.layers import Activation, Dense
from dtt.network import infer, layer_by_layer
from hwdsl import Actor, Fabric, KiB, Node
from hwdsl.compare import compare
from hwdsl.fabrics import Crossbar
from hwdsl.readback import stored
from hwdsl.user_ops import UserOp, bring

TRAINED = np.load(Path(__file__).with_name("digits") / "digits.npz")
SHIFT = int(TRAINED["shift"])
IMAGES = int(sys.argv[1]) if __name__ == "__main__" and len(sys.argv) > 1 else 16
TILES = -(-IMAGES // 4)  # four images each


class Requantize(UserOp):
    """From a sum of 32 bits to a hidden value of 8: not below 0, and not above 127."""

    code = "requantize"

    def compute(self, x):
        return np.clip(x >> SHIFT, 0, 127)

    def component(self, bits):
        return Saturate(bits)


class Saturate(wiring.Component):
    def __init__(self, bits):
        super().__init__({"operand0": In(signed(bits)), "result": Out(signed(bits))})

    def elaborate(self, platform):
        m = Module()
        value = self.operand0 >> SHIFT
        m.d.comb += self.result.eq(Mux(value < 0, 0, Mux(value > 127, 127, value)))
        return m


bring(Requantize())


class Digits(Fabric):
    def __init__(self):
        self.word = 8
        self.dram = Node(capacity=64 * KiB, row=64, pj_per_bit=20)
        self.pe = [Node(capacity=4 * KiB, row=64, pj_per_bit=0.1) for _ in range(4)]
        ops = {"matmul": {"latency": 2}, "requantize": {"latency": 2}}
        self.core = [Actor(at=pe, ops=ops, units=8, bits=32, pj_per_op=0) for pe in self.pe]
        self.net = Crossbar(inputs=5, outputs=5, bandwidth=64, lane=64, pj_per_bit=0.05)
        self.net.attach(self.dram, 0, latency=12)
        for i, pe in enumerate(self.pe, 1):
            self.net.attach(pe, i)


hardware = Digits().freeze()
layers = [
    Dense(TRAINED["weights1"], TRAINED["bias1"], split=4, name="hidden"),
    Activation("requantize", bits=8, name="requantize"),
    Dense(TRAINED["weights2"], TRAINED["bias2"], name="digit"),
]
images = TRAINED["images"][:IMAGES]
network = infer(hardware, layers, images, at=hardware.dram, tiles=TILES, resident=True)
workload, values = network.workload, network.values


def run(schedule):
    """Run the RTL; hold every cycle against the Schedule, and every image against NumPy."""
    program = schedule.program()
    trace = rtl.simulate(hardware, program, values)
    expected = expected_trace(schedule, values)
    verdict = compare(hardware, expected.trace, trace, expected)
    told = f"{trace.cycles} cycles, {len(trace.events)} events, {verdict.count} mismatches"
    print(f"on the RTL: {told}")
    made = stored(hardware, program, trace)
    seen = network.gather(lambda datum: made[datum.name]).argmax(axis=1)
    hidden = np.clip((images @ TRAINED["weights1"].astype(int) + TRAINED["bias1"]) >> SHIFT, 0, 127)
    numpy = (hidden @ TRAINED["weights2"].astype(int) + TRAINED["bias2"]).argmax(axis=1)
    right = np.mean(seen == TRAINED["labels"][: len(images)])
    print(f"{np.sum(seen == numpy)} of {len(images)} images are classified as by NumPy")
    print(f"{right:.1%} of them rightly")
    return not verdict.mismatches and np.array_equal(seen, numpy)


def report(schedule):
    """Tell what was read from DRAM, and what one schedule for all layers saved."""
    apart = layer_by_layer(hardware, layers, images, at=hardware.dram, tiles=TILES)
    single = [dtt.schedule(hardware, part.workload) for part in apart]
    weights = [d.index for d in network.weights]
    to_net = [w.index for w in hardware.outgoing[hardware.dram.index]]
    from_dram = schedule.moves["datum"][np.isin(schedule.moves["wire"], to_net)]
    reads = np.bincount(from_dram, minlength=len(workload.data))[weights]
    print(f"DRAM reads per weight: {reads.min()} to {reads.max()}")
    rows = [
        ("cycles", schedule.cycles, sum(s.cycles for s in single)),
        ("DRAM reads", schedule.reads("dram"), sum(s.reads("dram") for s in single)),
        ("energy, nJ", schedule.energy_pj / 1000, sum(s.energy_pj for s in single) / 1000),
    ]
    print(f"{'':<12}{'one schedule':>14}{'layer by layer':>16}{'saved':>9}")
    for name, one, many in rows:
        print(f"{name:<12}{one:>14,.0f}{many:>16,.0f}{1 - one / many:>9.1%}")


def main():
    schedule = dtt.schedule(hardware, workload)
    dtt.check(hardware, workload, schedule)
    report(schedule)
    good = run(schedule)
    print("PASS" if good else "FAIL")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
