"""Program files: written and read back; whatever is not whole is refused with its reason."""

import random
from dataclasses import replace

import numpy as np
import pytest

import dtt
from dtt.waypoints import waypoints
from hwdsl import Actor, Fabric, Junction, Node
from hwdsl.bit_codes import GOLOMB, BitReader, BitWriter, best_code
from hwdsl.errors import InputError
from hwdsl.program_file import MAGIC, read_program, write_program
from hwdsl.rebuild import rebuild


class Line(Fabric):
    def __init__(self, *, through=False):
        self.ram = Node(capacity=512)
        self.hub = Junction() if through else Node(capacity=64)
        self.pe = [Node(capacity=64) for _ in range(2)]
        self.mac = [Actor(at=pe, ops={"dot", "add"}, units=2, latency=2) for pe in self.pe]
        self.feed = self.wire(self.ram, self.hub, bandwidth=16, latency=2)
        self.branch = [self.wire(self.hub, pe, bandwidth=16, latency=1) for pe in self.pe]
        self.back = [self.wire(pe, self.ram, bandwidth=8, latency=3) for pe in self.pe]


def program(kind):
    work = dtt.Workload(bits=8)
    a, b = work.load("a", "b", at="ram")
    if kind == "moves":
        work.need(a, at="pe[0]", by=9)
        work.need(b, at="pe[1]", by=12)
    elif kind == "ops":
        work.store(work.dot([(a, b)], name="one", on="mac[0]"), at="ram")
    else:
        c = work.load("c", at="ram", shape=3)
        work.store(work.op("add", c, c, name="two", on="mac[1]"), at="ram")
    hardware = Line(through=kind == "array").freeze()
    return waypoints(dtt.schedule(hardware, work))


KINDS = ("moves", "ops", "array")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read(kind):
    given = program(kind)
    data = write_program(given)
    assert read_program(data, of=given.data) == given
    assert write_program(given) == data
    unnamed = read_program(data)
    assert [bits for _, bits, _ in unnamed.data] == [bits for _, bits, _ in given.data]
    assert unnamed.sizes() == given.sizes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_flipped_bit_is_refused(kind):
    data = write_program(program(kind))
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InputError):
            read_program(bytes(damaged))


@pytest.mark.parametrize("kind", KINDS)
def test_every_truncation_is_refused(kind):
    data = write_program(program(kind))
    for length in range(len(data)):
        with pytest.raises(InputError, match=r"cut off|not a way-point program"):
            read_program(data[:length])


def test_10000_random_damages_are_refused():
    draw = random.Random(7)
    whole = [write_program(program(kind)) for kind in KINDS]
    for _ in range(10_000):
        given = draw.choice(whole)
        damaged = bytearray(given)
        for _ in range(draw.randint(1, 20)):
            at = draw.randrange(len(damaged) or 1)
            change = draw.randrange(4)
            if change == 0:
                damaged[at : at + 1] = draw.randbytes(1)
            elif change == 1:
                del damaged[at : at + draw.randint(1, 8)]
            elif change == 2:
                damaged[at:at] = draw.randbytes(draw.randint(1, 8))
            else:
                damaged = damaged[: at + 1]
        if bytes(damaged) != given:
            with pytest.raises(InputError):
                read_program(bytes(damaged))


def resealed(data, at, new):
    """Change bytes and give them a right CRC: what a faulty writer would write."""
    import struct
    import zlib

    body = data[:at] + new + data[at + len(new) : -4]
    return body + struct.pack("<I", zlib.crc32(body))


def test_sound_bytes_with_senseless_contents_are_refused_without_a_traceback():
    draw = random.Random(8)
    whole = [write_program(program(kind)) for kind in KINDS]
    refused = 0
    for _ in range(2_000):
        data = draw.choice(whole)
        at = draw.randrange(74, len(data) - 4)
        try:
            found = read_program(resealed(data, at, draw.randbytes(1)))
            rebuild(Line(through=data is whole[2]).freeze(), found)
        except InputError:
            refused += 1
    assert refused > 1_000


def test_a_newer_format_and_foreign_data_are_named():
    given = program("ops")
    data = write_program(given)
    with pytest.raises(InputError, match=r"mine\.dtt: it is of format 2, which is newer than"):
        read_program(resealed(data, len(MAGIC), b"\x02\x00"), "mine.dtt")
    with pytest.raises(InputError, match="other data"):
        read_program(data, of=[("x", 8, ()), *given.data[1:]])
    with pytest.raises(InputError, match="3 bytes too many"):
        read_program(data + b"abc")


def test_a_program_of_nothing():
    given = replace(program("moves"), data=(), contents=np.empty((0, 3), np.int64))
    given = replace(given, paths=given.paths[:0], points=given.points[:0])
    assert read_program(write_program(given), of=()) == given


@pytest.mark.parametrize("code", [0, 1, 7, GOLOMB, GOLOMB + 1, GOLOMB + 5])
def test_codes_give_back_what_they_were_given(code):
    values = [0] if code == 0 else [0, 1] if code == 1 else [0, 1, 2, 3, 63, 100, 127]
    writer = BitWriter()
    for value in values * 50:
        writer.write(value, code)
    reader = BitReader(writer.tobytes())
    assert [reader.read(code) for _ in values * 50] == values * 50
    reader.finish()


def test_the_best_code_is_chosen():
    assert best_code([]) == best_code([0, 0]) == 0
    assert best_code([5] * 10) == 3
    assert best_code([0] * 100 + [1000]) == GOLOMB
    with pytest.raises(InputError, match="must be from 0"):
        best_code([-1])
