"""Texts of values as they travel, positions of dates, and the JSON of images; without a database."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from recorder.captures import envelope, times
from recorder.captures.shape import Column, Shape, shape_of
from recorder.captures.wire import array_elements, unquoted, wire_of


def test_days_and_back() -> None:
    for days in range(-719_162, 2_932_897, 997):
        day = date(1970, 1, 1) + timedelta(days=days)
        assert times.days_since_1970(day.isoformat()) == days
        assert times.utc_text(days * times.DAY * times.NANOS, 0) == f"{day.isoformat()}T00:00:00Z"


def test_moments() -> None:
    generator = random.Random(5)
    for _ in range(500):
        at = datetime(1, 1, 2) + timedelta(microseconds=generator.randrange(315_537_000_000_000_000))
        ahead = generator.randrange(-15 * 60, 15 * 60)
        text = at.replace(tzinfo=timezone(timedelta(minutes=ahead))).isoformat(sep=" ")
        found = times.moment(text)
        assert found == ((at - datetime(1970, 1, 1)) // timedelta(microseconds=1) * 1000, ahead * 60)
    assert times.moment("2026-03-01").ahead is None
    assert times.moment("0001-01-01 00:00:00 (BC)") == times.moment("0001-01-01T00:00:00 BC")


@pytest.mark.parametrize(
    ("data_type", "text", "word"),
    [
        ("integer", "2147483648", "32 bits"),
        ("integer", "1.0", "invalid literal"),
        ("numeric(5,2)", "1.234", "2 digits after"),
        ("numeric(5,2)", "1234", "3 digits before"),
        ("numeric", "1,5", "no number"),
        ("boolean", "ja", "neither true nor false"),
        ("date", "2026-02-29", "no day"),
        ("date", "1.3.2026", "2026-03-01"),
        ("date", "2026-03-01 10:00", "2026-03-01"),
        ("time", "25:00", "no time of a day"),
        ("timestamp(3)", "2026-03-01 10:11:12.1234", "3 digits of a second"),
        ("timestamp", "2026-03-01 10:11:12+01", "time zone where none"),
        ("timestamptz", "2026-03-01 10:11:12", "no time zone"),
        ("bytea", "abc", "hexadecimal"),
        ("integer[]", "{1,2}", "Expecting"),
        ("integer[]", "1", "JSON array"),
    ],
)
def test_a_text_that_is_no_value(data_type: str, text: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        wire_of(data_type).value(text)


@pytest.mark.parametrize(
    ("data_type", "text", "value"),
    [
        ("numeric(12,2)", "1e3", "AYag"),
        ("numeric(12,2)", "NaN", None),
        ("numeric", "1.10", {"scale": 2, "value": "bg=="}),
        ("numeric(5,-2)", "12300", {"scale": 0, "value": "MAw="}),
        ("double precision", "-Infinity", "-Infinity"),
        ("timestamptz(0)", "2026-03-01 00:30:00+01", "2026-02-28T23:30:00Z"),
        ("timestamptz", "0001-01-01 00:00:00+00 BC", "0000-01-01T00:00:00.000000Z"),
        ("timestamp_ns", "2026-03-01 00:00:00.123456789", 1772323200123456789),
        ("jsonb[]", '[1.10, "x", {"a":  [1]}, null]', ["1.10", '"x"', '{"a":  [1]}', None]),
        ("text[]", '["a\\"b", null, ""]', ['a"b', None, ""]),
        ("mood", "calm", "calm"),
    ],
)
def test_values(data_type: str, text: str, value: object) -> None:
    assert wire_of(data_type).value(text) == value


def test_json_is_kept_as_it_is_written() -> None:
    assert array_elements(' [ 1.10 , "a,]" , [1, 2] , {"b": "}"} ] ') == ["1.10", '"a,]"', "[1, 2]", '{"b": "}"}']
    assert unquoted('"x"', wire_of("jsonb")) == '"x"'
    assert unquoted('"x\\n"', wire_of("text")) == "x\n"
    shape = Shape((Column("document", "json"), Column("note", "text")))
    assert shape.texts('{"note": "\\"1.10\\"", "document": "{\\"a\\":  1.10}"}') == {
        "document": '{"a":  1.10}',
        "note": "1.10",
    }


def test_images_of_other_shapes() -> None:
    earlier = Shape((Column("a", "integer"), Column("b", "numeric(5,2)"), Column("c", "text")), ("a",))
    now = Shape((Column("a", "integer"), Column("b", "numeric(5,3)"), Column("d", "text")), ("a",))
    image = earlier.image({"a": "1", "b": "1.25", "c": "x"})
    assert image == '{"a":1,"b":"fQ==","c":"x"}'
    assert now.kept_of(earlier, image) == '{"a":1}'
    assert shape_of(now.to_text()) == now
    with pytest.raises(ValueError, match="'a' belongs to the key"):
        now.key_of({"a": None})


def test_the_version_in_records_is_the_packages() -> None:
    project = Path(envelope.__file__).parents[1] / "pyproject.toml"
    assert f'version = "{envelope.VERSION}"' in project.read_text()
