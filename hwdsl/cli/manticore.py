"""``hwdsl manticore``: a layer on a Manticore chiplet, words and cycles beside the paper's."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .check import seed
from .manticore_tables import tables
from .screen import Screen, print_json, progress

if TYPE_CHECKING:
    from dtt.manticore.account import Account
    from dtt.manticore.layer import Layer

    from ..compare import Verdict
    from ..hardware import Hardware

SUMMARY = "schedule a layer on a Manticore chiplet, and count its words"

_LAYERS = {
    "conv": ("a convolutional layer, by Algorithm 1, 2 or 3", 2),
    "fc": ("a fully connected layer, by Algorithm 4 or 5", 5),
}
_SHAPE = (
    ("--clusters-per-l1", 4, "clusters of an L1 quadrant"),
    ("--l1-per-l2", 4, "L1 quadrants of an L2 quadrant"),
    ("--l2-per-l3", 2, "L2 quadrants of an L3 quadrant"),
    ("--l3", 4, "L3 quadrants"),
    ("--uplink", 512, "bits of an uplink and of a channel of main memory"),
    ("--channels", 4, "channels of main memory"),
    ("--hbm-latency", 128, "cycles from main memory to a cluster"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="LAYER")
    for name, (summary, algorithm) in _LAYERS.items():
        kind = kinds.add_parser(name, help=summary, description=summary)
        _layer(kind, name, algorithm)
        machine = kind.add_argument_group("the machine")
        for option, number, meaning in _SHAPE:
            text = f"{meaning} (default: {number})"
            machine.add_argument(option, type=int, default=number, help=text)
        machine.add_argument(
            "--narrow",
            action="append",
            type=_narrow,
            default=[],
            metavar="LEVEL=BITS",
            help="narrower uplinks of a level (cluster, l1, l2, l3), with buffers",
        )
        kind.add_argument("--engine", help="run it on the RTL too, by this engine, such as pysim")
        kind.add_argument("--seed", type=seed, default=0, help="of random values (default: 0)")
        kind.add_argument("--json", action="store_true", help="print one JSON object")


def _layer(parser: argparse.ArgumentParser, name: str, algorithm: int) -> None:
    def number(option: str, default: int | None, meaning: str) -> None:
        text = meaning if default is None else f"{meaning} (default: {default})"
        parser.add_argument(option, type=int, default=default, help=text)

    conv = name == "conv"
    number("--wi", 32 if conv else 7, "width of an input slice")
    number("--di", 128, "input slices")
    number("--do", 128 if conv else 768, "output slices")
    if conv:
        number("--f", 3, "width of a filter")
        number("--stride", 1, "step of the filter")
        number("--pad", None, "zeros around an input slice (default: such that the width stays)")
    else:
        number("--batch", 32, "images of a batch")
    number("--algorithm", algorithm, "of the paper")
    number("--stack", None, "output slices of a task (default: the most that fit)")
    precision = ("single", "double")
    parser.add_argument("--precision", choices=precision, default=precision[0])
    parser.add_argument("--reuse", action="store_true", help="any copy may be a source")


def _narrow(text: str) -> tuple[str, int]:
    level, _, bits = text.partition("=")
    if not bits.isdecimal():
        raise argparse.ArgumentTypeError(f"must be such as l1=256, not {text!r}")
    return level, int(bits)


def run(options: argparse.Namespace) -> int:
    import dtt
    from dtt.manticore.account import Account
    from dtt.manticore.generate import generate

    layer = _checked(options)
    hardware = _machine(options, layer)
    with progress("generating"):
        work = generate(
            hardware, layer, options.algorithm, stack=options.stack, reuse=options.reuse
        )
    with progress("scheduling"):
        schedule = dtt.schedule(hardware, work.workload)
        dtt.check(hardware, work.workload, schedule)
    account, verdict = Account(hardware, work, schedule), None
    if options.engine is not None:
        account, verdict = _simulated(account, options.engine, options.seed)
    good = account.agrees and (verdict is None or verdict.passed)
    found = _found(account, good, verdict, options)
    if options.json:
        print_json(found)
        return 0 if good else 1
    screen = Screen(sys.stdout)
    print(tables(account))
    if verdict is not None:
        print(f"\nRTL        {options.engine}: {verdict}")
    print(screen.green("PASS") if good else screen.red("FAIL"))
    return 0 if good else 1


def _checked(options: argparse.Namespace) -> Layer:
    from dtt.manticore.layer import Layer

    given = {name: getattr(options, name) for name in ("wi", "di", "do", "precision")}
    allowed = (1, 2, 3) if options.kind == "conv" else (4, 5)
    if options.algorithm not in allowed:
        some = ", ".join(map(str, allowed))
        raise InputError(f"{options.kind} takes Algorithm {some}, not {options.algorithm}")
    if options.kind == "conv":
        return Layer.convolutional(**given, f=options.f, stride=options.stride, padding=options.pad)
    return Layer.fully_connected(**given, batch=options.batch)


def _machine(options: argparse.Namespace, layer: Layer) -> Hardware:
    from ..fabrics import Manticore

    names = [option[2:].replace("-", "_") for option, _, _ in _SHAPE]
    shape = {name: getattr(options, name) for name in names}
    frozen: Hardware = Manticore(
        word=layer.word_bits, narrow=dict(options.narrow), **shape
    ).freeze()
    return frozen


def _simulated(account: Account, engine: str, number: int) -> tuple[Account, Verdict]:
    """Run a Schedule on the RTL; return its Account with what was counted there."""
    from dataclasses import replace

    import rtl
    from dtt.expect import expected_trace
    from dtt.manticore.traffic import of_links

    from ..carried import carried
    from ..compare import compare
    from ..values import random_values

    hardware, schedule = account.hardware, account.schedule
    values: dict[Any, Any] = dict(random_values(schedule.workload, number).items())
    program = schedule.program()
    with progress(f"running the RTL on {engine}"):
        trace = rtl.simulate(hardware, program, values, engine=engine)
    expected = expected_trace(schedule, values)
    verdict = compare(hardware, expected.trace, trace, expected)
    if not verdict.passed:
        return account, verdict
    seen = carried(hardware, program, trace)
    return replace(account, seen=of_links(hardware, seen.words, seen.padding)), verdict


def _found(
    account: Account, good: bool, verdict: Verdict | None, options: argparse.Namespace
) -> dict[str, Any]:
    work, printed, reduction = account.work, account.printed, account.private_sums
    seen = account.seen
    return {
        "verdict": "pass" if good else "fail",
        "algorithm": work.algorithm,
        "stack": work.stack,
        "reuse": work.reuse,
        "tasks": work.tasks,
        "clusters": len(account.hardware.cluster),
        "macs": work.layer.macs,
        "printed": None if printed is None else printed.mac_per_word,
        "printed_flop_per_byte": None if printed is None else printed.flop_per_byte,
        "printed_reason": None if printed is None else printed.reason,
        "closed_form_words": account.forms.memory_words,
        "least_words": account.least_words,
        "scheduled_words": account.scheduled_words,
        "rtl_words": account.rtl_words,
        "mac_per_word": account.mac_per_word,
        "flop_per_byte": 2 * account.mac_per_word / work.layer.word_bytes,
        "links": {
            "expected": dict(account.expected.words),
            "scheduled": dict(account.scheduled.words),
            "scheduled_padding": dict(account.scheduled.padding),
            "rtl": None if seen is None else dict(seen.words),
            "rtl_padding": None if seen is None else dict(seen.padding),
        },
        "between_clusters": account.scheduled.exchanged,
        "reduction": None if reduction is None else vars(reduction),
        "cycles": account.schedule.cycles,
        "bound_cycles": account.roofline.cycles,
        "bound_by": account.roofline.by,
        "bounds": dict(account.roofline.parts),
        "energy_pj": account.schedule.energy_pj,
        "moves": len(account.schedule.moves),
        "firings": len(account.schedule.firings),
        "routing": account.schedule.engine,
        "engine": options.engine,
        "first_mismatch": verdict.first.sentence if verdict and verdict.first else None,
    }
