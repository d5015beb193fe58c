"""The rows of an answer as Python has them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import get_args

import pytest

from entrepot.answers import Form, Screen, printed, provenance
from entrepot.errors import QueryError
from entrepot.snapshots import Snapshot
from entrepot.spark.reader import Reader
from entrepot.target import Target
from entrepot.warehouse import Answer
from tests.support.spark import Spark


def test_dates_that_python_does_not_know_are_text(spark: Spark) -> None:
    frame = spark.session.sql(
        "select 1 as id, timestamp'0001-01-01 00:00:00' as `first moment`, make_date(12345, 1, 2) as later, "
        "named_struct('at', timestamp'-0044-03-15 12:00:00') as nested, timestamp'2026-03-01 08:00:00' as usual"
    )
    answer = Answer(Snapshot(1, "a", datetime.now(timezone.utc), None), {}, frame, None)
    assert answer.rows() == [
        {
            "id": 1, "first moment": "0001-01-01 00:00:00", "later": "+12345-01-02", "nested": "{-0044-03-15 12:00:00}",
            "usual": "2026-03-01 08:00:00",
        }
    ]  # fmt: skip
    months = spark.session.sql("select interval '1-2' year to month as span")
    assert Answer(answer.snapshot, {}, months, None).rows() == [{"span": "INTERVAL '1-2' YEAR TO MONTH"}]
    known = Answer(answer.snapshot, {}, frame.select("id", "usual"), None)
    assert known.rows() == [{"id": 1, "usual": datetime(2026, 3, 1, 8)}]


def test_decimals_are_plain_digits_and_nested_values_are_json(spark: Spark) -> None:
    frame = spark.session.sql(
        "select cast(0 as decimal(18, 9)) as nothing, cast(1 as decimal(38, 30)) / 10000000 as small, 1e300D as much, "
        "named_struct('d', cast(0 as decimal(9, 8)), 'n', null) as nested, map(date'2026-01-02', array(1)) as by_day"
    )
    answer = Answer(Snapshot(1, "a", datetime.now(timezone.utc), None), {}, frame, None)
    for form in get_args(Form):
        out = printed(answer, form, Screen(400)).out
        assert "0.000000000" in out and "0.0000001000" in out and "0.00000000" in out, out
        assert "0E" not in out and "Decimal" not in out and "date(" not in out and "1e+300" in out, out
        assert "2026-01-02" in out and "null" in out, out
    assert '{"d": "0.00000000", "n": null} │ {"2026-01-02": [1]}' in printed(answer, "table", Screen(400)).out


def test_an_answer_has_ages_of_one_moment_that_at_which_it_is_told(spark: Spark) -> None:
    moment = datetime.now(timezone.utc) - timedelta(days=1, hours=2, minutes=5)
    answer = Answer(Snapshot(1, "a", moment, None), {"marts.a": 3}, spark.session.sql("select 1"), moment)
    assert provenance(answer).count("(1 d 2 h ago)") == 2
    assert answer.age <= answer.age and replace(answer, holds_through=None).age >= timedelta(days=1)


def test_square_brackets_are_text(spark: Spark) -> None:
    frame = spark.session.sql("select '[red]x[/]' as `[b]name`, '[/nothing]' as other")
    answer = Answer(Snapshot(1, "a", datetime.now(timezone.utc), None), {}, frame, None)
    assert (
        "[red]x[/]" in (out := printed(answer, "table", Screen(100)).out) and "[b]name" in out and "[/nothing]" in out
    )


def test_what_spark_says_against_a_query_has_no_place_in_a_text_that_nobody_wrote(spark: Spark) -> None:
    snapshot = Snapshot(1, "a", datetime.now(timezone.utc), None)
    reader = Reader(Target("default", Path("nowhere"), "t", {}), spark.session)
    for query, begins in (
        ("select nothing from (select 1 as one)", "Spark refuses the query: [UNRESOLVED_COLUMN.WITH_SUGGESTION]"),
        ("select no_function(1)", "Spark refuses the query: [UNRESOLVED_ROUTINE]"),
        ("select 1 +", "Spark refuses the query: [PARSE_SYNTAX_ERROR] Syntax error at or near end of input. Correct"),
        ("select raise_error('told; line by line')", "Spark fails at the query: [USER_RAISED_EXCEPTION] told; line by line. Correct"),
    ):  # fmt: skip
        with pytest.raises(QueryError) as found:
            Answer(snapshot, {}, reader.run(query, snapshot), None).rows()
        said = found.value.message
        assert said.startswith(begins) and said.endswith(". Correct it and ask again."), said
        assert not any(word in said for word in ("SQLSTATE", " pos ", "==", "\n", "..")), said
