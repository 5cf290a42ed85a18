"""Skips a test whose engine is not on this machine."""

import pytest

from rtl.engines import here


def need(engine):
    if here()[engine]:
        pytest.skip(f"engine {engine} is not here: {here()[engine]}")
