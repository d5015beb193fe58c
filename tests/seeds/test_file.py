"""A seed's file: who reads it, its checksum, its lines; no Spark."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from entrepot.seeds import File, Sheet, column_of, is_in_sight
from entrepot.seeds.file import Rows


def unread() -> Rows:
    raise AssertionError("the rows are not wanted")


def sheet(header: tuple[str, ...], *rows: tuple[object, ...]) -> Sheet:
    columns = [column_of(number, name, "string", is_declared=False) for number, name in enumerate(header)]
    return Sheet(header, tuple(columns), rows)


def line_of(found: Sheet, number: int, text: str) -> int:
    place = found.row_of(number, text)
    assert place is not None
    return found.line_of(place)


@pytest.mark.parametrize(
    ("path", "reader", "is_embedded", "expected"),
    [
        ("seeds/a.csv", None, True, True),
        ("seeds/a.csv", None, False, False),
        ("seeds/a.csv", "file", False, True),
        ("seeds/a.csv", "inline", True, False),
        ("seeds/_a.csv", "file", True, False),
        ("seeds/.a.csv", None, True, False),
        ("seeds/_sub/a.csv", None, True, True),
    ],
)
def test_who_reads_a_file(path: str, reader: str | None, is_embedded: bool, expected: bool) -> None:
    assert is_in_sight(path, reader, is_embedded=is_embedded) == expected


def test_characters_that_spark_takes_for_wildcards_are_escaped() -> None:
    file = File("seeds/strange.csv", Path("/x/we [i]rd {x,y} 50%20*?#\\/strange.csv"), is_in_sight=True)
    assert file.uri == r"file:/x/we \[i\]rd \{x,y\} 50%20\*\?#\\/strange.csv"


def test_the_checksum_is_dbts_where_it_has_one() -> None:
    assert File("seeds/a.csv", Path("gone"), is_in_sight=True, noted="abc").checksum(unread) == "abc"


def test_the_checksum_of_a_large_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    place = tmp_path / "large.csv"
    place.write_bytes(b"\xef\xbb\xbfid\r\n1\r\n")
    file = File("seeds/large.csv", place, is_in_sight=True)
    assert file.checksum(unread) == hashlib.sha256(place.read_bytes()).hexdigest()
    before = file.checksum(unread)
    place.write_bytes(b"id\n1\n")
    assert file.checksum(unread) != before


def test_the_checksum_of_a_large_file_out_of_sight_is_that_of_its_rows() -> None:
    rows = [(Decimal(1), "two\nlines", None), (None, None, None), (Decimal(7), 'it\'s \\ "q" é', date(2020, 1, 2))]
    rows.append((None, "b\n\nc", True))
    file = File("seeds/_x.csv", Path("gone"), is_in_sight=False)
    assert file.checksum(lambda: rows) == "aba64708cced03d9253078cb595beed6", "as former versions have written it"


def test_rows_without_a_value_are_blank_lines() -> None:
    assert sheet(("a", "b"), (1, None), (None, None), (None, "")).row_count == 2
    assert sheet(("a",)).row_count == 0


def test_a_line_is_found_behind_values_of_several_lines() -> None:
    found = sheet(
        ("id", "two\nlines"),  # lines 1 and 2
        (Decimal(1), "a\nb\n\nc"),  # 3 to 6
        (None, None),  # 7, blank
        (None, "x"),  # 8
        (Decimal(3), "y"),  # 9
        (Decimal(4), "y"),
    )
    assert line_of(found, 1, "a\nb\n\nc") == 3
    assert line_of(found, 1, " x ") == 8, "blanks around a value do not count"
    assert line_of(found, 0, "3") == line_of(found, 1, "y") == 9, "the first of several"
    assert found.row_of(0, "1e0") is None, "a number that is written otherwise than dbt writes it"
    assert found.row_of(0, "None") is None


def test_rows_travel_as_texts() -> None:
    rows = sheet(("a", "b"), (Decimal("1.50"), None), (date(2020, 1, 2), 'it\'s "é" \\')).as_json()
    assert json.loads(rows) == [["1.50", None], ["2020-01-02", 'it\'s "é" \\']]
