"""A snapshot outside of dbt: as Spark's frames, Arrow and pandas, and exported to Parquet and DuckDB; values are those written here by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import entrepot
from entrepot.cli import main
from entrepot.errors import EntrepotError, NotInSnapshotError
from entrepot.opened import OpenSnapshot
from entrepot.pins import Pins
from entrepot.spark.reader import Reader
from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, delta_models

KINDS = """
{{ config(unique_key='id') }}
select 1 as id, cast(12345678901234567890.12 as decimal(22, 2)) as amount, timestamp'2026-01-02 03:04:05.678901Z' as at, date'1066-10-14' as day,
    timestamp_ntz'2026-01-02 03:04:05' as local_at, cast('ab' as binary) as bytes, named_struct('a', 1, 'b', 'ü') as inner, array(1, null) as many,
    map('k', 2.5D) as by_name, true as is_so, cast('' as string) as text
union all
select 2, null, null, null, null, null, null, null, null, null, null
"""
ROW = {
    "id": 1, "amount": Decimal("12345678901234567890.12"), "at": datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc), "day": date(1066, 10, 14),
    "local_at": datetime(2026, 1, 2, 3, 4, 5), "bytes": b"ab", "inner": {"a": 1, "b": "ü"}, "many": [1, None], "by_name": {"k": 2.5},
    "is_so": True, "text": "",
}  # fmt: skip
NULLS = dict.fromkeys(ROW, None) | {"id": 2}
VECTORS = "{{ config(unique_key='id', tblproperties={'delta.enableDeletionVectors': 'true'}) }} select id, v from {{ source('raw', 'number') }}"


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    case = module_case(project=delta_models())
    case.source("number", "id int, v int", "values (1, 10), (2, 20), (3, 30)")
    case.write(
        models__kinds_sql=KINDS,
        models__vectors_sql=VECTORS,
        models__seen_sql="{{ config(materialized='view', tags='light') }} select id, v + 1 as v from {{ ref('vectors') }}",
        models__files_sql="{{ config(materialized='view') }} select * from text.`" + str(case.path) + "/models/*.sql`",
    )
    case.build()
    return case


@pytest.fixture(scope="module")
def newest(case: DbtCase) -> OpenSnapshot:
    return entrepot.snapshot(project_dir=case.path, profiles_dir=case.path)


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of Arrow, maps as dicts."""
    return sorted(
        ({**row, "by_name": dict(row["by_name"]) if row["by_name"] else None} for row in rows),
        key=lambda row: row["id"],
    )


def test_a_plain_table_needs_no_spark(case: DbtCase, newest: OpenSnapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Reader, "__init__", lambda *_: pytest.fail("Spark is started"))
        found = newest.arrow("KINDS")
        frame = newest.pandas("kinds")
    assert plain(found.to_pylist()) == [ROW, NULLS]
    assert (frame.sort_values("id")["amount"].iloc[0], len(frame)) == (ROW["amount"], 2)
    by_spark = newest.table("kinds").toArrow()
    assert found.schema.types == by_spark.schema.types and plain(by_spark.to_pylist()) == [ROW, NULLS]


def test_what_deltalake_cannot_read_is_read_by_spark(case: DbtCase, newest: OpenSnapshot) -> None:
    case.spark.change(f"delete from {case.schema}_raw.number where id = 2")
    case.build()
    later = entrepot.snapshot(project_dir=case.path, profiles_dir=case.path)
    for name, added in (("vectors", 0), ("seen", 1)):
        assert sorted(later.arrow(name).to_pylist(), key=lambda row: row["id"]) == [
            {"id": 1, "v": 10 + added},
            {"id": 3, "v": 30 + added},
        ]
    assert newest.arrow("vectors").num_rows == 3, "what was opened stays the same"
    assert newest.sql("select count(*) as n from vectors inner join seen using (id)").collect()[0].n == 3
    with pytest.raises(NotInSnapshotError, match=r"has no nothing, or several of that name\. `\.tables` lists"):
        newest.arrow("nothing")


def test_without_pandas_there_is_a_sentence(newest: OpenSnapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(EntrepotError, match=r"pandas is not installed here\. Say pip install 'entrepot\[frames\]'"):
        newest.pandas("kinds")


def export(case: DbtCase, *options: str) -> tuple[str, int]:
    result = CliRunner().invoke(
        main, ["--project-dir", str(case.path), "--profiles-dir", str(case.path), "export", *options]
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return " ".join(result.output.split()), result.exit_code


def test_a_duckdb_file_has_the_same_values_and_says_where_from(case: DbtCase, tmp_path: Path) -> None:
    target = load_target(case.path, case.path, None)
    Pins(target).add("first", entrepot.snapshot(project_dir=case.path, profiles_dir=case.path).snapshot)
    file = tmp_path / "new/all.duckdb"
    assert export(case, "first", "--to", str(file))[1] == 0
    schema = f"{case.schema}_marts"
    with duckdb.connect(str(file)) as found:
        cells = ", ".join('"at"::varchar as "at"' if name == "at" else f'"{name}"' for name in ROW)
        rows = found.sql(f"select {cells} from {schema}.kinds order by id").fetchall()
        assert rows == [tuple({**ROW, "at": rows[0][2]}.values()), tuple(NULLS.values())]
        assert found.sql(f"select epoch_us(kinds.at) from {schema}.kinds where id = 1").fetchone() == (
            1767323045678901,
        )
        kinds = dict(found.sql(f"select column_name, column_type from (describe {schema}.kinds)").fetchall())
        assert (kinds["amount"], kinds["at"], kinds["local_at"]) == (
            "DECIMAL(22,2)",
            "TIMESTAMP WITH TIME ZONE",
            "TIMESTAMP",
        )
        assert found.sql(f"select id, v from {schema}.seen order by id").fetchall() == [(1, 11), (3, 31)]
        told = found.sql(
            "select relation, version, sql_hash is not null, unique_key from _provenance order by 1"
        ).fetchall()
    assert told == [
        (f"{schema}.kinds", 0, True, ["id"]),
        (f"{schema}.seen", None, False, []),
        (f"{schema}.vectors", 1, True, ["id"]),
    ]
    assert [path.name for path in file.parent.iterdir()] == ["all.duckdb"]


def test_a_folder_of_parquet_is_replaced_only_where_asked_and_only_an_export(case: DbtCase, tmp_path: Path) -> None:
    place = tmp_path / "out"
    dead = subprocess.Popen(["true"])
    dead.wait()
    (tmp_path / f".out.{dead.pid}").mkdir()
    assert export(case, "--to", str(place), "--select", "kinds", "--select", "SEEN")[1] == 0
    told = json.loads((place / "snapshot.json").read_text())
    assert [one["relation"].split(".")[1] for one in told["relations"]] == ["kinds", "seen"]
    with duckdb.connect() as reading:
        files = f"'{place}/*.kinds/*.parquet'"
        assert reading.sql(f"select id, amount from {files} order by id").fetchall() == [(1, ROW["amount"]), (2, None)]
    said, code = export(case, "--to", str(place), "--select", "vectors")
    assert f"{place} is there already. Say --replace" in said and code == 2
    assert export(case, "--to", str(place), "--select", "vectors", "--replace")[1] == 0
    assert sorted(path.name.rpartition(".")[2] for path in place.iterdir()) == ["json", "vectors"]
    (tmp_path / "other").mkdir()
    said, code = export(case, "--to", str(tmp_path / "other"), "--replace")
    assert "is there, and is no export. Say another place" in said and code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("marts.*", ["kinds", "seen", "vectors"]),
        ("?E*", ["seen", "vectors"]),
        ("tag:light", ["seen"]),
        ("+seen", ["seen", "vectors"]),
        ("path:models/kinds.sql  se*", ["kinds", "seen"]),
        ("*,tag:light", ["seen"]),
    ],
)
def test_what_is_selected_is_exported(said: str, found: list[str], case: DbtCase, tmp_path: Path) -> None:
    said = said.replace("marts", f"{case.schema}_marts")
    text, code = export(case, "--to", str(tmp_path / "out"), "--select", said)
    assert code == 0 and text.startswith("1 relation of " if len(found) == 1 else f"{len(found)} relations of "), text
    told = json.loads((tmp_path / "out" / "snapshot.json").read_text())["relations"]
    assert [one["relation"].partition(".")[2] for one in told] == found


def test_a_selection_of_nothing_says_what_there_is(case: DbtCase, tmp_path: Path) -> None:
    schema = f"{case.schema}_marts"
    for said, problem in (
        ("mart.*", f"has nothing that mart.* stands for. Without --select these are exported: {schema}.kinds, {schema}.seen, {schema}.vectors."),
        ("files*", "has nothing that files* stands for"),
        ("tag:none", "No model, seed or snapshot is selected by tag:none. `dbt ls --select …` shows"),
        ("nomethod:x", "'nomethod' is not a valid method name"),
    ):  # fmt: skip
        text, code = export(case, "--to", str(tmp_path / "out"), "--select", said)
        assert problem in text and code == 2, text
    assert not (tmp_path / "out").exists()


def test_what_fails_leaves_the_earlier_export(case: DbtCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "out"
    assert export(case, "--to", str(place), "--select", "seen")[1] == 0
    before = sorted(path.name for path in place.rglob("*"))
    monkeypatch.setattr(
        "entrepot.export.Export._told", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device", "x"))
    )
    said, code = export(case, "--to", str(place), "--select", "vectors", "--replace")
    assert "cannot be exported: No space left on device (x). Nothing was exported." in said and code == 2
    assert sorted(path.name for path in place.rglob("*")) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert export(case, "--to", str(tmp_path / "b"), "--select", "nothing")[1] == 2


def test_the_snapshot_of_a_part_is_not_exported_by_accident(case: DbtCase, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    assert export(case, "--to", str(whole))[1] == 0
    case.spark.change(f"insert into {case.schema}_raw.number values (4, 40)")
    case.build("--select", "kinds")
    for options in ((), ("newest",), ("--select", f"{case.schema}_marts.*")):
        said, code = export(case, *options, "--to", str(whole), "--replace")
        assert (
            code == 2
            and "are not in it, such as" in said
            and "Run `dbt build` and say it again; or say entrepot export" in said
        ), said
    assert (whole / f"{case.schema}_marts.vectors").is_dir(), "what is there stays"
    number = str(entrepot.snapshot(project_dir=case.path, profiles_dir=case.path).snapshot.number)
    for options in ((number,), ("--select", "kinds")):
        assert export(case, *options, "--to", str(part), "--replace")[1] == 0
        assert [folder.name for folder in part.glob("*.*") if folder.is_dir()] == [f"{case.schema}_marts.kinds"]
    opened = entrepot.snapshot(project_dir=case.path, profiles_dir=case.path)
    with pytest.raises(NotInSnapshotError, match=r"snapshot\(tables=\['vectors'\]\) opens the newest that has it"):
        opened.arrow("vectors")
    assert entrepot.snapshot(project_dir=case.path, profiles_dir=case.path, tables=["vectors"]).arrow("vectors")
    case.build()
