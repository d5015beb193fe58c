"""Both front ends find the same on the models of the other tests, and on random ones."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from entrepot.analysis.findings import Findings, findings_of
from entrepot.analysis.from_session import analyzed_plan, plan_of_session
from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.rows import Occurrence
from entrepot.sql import TableName, has_text_like_a_plan, mark_mentions, numbered_mentions
from tests.analysis.plans import code_of
from tests.analysis.test_front_ends import comparable
from tests.delta.constructs import CONSTRUCTS
from tests.delta.random_source import TABLES
from tests.fuzz.case_generator import random_case
from tests.fuzz.change_stream import SOURCES
from tests.fuzz.render import model_sql
from tests.fuzz.sql_types import NAMES
from tests.rules.recorded import record, recorded_findings
from tests.support.spark import Spark

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
CASES = int(os.environ.get("ENTREPOT_FUZZ_STEPS") or 20) // 10
_NAMED = re.compile(r"{{ (?:source\('shop', |ref\()'(\w+)'\) }}|{(\w+)}|\[(\w+)\]")


class Tables:
    """Empty tables of a schema, with their keys; SQL that names them in any of the tests' ways."""

    def __init__(self, spark: Spark, schema: str) -> None:
        """Begin a schema."""
        self.spark, self.schema = spark, schema
        self.known: dict[str, Occurrence] = {}
        spark.scripts("set spark.sql.debug.maxToStringFields = 100000", f"create schema {schema}")

    def create(self, name: str, types: dict[str, str], key: tuple[str, ...], stored_as: str = "parquet") -> None:
        """Create a table."""
        columns = ", ".join(f"{column} {type_}" for column, type_ in types.items())
        self.spark.sql(f"create table {self.schema}.{name} ({columns}) using {stored_as}")
        printed = {row.col_name: row.data_type for row in self.spark.sql(f"describe {self.schema}.{name}")}
        self.known[name] = Occurrence("", f"{self.schema}.{name}", name, printed, key)

    def marked(self, sql: str) -> tuple[str, list[Occurrence]]:
        """SQL in which every naming of a table is an occurrence."""
        occurrences: list[Occurrence] = []

        def mark(found: re.Match[str]) -> str:
            number = str(len(occurrences))
            known = self.known[found[1] or found[2] or found[3]]
            occurrences.append(replace(known, number=number))
            return f"(select * from {known.relation} as _occurrence_{number})"

        return _NAMED.sub(mark, sql), occurrences

    def findings_of_model(self, sql: str) -> Findings:
        """What the session's plan says of a model, with occurrences numbered by table and then by place, as the engine numbers them."""
        body = _NAMED.sub(lambda found: self.known[found[1] or found[2] or found[3]].relation, sql)
        reads = list(dict.fromkeys(found[0] or found[1] or found[2] for found in _NAMED.findall(sql)))
        tables = [TableName(self.schema, name) for name in reads]
        named = [self.known[table.identifier] for table in numbered_mentions(body, tables)]
        occurrences = [replace(known, number=str(number)) for number, known in enumerate(named)]
        marked = mark_mentions(body, tables)
        return findings_of(plan_of_session(analyzed_plan(self.spark.session, marked)), code_of(body), occurrences)

    def findings(self, sql: str) -> tuple[Findings, Findings]:
        """What the two front ends find: by text, by session."""
        text, occurrences = self.marked(sql)
        printed = str(self.spark.sql(f"explain extended {text}")[0].plan)
        code = code_of(text)
        return (
            comparable(findings_of(plan_of_text(printed), code, occurrences)),
            comparable(findings_of(plan_of_session(analyzed_plan(self.spark.session, text)), code, occurrences)),
        )


@pytest.fixture
def tables(spark: Spark) -> Iterator[Tables]:
    schema = f"plans_{random.randrange(10**9)}"
    yield Tables(spark, schema)
    spark.sql(f"drop schema {schema} cascade")


def test_constructs(tables: Tables) -> None:
    """And they are what is recorded of them; `ENTREPOT_UPDATE_GOLDEN=1` records what is found now."""
    found = {}
    for name, types in TABLES.items():
        tables.create(name, types, (next(iter(types)),), "delta")
    waiting = dict(CONSTRUCTS)
    while waiting:
        for name, construct in list(waiting.items()):
            if any(found in waiting for found in re.findall(r"\[(\w+)\]", construct.sql)):
                continue
            text, session = tables.findings(construct.sql)
            assert session == text, name
            found[name] = tables.findings_of_model(construct.sql)
            if any(f"[{name}]" in other.sql for other in waiting.values()):
                query, _ = tables.marked(construct.sql)
                columns = dict(tables.spark.session.sql(query).dtypes)
                tables.create(name, columns, tuple(construct.unique_key))
            del waiting[name]
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN") == "1":
        record(found)
    assert {name: comparable(one) for name, one in recorded_findings().items()} == {
        name: comparable(one) for name, one in found.items()
    }


@pytest.mark.campaign
@pytest.mark.long
def test_random_models(tables: Tables) -> None:
    for source in SOURCES:
        types = {name: NAMES["spark"][type_] for name, type_ in source.types}
        tables.create(source.name, types, source.relation.key)
    for seed in range(SEED, SEED + CASES):
        for model in random_case(seed, 8, 0).models:
            sql = model_sql(model, "spark")
            text, session = tables.findings(sql)
            if not has_text_like_a_plan(sql):
                assert session == text, f"ENTREPOT_TEST_SEED={seed}: {sql}"
            # a later model of the case reads it under a name of its own
            tables.spark.sql(f"drop table if exists {tables.schema}.{model.name}")
            types = {column.name: NAMES["spark"][column.type] for column in model.root.columns}
            tables.create(model.name, types, model.root.key)
