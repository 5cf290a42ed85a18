"""``hwdsl reduce``: one pass of dot products over a reduction tree, on the RTL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .check import seed
from .screen import Screen, print_json, progress, table

if TYPE_CHECKING:
    from dtt import Schedule

    from ..hardware import Hardware
    from ..workload import Datum, Workload

SUMMARY = "reduce adjacent dot products on a plain or augmented tree, and run it on the RTL"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--leaves", type=int, required=True, help="multipliers: a power of two")
    parser.add_argument("--augmented", action="store_true", help="with side links")
    parser.add_argument("--lengths", type=_numbers, required=True, help="pairs of each: 3,5")
    parser.add_argument("--at", type=_numbers, help="first leaf of each (default: packed from 0)")
    parser.add_argument(
        "--collect",
        choices=("any", "root"),
        default="any",
        help="Adders that results can leave from (default: %(default)s)",
    )
    parser.add_argument("--engine", default="pysim", help="what runs the RTL (default: pysim)")
    parser.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers such as 3,5, not {text!r}") from None


def run(options: argparse.Namespace) -> int:
    from ..fabrics.maeri_switch import blocked, positions

    at = positions(options.leaves, options.lengths, options.at)
    way = {"augmented": options.augmented, "at": at}
    why = blocked(options.leaves, options.lengths, **way)
    with progress("scheduling"):
        schedule = scheduled(options, options.lengths, at)
        alone = max(
            scheduled(options, [length], [first]).cycles
            for length, first in zip(options.lengths, at, strict=True)
        )
    found = {
        "leaves": options.leaves,
        "augmented": options.augmented,
        "lengths": options.lengths,
        "at": at,
        "blocked": why is not None,
        "blocked_by": None if why is None else str(why),
        "cycles": schedule.cycles,
        "extra_cycles": schedule.cycles - alone,
        "moves": len(schedule.moves),
        "firings": len(schedule.firings),
        **simulated(schedule, options.engine, options.seed),
    }
    good = found["verdict"] == "pass"
    if options.json:
        print_json(found)
    else:
        screen = Screen(sys.stdout)
        found["lengths"], found["at"] = (",".join(map(str, found[k])) for k in ("lengths", "at"))
        found["verdict"] = screen.green("PASS") if good else screen.red("FAIL")
        words = {True: "yes", False: "no", None: "-"}
        rows = [
            (k.replace("_", " "), words[v] if v is None or isinstance(v, bool) else str(v))
            for k, v in found.items()
        ]
        print(table(("what", "found"), rows))
    return 0 if good else 1


def scheduled(options: argparse.Namespace, lengths: Sequence[int], at: Sequence[int]) -> Schedule:
    """Return the Schedule of some dot products; of an augmented tree, none worse than the plain."""
    import dtt

    from ..fabrics import ReductionTree

    plain: Hardware = ReductionTree(leaves=options.leaves, collect=options.collect).freeze()
    work = workload(lengths, at)
    schedule = dtt.schedule(plain, work, objective="time")
    if options.augmented:
        tree = ReductionTree(leaves=options.leaves, collect=options.collect, augmented=True)
        schedule = dtt.schedule(tree.freeze(), work, objective="time", start=schedule)
    return schedule


def workload(lengths: Sequence[int], at: Sequence[int] | None = None) -> Workload:
    """Return dot products of so many pairs, on the multipliers from ``at`` on if it is given."""
    from ..workload import Workload

    work = Workload(bits=8)
    for i, length in enumerate(lengths):
        if length < 1:
            raise InputError(f"a dot product has at least one pair, not {length}")
        pairs = [
            (work.load(f"a{i}_{j}", at="feed"), work.load(f"b{i}_{j}", at="feed"))
            for j in range(length)
        ]
        on = None if at is None else f"mul[{at[i]}]"
        work.store(work.dot(pairs, name=f"dot{i}", bits=32, on=on), at="out")
    return work


def links(hardware: Hardware) -> list[int]:
    """Return the Wires (indices) that join two Adders of one level of a `ReductionTree`."""
    names = [p.name.split("[")[:2] if p.kind == "Adder" else None for p in hardware.points]
    return [
        w.index for w in hardware.wires if names[w.source] and names[w.source] == names[w.target]
    ]


def simulated(schedule: Schedule, engine: str, seed: int, given: Any = None) -> dict[str, Any]:
    """Run a Schedule; return what was counted in it and on the RTL.

    Parameters
    ----------
    given : mapping, optional
        Values of some loaded data; the others are random.
    """
    import rtl
    from dtt import check
    from dtt.expect import expected_trace
    from dtt.reduction.additions import additions

    from ..additions import additions_seen
    from ..compare import compare
    from ..values import random_values

    hardware, work = schedule.hardware, schedule.workload
    check(hardware, work, schedule)
    values: dict[Datum | str, Any] = dict(random_values(work, seed).items())
    named = {datum.name: datum for datum in work.data}
    values.update({named[getattr(k, "name", k)]: v for k, v in (given or {}).items()})
    program = schedule.program()
    with progress(f"running the RTL on {engine}"):
        seen = rtl.simulate(hardware, program, values, engine=engine)
    expected = expected_trace(schedule, values)
    verdict = compare(hardware, expected.trace, seen, expected)
    planned, counted = additions(schedule), additions_seen(hardware, program, seen)
    across = set(links(hardware))
    return {
        "adds2": planned.two,
        "adds3": planned.three,
        "adds2_seen": counted.two,
        "adds3_seen": counted.three,
        "link_moves": sum(wire in across for wire in schedule.moves["wire"].tolist()),
        "verdict": "pass" if verdict.passed and planned == counted else "fail",
        "engine": seen.engine,
        "mismatches": verdict.count,
        "first_mismatch": verdict.first.sentence if verdict.first else None,
    }
