"""A built model, loaded into this process and driven in bulk."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hwdsl.hardware import Hardware
from hwdsl.trace import Kind

from ..plan import Plan
from ..probe import Encoder, Records, probe_words, probed_parts

ROOM = 1 << 15
"""Records that are taken in one go, at least."""

_AT_ONCE = 1 << 14
"""Cycles that are compared in one go."""


@dataclass(frozen=True)
class Names:
    """Where a model keeps what is loaded and seen.

    Attributes
    ----------
    probes : list of str
        Outputs, in the order of `probed_parts`.
    memories : list of str
        A memory, or a row of an Adder.
    tables : int
        The first so many are those of the command ports.
    stores : dict of int to (int, bool)
        For each Node and Adder, by point index: the number of its memory, and whether each row
        is one of its own.
    error : int
        The number of what a controller complains of; -1 without a controller.
    """

    probes: list[str]
    memories: list[str]
    tables: int
    stores: dict[int, tuple[int, bool]]
    error: int = -1

    @classmethod
    def of(cls, plan: Plan, outputs: bool) -> Names:
        """Return the names in a machine of that Plan, with spaces between instances.

        Parameters
        ----------
        outputs : bool
            Whether probes are outputs of the machine.
        """
        paths = {
            place: f"{site.core.name} {name}"
            for site in plan.sites.values()
            for name, place in site.places.items()
        }
        if plan.controller is None:
            memories = [f"{paths[table]} ram" for table in plan.sources.values()]
        else:
            decoders = ("decoder", "path_decoder")
            memories = [f"{plan.controller.name} controller {name} ram" for name in decoders]
        tables, stores = len(memories), {}
        for point in plan.hardware.points:
            if point.stores:
                adder = point.kind == "Adder"
                stores[point.index] = len(memories), adder
                rows = [f"row{i}" for i in range(point.rows)] if adder else ["ram"]
                memories += [f"{paths[plan.parts[point]]} {row}" for row in rows]
        inside = [] if outputs else [f"{paths[place]}.probe" for place in plan.probes.values()]
        probes = inside or list(plan.probes)
        if plan.controller is None:
            return cls(probes, memories, tables, stores)
        error = "control_error" if outputs else f"{plan.controller.name} controller error"
        return cls(probes, [*memories, error], tables, stores, len(memories))

    def write(self, file: Path) -> None:
        file.write_text(json.dumps([*vars(self).values()]))

    @classmethod
    def read(cls, file: Path) -> Names:
        probes, memories, tables, stores, error = json.loads(file.read_text())
        return cls(probes, memories, tables, {int(k): tuple(v) for k, v in stores.items()}, error)


class Model:
    """One machine in a shared library.

    Parameters
    ----------
    library : Path
    names : Names
    hardware : Hardware
    widths : sequence of int
        Bits of a row of each memory.
    """

    def __init__(self, library: Path, names: Names, hardware: Hardware, widths: Sequence[int]):
        self.names = names
        self._library = ctypes.CDLL(str(library))
        self._library.hw_open.restype = ctypes.c_void_p
        self._library.hw_run.restype = ctypes.c_int64
        self._library.hw_follow.restype = ctypes.c_int64
        self._words = -(-np.array(widths, np.int64) // 64)
        self._probe_words = probe_words(hardware)
        self.probes = len(probed_parts(hardware))
        given = [name.encode() for name in (*names.probes, *names.memories)]
        listed = (ctypes.c_char_p * len(given))(*given)
        opened = self._library.hw_open(len(names.probes), len(names.memories), listed)
        if opened is None:
            raise RuntimeError(f"{library} lacks a probe or a memory")
        self._handle = ctypes.c_void_p(opened)
        self._used = False

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._library.hw_close(self._handle)

    def renew(self) -> None:
        """Put all registers and memories back to what they are at power-up."""
        if self._used:
            self._library.hw_renew(self._handle)
        self._used = True

    def poke(self, memory: np.ndarray, row: np.ndarray, words: np.ndarray) -> None:
        """Write rows of memories; of ``words``, each takes as many as its memory's rows have."""
        self._rows("hw_poke", memory, row, words)

    def peek(self, memory: np.ndarray, row: np.ndarray) -> list[int]:
        """Return what rows of memories hold."""
        sizes = self._words[memory]
        words = np.zeros(int(sizes.sum()), np.uint64)
        self._rows("hw_peek", memory, row, words)
        ends = np.cumsum(sizes)
        return [
            int.from_bytes(words[end - size : end].tobytes(), "little")
            for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)
        ]

    def _rows(self, call: str, memory: np.ndarray, row: np.ndarray, words: np.ndarray) -> None:
        memory = np.ascontiguousarray(memory, np.int32)
        row = np.ascontiguousarray(row, np.int64)
        assert words.dtype == np.uint64
        assert words.flags.c_contiguous
        assert words.size == self._words[memory].sum()
        count = ctypes.c_int64(len(memory))
        getattr(self._library, call)(self._handle, count, *map(_pointer, (memory, row, words)))

    @cached_property
    def _buffers(self) -> tuple[np.ndarray, np.ndarray]:
        records = max(ROOM, 2 * self.probes)
        words = max(ROOM, 2 * int(self._probe_words.sum()))
        return np.empty(records, np.int64), np.empty(words, np.uint64)

    def follow(self, encoder: Encoder, first: int, last: int, zero: int = 0) -> int:
        """Run from cycle ``first`` up to ``last`` while all is as foretold.

        ``zero`` is the clock cycle that is cycle 0.

        Returns
        -------
        int
            The first cycle that is not; it is yet to be run. ``last + 1`` if there is none.
        """
        events, places = encoder.events, encoder.places
        while first <= last:
            # Not all in one go: Python must be able to stop it.
            end = min(last, first + _AT_ONCE - 1)
            low, high = np.searchsorted(encoder.cycle, (first - 1, end + 1)).tolist()
            begin, size = events.ctypes.data, events.itemsize
            went = self._library.hw_follow(
                self._handle,
                ctypes.c_int64(end),
                ctypes.c_int64(zero),
                ctypes.c_void_p(begin + low * size),
                ctypes.c_void_p(begin + high * size),
                _pointer(places),
                ctypes.c_int64(places.shape[1]),
                ctypes.c_int32(Kind.DEPART),
            )
            first = end + 1
            if went <= end:
                return went
        return first

    def skip(self, last: int) -> None:
        """Run up to clock cycle ``last``, and look at nothing."""
        self._library.hw_skip(self._handle, ctypes.c_int64(last))

    def run(self, first: int, last: int, zero: int = 0) -> Iterator[Records]:
        """Run clock cycles ``first .. last``; yield what was seen, in pieces of bounded size.

        ``zero`` is the clock cycle that is cycle 0.
        """
        keys, words = self._buffers
        cycle, used = ctypes.c_int64(first), ctypes.c_int64()
        while cycle.value <= last:
            begin = cycle.value
            count = self._library.hw_run(
                self._handle,
                ctypes.c_int64(last),
                ctypes.c_int64(keys.size),
                _pointer(keys),
                ctypes.c_int64(words.size),
                _pointer(words),
                ctypes.byref(cycle),
                ctypes.byref(used),
            )
            seen = keys[:count] - zero * self.probes
            yield Records(begin - zero, cycle.value - zero, seen, words[: used.value])

    def wave(self, path: Path, first: int, last: int) -> None:
        """Write the waveforms of cycles ``first .. last`` of the next run to a VCD file."""
        at = ctypes.c_int64(first), ctypes.c_int64(last)
        self._library.hw_wave(self._handle, str(path).encode(), *at)

    def wave_end(self) -> None:
        """End the waveform; the runs that follow have none."""
        self._library.hw_wave_end(self._handle)


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
