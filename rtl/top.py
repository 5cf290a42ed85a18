"""The whole machine: one Component for each part, and a source of commands behind one seam."""

from __future__ import annotations

from amaranth.hdl import ClockDomain, Module, ResetInserter
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hwdsl.hardware import Hardware, Wire

from .control.complaints import error_layout
from .control.limits import WORD, Limits
from .faults import NONE, Faults
from .plan import Place, Plan
from .ports import entry_fields
from .probe import ERROR_BITS, actor_width, probed_parts, wire_width
from .signals import share

ERRORS = ("error", "error_kind", "error_part", "error_lane")
"""Members of the machine that show its first error."""

MOST_ROWS = 1 << 20
"""Rows of the largest memory that is built in full: what is larger is not on a chip."""


class Machine(wiring.Component):
    """A Hardware as RTL, run by tables of commands or by a controller.

    Parameters
    ----------
    hardware : Hardware
    depth : int
        Entries of every table, a power of two; a port takes one command fewer.
    time_bits : int
        Bits of the cycle counter: a run is shorter than 2^time_bits cycles.
    loadable : bool
        Whether there is a load bus.
    faults : Faults
        For tests.
    most_rows : int
        A larger memory is built with so many rows; for the others it knows no commands.
    control : Limits, optional
        Of a controller that sends the commands; without it they come from tables.

    Members
    -------
    run : In(1)
        While low, all but the memories is reset, and they can be loaded. The first clock cycle in
        which it is high is cycle 0; it must have been low for one clock cycle before.
    now : Out
        The cycle.
    load_valid, load_select, load_address, load_data : In
        Write one row of one memory. ``load_select`` counts the tables in the order of `ports_of`,
        then the Nodes and Adders in point order.
    error : Out(1)
        Something went wrong since ``run`` rose.
    error_kind, error_part, error_lane : Out
        The first of them in part order: an `ErrorKind`, the index of the part among
        ``Hardware.parts``, and its lane or unit.
    control_error : Out
        With a controller: the first thing that went wrong there; see `rtl.control.complaints`.
    probe_<part> : Out
        One for each Wire and Actor; see `rtl.probe`.

    Attributes
    ----------
    plan : Plan
        Its parts, and how they are joined.
    ports : tuple of Port
        All that takes commands.
    domain : ClockDomain
        The only one, with no reset of its own.
    tables : list of MemoryData
        In the order of `ports_of`; of a controller, its two program memories.
    stores : dict of int to MemoryData or list of Signal
        Contents of each Node and Adder, by point index.
    """

    def __init__(
        self,
        hardware: Hardware,
        depth: int,
        time_bits: int,
        *,
        loadable: bool = False,
        faults: Faults = NONE,
        most_rows: int = MOST_ROWS,
        control: Limits | None = None,
    ):
        self.hardware, self.depth, self.time_bits = hardware, depth, time_bits
        self.domain = ClockDomain("sync", reset_less=True)
        limits = {"loadable": loadable, "faults": faults, "most_rows": most_rows}
        limits["control"] = control
        self.plan = plan = Plan(hardware, depth, time_bits, **limits)
        self.ports = plan.ports
        places = [*plan.sources.values(), *plan.parts.values(), *plan.own]
        self._made = {place: place.component() for place in places}
        super().__init__(members_of(plan))
        for join in plan.joins:
            share(self._made[join.user], join.member, getattr(self._made[join.owner], join.source))
        for table in (t for port, t in plan.sources.items() if port.kind != "list"):
            share(self._made[table], "run", self.run)
        self.now = self._made[plan.time].now
        for name in ERRORS:
            setattr(self, name, getattr(self._made[plan.first_error], name))
        for name, place in plan.probes.items():
            setattr(self, name, self._made[place].probe)
        if plan.controller is not None:
            self.control_error = self._made[plan.controller].error

    @property
    def controller(self):
        """What sends the commands, if they do not come from tables."""
        return None if self.plan.controller is None else self._made[self.plan.controller].controller

    @property
    def tables(self):
        if self.controller is not None:
            return [self.controller.program, self.controller.paths_program]
        return [self._made[place].contents for place in self.plan.sources.values()]

    @property
    def stores(self):
        made = {}
        for point in self.hardware.points:
            if point.stores:
                part = self._made[self.plan.parts[point]]
                made[point.index] = part.sums if point.kind == "Adder" else part.contents
        return made

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = self.domain
        plan = self.plan
        for site in plan.sites.values():
            here = Module()
            for name, place in site.places.items():
                here.submodules[name] = self._made[place]
            m.submodules[site.core.name] = here
        for place in plan.alone:
            m.submodules[place.name] = self._made[place]
        if plan.loading is not None:
            self._load(m, plan.loading)
        return ResetInserter(~self.run)(m)

    def _load(self, m: Module, place: Place) -> None:
        loading = self._made[place]
        for name in ("run", "load_valid", "load_select"):
            share(loading, name, getattr(self, name))
        for number, (memory, member) in enumerate(self.plan.memories):
            load = getattr(self._made[memory], member)
            m.d.comb += [
                load.write.eq(loading.write[number]),
                load.address.eq(self.load_address),
                load.data.eq(self.load_data),
            ]


def members_of(plan: Plan) -> dict[str, wiring.Member]:
    """Return the members of a `Machine`."""
    hardware = plan.hardware
    parts = probed_parts(hardware)
    members = {"run": In(1), "now": Out(plan.time_bits)}
    if not plan.compact:
        lanes = [*(w.lanes for w in hardware.wires), *(a.units for a in hardware.actors), 1]
        members |= {
            "error": Out(1),
            "error_kind": Out(ERROR_BITS),
            "error_part": Out(ceil_log2(len(hardware.points) + len(parts))),
            "error_lane": Out(ceil_log2(max(lanes))),
        }
    if plan.control is not None:
        members["control_error"] = Out(error_layout(plan.control.time_bits).size)
    if plan.loadable:
        limits = plan.control
        if limits is None:
            rows = [plan.depth]
            widths = [sum(w for _, w in entry_fields(p, plan.time_bits)) for p in plan.ports]
        else:
            rows, widths = [limits.words, limits.path_words], [WORD]
        rows += [*(p.rows for p in plan.points), 2]
        widths += [p.row for p in hardware.points]
        members |= {
            "load_valid": In(1),
            "load_select": In(ceil_log2(len(plan.memories))),
            "load_address": In(ceil_log2(max(rows))),
            "load_data": In(max(widths)),
        }
    widths = (wire_width(p) if isinstance(p, Wire) else actor_width(p) for p in parts)
    return members | {n: Out(w) for n, w in zip(plan.probes, widths, strict=True)}
