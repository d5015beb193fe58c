"""The pattern that finds JSON with inexact numbers misses none, and is not misled by times; Python's own parser is the oracle."""

from __future__ import annotations

import json
import random
import re

import pytest

from tests.support.render import Renderer

TEXTS = (
    "2026-11-21T14:24:28.123456Z",
    "12:30:45.5",
    'a "quoted": 1.5',
    "x,1.5",
    "v1.2",
    "",
    "\\",
    "1e5",
    "name",
    "[2.5",
)
NUMBERS = ("0", "-7", "12345678901234567890", "1.5", "-0.25", "1e5", "2E-3", "1.10", "-0")


def pattern() -> re.Pattern[str]:
    """The pattern as Spark reads it out of its SQL literal."""
    literal = str(Renderer().call("landing_inexact_number"))
    return re.compile(literal[1:-1].replace("\\\\", "\\"))


def random_json(random_: random.Random, depth: int = 0) -> str:
    """The text of an object, list, text or number, with blanks anywhere."""
    blank = random_.choice(("", "", " ", "\n "))
    kind = random_.randrange(4 if depth < 3 else 2) if depth else 3
    if kind == 0:
        return random_.choice(NUMBERS[:3] if random_.random() < 0.9 else NUMBERS)
    if kind == 1:
        return json.dumps(random_.choice(TEXTS))
    values = [random_json(random_, depth + 1) for _ in range(random_.randrange(4))]
    if kind == 2:
        return f"[{blank}{f'{blank},{blank}'.join(values)}{blank}]"
    pairs = (f"{json.dumps(random_.choice(TEXTS) + str(at))}{blank}:{blank}{value}" for at, value in enumerate(values))
    return f"{{{blank}{f'{blank},{blank}'.join(pairs)}{blank}}}"


def test_no_inexact_number_is_missed() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    random_, found = random.Random(seed), pattern()
    inexact = 0
    for _ in range(5000):
        text = random_json(random_)
        seen: list[str] = []
        whole: list[str] = []
        json.loads(text, parse_float=seen.append, parse_int=whole.append)
        has_one = bool(seen) or "-0" in whole
        inexact += has_one
        assert not has_one or found.search(text), text
    assert inexact > 100


@pytest.mark.parametrize("value", ["2026-11-21T14:24:28.123456Z", "14:24:28.5+02:00", "v1.2"])
def test_times_are_no_numbers(value: str) -> None:
    """Else each image with one would be rewritten by a slow pattern, for nothing."""
    assert not pattern().search(json.dumps({"id": 7, "changed_at": value}))
