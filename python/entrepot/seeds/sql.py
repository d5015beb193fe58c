"""Statements of a seed: the view of its file's texts, the check, the rows with their types, the merge."""

from __future__ import annotations

from collections.abc import Sequence

from entrepot.seeds.columns import Column
from entrepot.seeds.file import File, Sheet
from entrepot.sql import keys_equal, literal, qualified


def file_view_sql(view: str, file: File, columns: Sequence[Column]) -> str:
    """Return the statement that makes a temporary view of a file's texts, which Spark reads."""
    texts = ", ".join(f"{column.text} string" for column in columns)
    return (
        f"create or replace temporary view {view} ({texts}) using csv options (path {literal(file.uri)}, "
        f"encoding 'UTF-8', header 'true', sep {literal(file.delimiter)}, quote '\"', escape '\"', multiLine 'true')"
    )


def sheet_view_sql(view: str, sheet: Sheet) -> str:
    """Return the statement that makes a temporary view of the texts that dbt has read.

    They travel inside of it as one JSON text: exact for every text, unlike the bindings of dbt-spark.
    """
    texts = ", ".join(f"_row[{column.number}] as {column.text}" for column in sheet.columns)
    return (
        f"create or replace temporary view {view} as select {texts} "
        f"from (select explode(from_json({literal(sheet.as_json())}, 'array<array<string>>')) as _row)"
    )


def check_sql(view: str, columns: Sequence[Column]) -> str:
    """Return SQL of one row: `rows_found`, and for every column that can fail a text that does not fit."""
    checked = [
        f"first({column.text}, true) filter (where {column.misfit}) as {column.text}"
        for column in columns
        if column.misfit
    ]
    wanted = ",\n  ".join(["count(*) as rows_found", *checked])
    return f"select\n  {wanted}\nfrom (\n{_texts_sql(view, columns)}\n)"


def typed_sql(view: str, columns: Sequence[Column]) -> str:
    """Return SQL of the rows with their types."""
    values = ",\n  ".join(f"{column.value} as {column.name}" for column in columns)
    return f"select\n  {values}\nfrom (\n{_texts_sql(view, columns)}\n)"


def merge_sql(origin: str, relation: str, columns: Sequence[Column], typed: str) -> str:
    """Return the statement that turns the stored rows into the file's, as multisets, in one commit.

    Of rows that occur more often now, the missing copies are inserted; of rows that occur less often, all copies are
    deleted and the new number is inserted.

    Args:
        origin: where the rows come from, for the first line
        relation: the table
        columns: its columns
        typed: SQL of the file's rows
    """
    names = [column.name for column in columns]
    listed = ", ".join(names)
    return f"""\
-- entrepot: {origin}
merge into {relation} as _stored
using (
  select
    explode(concat(
      array_repeat(true, if(_before > _after, 1, 0)),
      array_repeat(false, cast(if(_before > _after, _after, _after - _before) as int))
    )) as _gone,
    {listed}
  from (
    select {listed}, count_if(_is_new) as _after, count_if(not _is_new) as _before
    from (
      select *, true as _is_new from (
{typed}
      )
      union all
      select {listed}, false as _is_new from {relation}
    )
    group by {listed}
    having _after <> _before
  )
) as _new
on _new._gone and {keys_equal("_stored", names, "_new", names)}
when matched then delete
when not matched then insert ({listed}) values ({qualified("_new", names)})"""


def _texts_sql(view: str, columns: Sequence[Column]) -> str:
    """Return SQL of the texts as dbt sees them: blank or `null` is null, a line end inside of a text is `\\n`.

    A row without any text is a blank line.
    """
    texts = ",\n      ".join(
        f"if({text} rlike r'(?iU)\\A\\s*(null)?\\s*\\z', null, regexp_replace({text}, r'\\r\\n?', '\\n')) as {text}"
        for text in (column.text for column in columns)
    )
    listed = ", ".join(column.text for column in columns)
    return (
        f"  select *\n  from (\n    select\n      {texts}\n    from {view}\n  )\n  where coalesce({listed}) is not null"
    )
