"""Both front ends, text and session, give the same findings; a text that looks like a part of a plan misleads only one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pyspark.sql.functions import udf

from entrepot.analysis.findings import Findings, findings_by_text, findings_of
from entrepot.analysis.from_session import analyzed_plan, is_too_wide, plan_of_session, printed_plan
from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.functions import FILE, is_of_others, unknown_functions
from tests.analysis.plans import OCCURRENCES, cases, code_of
from tests.support.spark import Spark


@pytest.fixture(scope="module")
def tables(spark: Spark) -> Iterator[Spark]:
    """The tables of `plans.txt`."""
    orders, cust = (", ".join(f"{name} {type_}" for name, type_ in OCCURRENCES[at].columns.items()) for at in (0, 1))
    limit = "spark.sql.debug.maxToStringFields"
    before = spark.session.conf.get(limit)
    spark.scripts(
        f"set {limit} = 100000",
        "create schema zz",
        f"create table zz.orders ({orders}) using parquet",
        f"create table zz.cust ({cust}) using parquet",
    )
    yield spark
    spark.scripts("drop schema zz cascade", f"set {limit} = {before}")


def by_text(spark: Spark, sql: str) -> Findings:
    printed = str(spark.sql(f"explain extended {sql}")[0].plan)
    return findings_of(plan_of_text(printed), code_of(sql), OCCURRENCES)


def by_session(spark: Spark, sql: str) -> Findings:
    return findings_of(plan_of_session(analyzed_plan(spark.session, sql)), code_of(sql), OCCURRENCES)


def by_text_of_session(spark: Spark, sql: str) -> Findings:
    """By text, without the optimizer's part of it: what a plan comes to that is too wide for its JSON."""
    printed = printed_plan(analyzed_plan(spark.session, sql))
    return findings_of(plan_of_text(printed), code_of(sql), OCCURRENCES)


def comparable(findings: Findings) -> Findings:
    """Findings whose measures say which of them see the same values, not how Spark numbers these."""
    if findings.aggregate is None:
        return findings
    measures = findings.aggregate.measures
    texts = list(dict.fromkeys(measure.of for measure in measures.values() if measure.of != "1"))
    named = {
        name: measure if measure.of == "1" else replace(measure, of=f"value {texts.index(measure.of)}")
        for name, measure in measures.items()
    }
    return replace(findings, aggregate=replace(findings.aggregate, measures=named))


@pytest.mark.parametrize("name", cases())
def test_both_front_ends_find_the_same(tables: Spark, name: str) -> None:
    sql = cases()[name].sql
    assert comparable(by_text_of_session(tables, sql)) == comparable(by_text(tables, sql))
    if name == "aggregate_text_with_a_parenthesis":
        assert by_session(tables, sql).aggregate and not by_text(tables, sql).aggregate
        return
    assert comparable(by_session(tables, sql)) == comparable(by_text(tables, sql))


def test_a_plan_is_printed_with_all_of_its_columns(spark: Spark) -> None:
    """How many are is a setting of the session that has analyzed it, which need not be the thread's."""
    session = spark.session.newSession()
    columns = ", ".join(f"{number} as c_{number}" for number in range(200))
    for limit, is_cut in (("5", True), ("100000", False)):
        session.conf.set("spark.sql.debug.maxToStringFields", limit)
        printed = printed_plan(analyzed_plan(session, f"select *, struct(*) as s from (select {columns})"))
        assert ("more fields" in printed, "c_199#" in printed) == (is_cut, not is_cut)


def test_casts_of_many_columns_are_told_apart_whichever_session_is_the_threads(tables: Spark) -> None:
    """Spark's JSON leaves out whether a cast fails or gives null; its text tells it, as far as it is not cut."""
    columns = ", ".join(f"o.amount + {number} as c_{number}" for number in range(40))
    sql = f"select try_cast(o.id as decimal(20, 0)) as key, cast(o.id as string) as text, {columns} from {ORDERS}"
    other = tables.session.newSession()
    assert other.conf.get("spark.sql.debug.maxToStringFields") == "25"
    other.conf.set("spark.sql.debug.maxToStringFields", "100000")
    limit = tables.session.conf.get("spark.sql.debug.maxToStringFields")
    expected = by_session(tables, sql)
    tables.session.conf.set("spark.sql.debug.maxToStringFields", "25")
    try:
        assert findings_of(plan_of_session(analyzed_plan(other, sql)), code_of(sql), OCCURRENCES) == expected
    finally:
        tables.session.conf.set("spark.sql.debug.maxToStringFields", limit)


ORDERS = "(select * from zz.orders as _occurrence_0) as o"
CUSTOMERS = "(select * from zz.cust as _occurrence_1) as c"


def test_a_text_that_looks_like_a_part_of_a_plan_is_only_a_text(tables: Spark) -> None:
    plain = f"select cust, count_if(name = 'a') as n from {ORDERS} join {CUSTOMERS} on o.cust = c.id group by cust"
    for text in ("a#1", "x) AND (cust#1 = id#2", "a (b", "rand()", "], [a#1", "first(x)"):
        sql = plain.replace("'a'", f"'{text}'")
        assert comparable(by_session(tables, sql)) == comparable(by_session(tables, plain)), text


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("user()", "current_user()"),
        ("session_user()", "current_user()"),
        ("current_schema()", "current_database()"),
        ("random()", "rand()"),
        ("reflect('java.util.UUID', 'randomUUID')", "reflect()"),
        ("unix_timestamp()", "unix_timestamp()"),
        ("now()", "now()"),
        ("curdate()", "current_date()"),
        ("localtimestamp()", "localtimestamp()"),
        ("current_time()", "current_time()"),
        ("shuffle(tags)", "shuffle()"),
        ("uuid()", "uuid()"),
        ("randstr(3)", "randstr()"),
        ("uniform(1, 5)", "uniform()"),
        ("randn()", "randn()"),
        ("current_catalog()", "current_catalog()"),
        ("spark_partition_id()", "spark_partition_id()"),
        ("input_file_block_start()", "input_file_block_start()"),
        ("monotonically_increasing_id()", "monotonically_increasing_id()"),
    ],
)
def test_functions_of_the_moment_are_seen_by_both(tables: Spark, function: str, expected: str) -> None:
    sql = f"select id, {function} as x from {ORDERS}"
    found = by_session(tables, sql).refused
    assert found and found.startswith(expected)
    assert by_text(tables, sql).refused


def test_functions_of_others_are_seen_in_a_session(tables: Spark) -> None:
    register = tables.session.udf.register
    register("same", lambda value: value, "int")
    register("other", udf(lambda value: value, "int").asNondeterministic())
    tables.scripts(
        "create temporary function chance() returns double return rand()",
        "create temporary function moment() returns timestamp return current_timestamp()",
        "create temporary function next(a int) returns int return a + 1",
    )
    same = by_session(tables, f"select id, same(cust) as x from {ORDERS}")
    words = "same(), which is not a function of Spark's own and may give something else each time"
    assert (same.refused, same.unvouched, same.join) == (None, words, None)
    assert by_session(tables, f"select cust, sum(same(id)) as x from {ORDERS} group by cust").unvouched == words
    other = by_session(tables, f"select id, other(cust) as x from {ORDERS}")
    assert other.refused == "a function that Spark calls not deterministic" and other.unvouched
    for function, name in (
        ("chance()", "rand"),
        ("moment()", "current_timestamp"),
        ("try_reflect('java.util.UUID', 'randomUUID')", "reflect"),
    ):
        found = by_session(tables, f"select id, {function} as x from {ORDERS}")
        assert found.refused == f"{name}(), which gives something else each time", function
    known = by_session(tables, f"select id, next(cust) as x from {ORDERS}")
    assert (known.refused, known.unvouched) == (None, None)


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_functions_of_others_are_asked_for_where_the_plan_is_a_text(tables: Spark, step: int) -> None:
    """Each of Spark's own is asked for by a statement, so it is every seventh."""
    tables.session.udf.register("same", lambda value: value, "int")
    tables.sql("create or replace temporary function next(a int) returns int return a + 1")

    def is_foreign(name: str) -> bool:
        return is_of_others(str(row[0]) for row in tables.sql(f"describe function {name}"))

    own = [name for name in FILE.read_text().split() if name.isidentifier()]
    assert not [name for name in own[::step] if is_foreign(name)]
    assert is_foreign("same") and not is_foreign("next")
    sql = f"select id, upper(same(cust)), next(id), left(region, 2) from {ORDERS} join {CUSTOMERS} using (id) where id in (1) and (cust) > 1"
    assert unknown_functions(sql) == ["same", "next"]
    sql = f"select id, same(cust) as x from {ORDERS}"
    printed = str(tables.sql(f"explain extended {sql}")[0].plan)
    found = findings_by_text(printed, sql, code_of(sql), OCCURRENCES, of_others="same")
    assert found == by_session(tables, sql)


def test_what_spark_knows_is_known_and_new_functions_are_looked_at(tables: Spark) -> None:
    """A function that is new here may be of the moment, or take rows as they come: see `refusal`, then write the file anew."""
    names = "\n".join(row[0] for row in tables.sql("show system functions")) + "\n"
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN"):
        FILE.write_text(names)
    assert FILE.read_text() == names
    own = "upper(r), nvl(s.a, 2), tags[0], transform(tags, t -> t || 'x'), try_add(id, 1), cast(id as string), extract(year from d), "
    own += "date_trunc('month', d), coalesce(id, 1), id between 1 and 2, r like 'a%', regexp_replace(r, 'a', 'b'), md5(r), assert_true(id > 0)"
    sql = f"select {own} from (select *, cast(id as string) as r from {ORDERS})"
    found = by_session(tables, sql)
    assert (found.refused, found.unvouched, found.untold) == (None, None, None)


@pytest.mark.parametrize(
    "function",
    [
        "first(id)",
        "last(id)",
        "first_value(id)",
        "last_value(id)",
        "any_value(id)",
        "mode(id)",
        "collect_list(id)",
        "array_agg(id)",
        "collect_set(id)",
        "listagg(id)",
        "listagg(id) within group (order by id)",
    ],
)
def test_aggregates_that_take_rows_as_they_come_are_seen_by_both(tables: Spark, function: str) -> None:
    sql = f"select cust, {function} as x from {ORDERS} group by cust"
    assert by_session(tables, sql).refused
    assert by_text(tables, sql).refused


@pytest.mark.parametrize(
    "function",
    [
        "sort_array(collect_list(id))",
        "array_sort(collect_list(id))",
        "max(id)",
    ],
)
def test_aggregates_that_sort_are_right(tables: Spark, function: str) -> None:
    sql = f"select cust, {function} as x from {ORDERS} group by cust"
    assert by_session(tables, sql).refused is None
    assert by_text(tables, sql).refused is None


@pytest.mark.parametrize(
    ("function", "is_told"),
    [
        ("row_number() over (partition by cust order by d)", False),
        ("row_number() over (partition by cust order by d, id)", True),
        ("sum(amount) over (order by d)", True),
        ("sum(amount) over (order by d rows unbounded preceding)", False),
        ("sum(amount) over (order by d rows between unbounded preceding and unbounded following)", True),
        ("rank() over (order by d)", True),
        ("ntile(3) over (order by d)", False),
        ("lead(id) over (order by d)", False),
        ("lag(id) ignore nulls over (order by d)", False),
        ("nth_value(id, 2) over (order by d)", False),
        ("any_value(id) over (partition by cust)", False),
        ("percent_rank() over (order by d)", True),
        ("max_by(id, d) over (partition by cust)", False),
        ("first_value(id) over (order by d)", False),
        ("last_value(id) over (order by d)", False),
        ("mean(amount) over (order by d rows unbounded preceding)", False),
        ("std(amount) over (order by d rows unbounded preceding)", False),
        ("stddev(amount) over (order by d rows unbounded preceding)", False),
        ("variance(amount) over (order by d rows unbounded preceding)", False),
        ("some(id > 1) over (order by d rows unbounded preceding)", False),
        ("any(id > 1) over (order by d rows unbounded preceding)", False),
        ("every(id > 1) over (order by d rows unbounded preceding)", False),
    ],
)
def test_ties_are_seen_by_both(tables: Spark, function: str, is_told: bool) -> None:
    sql = f"select id, {function} as x from {ORDERS}"
    assert (by_session(tables, sql).untold is None) is is_told
    assert by_session(tables, sql) == by_text(tables, sql)


SAME_ORDERS = "(select * from zz.orders as _occurrence_2) as p"
DAYS = f"(select cust, d, count(*) as n from {ORDERS} group by cust, d) as g"


@pytest.mark.parametrize(
    ("rows", "order", "is_told"),
    [
        (f"{ORDERS} join {SAME_ORDERS} on o.id = p.id", "order by p.id", True),
        (f"{ORDERS} cross join {SAME_ORDERS} where o.id = p.id", "order by p.id", True),
        (f"{ORDERS} left join {SAME_ORDERS} on o.id = p.id", "order by o.id", True),
        (f"{ORDERS} left join {SAME_ORDERS} on o.id = p.id", "order by p.id", False),
        (f"{ORDERS} join {SAME_ORDERS} on o.cust = p.cust", "order by o.id", False),
        (f"{ORDERS} join {SAME_ORDERS} on o.cust = p.cust", "order by o.id, p.id", True),
        (f"{ORDERS} join {SAME_ORDERS} on o.id >= p.id", "order by p.id", False),
        (f"{DAYS} join {CUSTOMERS} on g.cust = c.id", "partition by c.id order by g.d", True),
        (f"{DAYS} join {CUSTOMERS} on g.cust = c.id", "partition by c.name order by g.d", False),
        (
            f"{DAYS} join {SAME_ORDERS} on g.cust = p.cust and g.d = p.d",
            "partition by p.cust order by p.d, g.cust",
            False,
        ),
        (f"{DAYS} join {SAME_ORDERS} on g.n = p.id", "partition by p.cust order by p.id", False),
        (f"{DAYS} join {SAME_ORDERS} on g.cust = p.id", "partition by p.id order by g.d", True),
    ],
)
def test_an_order_is_total_by_what_is_set_equal_to_a_key(tables: Spark, rows: str, order: str, is_told: bool) -> None:
    sql = f"select row_number() over ({order}) as x from {rows}"
    assert (by_session(tables, sql).untold is None) is is_told
    assert by_session(tables, sql) == by_text(tables, sql)


@pytest.mark.parametrize(
    ("function", "is_told"),
    [
        ("max_by(id, d)", False),
        ("max_by(id, id)", True),
        ("min_by(amount, struct(d, id))", True),
        ("min_by(amount, named_struct('a', d, 'b', cust))", False),
    ],
)
def test_the_best_row_is_seen_by_both(tables: Spark, function: str, is_told: bool) -> None:
    sql = f"select cust, {function} as x from {ORDERS} group by cust"
    assert (by_session(tables, sql).untold is None) is is_told
    assert by_session(tables, sql) == by_text(tables, sql)


@pytest.mark.parametrize(
    "function", ["try_sum(id)", "try_avg(id)", "sum(distinct id)", "stddev(id)", "bool_or(id > 1)"]
)
def test_what_is_no_measure_to_both(tables: Spark, function: str) -> None:
    sql = f"select cust, {function} as x, sum(id) as s, count(id) as n from {ORDERS} group by cust"
    assert by_session(tables, sql).aggregate is None
    assert by_text(tables, sql).aggregate is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s.a", "s"),
        ("cast(amount as int)", "try_cast(amount as int)"),
        ("name like 'a%'", "name like 'a%' escape '/'"),
    ],
)
def test_expressions_that_differ_only_in_what_the_json_leaves_out(tables: Spark, one: str, other: str) -> None:
    sql = f"select {one} as x, count(*) as n from {ORDERS} join {CUSTOMERS} on o.cust = c.id group by {one}, {other}"
    assert by_session(tables, sql).aggregate is None
    assert comparable(by_session(tables, sql)) == comparable(by_text(tables, sql))


def test_casts_that_may_fail_are_told_apart(tables: Spark) -> None:
    sql = f"select cust, sum(try_cast(amount as int)) as s, avg(cast(amount as int)) as a, count(cast(amount as int)) as n from {ORDERS}"
    assert by_session(tables, f"{sql} group by cust").aggregate is None
    sql = sql.replace("avg(cast", "avg(try_cast").replace("count(cast", "count(try_cast")
    assert by_session(tables, f"{sql} group by cust").aggregate
    assert comparable(by_session(tables, f"{sql} group by cust")) == comparable(by_text(tables, f"{sql} group by cust"))


def test_a_plan_whose_types_repeat_a_wide_struct_is_read_as_text(tables: Spark) -> None:
    """As JSON the plan of a mapped table of 300 attributes would be 250 MB, more than Spark's memory holds while it is made."""
    fields = ", ".join(f"a{number} int" for number in range(300))
    source = f"(select id, from_json(cast(id as string), '{fields}') as image from {ORDERS})"
    at = "image.a{0}"
    value = f"coalesce({at} > {{0}}, {at} < {{0}}, {at} = {{0}}, {at} is null, {at} <> 1, {at} in (1, 2, {{0}}), {at} between 7 and {{0}}) as a{{0}}"
    few, many = (
        f"select id, {', '.join(value.format(number) for number in range(count))} from {source}" for count in (2, 300)
    )
    long = f"{few} -- {'x ' * 30_000}"
    assert [is_too_wide(analyzed_plan(tables.session, sql), sql) for sql in (few, long, many)] == [False, False, True]
