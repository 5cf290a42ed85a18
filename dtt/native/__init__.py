"""The native engine: the same State and the same two searches, in C++."""

from .engine import Native, too_large
from .library import why_not

__all__ = ["Native", "too_large", "why_not"]
