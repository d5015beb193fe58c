"""The statements of a seed, as text; no Spark."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from entrepot.seeds import File, Sheet, column_of
from entrepot.seeds.sql import check_sql, file_view_sql, merge_sql, sheet_view_sql, typed_sql

COLUMNS = (
    column_of(0, "`id`", "bigint", is_declared=False),
    column_of(1, "`the name`", "string", is_declared=False),
    column_of(2, "`price`", "decimal(4, 2)", is_declared=True),
)
TEXTS = r"""
  select *
  from (
    select
      if(_0 rlike r'(?iU)\A\s*(null)?\s*\z', null, regexp_replace(_0, r'\r\n?', '\n')) as _0,
      if(_1 rlike r'(?iU)\A\s*(null)?\s*\z', null, regexp_replace(_1, r'\r\n?', '\n')) as _1,
      if(_2 rlike r'(?iU)\A\s*(null)?\s*\z', null, regexp_replace(_2, r'\r\n?', '\n')) as _2
    from part__seed_file
  )
  where coalesce(_0, _1, _2) is not null""".strip("\n")


def test_spark_reads_the_file() -> None:
    file = File("seeds/part.csv", Path("/it's/part.csv"), is_in_sight=True, delimiter=";")
    assert file_view_sql("part__seed_file", file, COLUMNS) == (
        "create or replace temporary view part__seed_file (_0 string, _1 string, _2 string) using csv options "
        r"(path 'file:/it\'s/part.csv', encoding 'UTF-8', header 'true', sep ';', quote '"
        "\"', escape '\"', multiLine 'true')"
    )


def test_rows_that_dbt_has_read_travel_inside_of_the_statement() -> None:
    sheet = Sheet(("id", "the name", "price"), COLUMNS, [(Decimal(1), "it's\n", None)])
    assert sheet_view_sql("part__seed_file", sheet) == (
        "create or replace temporary view part__seed_file as select _row[0] as _0, _row[1] as _1, _row[2] as _2 "
        r"""from (select explode(from_json('[["1", "it\'s\\n", null]]', 'array<array<string>>')) as _row)"""
    )


def test_one_statement_checks_all_columns() -> None:
    number = r"try_cast(try_cast(regexp_replace(_0, r'[%,_\p{Sc}]', '') as decimal(38, 6)) as bigint)"
    assert check_sql("part__seed_file", COLUMNS) == (
        f"""\
select
  count(*) as rows_found,
  first(_0, true) filter (where _0 is not null and {number} is null) as _0,
  first(_2, true) filter (where _2 is not null and try_cast(_2 as decimal(4, 2)) is null) as _2
from (
{TEXTS}
)"""
    )


def test_where_every_text_fits_only_rows_are_counted() -> None:
    found = check_sql("part__seed_file", [COLUMNS[1]])
    assert found.splitlines()[:3] == ["select", "  count(*) as rows_found", "from ("]


def test_rows_with_their_types() -> None:
    assert typed_sql("part__seed_file", COLUMNS) == (
        rf"""select
  try_cast(try_cast(regexp_replace(_0, r'[%,_\p{{Sc}}]', '') as decimal(38, 6)) as bigint) as `id`,
  _1 as `the name`,
  try_cast(_2 as decimal(4, 2)) as `price`
from (
{TEXTS}
)"""
    )


def test_the_difference_is_one_merge() -> None:
    assert merge_sql(
        "seed part, from seeds/part.csv", "raw.part", COLUMNS[:2], "select 1 as `id`, 'a' as `the name`"
    ) == (
        """\
-- entrepot: seed part, from seeds/part.csv
merge into raw.part as _stored
using (
  select
    explode(concat(
      array_repeat(true, if(_before > _after, 1, 0)),
      array_repeat(false, cast(if(_before > _after, _after, _after - _before) as int))
    )) as _gone,
    `id`, `the name`
  from (
    select `id`, `the name`, count_if(_is_new) as _after, count_if(not _is_new) as _before
    from (
      select *, true as _is_new from (
select 1 as `id`, 'a' as `the name`
      )
      union all
      select `id`, `the name`, false as _is_new from raw.part
    )
    group by `id`, `the name`
    having _after <> _before
  )
) as _new
on _new._gone and _stored.`id` <=> _new.`id` and _stored.`the name` <=> _new.`the name`
when matched then delete
when not matched then insert (`id`, `the name`) values (_new.`id`, _new.`the name`)"""
    )
