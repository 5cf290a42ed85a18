"""Waveforms are written only when asked for, and show the parts under the user's names."""

import os

import rtl
from tests.rtl.builder import Builder
from tests.rtl.machines import Cross


def test_a_waveform_and_a_save_file(tmp_path):
    h = Cross().freeze()
    b = Builder(h)
    b.datum("X", h.a, 0, shape=(4,))
    b.move(1, h.straight, 0, 0)
    plain = rtl.simulate(h, b.program(8), {"X": [1, 2, 3, 4]})
    assert os.listdir(tmp_path) == []
    file = tmp_path / "run.vcd"
    for _ in range(2):  # also on a model that has run before
        assert rtl.simulate(h, b.program(8), {"X": [1, 2, 3, 4]}, vcd=file) == plain
        assert sorted(os.listdir(tmp_path)) == ["run.gtkw", "run.vcd"]
        assert "$enddefinitions" in file.read_text()
        save = (tmp_path / "run.gtkw").read_text()
        for name in ("straight", "a->hub", "hub->d"):
            assert name in save
        file.unlink()
        (tmp_path / "run.gtkw").unlink()
