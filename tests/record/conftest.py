"""Debezium's Java in the tests of the recorder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def one_compiler() -> Iterator[None]:
    """Do without Java's second compiler: it is for hours, and takes half of the seconds that a capture lives here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
        yield
