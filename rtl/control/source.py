"""The controller as a part of a machine, and what its program memories hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hwdsl.hardware import Hardware
from hwdsl.program import Program
from hwdsl.program_file import sections_of
from hwdsl.waypoints import Waypoints

from ..tables import Load
from .complaints import error_layout
from .controller import Controller
from .limits import WORD, Limits, limits_of
from .network import Network
from .pending import packet_layout


class Control(wiring.Component):
    """A controller and its network.

    Members
    -------
    offer{n} : Out(1)
        The n-th port is given what its router delivers.
    delivered{r} : Out
        By the r-th router.
    full{n} : In(1)
    error : Out
        The first thing that went wrong, laid out by `error_layout`.
    load, path_load : In(Load)
        Of the program memories, if ``loadable``.
    """

    def __init__(
        self,
        hardware: Hardware,
        limits: Limits,
        loadable: bool,
        fault: tuple[str, int, int] | None = None,
    ):
        self.controller = Controller(hardware, limits, fault)
        self.program = self.controller.program
        self.paths_program = self.controller.paths_program
        network = self.network
        layout = packet_layout(self.controller.commands.width, limits.ahead_bits)
        members = {f"offer{n}": Out(1) for n in network.offers}
        members |= {f"full{n}": In(1) for n in network.offers}
        members |= {f"delivered{r}": Out(layout) for r in network.delivered}
        members["error"] = Out(error_layout(limits.time_bits).size)
        self._loads = {}
        if loadable:
            self._loads = {
                "load": self.controller.decoder,
                "path_load": self.controller.path_decoder,
            }
            members |= {name: In(Load(d.words, WORD)) for name, d in self._loads.items()}
        super().__init__(members)

    @property
    def network(self) -> Network:
        return self.controller.network

    def elaborate(self, platform) -> Module:
        m = Module()
        network = self.network
        for n in network.offers:
            network.full[n] = getattr(self, f"full{n}")
            m.d.comb += getattr(self, f"offer{n}").eq(network.offers[n])
        for r, delivered in network.delivered.items():
            m.d.comb += getattr(self, f"delivered{r}").eq(delivered)
        m.d.comb += self.error.eq(self.controller.error)
        for name, decoder in self._loads.items():
            decoder.load(m, getattr(self, name))
        m.submodules.controller = self.controller
        return m


def words_of(data: bytes) -> list[int]:
    """Return bytes as words of program memory."""
    data += bytes(-len(data) % (WORD // 8))
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


@dataclass(frozen=True, eq=False)
class Instruction:
    """What a controller is given.

    Attributes
    ----------
    limits : Limits
        Of the least controller that can run it.
    memories : tuple of list of int
        The words of both program memories.
    lead : int
        Clock cycles before cycle 0.
    """

    limits: Limits
    memories: tuple[list[int], list[int]]
    lead: int

    def with_flip(self, memory: int, bit: int) -> Instruction:
        """Return it with one bit of a program memory flipped."""
        memories = [list(words) for words in self.memories]
        memories[memory][bit // WORD] ^= 1 << bit % WORD
        return replace(self, memories=(memories[0], memories[1]))

    def words(self) -> list[np.ndarray]:
        """Return both memories as rows of uint64."""
        return [np.array(words, np.uint64).reshape(-1, 1) for words in self.memories]


def instruction(hardware: Hardware, program: Waypoints, rebuilt: Program) -> Instruction:
    """Return what the controller of a machine is given to run a program.

    Parameters
    ----------
    rebuilt : Program
        What it is to rebuild.
    """
    sections = sections_of(program)
    first = b"".join(data for tag, data in sections.items() if tag != "PATH")
    memories = [program.lead, program.ahead, *words_of(first)], words_of(sections["PATH"])
    sizes = {tag: len(data) for tag, data in sections.items()}
    return Instruction(limits_of(hardware, program, rebuilt, sizes), memories, program.lead)
