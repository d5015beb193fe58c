"""How many of TPC-H's 22 queries would be computed in full, by their schema alone.

`ENTREPOT_UPDATE_GOLDEN=1` writes the plans anew (`test_the_plans_are_sparks`), which needs Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from entrepot.analysis.findings import findings_by_session
from entrepot.analysis.from_session import analyzed_plan
from entrepot.sql import code_only, mark_mentions
from tests.analysis.test_front_ends import comparable
from tests.analysis.tpch import NAMES, PLANS, TABLES, explained, findings, occurrences, plans, queries, verdict
from tests.support.spark import Spark

# no column of the result tells which of its rows a change concerns
FULL = {
    "13": "counts of counts: one order more moves a customer from one row to another",
    "14": "a quotient of two sums over everything",
    "17": "a quotient of a sum over everything",
}
AGGREGATES = {"6", "12", "19"}


def test_few_queries_are_computed_in_full() -> None:
    found, printed = {}, plans()
    for number, sql in queries().items():
        found[number] = verdict(sql, findings(sql, printed[number])).rule
    assert len(found) == 22
    assert {number for number, rule in found.items() if rule == "full"} == FULL.keys()
    assert {number for number, rule in found.items() if rule == "aggregate"} >= AGGREGATES
    assert len(FULL) <= 5


@pytest.fixture(scope="module")
def tables(spark: Spark) -> Iterator[Spark]:
    """TPC-H's tables, empty."""
    limit = "spark.sql.debug.maxToStringFields"
    before = spark.session.conf.get(limit)
    spark.scripts(f"set {limit} = 100000", "create schema tpch")
    for name, types in TABLES.items():
        columns = ", ".join(f"{column} {type_}" for column, type_ in types.items())
        spark.sql(f"create table tpch.{name} ({columns}) using parquet")
    yield spark
    spark.scripts("drop schema tpch cascade", f"set {limit} = {before}")


def test_the_plans_are_sparks(tables: Spark) -> None:
    """Spark prints what is recorded, and a session says the same of each query."""
    printed = {}
    for number, sql in queries().items():
        text = str(tables.sql(f"explain extended {explained(sql)}")[0].plan)
        printed[number] = text.partition("== Analyzed Logical Plan ==\n")[2].partition("\n== Optimized")[0].strip()
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN"):
        PLANS.write_text("\n\n".join(f"##### {number}\n{plan}" for number, plan in printed.items()) + "\n")
    for number, sql in queries().items():
        assert _without_ids(printed[number]) == _without_ids(plans()[number]), number
        session = analyzed_plan(tables.session, mark_mentions(sql, NAMES))
        by_session = findings_by_session(session, sql, code_only(sql), occurrences(sql))
        assert comparable(by_session) == comparable(findings(sql, printed[number])), number


def _without_ids(plan: str) -> str:
    return re.sub(r"(?:#|(?<=CTERelationDef )|(?<=CTERelationRef ))\d+", "#", plan)
