"""Do the side links of MAERI's augmented reduction tree pay? One workload, two trees.

Sixteen multipliers below fifteen Adders; the augmented tree has four Wires each way more. Its
left half, with ADD_01 and ADD_02 (``add[0][1]`` and ``add[0][2]``) joined::

                       add[2][0]
              add[1][0]         add[1][1]~~~
        add[0][0] add[0][1]~~~add[0][2] add[0][3]~~~
         *    *    *    *      *    *    *    *

Run it: ``python examples/reduction_tree.py``, or one pass at a time: ``hwdsl reduce --leaves 8
--augmented --lengths 3,5``. Given a folder, it writes ``reduction_tree.svg`` there, in which each
Wire is as wide as it is busy. With ``--cells`` it also counts what the links cost in cells, which
takes Yosys half a minute.
"""

import random
import sys
from pathlib import Path

import dtt
from hwdsl.cli.compare import as_text, compared, scheduled
from hwdsl.cli.tree_picture import tree_picture
from hwdsl.fabrics import ReductionTree

ENERGIES = {
    "read_pj_per_bit": 0.6,
    "feed_pj_per_bit": 0.05,
    "pj_per_product": 0.2,
    "pj_per_add": 0.05,
    "adder_pj_per_bit": 0.002,
    "pj_per_bit": 0.004,
    "link_pj_per_bit": 0.004,
    "out_pj_per_bit": 0.01,
}


class Plain(ReductionTree):
    def __init__(self, *, leaves=16):
        super().__init__(leaves=leaves, collect="any", **ENERGIES)


class Augmented(ReductionTree):
    def __init__(self, *, leaves=16):
        super().__init__(leaves=leaves, collect="any", augmented=True, **ENERGIES)


def dot_products(lengths):
    """Return a Workload of dot products of so many pairs each."""
    work = dtt.Workload(bits=8)
    for i, length in enumerate(lengths):
        pairs = [work.load(f"a{i}_{j}", f"b{i}_{j}", at="feed") for j in range(length)]
        work.store(work.dot(pairs, name=f"dot{i}", bits=32), at="out")
    return work


plain, hardware = Plain().freeze(), Augmented().freeze()
chance = random.Random(1)
workload = dot_products([chance.randint(2, 10) for _ in range(40)])

if __name__ == "__main__":
    schedules = scheduled((plain, hardware), workload)
    found = compared(schedules, "pysim", 0)
    if "--cells" in sys.argv:
        from rtl.price import cells

        for side, machine in zip(found["sides"], (plain, hardware), strict=True):
            side["cells"] = cells(machine)
    for folder in (argument for argument in sys.argv[1:] if not argument.startswith("-")):
        picture = Path(folder) / "reduction_tree.svg"
        picture.write_text(tree_picture(schedules[1]), encoding="utf-8")
        print(f"the augmented tree with its use is drawn in {picture}")
    print(as_text(found))
    sys.exit(found["verdict"] != "pass")
