"""dbt's unit tests: whatever form an expectation has, and the model's SQL is analysed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from tests.support.dbt_case import DbtCase

GIVEN = [{"input": "source('raw', 't')", "rows": [{"id": 1, "unit-price": 2}, {"id": 2, "unit-price": None}]}]
TRIPLED = "select id as `Id`, `unit-price` * 3 as `unit-price` from {{ source('raw', 't') }}"
EXPECTED: dict[str, Any] = {
    "rows": {"rows": [{"ID": 1, "unit-price": 6}, {"ID": 2, "unit-price": None}]},
    "one_column": {"rows": [{"id": 1}, {"id": 2}]},
    "csv": {"format": "csv", "rows": 'Id,unit-price\n1,6\n2,""\n'},
    "sql": {"format": "sql", "rows": "select 2 as Id, cast(null as int) as `unit-price` union all select 1, 6"},
    "nothing": {"rows": []},
    "other_row": {"rows": [{"id": 1}, {"id": 3}]},
    "no_such_column": {"rows": [{"id": 1, "price": 6}]},
}


def test_what_a_unit_test_expects(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    case.source("t", "id int, `unit-price` int", "values (1, 1)")
    case.write(models__tripled_sql=TRIPLED, models__none_sql=f"{TRIPLED} where id > 2")
    tests = [
        {"name": name, "model": "none" if name == "nothing" else "tripled", "given": GIVEN, "expect": expect}
        for name, expect in EXPECTED.items()
    ]
    case.put("models/units.yml", yaml.safe_dump({"unit_tests": tests}))
    outcome = case.dbt("test")
    found = {name: str(outcome.nodes[name].status) for name in EXPECTED}
    assert found == dict.fromkeys(EXPECTED, "pass") | {"other_row": "fail", "no_such_column": "error"}, outcome.text
    assert "Invalid column name: 'price'" in outcome.text
    for name in ("rows", "sql", "nothing"):
        assert sum("`unit-price` * 3" in sql for sql in outcome.statements_of(name)) == 1
