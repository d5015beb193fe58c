"""The adapter's methods on SQL text, as macros call them; what they answer is tested with the room `entrepot.sql`."""

from __future__ import annotations

import re

import pytest
from dbt.adapters.spark.relation import SparkRelation
from dbt_common.clients.jinja import get_template, render_template
from dbt_common.exceptions import CompilationError

from dbt.adapters.entrepot.impl import EntrepotAdapter
from dbt.adapters.entrepot.sql_methods import SqlMethods
from tests.support.render import ROOT, Renderer

METHODS = SqlMethods()


def relation(name: str) -> SparkRelation:
    schema, identifier = name.rsplit(".", 1)
    return SparkRelation.create(schema=schema, identifier=identifier)


def test_macros_reach_all_of_them() -> None:
    methods = {name for name in vars(SqlMethods) if not name.startswith("_")}
    assert methods <= EntrepotAdapter._available_
    macros = [
        path for folder in ("macros", "python/dbt/include/entrepot/macros") for path in (ROOT / folder).rglob("*.sql")
    ]
    called = {name for path in macros for name in re.findall(r"\badapter\.(sql_\w+)\(", path.read_text())}
    assert methods == called, "and call all of them"


def test_what_is_counted_is_what_is_replaced() -> None:
    sql = "select s.t.k, t from s.t, spark_catalog.S.`t` as x where exists (select s.t from s.u) -- s.t"
    assert METHODS.sql_mention_count(sql, relation("s.t")) == 2
    found = METHODS.sql_substitute(sql, {relation("s.t"): ["<0>", "<1>"]})
    assert found == "select t.k, t from <0> as t, <1> as x where exists (select s.t from s.u) -- s.t"


def test_a_schema_with_its_catalog() -> None:
    assert METHODS.sql_substitute("select * from c.s.t, s.t", {relation("c.s.t"): "x"}) == "select * from x as t, s.t"


def test_a_refusal_is_a_compilation_error_with_the_sentence() -> None:
    with pytest.raises(CompilationError) as raised:
        METHODS.sql_substitute("select *\nfrom s.t version as of 3", {relation("s.t"): "x"})
    message = str(raised.value)
    assert message.startswith("Compilation Error\n  s.t is read at a version of its own (line 2, column 9):")
    assert "from s.t version as of 3" in message and "Leave the version out" in message


def test_values_of_jinja() -> None:
    call = "{{ adapter.sql_literals([missing, none, true, 1, \"it's\"] | map('default', 'x') ) }} {{ adapter.sql_literal(missing) }}"
    assert render_template(get_template(call, {}), Renderer().context) == r"'x', null, true, 1, 'it\'s' ''"
