"""Declare an accelerator once; schedule it, emit it and check the one against the other."""

from .errors import HwdslError, InputError
from .fabric import Fabric
from .hardware import Hardware
from .parts import Actor, Adder, Junction, KiB, MiB, Node

__all__ = [
    "Actor",
    "Adder",
    "Fabric",
    "Hardware",
    "HwdslError",
    "InputError",
    "Junction",
    "KiB",
    "MiB",
    "Node",
]
