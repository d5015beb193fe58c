"""What is one query, and what is refused, with a sentence that a person can use."""

from __future__ import annotations

import pytest

from entrepot.errors import QueryError
from entrepot.sql import check_one_query

QUERIES = [
    "select 1",
    "(select 1) union all select 2",
    "with a as (select 1) select * from a",
    "values (1), (2)",
    "select transform(array(1, 2), one -> one + 1)",
    "select 'reflect(x)', transformed from t where java_method = 1",
    "select 1;",
]
REFUSED = {
    "": "this is 0 statements",
    "-- nothing": "this is 0 statements",
    "select 1; select 2": "this is 2 statements",
    "delete from t": "this begins with DELETE",
    "insert into t values (1)": "this begins with INSERT",
    "with a as (select 1) insert into t select * from a": "One SELECT is answered at a time",
    "/* a comment */ drop table t": "this begins with DROP",
    "show tables": "this begins with SHOW",
    "explain select 1": "this begins with EXPLAIN",
    "set spark.sql.ansi.enabled = true": "this begins with SET",
    "selec 1 frm t": "The query cannot be read",
    "select * from t where": "The query cannot be read",
    "select transform(id) using 'rm x' from t": "this one has a transform … using, which runs a program",
    "select * from (select transform(id) using 'cat' as (a string) from t)": "which runs a program",
    "select Reflect('java.lang.System', 'exit', 3)": "this one has reflect, which calls any method of Java",
    "select a from t where try_reflect('x', 'y') is null": "try_reflect",
    "select `java_method`('java.lang.System', 'exit', 3)": "java_method",
}


@pytest.mark.parametrize("sql", QUERIES)
def test_queries(sql: str) -> None:
    check_one_query(sql)


@pytest.mark.parametrize("sql", REFUSED)
def test_other_texts(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(QueryError) as raised:
        check_one_query(sql)
    assert REFUSED[sql] in str(raised.value)
    assert "<class" not in str(raised.value) and caplog.records == []
