"""Where a job of dbt is, as others see it meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, delta_models

pytestmark = pytest.mark.slow


def test_a_job_says_where_it_is(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id"))
    source = case.source("t", "id int, v int", "values (1, 10), (2, 20)")
    case.put("models/base.sql", "select id, v from {{ source('raw', 't') }}")
    case.put("models/top.sql", "select id, v + 1 as v from {{ ref('base') }}")
    case.put("tests/some.sql", "select id from {{ ref('base') }} where id is null")
    place, seen = load_target(case.path, case.path), []

    def look(event: Any) -> None:
        if event.info.name == "SQLQuery" and (found := place.ledger().progress()):
            last = found.last and f"{found.last.name}: {found.last.says}"
            if (now := (found.number, str(found), last)) not in seen:
                seen.append(now)

    case.watch = look
    case.build()
    first = list(seen)
    # base is alone; top and the test of base may run side by side
    assert first[0] == (1, "1 of 3, base", None), first
    assert {last for _, words, last in first if "top" in words} == {"base: create: +2 ~0 -0"}
    assert any(re.fullmatch(r"[23] of 3, .*\btop\b.*", words) for _, words, _ in first)
    assert {number for number, _, _ in first} == {1} and place.ledger().progress() is None
    seen.clear()
    case.spark.change(f"insert into {source} values (3, 30)")
    case.put("models/top.sql", "select id, v / nothing as v from {{ ref('base') }}")
    assert not case.dbt("build").success
    assert {number for number, _, _ in seen} == {2} and place.ledger().progress() is None, "it has failed"
