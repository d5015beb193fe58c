"""Seeds: the values of the file, written as a difference, and nothing at all where the file did not change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.overrides.support import NO_JOB, properties, statements
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

TRAPS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "empty_values": ("id,name\n1,\n2,x\n", [(1, None), (2, "x")]),
    "quotes": ("id,name\n1,O'Neill\n", [(1, "O'Neill")]),
    "backslashes": ("id,name\n1,C:\\new\n", [(1, "C:\\new")]),
    "big_integers": ("id,name\n9007199254740993,x\n", [(9007199254740993, "x")]),
}


def test_a_seed_has_the_values_of_its_file(dbt_case: Cases) -> None:
    case = dbt_case(project=NO_JOB)
    stock = dbt_case(macros=False)
    for project in (case, stock):
        for name, (text, _) in TRAPS.items():
            project.put(f"seeds/{name}.csv", text)
    outcome = case.dbt("seed")
    assert outcome.success, outcome.text
    stock_outcome = stock.dbt("seed")
    for name, (_, expected) in TRAPS.items():
        assert case.rows("seeds", name) == expected
        wrong = stock_outcome.nodes[name].status == "error" or stock.rows("seeds", name) != expected
        assert wrong, f"dbt-spark does seeds with {name} right now"


def test_only_differences_are_written(dbt_case: Cases) -> None:
    case = dbt_case()
    text = "id,name\n1,a\n2,\n2,\n3,c\n3,c\n4,d\n"
    for name in ("stays", "changes", "reordered", "retyped", "widened", "damaged"):
        case.put(f"seeds/{name}.csv", text)
    assert set(case.build().messages.values()) >= {"create: +6 ~0 -0"}

    outcome = case.build()
    for name in ("stays", "changes", "reordered", "retyped", "widened", "damaged"):
        assert outcome.messages[name] == "unchanged"
        assert statements(outcome, f"seed.entrepot.{name}") == []

    # One `2` fewer (all copies leave, one comes back), one `3` more, 4 updated, 5 new.
    case.put("seeds/changes.csv", "id,name\n1,a\n2,\n3,c\n3,c\n3,c\n4,\n5,e\n")
    case.put("seeds/reordered.csv", 'id,name\r\n4,"d"\r\n3,c\r\n3,c\r\n2,\r\n2,\r\n\r\n1,a')
    case.put("seeds/retyped.yml", "seeds: [{name: retyped, config: {column_types: {id: 'decimal(10, 0)'}}}]")
    case.put("seeds/widened.csv", "id,name,more\n1,a,x\n")
    case.spark.change(f"delete from {case.table('seeds', 'damaged')} where id = 1")
    outcome = case.build()
    assert outcome.messages | {"dbt_entrepot-on-run-start-0": "", "dbt_entrepot-on-run-end-0": ""} == {
        "dbt_entrepot-on-run-start-0": "",
        "dbt_entrepot-on-run-end-0": "",
        "stays": "unchanged",
        "changes": "seed: +4 ~0 -3",
        "reordered": "unchanged",
        "retyped": "create: +6 ~0 -0",
        "widened": "create: +1 ~0 -0",
        "damaged": "create: +6 ~0 -0",
    }
    assert statements(outcome, "seed.entrepot.stays") == []
    assert [" ".join(sql.split()[:2]) for sql in statements(outcome, "seed.entrepot.changes")] == [
        "create or",  # the view of the file
        "select count(*)",  # does every value fit?
        "describe query",  # the same columns?
        "-- entrepot:",  # the merge
    ]
    assert [" ".join(sql.split()[:2]) for sql in statements(outcome, "seed.entrepot.damaged")] == [
        "create or",
        "select count(*)",
        "create or",  # the table
    ]

    assert case.rows("seeds", "changes") == [(1, "a"), (2, None), (3, "c"), (3, "c"), (3, "c"), (4, None), (5, "e")]
    commits = case.spark.history(case.table("seeds", "changes"))
    assert [commit["operation"] for commit in commits] == ["MERGE", "CREATE TABLE AS SELECT"]
    assert commits[0]["metadata"]["reads"] == {}
    changes = case.spark.answer(
        f"select id, name, _change_type from table_changes('{case.table('seeds', 'changes')}', 1) order by all"
    )
    assert changes == [
        (2, None, "delete"), (2, None, "delete"), (2, None, "insert"), (3, "c", "insert"),
        (4, "d", "delete"), (4, None, "insert"), (5, "e", "insert"),
    ]  # fmt: skip
    recorded = case.spark.answer(
        f"select rule, apply_path, rows_inserted, rows_deleted, version from {case.table('ops', 'model_run')} "
        f"where relation = '{case.table('seeds', 'changes')}' and number = 3"
    )
    assert recorded == [("seed", "merge", 4, 3, 1)]
    assert (
        case.spark.equal(
            f"select * from {case.table('seeds', 'reordered')}", f"select * from {case.table('seeds', 'stays')}"
        )
        == []
    )
    for name in ("retyped", "widened", "damaged"):
        newest = case.spark.history(case.table("seeds", name))[0]
        assert newest["operation"] == "CREATE OR REPLACE TABLE AS SELECT"
        assert newest["version"] >= 1

    assert len(statements(outcome, "seed.entrepot.reordered")) == 4
    outcome = case.build("--select", "reordered")
    assert outcome.messages["reordered"] == "unchanged"
    assert statements(outcome, "seed.entrepot.reordered") == [], "that the rows are the same has been published"

    outcome = case.build("--full-refresh", "--select", "stays")
    assert outcome.messages["stays"] == "create: +6 ~0 -0"
    assert properties(case, case.table("seeds", "stays"))["delta.enableChangeDataFeed"] == "true"
    assert [commit["version"] for commit in case.spark.history(case.table("seeds", "stays"))] == [1, 0]


@pytest.mark.long
def test_stock_seeds_drop_their_history(dbt_case: Cases) -> None:
    case = dbt_case(macros=False)
    case.put("seeds/item.csv", "id\n1\n")
    case.build()
    outcome = case.build()
    assert [sql.split()[0] for sql in statements(outcome, "seed.entrepot.item")] == ["drop", "create"]
    assert len(case.spark.history(case.table("seeds", "item"))) == 2  # create and insert: the first build is gone
    assert "delta.enableChangeDataFeed" not in properties(case, case.table("seeds", "item"))


MISFITS = {
    # name: file, column_types, what the error says
    "inferred": (
        "id,name\n1,a\n99999999999999999999,b\n", {},
        "Seed inferred (seeds/inferred.csv), line 3, column `id`: '99999999999999999999' does not fit bigint",
    ),
    "declared": (
        'id,note,price\n1,"two\nlines",1.5\n\n2,x,cheap\n3,y,dear\n', {"price": "decimal(4, 2)"},
        "line 5, column `price`: 'cheap' does not fit decimal(4, 2)",
    ),
    "several": (
        "a,b\n1.5,2020-02-30\n", {"a": "int", "b": "date"},
        "line 2, column `a`: '1.5' does not fit int; line 2, column `b`: '2020-02-30' does not fit date",
    ),
    "too_long": ("a\nabc\nabcd\n", {"a": "varchar(3)"}, "line 3, column `a`: 'abcd' does not fit varchar(3)"),
    "irregular": ('a,b\n1,x\r2,y\n3,z\n', {}, "dbt finds 3 rows in the file and Spark"),
}  # fmt: skip


def test_a_value_that_does_not_fit_is_an_error(dbt_case: Cases) -> None:
    case, stock = dbt_case(project=NO_JOB), dbt_case(macros=False)
    for project in (case, stock):
        for name, (text, types, _) in MISFITS.items():
            project.put(f"seeds/{name}.csv", "")
            (project.path / f"seeds/{name}.csv").write_bytes(text.encode())
            project.put(
                f"seeds/{name}.yml", f"seeds: [{{name: {name}, config: {{column_types: {json.dumps(types)}}}}}]"
            )
    outcome = case.dbt("seed")
    for name, (_, _, message) in MISFITS.items():
        assert message in outcome.messages[name], outcome.messages[name]
        assert not case.spark.session.catalog.tableExists(case.table("seeds", name))
    stock.dbt("seed", "--select", "several", "declared")
    assert stock.rows("seeds", "several") != [("1.5", "2020-02-30")]  # dbt-spark: null, or cut off, without a word
    assert [row[2] for row in stock.rows("seeds", "declared")].count(None) >= 2


@pytest.mark.long
def test_a_file_above_one_megabyte_is_watched_too(dbt_case: Cases) -> None:
    """dbt only notes the path of such a file, so its own checksum never changes."""
    case = dbt_case(project=NO_JOB)
    lines = [f"{number},{'x' * 60}" for number in range(17_000)]
    case.put("seeds/large.csv", "\n".join(["id,filler", *lines]))
    assert (case.path / "seeds/large.csv").stat().st_size > 1024 * 1024
    assert case.build().messages["large"] == "create: +17000 ~0 -0"
    outcome = case.build()
    assert outcome.messages["large"] == "unchanged"
    assert statements(outcome, "seed.entrepot.large") == []
    lines[-1] = "16999,changed"
    case.put("seeds/large.csv", "\n".join(["id,filler", *lines]))
    assert case.build().messages["large"] == "seed: +1 ~0 -1"


@pytest.mark.long
def test_what_dbt_offers_for_seeds_still_works(dbt_case: Cases, tmp_path: Path) -> None:
    case = dbt_case(project=NO_JOB)
    case.put("seeds/item.csv", "id,the name\n1,a\n2,b\n").put("seeds/other.csv", "id\n1\n")
    case.put("seeds/sub/plain.csv", "id;name\n1;'x'\n")
    case.put(
        "seeds/item.yml",
        """
seeds:
  - name: item
    description: "It's an \\"item\\""
    config:
      alias: goods
      persist_docs: {relation: true, columns: true}
      post_hook: "insert into {{ target.schema }}_seeds.hooked values ('{{ this.identifier }}')"
      tblproperties: {delta.columnMapping.mode: name, delta.enableChangeDataFeed: false}
      grants: {}
    columns:
      - {name: id, description: its number, data_tests: [unique, not_null]}
  - name: plain
    config: {delimiter: ";", quote_columns: false, file_format: parquet, enabled: true}
""",
    )
    case.spark.scripts(
        f"create schema if not exists {case.schema}_seeds",
        f"create table {case.table('seeds', 'hooked')} (name string) using delta",
    )
    assert sorted(case.build("--select", "item", "plain").messages) == [
        "item",
        "not_null_item_id",
        "plain",
        "unique_item_id",
    ]
    assert case.spark.answer(f"select id, `the name` from {case.table('seeds', 'goods')}") == [(1, "a"), (2, "b")]
    table = f"{case.schema}_seeds.goods"
    assert properties(case, table)["delta.columnMapping.mode"] == "name"
    described = {row.col_name: row for row in case.spark.sql(f"describe extended {table}")}
    assert described["id"].comment == "its number"
    assert described["Comment"].data_type == 'It\'s an "item"'
    assert case.rows("seeds", "plain") == [(1, "'x'")]

    outcome = case.build("--empty")
    assert outcome.messages["item"] == "unchanged"
    assert outcome.messages["plain"] == "create: +1 ~0 -0"  # no Delta table: built new on every run
    sent = statements(outcome, "seed.entrepot.item")
    assert [sql.split()[0] for sql in sent] == ["insert"]  # the hook
    assert case.rows("seeds", "hooked") == [("goods",), ("goods",)]
    case.spark.sql(f"refresh table {case.table('seeds', 'plain')}")  # written by another session than the tests'
    assert case.rows("seeds", "plain") == [(1, "'x'")]

    seeds = (case.path / "seeds/item.yml").read_text()
    case.put("seeds/item.yml", seeds.replace("its number", "its own number"))
    outcome = case.dbt("seed", "--show", "--select", "item")
    assert outcome.messages["item"] == "unchanged"
    altered = [sql for sql in statements(outcome, "seed.entrepot.item") if sql.startswith(("alter", "comment"))]
    assert altered == [f"alter table {table} alter column `id` comment 'its own number'"]
    case.artifacts = True
    assert case.dbt("docs", "generate").success
    catalog = json.loads((case.path / "target/catalog.json").read_text())
    assert set(catalog["nodes"]["seed.entrepot.item"]["columns"]) == {"id", "the name"}


def test_a_view_of_the_same_name_is_not_replaced(dbt_case: Cases) -> None:
    case = dbt_case(project=NO_JOB).put("seeds/item.csv", "id\n1\n")
    case.spark.scripts(
        f"create schema if not exists {case.schema}_seeds",
        f"create view {case.table('seeds', 'item')} as select 7 as id",
    )
    outcome = case.dbt("seed")
    assert "it is a view" in outcome.messages["item"]
    assert case.rows("seeds", "item") == [(7,)]


@pytest.mark.parametrize("reader", ["file", "inline"])
def test_unusual_names(dbt_case: Cases, reader: str) -> None:
    """Folders that Spark would take for patterns, and a file that it takes for hidden."""
    case = dbt_case(project={**NO_JOB, "vars": {"entrepot_seed_reader": reader}})
    case.put("seeds/we [i]rd {x,y} 50%20*?#/strange.csv", "id\n1\n").put("seeds/_hidden.csv", "id\n2\n")
    outcome = case.dbt("seed")
    assert outcome.success, outcome.text
    assert case.rows("seeds", "strange") == [(1,)]
    assert case.rows("seeds", "_hidden") == [(2,)]
    is_file = "using csv" in statements(outcome, "seed.entrepot.strange")[0]
    assert is_file == (reader == "file")
    assert "from_json" in statements(outcome, "seed.entrepot._hidden")[0]
