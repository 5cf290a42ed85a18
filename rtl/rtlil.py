"""The machine as RTLIL, the language of Yosys, with one module for all parts that are alike.

Amaranth writes a module for each part, and needs most of a minute for a few hundred of them. Here
it writes each kind of part once; what joins them is nothing but names, and is written as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hwdsl.hardware import Hardware

from .faults import NONE, Faults
from .plan import Place, Plan
from .top import ERRORS, MOST_ROWS, Machine, members_of

TOP = "machine"
"""Name of the top module."""


def rtlil_of(
    hardware: Hardware,
    depth: int,
    time_bits: int,
    *,
    loadable: bool = True,
    faults: Faults = NONE,
    most_rows: int = MOST_ROWS,
    shared: bool = True,
) -> str:
    """Return the RTLIL of a machine: the same bytes for the same machine.

    Parameters
    ----------
    shared : bool
        Whether parts that are alike share a module; else Amaranth writes it all.
    """
    limits = {"loadable": loadable, "faults": faults, "most_rows": most_rows}
    if shared:
        return _Text(Plan(hardware, depth, time_bits, **limits)).whole()
    machine = Machine(hardware, depth, time_bits, **limits)
    signals = {name: getattr(machine, name) for name in machine.signature.members}
    ports = {name: (signal, None) for name, signal in signals.items() if len(signal)}
    ports = {"clk": (machine.domain.clk, None), **ports}
    fragment = Fragment.get(machine, None)
    text, _ = rtlil.convert_fragment(fragment, ports, TOP, emit_src=False)
    return text


class _Shape:
    """One kind of part: its module, and the ports of that."""

    def __init__(self, name: str, place: Place):
        component = place.component()
        self.name = name
        self.ports: dict[str, tuple[int, bool]] = {}
        """Width of each port, and whether it is an input."""
        ports: dict[str, tuple[Signal, None]] = {}
        for path, member, value in component.signature.flatten(component):
            signal = Value.cast(value)
            if len(signal):
                leaf = "__".join(map(str, path))
                self.ports[leaf] = len(signal), member.flow is In
                ports[leaf] = signal, None
        domain = ClockDomain("sync", reset_less=True)
        if "run" not in ports:
            ports["run"] = Signal(name="run"), None
        ports["clk"] = domain.clk, None
        fragment = Fragment.get(ResetInserter(~ports["run"][0])(component), None)
        fragment.add_domains(domain)
        text, _ = rtlil.convert_fragment(fragment, ports, name, emit_src=False)
        self.text = text.replace("attribute \\top 1\n", "")

    def leaves(self, member: str) -> Iterator[str]:
        """Yield the ports that a member is made of, without the member's name."""
        for leaf in self.ports:
            if leaf == member or leaf.startswith(f"{member}__"):
                yield leaf[len(member) :]


class _Text:
    """Writes the modules of a Plan."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._shapes: dict[tuple, _Shape] = {}
        self._counts: dict[str, int] = {}
        self._nets: dict[tuple[Place, str], str] = {}
        self._members = {n: m.shape for n, m in members_of(plan).items() if m.shape}
        self._inputs = {n for n, m in members_of(plan).items() if m.flow is In}

    def whole(self) -> str:
        plan = self._plan
        self._own_nets()
        for join in plan.joins:
            user, owner = self._shape(join.user), self._shape(join.owner)
            for leaf in user.leaves(join.member):
                given = join.source + leaf
                net = self._nets.setdefault((join.owner, given), f"{join.owner.name}.{given}")
                self._nets[join.user, join.member + leaf] = net
                assert user.ports[join.member + leaf][0] == owner.ports[given][0]
        modules = [self._control(), self._top()]
        return "\n".join([*modules, *(shape.text for shape in self._shapes.values())])

    def _own_nets(self) -> None:
        """Name the nets that are ports of the machine."""
        plan = self._plan
        named = {"now": plan.time} | {n: plan.first_error for n in ERRORS}
        for name, place in named.items():
            self._nets[place, name] = name
        for name, place in plan.probes.items():
            self._nets[place, "probe"] = name

    def _shape(self, place: Place) -> _Shape:
        if place.pattern not in self._shapes:
            kind = place.kind
            number = self._counts[kind] = self._counts.get(kind, -1) + 1
            self._shapes[place.pattern] = _Shape(f"{TOP}_{kind}_{number}", place)
        return self._shapes[place.pattern]

    def _net(self, place: Place, port: str) -> str:
        """Return what a port of a part is connected to."""
        if (place, port) in self._nets:
            return f"\\{self._nets[place, port]}"
        if port in ("clk", "run", "load_valid", "load_select"):
            return f"\\{port}"
        return f"\\{place.name}.{port}"

    def _control(self) -> str:
        """Return the module that holds the sources of commands."""
        sources = list(self._plan.sources.values())
        wires = {"clk": (1, "input"), "run": (1, "input"), "now": (self._plan.time_bits, "input")}
        for place in sources:
            for port, (width, is_input) in self._shape(place).ports.items():
                wires[self._net(place, port)[1:]] = width, "input" if is_input else "output"
        self._crossing = {n: w for n, (w, _) in wires.items()}
        return _module(f"{TOP}.control", wires, map(self._cell, sources))

    def _top(self) -> str:
        plan = self._plan
        wires = {"clk": (1, "input")}
        for name, width in self._members.items():
            wires[name] = width, "input" if name in self._inputs else "output"
        places = [*plan.parts.values(), *plan.own]
        for place in places:
            for port, (width, _) in self._shape(place).ports.items():
                wires.setdefault(self._net(place, port)[1:], (width, ""))
        for name, width in self._crossing.items():
            wires.setdefault(name, (width, ""))
        joined = {name: f"\\{name}" for name in self._crossing}
        cells = [_cell(f"{TOP}.control", plan.control, joined), *map(self._cell, places)]
        connects = list(self._loads())
        return "attribute \\top 1\n" + _module(TOP, wires, cells, connects)

    def _cell(self, place: Place) -> str:
        shape = self._shape(place)
        ports = [*shape.ports, *(name for name in ("clk", "run") if name not in shape.ports)]
        return _cell(shape.name, place.name, {port: self._net(place, port) for port in ports})

    def _loads(self) -> Iterator[str]:
        """Yield what joins the load bus to each memory."""
        loading = self._plan.loading
        for number, place in enumerate(self._plan.memories if loading is not None else []):
            ports = self._shape(place).ports
            yield _connect(self._net(place, "load__write"), f"\\{loading.name}.write [{number}]")
            for name in ("address", "data"):
                if f"load__{name}" in ports:
                    width = ports[f"load__{name}"][0]
                    bus = f"\\load_{name} [{width - 1}:0]"
                    yield _connect(self._net(place, f"load__{name}"), bus)


def _module(
    name: str, wires: Mapping[str, tuple[int, str]], cells: Iterator[str], connects=()
) -> str:
    lines = [f"module \\{name}"]
    number = 0
    for wire, (width, direction) in wires.items():
        role = ""
        if direction:
            role, number = f" {direction} {number}", number + 1
        lines.append(f"  wire width {width}{role} \\{wire}")
    return "\n".join([*lines, *cells, *connects, "end\n"])


def _cell(module: str, name: str, ports: Mapping[str, str]) -> str:
    joined = "".join(f"    connect \\{port} {net}\n" for port, net in ports.items())
    return f"  cell \\{module} \\{name}\n{joined}  end"


def _connect(left: str, right: str) -> str:
    return f"  connect {left} {right}"
