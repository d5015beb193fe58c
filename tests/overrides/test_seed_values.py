"""Random CSV files of many dialects: the table holds what dbt itself reads from them, in the types that dbt infers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from dbt_common.clients import agate_helper

from tests.overrides.support import NO_JOB
from tests.support.dbt_case import DbtCase

ALPHABET = [
    "a",
    "B",
    "ß",
    "漢",
    "😀",
    " ",
    "'",
    '"',
    "\\",
    "\\n",
    "%",
    "%s",
    "{{",
    ",",
    ";",
    "|",
    "\t",
    "\n",
    "\r\n",
    "null",
    "-",
    "#",
    "$",
    "`",
]
DIALECTS = [
    # delimiter, line end, byte order mark, quote every value
    (",", "\n", False, False),
    (",", "\r\n", True, False),
    (";", "\n", True, True),
    ("\t", "\r\n", False, True),
    ("|", "\n", False, False),
]


def texts_of_column(source: random.Random, kind: str, count: int) -> list[str]:
    """Random texts of a kind, a fifth of them empty."""
    made = {
        "integer": lambda: str(source.choice([0, -1, 7, 2**53 + 1, -(2**62)]) + source.randint(-5, 5)),
        "written": lambda: source.choice(["1,234", "5%", "$7", "1.0", "1e3", " 12 "]),
        "double": lambda: repr(source.uniform(-1e6, 1e6)),
        "boolean": lambda: source.choice(["true", "false", "True", "FALSE"]),
        "date": lambda: (date(1970, 1, 1) + timedelta(days=source.randint(-9999, 20000))).isoformat(),
        "timestamp": lambda: str(datetime(2001, 2, 3) + timedelta(seconds=source.randint(0, 10**9))),
        "instant": lambda: (datetime(2001, 2, 3) + timedelta(seconds=source.randint(0, 10**9))).isoformat() + "Z",
        "decimal": lambda: f"{source.randint(-(10**25), 10**25)}.{source.randint(0, 9999):04d}",
        "text": lambda: "".join(source.choices(ALPHABET, k=source.randint(1, 6))),
    }[kind]
    return [made() if source.random() > 0.2 else source.choice(["", "", "null", " "]) for _ in range(count)]


def write_csv(path: Path, rows: list[list[str]], dialect: tuple[str, str, bool, bool]) -> None:
    """Write a file by RFC 4180, with the variations of a dialect, and a blank line at the end of some."""
    delimiter, line_end, has_mark, quote_all = dialect

    def field(text: str) -> str:
        special = any(character in text for character in (delimiter, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if special or quote_all else text

    lines = [delimiter.join(map(field, row)) for row in rows]
    body = line_end.join(lines) + (line_end * 2 if has_mark else "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((b"\xef\xbb\xbf" if has_mark else b"") + body.encode())


def value_of(value: Any, column_type: str) -> Any:
    """What Spark returns for a value that dbt has read."""
    if value is None:
        return None
    if column_type.startswith("decimal"):
        return Decimal(value.strip())
    if isinstance(value, Decimal):
        return int(value) if column_type == "bigint" else float(value)
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def expected_rows(path: Path, column_types: dict[str, str], delimiter: str, types: list[str]) -> list[tuple[Any, ...]]:
    """The rows that dbt reads, without blank ones."""
    table = agate_helper.from_csv(path, text_columns=column_types, delimiter=delimiter)
    rows = [tuple(value_of(value, kind) for value, kind in zip(row, types, strict=True)) for row in table.rows]
    return sorted((row for row in rows if any(value is not None for value in row)), key=repr)


@pytest.mark.long
def test_random_files(dbt_case: Callable[..., DbtCase]) -> None:
    kinds = ["integer", "written", "double", "boolean", "date", "timestamp", "instant", "decimal", "text", "text"]
    types = [
        "bigint",
        "bigint",
        "double",
        "boolean",
        "date",
        "timestamp",
        "timestamp",
        "decimal(38,4)",
        "string",
        "string",
    ]
    names = [f"c{number} {kind}".replace(" ", "_") for number, kind in enumerate(kinds)]
    column_types = {names[7]: "decimal(38, 4)", names[9]: "string"}
    by_file = dbt_case(project=NO_JOB)
    by_statement = dbt_case(project={**NO_JOB, "vars": {"entrepot_seed_reader": "inline"}})
    source = random.Random(20240229)
    for number, dialect in enumerate(DIALECTS):
        count = source.randint(30, 60)
        columns = [texts_of_column(source, kind, count) for kind in kinds]
        rows = [names, *map(list, zip(*columns, strict=True))]
        for case in (by_file, by_statement):
            write_csv(case.path / f"seeds/random{number}.csv", rows, dialect)
            config = {"column_types": column_types, "delimiter": dialect[0], "quote_columns": number % 2 == 0}
            case.put(
                f"seeds/random{number}.yml", json.dumps({"seeds": [{"name": f"random{number}", "config": config}]})
            )
    for case in (by_file, by_statement):
        outcome = case.dbt("seed")
        assert outcome.success, outcome.text
        for number, dialect in enumerate(DIALECTS):
            table = case.table("seeds", f"random{number}")
            assert [row.data_type for row in case.spark.sql(f"describe {table}")] == types
            expected = expected_rows(case.path / f"seeds/random{number}.csv", column_types, dialect[0], types)
            assert case.rows("seeds", f"random{number}") == expected, f"dialect {dialect}"
