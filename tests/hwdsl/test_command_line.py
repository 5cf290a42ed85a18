import json
import subprocess
import sys
from pathlib import Path

import pytest

from hwdsl.__main__ import COMMANDS, main
from hwdsl.cli import doctor
from hwdsl.cli.screen import Screen, amount, table
from hwdsl.yaml_writer import write_yaml

EXAMPLES = Path(__file__).parents[2] / "examples"
FIG1 = str(EXAMPLES / "fig1.py")
FOUR_PE = str(EXAMPLES / "four_pe.py")

TINY = """
from hwdsl import Fabric, Node
import dtt

class Tiny(Fabric):
    def __init__(self):
        self.a, self.b = Node(capacity=64), Node(capacity=64)
        self.w = self.wire(self.a, self.b, bandwidth=8, latency=3)

hardware = Tiny().freeze()
workload = dtt.Workload(bits=8)
x = workload.load("x", at=hardware.a)
"""


@pytest.fixture
def written(tmp_path):
    """Write a Python file, and return its name."""

    def write(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def run(capsys, *arguments):
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def refused(capsys, *arguments):
    status, out, err = run(capsys, *arguments)
    assert "Traceback" not in err
    assert out == ""
    return status, err


def test_schedule_shows_who_computes_what_when_and_how_data_get_there(capsys):
    status, out, _ = run(capsys, "schedule", FIG1)
    assert status == 0
    assert "C   mul   mac        3       4" in out
    assert "A      sram@0 -> reg@1 -> pe@2  pe 2 to 3" in out
    assert "B      sram@0 -> reg@1 -> pe@3  reg 1 to 2" in out
    assert "4 cycles, 12 pJ, 4 moves, 1 firing" in out
    assert "energy leaves out what is undeclared: bus0, bus1, mac" in out


def test_schedule_as_json_is_one_object(capsys):
    status, out, _ = run(capsys, "schedule", FOUR_PE, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["verdict"], found["cycles"], found["energy_pj"]) == ("pass", 22, 715)
    assert found["reads"]["dram"] == 6
    assert found["placing"][-1]["in place"] == "100, 101"
    assert found["paths"]["1"][0] == "dram@0 -> sram[1]@8 -> pe[0]@10"


def test_check_passes_and_says_what_was_compared(capsys):
    status, out, _ = run(capsys, "check", FIG1, "--seed", "7")
    assert status == 0, out
    assert "legal      every rule of the timing contract holds" in out
    assert "with tables, seed 7" in out
    assert "0 mismatches" in out
    assert out.endswith("PASS\n")


def test_check_as_json_has_the_keys_that_others_rely_on(capsys):
    status, out, _ = run(capsys, "check", FIG1, "--json")
    found = json.loads(out)
    assert status == 0
    expected = {
        "verdict": "pass",
        "engine": "pysim",
        "control": "tables",
        "cycles": 4,
        "energy_pj": 12.0,
        "moves": 4,
        "firings": 1,
        "mismatches": 0,
        "first_mismatch": None,
        "seed": 0,
    }
    assert expected.items() <= found.items()


def test_a_yaml_file_does_what_the_python_file_does(capsys, tmp_path):
    from hwdsl.cli.subject import read_subject

    subject = read_subject(FIG1)
    path = tmp_path / "fig1.yaml"
    write_yaml(path, subject.hardware, subject.workload, {"A": 7, "B": 6})
    assert run(capsys, "schedule", str(path))[1] == run(capsys, "schedule", FIG1)[1]


def test_values_of_the_file_are_used_and_the_rest_is_drawn(written):
    from hwdsl.cli.check import complete_values
    from hwdsl.cli.subject import read_subject

    subject = read_subject(written(TINY + "workload.load('y', at='a'); values = {x: 5}"))
    assert next(iter(complete_values(subject, 0).values())) == 5
    assert len(complete_values(subject, 0)) == 2


def test_a_request_that_cannot_be_met_fails_with_its_reason(capsys, written):
    file = written(TINY + "workload.need(x, at=hardware.b, by=2)\n")
    status, out, _ = run(capsys, "schedule", file)
    assert status == 1
    assert "unserved: 'x' cannot be in 'b' at cycle 2" in out
    status, err = refused(capsys, "schedule", file, "--strict")
    assert status == 1
    assert "'x' cannot be in 'b' at cycle 2" in err


def test_no_schedule_is_status_3(capsys, written):
    file = written(TINY + "workload.op('mul', x, x)\n")
    status, err = refused(capsys, "schedule", file)
    assert status == 3
    assert "mul" in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\ny = 1 / 0\n", ":2:5: ZeroDivisionError: division by zero\ny = 1 / 0\n    ^"),
        ("def f(:\n", ":1:7: this is not Python: invalid syntax\ndef f(:\n      ^"),
        ("import sys\nsys.exit(0)\n", ":2:1: the file ended the program"),
        ("from hwdsl import Node\nNode(size=3)\n", ":2:1: TypeError: Node.__init__() got an unex"),
        ("def f(): return f()\nf()\n", ":1:17: RecursionError"),
        ("", " must define 'workload', a dtt.Workload, not nothing"),
        (TINY + "hardware = 3\n", " must define 'hardware', a Fabric or what its freeze() returns"),
        (TINY + "values = 3\n", ": 'values' must map data to values, not a int"),
        (TINY.replace("latency=3", "latency=0"), ":10:12: Wire 'w': latency must be a positive"),
        (TINY + "workload.op('mull', x)\n", ":13:1: op code 'mull' is not defined"),
    ],
)
def test_a_fault_of_a_python_file_has_its_line(capsys, written, text, expected):
    file = written(text)
    status, err = refused(capsys, "check", file)
    assert status == 2
    assert err.startswith(f"error: {file}{expected}")


def test_an_error_is_one_json_object_too(capsys, written):
    status, out, err = run(capsys, "check", written("1 / 0\n"), "--json")
    assert status == 2
    assert json.loads(out)["verdict"] == "fail"
    assert "ZeroDivisionError" in json.loads(out)["error"]
    assert "ZeroDivisionError" in err


def test_what_a_file_prints_does_not_mix_with_the_object(capsys, written):
    file = written(TINY + "print('hello')\n")
    _, out, err = run(capsys, "schedule", file, "--json")
    json.loads(out)
    assert "hello" in err


def test_a_fabric_may_be_left_to_be_frozen(capsys, written):
    file = written(TINY + "hardware = Tiny()\n")
    assert run(capsys, "schedule", file)[0] == 0


def test_files_beside_the_file_can_be_imported(capsys, written):
    written("SIZE = 64\n", "sizes_beside.py")
    file = written("from sizes_beside import SIZE\n" + TINY)
    assert run(capsys, "schedule", file)[0] == 0


def test_a_costly_fabric_is_warned_of(capsys, written):
    text = TINY.replace("Node(capacity=64)\n", "Node(capacity=1 << 20)\n")
    text = text.replace("bandwidth=8", "bandwidth=64")
    _, _, err = run(capsys, "schedule", written(text))
    assert err.startswith("warning: Node 'b': 1048576 bits with 8 write ports")


@pytest.mark.parametrize(
    "arguments",
    [[], ["chek", "x.py"], ["check"], ["check", "x.py", "--seed", "-1"], ["schedule", "x", "--y"]],
)
def test_wrong_arguments_are_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: hwdsl" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["none.py", "none.yaml", "."])
def test_a_file_that_is_not_there(capsys, tmp_path, name):
    status, err = refused(capsys, "check", str(tmp_path / name))
    assert status == 2
    assert "error: " in err


def test_waveforms_are_written_where_asked(capsys, tmp_path):
    status, _, _ = run(capsys, "check", FIG1, "--vcd", str(tmp_path / "fig1.vcd"))
    assert status == 0
    assert {"fig1.vcd", "fig1.gtkw"} <= {path.name for path in tmp_path.iterdir()}
    status, err = refused(capsys, "check", FIG1, "--vcd", str(tmp_path / "none" / "fig1.vcd"))
    assert (status, "cannot be written: its folder is not there" in err) == (2, True)


def test_an_unknown_engine_is_refused_with_the_known_ones(capsys):
    status, _, err = run(capsys, "check", FIG1, "--engine", "abacus")
    assert status == 2
    assert "engine must be one of" in err
    assert "abacus" in err


def test_emit_writes_the_same_verilog_to_the_screen_and_to_a_file(capsys, tmp_path):
    status, out, _ = run(capsys, "emit", FIG1)
    assert status == 0
    assert "endmodule" in out
    assert run(capsys, "emit", FIG1, "-o", str(tmp_path / "fig1.v"))[:2] == (0, "")
    assert (tmp_path / "fig1.v").read_text() == out
    status, err = refused(capsys, "emit", FIG1, "-o", str(tmp_path / "none" / "fig1.v"))
    assert (status, "cannot be written" in err) == (2, True)


def test_doctor_finds_what_is_here_and_says_what_brings_the_rest(capsys, monkeypatch):
    status, out, _ = run(capsys, "doctor", "--json")
    found = {f["name"]: f for f in json.loads(out)["findings"]}
    assert status == 0
    assert found["amaranth"]["version"].startswith("0.5")
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    status, out, _ = run(capsys, "doctor")
    assert status == 0
    assert "optional: g++ (builds compiled parts):\n    apt-get install g++" in out
    missing = ("no-such-package", "for this test", True)
    monkeypatch.setattr(doctor, "_PACKAGES", (missing,))
    status, out, _ = run(capsys, "doctor")
    assert status == 5
    assert "pip install no-such-package" in out


class Terminal:
    def isatty(self):
        return True


def test_colours_are_for_terminals_and_not_for_who_wants_none(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Screen(Terminal()).red("x") == "\x1b[31mx\x1b[0m"
    assert Screen(sys.__stdin__).coloured in (True, False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert Screen(Terminal()).red("x") == "x"


def test_tables_set_numbers_to_the_right():
    assert table(("name", "n"), [("a", 5), ("bcdef", 10)]) == (
        "name    n\n-----  --\na       5\nbcdef  10"
    )
    assert (amount(1, "mismatch", "mismatches"), amount(0, "move")) == ("1 mismatch", "0 moves")


def test_help_imports_nothing_heavy():
    """What keeps it under 0.3 s, which benchmarks/command_line.py measures."""
    program = (
        "import sys; sys.argv = ['hwdsl', '--help']\n"
        "from hwdsl.__main__ import main\n"
        "heavy = 'numpy', 'amaranth', 'yaml', 'dtt', 'rtl'\n"
        "try: main()\n"
        "except SystemExit: print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.endswith("[]\n")
    assert all(name in done.stdout for name in COMMANDS)


def test_a_closed_pipe_is_no_error():
    line = f"{sys.executable} -m hwdsl schedule {FOUR_PE} | head -1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("Placing")


def test_emit_does_not_overwrite_its_own_input(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("word: 8\nnodes:\n  ram: {capacity: 64}\n")
    status, _, errors = run(capsys, "emit", str(file), "-o", str(file))
    assert status == 2
    assert "it is the FILE that is read" in errors
    assert file.read_text().startswith("word: 8")


def test_a_window_of_a_waveform_needs_the_waveform_and_an_order(capsys, tmp_path):
    status, _, errors = run(capsys, "check", FIG1, "--vcd-from", "3")
    assert (status, "--vcd, which is missing" in errors) == (2, True)
    wave = str(tmp_path / "x.vcd")
    window = ("--vcd", wave, "--vcd-from", "9", "--vcd-to", "3")
    status, _, errors = run(capsys, "check", FIG1, *window)
    assert (status, "not be before --vcd-from 9, not 3" in errors) == (2, True)


def test_a_latency_beyond_what_is_simulated_is_a_limit(capsys, tmp_path):
    file = tmp_path / "far.yaml"
    file.write_text(
        "word: 8\nnodes:\n  a: {capacity: 64}\n  b: {capacity: 64}\nwires:\n"
        "  w: {source: a, target: b, bandwidth: 8, latency: 99999999999}\n"
        "workload:\n  items:\n  - {load: [x], at: a}\n  - {store: x, at: b}\n"
    )
    status, _, errors = run(capsys, "check", str(file))
    assert status == 4
    assert "Wire 'w': the RTL simulates at most 65536 cycles of latency" in errors


def test_waveforms_never_replace_what_is_read_and_leave_nothing_of_a_run_that_was_refused(
    capsys, tmp_path
):
    file = tmp_path / "tiny.py"
    file.write_text(TINY)
    status, err = refused(capsys, "check", str(file), "--vcd", str(file))
    assert (status, "it is the FILE that is read" in err) == (2, True)
    assert file.read_text() == TINY
    status, _ = refused(capsys, "check", str(tmp_path / "none.py"), "--vcd", str(tmp_path / "x"))
    assert (status, [path.name for path in tmp_path.iterdir()]) == (2, ["tiny.py"])


@pytest.mark.parametrize(
    "options",
    [
        ("--depth", "2"),
        ("--hold-back",),
        ("--testbench", "d", "-o", "f"),
        ("--testbench", "d", "--cells"),
    ],
)
def test_emit_refuses_options_that_it_would_pass_over(capsys, monkeypatch, tmp_path, options):
    monkeypatch.chdir(tmp_path)
    status, err = refused(capsys, "emit", FIG1, *options)
    assert (status, "error: --" in err) == (2, True)
    assert not list(tmp_path.iterdir())


def test_compare_says_which_requests_are_not_served(capsys, tmp_path):
    file = tmp_path / "late.py"
    file.write_text(TINY + "\nworkload.need(workload.load('late', at='a'), at='b', by=0)\n")
    status, out, _ = run(capsys, "compare", str(file), str(file))
    assert status == 1
    assert "A: unserved: 'late' cannot be in 'b' at cycle 0" in out
    assert out.endswith("FAIL\n")
    missing = str(tmp_path / "none" / "x.svg")
    status, err = refused(capsys, "compare", str(file), str(file), "--svg", missing)
    assert (status, "its folder is not there" in err) == (2, True)


@pytest.mark.parametrize("command", ["compare", "reduce"])
def test_a_seed_below_0_is_refused(capsys, command):
    given = {"compare": (FIG1, FIG1), "reduce": ("--leaves", "8", "--lengths", "3,5")}[command]
    with pytest.raises(SystemExit) as left:
        main([command, *given, "--seed", "-1"])
    assert left.value.code == 2
    assert "a seed must be a whole number from 0, not '-1'" in capsys.readouterr().err


def test_a_position_below_0_is_refused(capsys):
    status, err = refused(capsys, *"reduce --leaves 8 --lengths 3,3 --at 0,-1".split())
    assert (status, "must be a leaf from 0, not -1" in err) == (2, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--depth", "2"], "--depth is of a controller: --control waypoints, or --hold-back"),
        (["--vcd-from", "3"], "--vcd-from and --vcd-to limit --vcd, which is missing"),
    ],
)
def test_check_refuses_what_it_would_pass_over(capsys, monkeypatch, options, sentence):
    monkeypatch.setattr("hwdsl.cli.check.scheduled", None)  # before anything is scheduled
    status, err = refused(capsys, "check", FIG1, *options)
    assert status == 2
    assert sentence in err
