"""Golden pairs in a file: `# title`, `input;`, `expected;`."""

from __future__ import annotations

from pathlib import Path

import pytest


def pairs(name: str) -> list[object]:
    """Return the pairs of a file beside the tests, as pytest's parameters `sql` and `expected`."""
    found = []
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for section in ("\n" + text).split("\n# ")[1:]:
        title, body = section.split("\n", 1)
        sql, expected, rest = (
            body.split(";\n") if body.endswith(";\n") else [*body.rstrip().removesuffix(";").split(";\n"), ""]
        )
        assert not rest, title
        found.append(pytest.param(sql, expected, id=title))
    return found
