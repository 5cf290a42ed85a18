"""One folder of built models for a whole session: what all models of a tool share is made once."""

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("models")
