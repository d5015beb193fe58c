"""Computed columns: which expressions are followed, and that what is written of them gives the plan's own values and never fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entrepot.analysis.computed import COMPUTED_FUNCTIONS, computed_trace
from entrepot.analysis.findings import Findings, findings_by_session, findings_by_text, findings_of
from entrepot.analysis.from_session import analyzed_plan
from entrepot.analysis.from_text import expression, plan_of_text
from entrepot.analysis.rows import Occurrence, Rows
from entrepot.analysis.value import Computed, value_sql
from entrepot.sql import code_only
from tests.analysis.test_front_ends import comparable
from tests.support.spark import Spark

TYPES = {
    "i": "int", "b": "bigint", "de": "decimal(10,2)", "d": "date", "ts": "timestamp", "n": "timestamp_ntz", "st": "string",
    "f": "double", "bo": "boolean", "bi": "binary", "lc": "string collate UTF8_LCASE", "tags": "array<string>",
}  # fmt: skip
TABLE = Occurrence("0", "computed.computed", "computed", TYPES, ("i",))
OTHER = Occurrence("1", "computed.other", "other", TYPES, ("i",))
# as Spark prints it, with the name for the id; and what is written
ROWS = Rows(out=tuple(TYPES), trace={name: {"0": name} for name in TYPES}, types=TYPES)


def written(printed: str, rows: Rows = ROWS) -> str | None:
    found = computed_trace(expression(printed), rows, (TABLE, OTHER))
    return value_sql(found["0"], "r") if "0" in found else None


@pytest.mark.parametrize(
    ("printed", "sql"),
    [
        ("year(d#d)", "year(r.`d`)"),
        ("year(cast(ts#ts as date))", "year(cast(r.`ts` as date))"),
        ("extract(YEAR, ts#ts)", "extract(year from r.`ts`)"),
        ("date_trunc(month, cast(d#d as timestamp), Some(Etc/UTC))", "date_trunc('month', cast(r.`d` as timestamp))"),
        ("to_date(st#st, None, Some(Etc/UTC), false)", "try_cast(r.`st` as date)"),
        ("cast(st#st as decimal(10,2))", "try_cast(r.`st` as decimal(10,2))"),
        ("cast(de#de as string)", "cast(r.`de` as string)"),
        ("upper(left(st#st, 1))", "upper(left(r.`st`, 1))"),
        ("substring(st#st, 2, 2147483647)", None),  # ten digits
        ("coalesce(b#bL, cast(0 as bigint))", "coalesce(r.`b`, cast(0 as bigint))"),
        ("coalesce(i#i, 0)", "coalesce(r.`i`, 0)"),
        ("hash(st#st, i#i, 42)", "hash(r.`st`, r.`i`)"),
        (
            "md5(cast(cast(concat(concat(coalesce(cast(i#i as string), _null_), -), st#st) as string) as binary))",
            "md5(cast(cast(concat(concat(coalesce(cast(r.`i` as string), '_null_'), '-'), r.`st`) as string) as binary))",
        ),
    ],
)
def test_what_is_written(printed: str, sql: str | None) -> None:
    # ids are numbers in a plan; here they are the names, so that the cases can be read
    numbers = {name: str(at) for at, name in enumerate(TYPES)}
    rows = Rows(
        out=tuple(numbers.values()),
        trace={numbers[name]: {"0": name} for name in TYPES},
        types={numbers[name]: type_ for name, type_ in TYPES.items()},
    )
    for name, number in numbers.items():
        printed = printed.replace(f"#{name}L", f"#{number}L").replace(
            f"#{name}", f"#{number}", 1 if name == "d" else -1
        )
    assert written(printed, rows) == sql


@pytest.mark.parametrize(
    "printed",
    [
        "year(f#7)", "cast(f#7 as string)", "upper(lc#10)", "cast(b#1L as int)", "cast(st#6 as int)", "cast(de#2 as double)",
        "cast(i#0 as boolean)", "cast(bi#9 as string)", "(i#0 + 1)", "abs(i#0)", "rand()", "price(st#6)", "upper(distinct st#6)",
        "concat(st#6, null)", "concat(st#6, a b)", "concat(st#6, 0x41)", "concat(st#6, i#0)", "concat(st#6)x", "left(st#6, 1.5)",
        "coalesce(st#6, i#0)", "hash(st#6, 43)", "extract(hour, ts#4)", "extract(year, st#6)", "md5(st#6)", "upper(outer(st#6))",
        "upper(unknown#99)", "max(st#6)", "trim(st#6, Some(x))", "try_cast(st#6 as date)", "current_date()", "concat()",
        "array_join(tags#11, -)", "upper(x)",
    ],
)  # fmt: skip
def test_what_is_not_followed(printed: str) -> None:
    names = list(TYPES)
    rows = Rows(
        trace={str(at): {"0": name} for at, name in enumerate(names)},
        types={str(at): TYPES[name] for at, name in enumerate(names)},
    )
    assert written(printed, rows) is None


def test_columns_of_two_upstreams_follow_where_all_follow_one() -> None:
    rows = Rows(trace={"1": {"0": "st", "1": "st"}, "2": {"1": "d"}}, types={"1": "string", "2": "date"})
    found = computed_trace(expression("concat(st#1, cast(d#2 as string))"), rows, (TABLE, OTHER))
    assert {mention: value_sql(value) for mention, value in found.items()} == {"1": "concat(`st`, cast(`d` as string))"}
    assert computed_trace(expression("concat(st#1, cast(d#3 as string))"), rows, (TABLE, OTHER)) == {}


def test_a_wider_integer_is_computed_with_as_the_plan_has_it() -> None:
    rows = Rows(trace={"1": {"0": "i"}, "2": {"0": "b"}}, types={"1": "bigint", "2": "int"})
    assert written("xxhash64(x#1L, 42)", rows) == "xxhash64(cast(r.`i` as bigint))"
    assert written("xxhash64(x#2, 42)", rows) is None, "a narrower one would wrap around"


def test_what_is_computed_from_computed() -> None:
    rows = Rows(trace={"1": {"0": Computed(("upper(", "st", ")"), "string")}}, types={"1": "string"})
    assert written("left(x#1, 2)", rows) == "left(upper(r.`st`), 2)"


def test_what_doubles_at_each_step_is_followed_for_some_steps() -> None:
    rows = Rows(trace={"1": {"0": "st"}}, types={"1": "string"})
    steps = 0
    while found := computed_trace(expression("concat(x#1, x#1)"), rows, (TABLE,)):
        rows, steps = Rows(trace={"1": found}, types={"1": "string"}), steps + 1
    assert 2 < steps < 10


def test_texts_that_may_be_several_arguments() -> None:
    line = "Project [concat(st#6, x, y) AS c#20, replace(st#6, x, y) AS e#21]\n+- SubqueryAlias _occurrence_0\n   +- Relation computed.computed[st#6]"
    printed = f"== Analyzed Logical Plan ==\nc: string, e: string\n{line}\n\n== Optimized Logical Plan ==\n"
    sure, unsure = (findings_of(plan_of_text(printed, is_safe), "", (TABLE,)).scopes for is_safe in (True, False))
    assert sure.keys() == {"c", "e"}
    assert unsure.keys() == {"e"}, "the number of its arguments says that no text is two"
    assert findings_by_text(printed, "select concat(st, 'x, y') as c", "", (TABLE,)).scopes.keys() == {"e"}


EXPRESSIONS = [
    "cast(i as string)", "i::string", "cast(de as string)", "date(ts)", "to_date(ts)", "to_date(st)", "cast(st as date)",
    "cast(st as timestamp)", "cast(de as decimal(12,0))", "cast(de as decimal(3,0))", "cast(st as decimal(10,2))", "cast(i as decimal(4,1))",
    "year(d)", "year(ts)", "year(st)", "extract(year from d)", "extract(month from ts)", "date_part('year', d)", "month(d)", "quarter(ts)",
    "day(d)",
    "dayofmonth(d)", "dayofweek(d)", "weekofyear(d)", "dayofyear(d)", "weekday(d)", "hour(ts)", "minute(ts)", "last_day(d)",
    "trunc(d, 'MM')", "date_trunc('month', ts)", "date_trunc('month', d)", "date_format(ts, 'yyyy-MM')", "date_format(d, 'yyyyMM')",
    "upper(st)", "ucase(st)", "lower(st)", "lcase(st)", "initcap(st)", "trim(st)", "ltrim(st)", "rtrim(st)", "length(st)", "char_length(st)",
    "reverse(st)", "left(st, 1)", "right(st, 2)", "substring(st, 1, 2)", "substring(st from 1 for 2)", "lpad(st, 3, '0')",
    "rpad(st, 3, '0')", "concat(st, '-', st)", "st || '-' || i", "concat_ws('-', st, cast(i as string))", "coalesce(st, 'x')",
    "coalesce(i, 0)", "coalesce(b, 0)", "coalesce(de, 0)", "md5(st)", "sha(st)", "sha1(st)", "sha2(st, 256)", "hash(st, i)",
    "xxhash64(st, i, d, de, bo)", "crc32(st)", "replace(st, 'a', 'b')", "translate(st, 'a', 'b')", "substring_index(st, '-', 1)",
    "cast(n as date)", "cast(bo as string)", "cast(st as binary)", "cast(d as timestamp)", "cast(n as string)", "cast(ts as string)",
    "md5(cast(coalesce(cast(i as string), '_dbt_utils_surrogate_key_null_') || '-' || coalesce(cast(st as string), "
    "'_dbt_utils_surrogate_key_null_') as string))",
]  # fmt: skip
NOT_FOLLOWED = [
    "try_cast(st as date)", "to_timestamp(st)", "to_date(st, 'yyyy')", "cast(b as int)", "cast(st as int)", "i + 1", "-i", "i % 10",
    "abs(i)", "nvl(st, 1)", "ifnull(st, 'x')", "nullif(st, 'x')", "trim(both 'x' from st)", "if(i > 1, 'a', 'b')", "concat(st, ', ')",
    "concat(st, 'a b')", "concat(st, null)", "concat(st, ' ')", "cast(f as string)", "upper(lc)", "upper(st collate UTF8_LCASE)",
    "extract(year from st)", "regexp_replace(st, 'a', 'b')", "date_add(d, 1)", "array_join(tags, '-')", "rand()",
    "concat_ws('-', tags)", "reverse(tags)", "case when i > 1 then 'a' else st end", "make_date(year(d), month(d), 1)", "hash(f)",
]  # fmt: skip


@pytest.fixture(scope="module")
def tables(spark: Spark) -> Iterator[Spark]:
    """A table of values that tell right from nearly right."""
    limit = "spark.sql.debug.maxToStringFields"
    before = spark.session.conf.get(limit)
    ansi = spark.session.conf.get("spark.sql.ansi.enabled")
    columns = ", ".join(f"{name} {type_}" for name, type_ in TYPES.items())
    texts = [
        "null",
        "''",
        "' a '",
        "'Aa-b'",
        "'1.5'",
        "'12345678901.999'",
        "'2024-02-29'",
        "'2024-02-30'",
        "'today'",
        "'ÄßŒ'",
        "'0x41'",
    ]
    moments = [
        "null",
        "timestamp'2024-03-31 01:59:59.999999'",
        "timestamp'1582-10-04 00:00:00'",
        "timestamp'0001-01-01 00:00:00'",
    ]
    rows = [
        f"({at}, {at} * 4000000000, {'null' if at == 3 else f'{at}9999.99'}, cast({moment} as date), {moment}, "
        f"cast({moment} as timestamp_ntz), {text}, {'double(0)' if at % 2 else 'double(-0.0)'}, {['true', 'false', 'null'][at % 3]}, "
        f"cast({text} as binary), {text}, array({text}))"
        for at, text in enumerate(texts)
        for moment in [moments[at % len(moments)]]
    ]
    spark.scripts(
        f"set {limit} = 100000",
        "create schema computed",
        f"create table computed.computed ({columns}) using parquet",
        f"insert into computed.computed values {', '.join(rows)}",
    )
    yield spark
    spark.scripts("drop schema computed cascade", f"set {limit} = {before}", f"set spark.sql.ansi.enabled = {ansi}")


def both(spark: Spark, sql: str) -> tuple[Findings, Findings]:
    printed = str(spark.sql(f"explain extended {sql}")[0].plan)
    session = findings_by_session(analyzed_plan(spark.session, sql), sql, code_only(sql), (TABLE,))
    return comparable(findings_by_text(printed, sql, code_only(sql), (TABLE,))), comparable(session)


def of(expressions: list[str]) -> str:
    """A model of expressions."""
    listed = ", ".join(f"{one} as x{at}" for at, one in enumerate(expressions))
    return f"select {listed} from (select * from computed.computed as _occurrence_0)"


def test_every_function_is_tried() -> None:
    tried = " ".join(EXPRESSIONS)
    assert all(f"{name}(" in tried for name in COMPUTED_FUNCTIONS)


def test_what_is_followed_has_the_plans_values_and_never_fails(tables: Spark) -> None:
    for ansi in ("false", "true"):
        tables.sql(f"set spark.sql.ansi.enabled = {ansi}")
        text, session = both(tables, of(EXPRESSIONS))
        assert text == session
        assert text.scopes.keys() == {f"x{at}" for at in range(len(EXPRESSIONS))}
        values = {at: value_sql(text.scopes[f"x{at}"]["0"], "r") for at in range(len(EXPRESSIONS))}
        tables.sql(
            f"select {', '.join(f'count_if({one} is null)' for one in values.values())} from computed.computed as r"
        )
        if ansi == "false":
            differ = ", ".join(
                f"count_if(not ({one}) <=> ({values[at]})) + if(any_value(typeof({one})) <> any_value(typeof({values[at]})), 1, 0)"
                for at, one in enumerate(EXPRESSIONS)
            )
            found = tables.sql(f"select {differ} from computed.computed as r")[0]
            assert {one: found[at] for at, one in enumerate(EXPRESSIONS) if found[at]} == {}


def test_what_is_not_followed_by_either(tables: Spark) -> None:
    tables.sql("set spark.sql.ansi.enabled = false")
    for one in NOT_FOLLOWED:
        text, session = both(tables, of([one]))
        assert not text.scopes and not session.scopes, one


def test_groups_windows_and_joins_by_computed(tables: Spark) -> None:
    tables.sql("set spark.sql.ansi.enabled = false")
    source = "(select * from computed.computed as _occurrence_0) as one"
    for sql, scopes in {
        f"select year(d) as y, count(distinct i) as n from {source} group by year(d) having count(*) > 1": {"y": "year(`d`)"},
        f"select concat(upper(st), '-') as c, count(distinct i) as n from {source} group by upper(st)": {"c": "concat(upper(`st`), '-')"},
        f"select year(d) as y, year(ts) as z, sum(i) over (partition by year(d)) as x from {source}": {"y": "year(`d`)"},
        f"select distinct trunc(d, 'MM') as month, left(st, 1) as letter from {source}": {
            "month": "trunc(`d`, 'MM')", "letter": "left(`st`, 1)",
        },
    }.items():  # fmt: skip
        text, session = both(tables, sql)
        assert text == session, sql
        assert {name: value_sql(trace["0"]) for name, trace in text.scopes.items()} == scopes, sql
