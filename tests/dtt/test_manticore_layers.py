"""Layers on chiplets: legal Schedules, which move the words that the closed forms say."""

from __future__ import annotations

import random
import resource

import pytest
from random_layers import WORDS, random_layer

import dtt
from dtt import native
from dtt.manticore.account import Account
from dtt.manticore.forms import STACKED
from dtt.manticore.generate import generate
from dtt.manticore.layer import Layer
from hwdsl.errors import InputError
from hwdsl.fabrics import Manticore

needs_native = pytest.mark.skipif(native.why_not() is not None, reason=str(native.why_not()))


def account(hardware, layer, algorithm, **options):
    """Schedule a layer, check that it is legal, and count."""
    work = generate(hardware, layer, algorithm, **options)
    schedule = dtt.schedule(hardware, work.workload)
    dtt.check(hardware, work.workload, schedule)
    assert not schedule.unserved
    return Account(hardware, work, schedule)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("algorithm", range(1, 6))
def test_words_of_every_algorithm_on_one_quadrant(algorithm, precision):
    hardware = Manticore(4, 1, 1, 1, 32 if precision == "single" else 64).freeze()
    if algorithm < 4:
        layer = Layer.convolutional(wi=7, di=3, do=9, f=3, precision=precision)
    else:
        layer = Layer.fully_connected(wi=3, di=6, do=5, batch=4, precision=precision)
    found = account(hardware, layer, algorithm, stack=2 if algorithm in STACKED else None)
    assert found.agrees
    assert found.scheduled_words == found.forms.memory_words
    assert dict(found.scheduled.words) == found.expected.words
    assert found.schedule.cycles >= found.roofline.cycles
    assert (found.private_sums is None) == (algorithm < 4)


def test_what_becomes_of_private_outputs():
    hardware = Manticore(2, 2, 1, 1).freeze()
    layer = Layer.fully_connected(wi=3, di=6, do=5, batch=4)
    found = account(hardware, layer, 5, stack=2)
    # Of four clusters three pass on their sums, of every output slice; one is stored.
    assert found.private_sums.exchanged == 3 * 5 * 4
    assert found.private_sums.stored == 5 * 4
    assert found.private_sums.additions == 3 * 5
    work = generate(hardware, layer, 5, stack=2, reduction=False)
    assert not work.outputs
    assert not any(op.code == "add" for op in work.workload.ops)


def test_copies_are_found_without_being_named():
    """Every word crosses the channels of main memory once, whether or not the stacks are equal."""
    hardware = Manticore(2, 2, 1, 1).freeze()
    layer = Layer.convolutional(wi=8, di=5, do=7, f=3)
    for stack in (1, 2, 3):
        found = account(hardware, layer, 2, stack=stack, reuse=True)
        assert found.scheduled_words == found.least_words < found.forms.memory_words
        assert not any(request.source for request in found.work.workload.requests)


def test_the_smallest_machines():
    layer = Layer.convolutional(wi=4, di=2, do=3, f=3)
    for shape in ((1, 1, 1, 1), (2, 1, 1, 1), (1, 1, 1, 2)):
        for algorithm in (1, 2, 3):
            assert account(Manticore(*shape).freeze(), layer, algorithm).agrees


@pytest.mark.parametrize("level", ["cluster", "l1", "l2", "l3"])
def test_narrower_uplinks_with_buffers(level):
    hardware = Manticore(2, 1, 1, 1, narrow={level: 128}).freeze()
    layer = Layer.convolutional(wi=6, di=3, do=4, f=3)
    wide = account(Manticore(2, 1, 1, 1).freeze(), layer, 1)
    found = account(hardware, layer, 1)
    assert found.agrees
    assert found.schedule.cycles > wide.schedule.cycles
    assert found.roofline.parts[f"{level} uplink"] > wide.roofline.parts[f"{level} uplink"]


def test_slices_that_do_not_fit_are_refused_with_the_bytes_short():
    hardware = Manticore(1, 1, 1, 1).freeze()
    with pytest.raises(InputError, match=r"an input slice does not fit .*: 1088 bytes short"):
        generate(hardware, Layer.convolutional(wi=66, di=1, do=1, f=3, stride=2), 2)
    with pytest.raises(
        InputError, match=r"a stack of 25 output slices does not fit .*: 4096 bytes"
    ):
        generate(hardware, Layer.convolutional(wi=32, di=1, do=25, f=3), 2, stack=25)
    small = Manticore(1, 1, 1, 1, tcdm=8 * 50 * 1024).freeze()
    with pytest.raises(InputError, match=r"an output slice does not fit in 'cluster\[0\].tcdm'"):
        generate(small, Layer.convolutional(wi=32, di=1, do=1, f=3), 1)
    with pytest.raises(InputError, match="takes a word of 64 bits"):
        generate(hardware, Layer.convolutional(wi=4, di=1, do=1, f=3, precision="double"), 1)


def drawn(seed):
    """Return a random chiplet, layer and algorithm with its stack."""
    chance = random.Random(seed)
    precision, word = chance.choice([*WORDS.items()])
    shape = [chance.randint(1, 4), chance.randint(1, 3), chance.randint(1, 2), chance.randint(1, 2)]
    narrow = {chance.choice(["cluster", "l1", "l2", "l3"]): 256} if chance.random() < 0.2 else None
    hardware = Manticore(*shape, word, narrow=narrow, channels=chance.randint(1, 4)).freeze()
    algorithm = chance.randint(1, 5)
    do = chance.randint(1, 20)
    most = {"f": 5, "wi": 24, "di": 9} if algorithm < 4 else {"wi": 7, "di": 40, "batch": 33}
    layer = random_layer(chance, algorithm, precision, most, do)
    stack = chance.randint(1, do) if algorithm in STACKED else None
    return hardware, layer, algorithm, {"stack": stack, "reuse": chance.random() < 0.3}


@pytest.mark.parametrize("seed", range(12))
def test_some_random_layers(seed):
    hardware, layer, algorithm, options = drawn(seed)
    assert account(hardware, layer, algorithm, **options).agrees


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 1120))
def test_random_layers(seed):
    hardware, layer, algorithm, options = drawn(seed)
    assert account(hardware, layer, algorithm, **options).agrees


def conv(precision):
    return Layer.convolutional(wi=32, di=128, do=128, f=3, precision=precision)


def full(do, precision):
    return Layer.fully_connected(wi=7, di=128, do=do, batch=32, precision=precision)


PAPER = [
    # algorithm, layer, stack, reuse, words, how far above the roofline
    (1, conv("single"), None, False, 17_055_744, 1.1),
    (1, conv("double"), None, False, 17_055_744, 1.1),
    (2, conv("single"), 24, False, 1_064_960, 1.1),
    (2, conv("double"), 12, False, 1_720_320, 1.1),
    (2, conv("single"), 24, True, 409_600, 1.1),
    (2, conv("single"), 1, True, 409_600, 1.1),
    (3, conv("single"), 23, False, 409_600, 1.1),
    (3, conv("double"), 11, False, 409_600, 1.1),
    (4, full(768, "single"), None, False, 5_017_600, 1.1),
    (4, full(384, "double"), None, False, 2_609_152, 1.1),
    (5, full(4096, "single"), 768, False, 26_894_336, 1.1),
    (5, full(4096, "double"), 384, False, 27_897_856, 1.1),
]


@needs_native
@pytest.mark.campaign
@pytest.mark.parametrize(("algorithm", "layer", "stack", "reuse", "words", "far"), PAPER)
def test_the_papers_dimensions_on_the_whole_chiplet(algorithm, layer, stack, reuse, words, far):
    hardware = Manticore(word=layer.word_bits).freeze()
    found = account(hardware, layer, algorithm, stack=stack, reuse=reuse)
    assert found.agrees
    assert found.scheduled_words == words
    assert found.schedule.cycles <= far * found.roofline.cycles
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000
