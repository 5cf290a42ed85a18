"""Program files: a way-point program as bytes, and back; what is not whole is refused.

All numbers of the frame are little endian::

    magic                8 bytes
    version              2
    length               4   of the whole file
    hardware            32   fingerprint of the Hardware
    data                16   fingerprint of names and shapes of the data
    cycles, window, word 8, 4, 4
    lead, ahead, depth   4 each
    sections                 each: tag (4), length (4), records (4), codes (1 each), bits
    CRC                  4   CRC-32 of all before it

A section lists its records as bits, field after field (see `hwdsl.bit_codes`); `FIELDS` names the
fields, and each has its code. Numbers that may be -1 are written one higher, and so is a stay after
0: 0, to the end of time, 1, 2, ... Starts and loaded data are written as differences.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from .bit_codes import BitWriter, best_code
from .errors import InputError
from .program_records import FIELDS, Read, Record, read_records, write_records
from .waypoints import Waypoints

MAGIC = b"\x89DTTWP\r\n"
VERSION = 1
_HEAD = struct.Struct("<8sHI32s16sQIIIII")
_PLAIN = ("cycles", "window", "word", "lead", "ahead", "depth")
_SECTION = struct.Struct("<4sII")
_CRC = struct.Struct("<I")


DatumName = tuple[str, int, tuple[int, ...]]
"""Name, element bits and shape of a datum."""


def data_fingerprint(data: Sequence[DatumName]) -> bytes:
    """Return what tells the data of one Workload from those of another."""
    text = json.dumps([[name, bits, list(shape)] for name, bits, shape in data])
    return hashlib.sha256(text.encode()).digest()[:16]


def write_program(program: Waypoints) -> bytes:
    """Return a program as the bytes of a file; equal programs give equal bytes."""
    body = b"".join(sections_of(program).values())
    length = _HEAD.size + len(body) + _CRC.size
    head = _HEAD.pack(
        MAGIC,
        VERSION,
        length,
        bytes.fromhex(program.hardware),
        data_fingerprint(program.data),
        *(getattr(program, name) for name in _PLAIN),
    )
    return head + body + _CRC.pack(zlib.crc32(head + body))


def sections_of(program: Waypoints) -> dict[str, bytes]:
    """Return the bytes of each section: what a controller's program memories hold."""
    return {tag: _section(tag, records) for tag, records in write_records(program).items()}


def _section(tag: str, records: list[Record]) -> bytes:
    names = FIELDS[tag]
    seen: dict[str, list[int]] = {name: [] for name in names}
    for record in records:
        for name, value in record:
            seen[name].append(value)
    codes = {name: best_code(values) for name, values in seen.items()}
    writer = BitWriter()
    for record in records:
        for name, value in record:
            writer.write(value, codes[name])
    data = bytes(codes[name] for name in names) + writer.tobytes()
    return _SECTION.pack(tag.encode(), len(data), len(records)) + data


def read_program(
    data: bytes, name: str = "the program", of: Sequence[DatumName] | None = None
) -> Waypoints:
    """Return the program that a file holds.

    Parameters
    ----------
    name : str
        Of the file, for what is wrong with it.
    of : sequence of (str, int, tuple of int), optional
        Names, element bits and shapes of the data that it must be about; without them its data
        bear numbers, and have one dimension.

    Raises
    ------
    InputError
        If it is not a program file, is cut off or damaged, of a newer format, or about other data.
    """
    try:
        return _read(data, of)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _read(data: bytes, of: Sequence[DatumName] | None) -> Waypoints:
    _, version, length, hardware, known, *told = _head(data)
    if version != VERSION:
        age = "newer than" if version > VERSION else "unknown to"
        raise InputError(f"it is of format {version}, which is {age} this hwdsl ({VERSION})")
    if len(data) < length:
        raise InputError(f"it is cut off after {len(data)} of {length} bytes")
    if len(data) > length:
        raise InputError(f"it has {len(data) - length} bytes too many")
    (crc,) = _CRC.unpack_from(data, length - _CRC.size)
    if zlib.crc32(data[: length - _CRC.size]) != crc:
        raise InputError("it is damaged: its bytes are not those that were written")
    plain = dict(zip(_PLAIN, told, strict=True))
    sections = dict(_sections(data[_HEAD.size : length - _CRC.size]))
    found = read_records(sections, plain["word"])
    if of is not None:
        if known != data_fingerprint(of):
            raise InputError("it is about other data than those of the Workload")
        found["data"] = tuple(of)
    return Waypoints(hardware=hardware.hex(), **plain, **found)


def _head(data: bytes) -> tuple[Any, ...]:
    if not data or data[: len(MAGIC)] != MAGIC[: len(data)]:
        raise InputError("it is not a way-point program")
    if len(data) < _HEAD.size + _CRC.size:
        raise InputError(f"it is cut off after {len(data)} bytes")
    return _HEAD.unpack_from(data)


def _sections(body: bytes) -> Iterator[tuple[str, Read]]:
    for tag in FIELDS:
        if len(body) < _SECTION.size:
            raise InputError(f"it lacks the section {tag}")
        raw, length, count = _SECTION.unpack_from(body)
        if raw != tag.encode():
            raise InputError(f"it has a section {raw!r} in place of {tag}")
        inside, body = body[_SECTION.size :][:length], body[_SECTION.size + length :]
        codes = inside[: len(FIELDS[tag])]
        if len(inside) < length or len(codes) < len(FIELDS[tag]):
            raise InputError(f"its section {tag} is cut off")
        yield tag, Read(dict(zip(FIELDS[tag], codes, strict=True)), count, inside[len(codes) :])
    if body:
        raise InputError("it has more sections than there are")
