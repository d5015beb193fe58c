"""The examples in docstrings run, and give what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.conftest import ROOT

MODULES = sorted(
    ".".join(path.relative_to(ROOT / "python").with_suffix("").parts)
    for path in (ROOT / "python").rglob("*.py")
    if ">>>" in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert (found.attempted > 0, found.failed) == (True, 0)
