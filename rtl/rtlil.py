"""The machine as RTLIL, the language of Yosys, with one module for all parts that are alike.

Amaranth writes a module for each part, and needs most of a minute for a few hundred of them. Here
it writes each kind of part once; what joins them is nothing but names, and is written as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment, ResetInserter, Signal, Value
from amaranth.lib.wiring import In

from hwdsl.hardware import Hardware

from .control.limits import Limits
from .faults import NONE, Faults
from .plan import Place, Plan, Site
from .top import ERRORS, MOST_ROWS, Machine, members_of

TOP = "machine"
"""Name of the top module."""


def rtlil_of(
    hardware: Hardware,
    depth: int,
    time_bits: int,
    *,
    faults: Faults = NONE,
    most_rows: int = MOST_ROWS,
    shared: bool = True,
    compact: bool = False,
    outputs: bool = True,
    control: Limits | None = None,
) -> str:
    """Return the RTLIL of a machine: the same bytes for the same machine.

    Parameters
    ----------
    shared : bool
        Whether parts that are alike share a module; else Amaranth writes it all.
    compact : bool
        For engines that write memories directly and look at probes alone, if ``shared``: there
        is no load bus, and `rtl.plan.Plan` says what else.
    outputs : bool
        Whether probes are outputs of the machine; if not, they are to be found inside.
    control : Limits, optional
        Of a controller that sends the commands; without it they come from tables.
    """
    limits = {"loadable": not compact, "faults": faults, "most_rows": most_rows}
    limits["control"] = control
    if shared:
        return _Text(Plan(hardware, depth, time_bits, compact=compact, **limits), outputs).whole()
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

    def __init__(self, plan: Plan, outputs: bool):
        self._plan = plan
        self._shapes: dict[tuple, _Shape] = {}
        self._counts: dict[str, int] = {}
        self._nets: dict[tuple[Place, str], str] = {}
        self._sites: dict[tuple, tuple[str, str]] = {}
        members = members_of(plan).items()
        hidden = () if outputs else plan.probes
        self._members = {
            name: (member.shape, member.flow is In)
            for name, member in members
            if member.shape and name not in hidden
        }

    def whole(self) -> str:
        self._name_nets()
        top = self._top()
        sites = [text for _, text in self._sites.values()]
        return "\n".join([top, *sites, *(shape.text for shape in self._shapes.values())])

    def _name_nets(self) -> None:
        """Name what each port of each part is connected to."""
        plan = self._plan
        named = {"now": plan.time}
        if not plan.compact:
            named |= dict.fromkeys(ERRORS, plan.first_error)
        for name, place in named.items():
            self._nets[place, name] = name
        for name, place in plan.probes.items():
            self._nets[place, "probe"] = name
        if plan.controller is not None:
            self._nets[plan.controller, "error"] = "control_error"
        for join in plan.joins:
            user, owner = self._shape(join.user), self._shape(join.owner)
            for leaf in user.leaves(join.member):
                given = join.source + leaf
                net = self._nets.setdefault((join.owner, given), f"{join.owner.name}.{given}")
                self._nets[join.user, join.member + leaf] = net
                assert user.ports[join.member + leaf][0] == owner.ports[given][0]

    def _shape(self, place: Place) -> _Shape:
        if place.pattern not in self._shapes:
            self._shapes[place.pattern] = _Shape(self._next(place.kind), place)
        return self._shapes[place.pattern]

    def _next(self, kind: str) -> str:
        number = self._counts[kind] = self._counts.get(kind, -1) + 1
        return f"{TOP}_{kind}_{number}"

    def _joined(self, place: Place) -> dict[str, tuple[str, int, bool]]:
        """Return for each port its net, its width, and whether it is an input."""
        ports = self._shape(place).ports
        joined = {port: (self._net(place, port), *ports[port]) for port in ports}
        return joined | {name: (name, 1, True) for name in ("clk", "run")}

    def _net(self, place: Place, port: str) -> str:
        if (place, port) in self._nets:
            return self._nets[place, port]
        if port in ("clk", "run", "load_valid", "load_select"):
            return port
        return f"{place.name}.{port}"

    def _top(self) -> str:
        plan = self._plan
        wires = {"clk": (1, "input")}
        for name, (width, is_input) in self._members.items():
            wires[name] = width, "input" if is_input else "output"
        joined = {place: self._joined(place) for place in plan.alone}
        inside = [self._inside(site) for site in plan.sites.values()]
        shared = Counter(net for ports in joined.values() for net, _, _ in ports.values())
        shared.update(net for nets in inside for net in nets)
        cells, seen = [], {*wires, *plan.probes}
        for site, nets in zip(plan.sites.values(), inside, strict=True):
            crossing = {n for n in nets if shared[n] > 1 or n in seen or ".load__" in n}
            module, ports = self._site(site, nets, crossing)
            cells.append(_cell(module, site.core.name, ports))
            for net in ports.values():
                wires.setdefault(net, (nets[net][1], ""))
        for place, ports in joined.items():
            nets = {port: net for port, (net, _, _) in ports.items()}
            cells.append(_cell(self._shape(place).name, place.name, nets))
            for net, width, _ in ports.values():
                wires.setdefault(net, (width, ""))
        return "attribute \\top 1\n" + _module(TOP, wires, cells, self._loads())

    def _inside(self, site: Site) -> dict[str, tuple[str, int, bool]]:
        """Return the nets of a site: what they are called there, width, and whether driven there.

        Nothing in these names depends on where the site is.
        """
        nets: dict[str, tuple[str, int, bool]] = {}
        for name, place in site.places.items():
            for port, (net, width, is_input) in self._joined(place).items():
                local = port if net in ("clk", "run", "now") else f"{name}.{port}"
                known, _, driven = nets.get(net, (local, width, False))
                nets[net] = known, width, driven or not is_input
        return nets

    def _site(
        self, site: Site, nets: Mapping[str, tuple[str, int, bool]], crossing: Container[str]
    ) -> tuple[str, dict[str, str]]:
        """Return the module of a site, and what its ports are connected to."""
        places = site.places.items()
        joins = [
            (
                self._shape(place).name,
                name,
                tuple((port, nets[net][0]) for port, (net, _, _) in self._joined(place).items()),
            )
            for name, place in places
        ]
        wires = {}
        for net, (local, width, driven) in nets.items():
            role = ("output" if driven else "input") if net in crossing else ""
            wires[local] = width, role
        pattern = tuple(joins), tuple(wires.items())
        if pattern not in self._sites:
            name = self._next(f"{site.core.kind}_site")
            cells = [_cell(module, local, dict(ports)) for module, local, ports in joins]
            self._sites[pattern] = name, _module(name, wires, cells)
        ports = {local: net for net, (local, _, _) in nets.items() if net in crossing}
        return self._sites[pattern][0], ports

    def _loads(self) -> Iterator[str]:
        """Yield what joins the load bus to each memory."""
        loading = self._plan.loading
        for number, (place, member) in enumerate(self._plan.memories if loading else []):
            ports = self._shape(place).ports
            write = f"\\{loading.name}.write [{number}]"
            yield f"  connect \\{self._net(place, f'{member}__write')} {write}"
            for name in ("address", "data"):
                if f"{member}__{name}" in ports:
                    width = ports[f"{member}__{name}"][0]
                    net = self._net(place, f"{member}__{name}")
                    yield f"  connect \\{net} \\load_{name} [{width - 1}:0]"


def _module(
    name: str,
    wires: Mapping[str, tuple[int, str]],
    cells: Iterable[str],
    connects: Iterable[str] = (),
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
    joined = "".join(f"    connect \\{port} \\{net}\n" for port, net in ports.items())
    return f"  cell \\{module} \\{name}\n{joined}  end"
