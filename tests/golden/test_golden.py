"""Golden SQL: what macros render, as pairs of `input; expected;` in `tests/golden/*.sql` (after sqlglot's fixtures).

A pair is a title in a comment, a Jinja call, and the text that it renders to; each ends with a semicolon at the end of a line.
`ENTREPOT_UPDATE_GOLDEN=1 pytest tests/golden` writes what is rendered now: the change is for reading in the diff.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from dbt_common.clients.jinja import get_template, render_template

from tests.support.render import Renderer

HERE = Path(__file__).parent
PAIR = re.compile(r"\s*(?P<title>(?:--[^\n]*\n)+)(?P<input>.*?);\n(?P<expected>.*?);(?:\n|$)", re.DOTALL)


@dataclass
class Pair:
    """One macro call and the SQL that is expected of it."""

    file: Path
    title: str
    input: str
    expected: str

    def rendered(self) -> str:
        """What the call renders to now, without blanks at the ends of lines."""
        text = render_template(get_template(self.input, {}), Renderer().context)
        return "\n".join(line.rstrip() for line in text.strip().splitlines())


def read(file: Path) -> list[Pair]:
    """The pairs of a file."""
    text = file.read_text()
    found = [
        Pair(file, match["title"].strip(), match["input"].strip(), match["expected"].strip())
        for match in PAIR.finditer(text)
    ]
    assert "".join(PAIR.sub("", text).split()) == "", (
        f"{file.name} has something that is no pair `-- title, input; expected;`"
    )
    return found


def write(file: Path, pairs: list[Pair]) -> None:
    """Write a file with what is rendered now."""
    file.write_text("\n\n".join(f"{pair.title}\n{pair.input};\n{pair.rendered()};" for pair in pairs) + "\n")


FILES = sorted(HERE.glob("*.sql"))
if os.environ.get("ENTREPOT_UPDATE_GOLDEN") == "1":
    for path in FILES:
        write(path, read(path))
PAIRS = [pair for file in FILES for pair in read(file)]


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair.file.stem}: {pair.title.lstrip('- ')}" for pair in PAIRS])
def test_golden_sql(pair: Pair) -> None:
    assert pair.rendered() == pair.expected
    # what a pair ends with must not be in the SQL, or the file could not be read again
    assert not re.search(r";\s*\n", pair.rendered())
