"""The same input gives the same bytes, whatever the hash seed and the order of declaration."""

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import pytest

import dtt
import rtl
from hwdsl.build import build, declarations_of
from hwdsl.cli.subject import read_subject
from hwdsl.declaration import Declaration
from hwdsl.program import TABLES

EXAMPLES = Path(__file__).parents[2] / "examples"
SEEDS = range(5)


def artefacts(hardware, workload):
    """Hashes of Schedule and Program."""
    schedule = dtt.schedule(hardware, workload)
    program = schedule.program()
    tables = b"".join(getattr(program, name).tobytes() for name in TABLES)
    return [hashlib.sha256(b).hexdigest() for b in (schedule.to_json().encode(), tables)]


def of_example(name):
    subject = read_subject(str(EXAMPLES / f"{name}.py"))
    return artefacts(subject.hardware, subject.workload)


def verilog():
    hardware = read_subject(str(EXAMPLES / "fig1.py")).hardware
    return hashlib.sha256(rtl.emit(hardware).encode()).hexdigest()


def test_the_hash_seed_changes_nothing():
    program = "import test_same_bytes as t; print(t.of_example('four_pe'), t.verilog())"
    here = Path(__file__).parent
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=here,
            env={"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in SEEDS
    ]
    seen = {process.communicate()[0] for process in running}
    assert seen == {f"{of_example('four_pe')} {verilog()}\n"}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_declaration_changes_nothing(seed):
    subject = read_subject(str(EXAMPLES / "four_pe.py"))
    declared = [
        # Wires that nobody named are declared without a name again.
        Declaration("" if "->" in d.name else d.name, d.kind, d.fields)
        for d in declarations_of(subject.hardware)
    ]
    random.Random(seed).shuffle(declared)
    shuffled = build("Shuffled", subject.hardware.word, declared)
    assert shuffled == subject.hardware
    assert artefacts(shuffled, subject.workload) == of_example("four_pe")
