"""The boundaries of the packages: who may import whom, anywhere in a file."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("hwdsl", "dtt", "rtl")


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


def imports(path):
    """Every module that a file names in an import, whole, wherever the import stands."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*above, *([node.module] if node.module else [])])
            found |= {stem} | {f"{stem}.{alias.name}" for alias in node.names}
    return found


def packages(path):
    return {name.partition(".")[0] for name in imports(path)}


def joins_all(path):
    return path == ROOT / "hwdsl/__main__.py" or path.is_relative_to(ROOT / "hwdsl/cli")


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_something_to_look_at(package):
    assert len(modules(package)) > 5


@pytest.mark.parametrize(
    ("package", "others"), [("hwdsl", {"dtt", "rtl"}), ("dtt", {"rtl"}), ("rtl", {"dtt"})]
)
def test_only_the_command_line_joins_the_packages(package, others):
    guilty = [p for p in modules(package) if packages(p) & others and not joins_all(p)]
    assert guilty == []


def test_only_rtl_imports_amaranth():
    guilty = [p for q in ("hwdsl", "dtt") for p in modules(q) if "amaranth" in packages(p)]
    assert guilty == []
    assert any("amaranth" in packages(p) for p in modules("rtl"))


@pytest.mark.parametrize(("folder", "entry"), [("legality", "check"), ("foretold", "expect")])
def test_what_checks_a_schedule_shares_nothing_with_what_made_it(folder, entry):
    own = {f"dtt.{folder}", f"dtt.{entry}", "dtt.schedule"}
    for path in [ROOT / f"dtt/{entry}.py", *modules(f"dtt/{folder}")]:
        used = {".".join(name.split(".")[:2]) for name in imports(path)}
        foreign = {name for name in used if name.startswith("dtt.")} - own
        assert foreign == set(), path


def test_the_walk_sees_imports_of_every_form(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "dtt/legality/x.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        "import rtl.run as r\n"
        "from ..placing import Placer\n"
        "from . import tables\n"
        "def f():\n    from hwdsl import Node\n"
    )
    assert imports(path) >= {"rtl.run", "dtt.placing", "dtt.legality.tables", "hwdsl.Node"}
    assert packages(path) == {"rtl", "dtt", "hwdsl"}
