"""The native engine: the same State and the same two searches, in C++."""

from .engine import Native
from .library import why_not

__all__ = ["Native", "why_not"]
