"""Two emissions of one machine, cell by cell: a proof that they behave alike.

Yosys makes one flat netlist of each. Registers, memories and their read ports are paired, by their
names; then each must have the same initial value in both, and what is to be in it next, as every
output, must be made by the same cells of what is paired. By induction both show the same for ever.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from amaranth._toolchain.yosys import find_yosys

Bit = tuple[str, int] | str
"""One of a wire, by its number, or a constant."""

_OUTPUTS = {"Y", "Q", "DATA"}


@dataclass
class Cell:
    kind: str
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    ports: dict[str, list[Bit]] = field(default_factory=dict)

    @property
    def is_state(self) -> bool:
        clocked = self.kind == "$memrd_v2" and self.parameters["CLK_ENABLE"] != "0"
        return clocked or self.kind.startswith(("$dff", "$adff", "$sdff", "$aldff"))

    @property
    def outputs(self) -> set[str]:
        return _OUTPUTS & self.ports.keys() - ({"DATA"} if "Q" in self.ports else set())


class Netlist:
    """A flat netlist, read from RTLIL.

    Attributes
    ----------
    outputs : dict of str to int
        Width of each output.
    state : dict of str to Cell
        Registers and clocked read ports.
    memories : dict of str to list of Cell
        What writes and fills each.
    """

    def __init__(self, text: str):
        self.outputs: dict[str, int] = {}
        self._widths: dict[str, int] = {}
        self._init: dict[str, str] = {}
        self._alias: dict[Bit, Bit] = {}
        self._driver: dict[Bit, tuple[Cell, str, int]] = {}
        self.cells: list[Cell] = []
        self.sizes: dict[str, tuple[str, ...]] = {}
        self._read(text)
        self._shorten()
        writes = [c for c in self.cells if c.kind in ("$memwr_v2", "$meminit_v2")]
        self.memories: dict[str, list[Cell]] = defaultdict(list)
        for cell in sorted(writes, key=lambda cell: _natural(cell.name)):
            self.memories[cell.parameters["MEMID"]].append(cell)
        self.state: dict[str, Cell] = {}
        groups: dict[str, list[Cell]] = defaultdict(list)
        for cell in self.cells:
            if cell.is_state:
                # Cells are numbered within a module; from where is no matter.
                groups[re.sub(r"\d+$", "", cell.name)].append(cell)
        for group, cells in groups.items():
            for number, cell in enumerate(sorted(cells, key=lambda cell: _natural(cell.name))):
                self.state[f"{group}{number}"] = cell
        self.place = {id(cell): name for name, cell in self.state.items()}

    def _read(self, text: str) -> None:
        init, cell = "", None
        for line in text.splitlines():
            words = line.split()
            if not words:
                continue
            if words[0] == "attribute" and words[1] == "\\init":
                init = words[2]
            elif words[0] == "wire":
                self._wire(words, init)
                init = ""
            elif words[0] == "memory":
                self.sizes[words[-1]] = tuple(words[1:-1])
            elif words[0] == "cell":
                cell = Cell(words[1], words[2])
            elif words[0] == "parameter" and cell is not None:
                # A memory's name is quoted, with its backslash doubled.
                value = words[-1].strip('"').replace("\\\\", "\\")
                cell.parameters[words[-2].removeprefix("\\")] = value
            elif words[0] == "connect" and cell is not None:
                cell.ports[words[1].removeprefix("\\")] = self._bits(words[2:])
            elif words[0] == "end" and cell is not None:
                self._add(cell)
                cell = None
            elif words[0] == "connect":
                left = self._bits(words[1:])
                half = len(left) // 2  # both sides are one list: the second is the lower half
                self._alias.update(zip(left[half:], left[:half], strict=True))

    def _shorten(self) -> None:
        """Forget numbers that Amaranth puts behind a name that is taken by something else."""
        names = [*self.sizes, *(cell.name for cell in self.cells)]
        short = {name: re.sub(r"\$\d+(?=\.)", "", name) for name in names}
        if len(set(short.values())) < len(short):
            return
        self.sizes = {short[name]: size for name, size in self.sizes.items()}
        for cell in self.cells:
            cell.name = short[cell.name]
            if "MEMID" in cell.parameters:
                cell.parameters["MEMID"] = short[cell.parameters["MEMID"]]

    def _wire(self, words: list[str], init: str) -> None:
        name = words[-1]
        self._widths[name] = int(words[words.index("width") + 1]) if "width" in words else 1
        if "output" in words:
            self.outputs[name] = self._widths[name]
        if init:
            digits = init.partition("'")[2] if "'" in init else f"{int(init):b}"
            self._init[name] = digits.rjust(self._widths[name], "0")[::-1]

    def _add(self, cell: Cell) -> None:
        if cell.kind == "$scopeinfo":
            return
        self.cells.append(cell)
        if cell.kind not in ("$memwr_v2", "$meminit_v2"):
            for port in cell.outputs:
                for number, bit in enumerate(cell.ports[port]):
                    self._driver[bit] = cell, port, number

    def _bits(self, words: list[str]) -> list[Bit]:
        """Return the bits of one or more signals, the lowest first, the last signal lowest."""
        found: list[Bit] = []  # the highest first
        for word in words:
            if word in "{}":
                continue
            if word.startswith("["):
                name, width = found[-1][0], self._widths[found[-1][0]]
                del found[len(found) - width :]
                high, _, low = word.strip("[]").partition(":")
                found += [(name, i) for i in range(int(high), int(low or high) - 1, -1)]
            elif word[0] in "\\$":
                found += [(word, i) for i in range(self._widths[word] - 1, -1, -1)]
            else:
                width, _, digits = word.partition("'")
                found += digits.rjust(int(width), "0")
        return found[::-1]

    def driver(self, bit: Bit) -> tuple[Cell, str, int] | Bit:
        """Return what drives a bit: a cell, its port and the bit's number there; or itself."""
        while bit in self._alias:
            bit = self._alias[bit]
        return self._driver.get(bit, bit)

    def initial(self, cell: Cell) -> list[str]:
        """Return the initial value of each bit of a register."""
        if cell.kind == "$memrd_v2":
            return [cell.parameters["INIT_VALUE"]]
        found = []
        for wire, number in cell.ports["Q"]:
            value = self._init.get(wire)
            found.append("x" if value is None else value[number])
        return found


def _natural(name: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


class _Shapes:
    """Gives what is made alike the same number, in whichever netlist it is."""

    def __init__(self) -> None:
        self._numbers: dict[tuple, int] = {}
        self._known: dict[tuple[int, int], int] = {}

    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def bit(self, netlist: Netlist, bit: Bit) -> int:
        driver = netlist.driver(bit)
        if not isinstance(driver[0], Cell):
            return self._number("free", driver)
        cell, port, number = driver
        if cell.is_state:
            return self._number("state", netlist.place[id(cell)], port, number)
        return self._number("made", self.cell(netlist, cell), port, number)

    def cell(self, netlist: Netlist, cell: Cell) -> int:
        """Return the number of what a cell does with its inputs; of registers: what is next."""
        key = id(netlist), id(cell)
        if key not in self._known:
            writes = cell.kind in ("$memwr_v2", "$meminit_v2")
            ports = cell.ports.keys() - (set() if writes else cell.outputs)
            inputs = tuple(
                (port, tuple(self.bit(netlist, bit) for bit in cell.ports[port]))
                for port in sorted(ports)
            )
            told = tuple(sorted(cell.parameters.items()))
            self._known[key] = self._number(cell.kind, told, inputs)
        return self._known[key]


def flat(rtlil: str) -> Netlist:
    """Return the netlist of a machine."""
    script = "hierarchy -top machine\nproc\nflatten\nopt_clean\nwrite_rtlil\n"
    yosys = find_yosys(lambda version: version >= (0, 40))
    given = f"read_rtlil <<rtlil\n{rtlil}\nrtlil\n{script}"
    return Netlist(yosys.run(["-q", "-"], given, ignore_warnings=True))


def differences(one: Netlist, two: Netlist) -> Iterator[str]:
    """Yield the names of outputs, registers and memories that are not proven to be alike."""
    shapes = _Shapes()
    yield from (name for name, _ in sorted(one.outputs.items() ^ two.outputs.items()))
    for name in sorted(one.outputs.keys() & two.outputs.keys()):
        bits = [(name, number) for number in range(one.outputs[name])]
        if [shapes.bit(one, bit) for bit in bits] != [shapes.bit(two, bit) for bit in bits]:
            yield name
    yield from sorted(one.state.keys() ^ two.state.keys())
    for name in sorted(one.state.keys() & two.state.keys()):
        ours, theirs = one.state[name], two.state[name]
        if shapes.cell(one, ours) != shapes.cell(two, theirs):
            yield name
        elif one.initial(ours) != two.initial(theirs):
            yield f"{name}, initially"
    yield from sorted(one.sizes.keys() ^ two.sizes.keys())
    for name in sorted(one.sizes.keys() & two.sizes.keys()):
        ours = [shapes.cell(one, cell) for cell in one.memories[name]]
        theirs = [shapes.cell(two, cell) for cell in two.memories[name]]
        if ours != theirs or one.sizes[name] != two.sizes[name]:
            yield name
