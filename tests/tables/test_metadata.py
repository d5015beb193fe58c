"""Our part of a commit."""

from __future__ import annotations

import json

import pytest

from entrepot.tables.metadata import CommitMetadata, parse_metadata

WHOLE = CommitMetadata("marts.a", "2026-01-01 x", {"raw.b": 3, "raw.view": None}, {"raw.b": 17}, "abc", "first", 7)
OF_7C4D313 = (
    '{"entrepot": 1, "relation": "marts.a", "job": "2026-01-01 x", "reads": {"raw.b": 3, "raw.view": null}, '
    '"read_at": {"raw.b": 17}, "sql_hash": "abc", "part": "first", "base": 7}'
)


def test_what_is_written_is_read_back() -> None:
    assert WHOLE.render() == OF_7C4D313, "as the macros wrote it"
    assert parse_metadata(OF_7C4D313, "marts.a") == WHOLE


def test_another_relation() -> None:
    assert parse_metadata(OF_7C4D313, "marts.b") is None, "a clone carries the text of the table that it was made from"


@pytest.mark.parametrize(
    "text", [None, "", "by hand", "[1]", "3", "null", '"marts.a"', '{"job": 1}', '{"relation": ["marts.a"]}', "{"]
)
def test_somebody_elses_text(text: str | None) -> None:
    assert parse_metadata(text, "marts.a") is None


def test_what_is_missing_is_unknown() -> None:
    assert parse_metadata('{"relation": "marts.a"}', "marts.a") == CommitMetadata("marts.a", None, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reads", [1]),
        ("reads", {"x": "1"}),
        ("read_at", 3),
        ("base", "7"),
        ("base", True),
        ("part", "half"),
        ("job", 4),
    ],
)
def test_what_is_of_another_kind_is_unknown(name: str, value: object) -> None:
    assert parse_metadata(json.dumps({"relation": "marts.a", name: value}), "marts.a") == CommitMetadata(
        "marts.a", None, None
    )


def test_the_same_rows() -> None:
    parsed = parse_metadata('{"relation": "seeds.a", "part": "same"}', "seeds.a")
    assert parsed is not None and parsed.part == "same"
