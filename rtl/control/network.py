"""The control network: routers that choose the next hop as the packet goes."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Elaboratable, Module, Signal, Value
from amaranth.lib import data

from .pending import packet_layout
from .tools import log2
from .topology import Topology

SLOTS = 2
"""Packets that a link's queue holds; with two, a packet can pass in every cycle."""


def routed_layout(topology: Topology, command_bits: int, ahead_bits: int) -> data.StructLayout:
    """Return the layout of a packet on its way: router, number of the port there, and the rest."""
    most = max(len(topology.local(r)) for r in range(len(topology.neighbours)))
    return data.StructLayout(
        {
            "router": log2(len(topology.neighbours)),
            "port": log2(most),
            "told": packet_layout(command_bits, ahead_bits),
        }
    )


def a_cycle_later(packet: data.View) -> dict[str, Value]:
    """Return ``ttl`` and ``late`` of a packet in the next cycle, wherever it is then."""
    over = packet.told.ttl == 0
    return {"ttl": packet.told.ttl - ~over, "late": packet.told.late | over}


@dataclass(eq=False)
class Queue:
    """The packets that wait at one end of a link; the first is in ``slots[0]``."""

    slots: list[data.View]
    valid: list[Signal]
    enter: Signal
    entering: data.View
    leave: Signal

    @property
    def full(self) -> Value:
        return self.valid[-1]


def _queue(name: str, layout: data.StructLayout) -> Queue:
    return Queue(
        [Signal(layout, name=f"{name}_slot{i}") for i in range(SLOTS)],
        [Signal(name=f"{name}_valid{i}") for i in range(SLOTS)],
        Signal(name=f"{name}_enter"),
        Signal(layout, name=f"{name}_entering"),
        Signal(name=f"{name}_leave"),
    )


def _advance(m: Module, target: data.View, packet: data.View) -> None:
    m.d.sync += target.eq(packet)
    for name, value in a_cycle_later(packet).items():
        m.d.sync += getattr(target.told, name).eq(value)


class Network(Elaboratable):
    """All routers. In each cycle a router passes one packet on: the first, in the order of its
    links, that can go. It goes to the first neighbour on a shortest way whose queue has room.

    Attributes
    ----------
    offered, packet, ready : Signal
        What enters, at the router from which its own is reached; ``ready``: it is taken.
    full : dict of int to Signal
        For each port, whether it can take no command. To be driven.
    offers, delivered : dict
        For each port, whether it is given what its router delivers; for each router, what that is.
    """

    def __init__(self, topology: Topology, command_bits: int, ahead_bits: int):
        self._topology = topology
        self._layout = layout = routed_layout(topology, command_bits, ahead_bits)
        self.offered, self.packet = Signal(), Signal(layout, name="injected")
        self.ready = Signal()
        routers = range(len(topology.neighbours))
        self.offers = {n: Signal(name=f"offer{n}") for n in range(len(topology.ports))}
        self.full: dict[int, Value] = {}
        inner = packet_layout(command_bits, ahead_bits)
        self.delivered = {r: Signal(inner, name=f"delivered{r}") for r in routers}
        self._entries = {r: _queue(f"entry{r}", layout) for r in topology.roots}
        self._links = {
            (r, child): _queue(f"link{r}_{child}", layout)
            for r in routers
            for child in topology.children[r]
        }

    def elaborate(self, platform) -> Module:
        m = Module()
        self._inject(m)
        for router in range(len(self._topology.neighbours)):
            here = Module()
            self._route(here, router)
            m.submodules[f"router{router}"] = here
        return m

    def _inject(self, m: Module) -> None:
        topology = self._topology
        room = Signal()
        enters, packet = self.entering(m, room)
        for root, queue in self._entries.items():
            mine = [r for r, entry in enumerate(topology.root_of) if entry == root]
            here = 0
            for router in mine if len(self._entries) > 1 else ():
                here = (packet.router == router) | here
            here = here if len(self._entries) > 1 else 1
            m.d.comb += [queue.entering.eq(packet), queue.enter.eq(enters & here & ~queue.full)]
            with m.If(here & ~queue.full):
                m.d.comb += room.eq(1)

    def entering(self, m: Module, room: Value) -> tuple[Value, data.View]:
        """Return whether a packet enters, if there is room, and the packet."""
        m.d.comb += self.ready.eq(room)
        return self.offered, self.packet

    def _route(self, m: Module, router: int) -> None:
        topology = self._topology
        queues = [self._entries[router]] if router in self._entries else []
        queues += [q for (_, child), q in self._links.items() if child == router]
        ways = [(child, self._links[router, child]) for child in topology.children[router]]
        local = topology.local(router)
        gone = 0
        leaving = Signal(self._layout, name="leaving")
        for i, queue in enumerate(queues):
            self._keep(m, queue)
            head = queue.slots[0]
            goes = Signal(name=f"goes{i}")
            here, placed = head.router == router, 0
            for k, number in enumerate(local):
                fits = here & (head.port == k) & ~self.full[number]
                with m.If(goes & fits):
                    m.d.comb += self.offers[number].eq(1)
                placed = fits | placed
            for child, way in ways:
                leads = 0
                for target in sorted(topology.leads_to[child]):
                    leads = (head.router == target) | leads
                fits = leads & ~way.full
                with m.If(goes & fits & ~placed):
                    m.d.comb += way.enter.eq(1)
                placed = fits | placed
            m.d.comb += [goes.eq(queue.valid[0] & placed & ~gone), queue.leave.eq(goes)]
            with m.If(goes):
                m.d.comb += leaving.eq(head)
            gone = goes | gone
        m.d.comb += self.delivered[router].eq(leaving.told)
        for _, way in ways:
            m.d.comb += way.entering.eq(leaving)

    def _keep(self, m: Module, queue: Queue) -> None:
        first, second = queue.slots
        moves = queue.leave | ~queue.valid[0]
        with m.If(moves & queue.valid[1]):
            _advance(m, first, second)
            m.d.sync += [queue.valid[0].eq(1), queue.valid[1].eq(0)]
        with m.Elif(moves):
            _advance(m, first, queue.entering)
            m.d.sync += queue.valid[0].eq(queue.enter)
        with m.Else():
            _advance(m, first, first)
        with m.If(queue.valid[1] & ~moves):
            _advance(m, second, second)
        with m.Elif(queue.enter & ~moves):
            _advance(m, second, queue.entering)
            m.d.sync += queue.valid[1].eq(1)
