"""Books of other layouts: older ones are brought forward in place, newer ones are refused in a sentence."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from arro3.core import Array, DataType, Table
from deltalake import DeltaTable, Field, Schema, write_deltalake
from deltalake.schema import PrimitiveType

from entrepot.ledger import JobEvent, Ledger, ModelRun, PublishedRelation
from entrepot.ledger.files import FileStore
from entrepot.ledger.layout import LAYOUT, PROPERTY, LayoutError
from entrepot.ledger.lock import Holder, LockError
from entrepot.ledger.records import RECORDS, NodeState, SourceCut, TableHealth, columns
from entrepot.ledger.statements import StatementStore
from entrepot.sql import literal

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
# as macro jobs_create_tables of 7c4d313 made them, before layouts had versions
WITHOUT_VERSION = {
    "job_event": "job string, number bigint, event string, owner string, command string, at timestamp, detail string",
    "model_run": "job string, number bigint, position bigint, relation string, resource_type string, status string, rule string, "
    "reason string, apply_path string, rows_read bigint, rows_inserted bigint, rows_updated bigint, rows_deleted bigint, "
    "statements bigint, seconds double, version bigint, sql string",
    "published_snapshot": "job string, number bigint, relation string, version bigint, data_version bigint, committed_at timestamp, "
    "definition string, location string, reads string, read_at string, sql_hash string, row_count bigint, bytes bigint, "
    "detail string, landed_through timestamp, published_at timestamp",
    "model_verdict": "relation string, sql_hash string, analyzed string, rule string, reason string, verdict string, sql string, "
    "job string, number bigint, at timestamp",
}
# tables of later layouts are made before the older ones are brought forward (`Books.open_books`)
CAME_LATER = {
    record.table: ", ".join(f"{one.name} {one.spark_type}" for one in columns(record))
    for record in (NodeState, SourceCut, TableHealth)
}
DELTA = {"string": "string", "boolean": "boolean", "bigint": "long", "double": "double", "timestamp": "timestamp"}


def make(folder: Path, layout: dict[str, str]) -> FileStore:
    """Tables of a layout, with a job and a run in them."""
    for name, told in (layout | CAME_LATER).items():
        fields = [
            Field(column, PrimitiveType(DELTA[kind])) for column, kind in (one.split() for one in told.split(", "))
        ]
        DeltaTable.create(str(folder / name), Schema(fields), configuration={"delta.isolationLevel": "Serializable"})
    append(folder / "job_event", job="a", number=1, event="finished", owner="ada", command="dbt build", at=NOON)
    append(
        folder / "model_run",
        job="a",
        number=1,
        position=1,
        relation="marts.a",
        resource_type="model",
        status="success",
        rule="join",
    )
    return FileStore({record.table: str(folder / record.table) for record in RECORDS})


def append(folder: Path, **row: Any) -> None:
    arrays = {}
    for name, value in row.items():
        if isinstance(value, datetime):
            micros = Array([round(value.timestamp() * 1_000_000)], type=DataType.int64())
            arrays[name] = micros.cast(DataType.timestamp("us", tz="UTC"))
        else:
            arrays[name] = Array([value], type=DataType.utf8() if isinstance(value, str) else DataType.int64())
    write_deltalake(str(folder), Table.from_pydict(arrays), mode="append", schema_mode="merge")


def property_of(folder: Path) -> str | None:
    return DeltaTable(str(folder / "job_event")).metadata().configuration.get(PROPERTY)


def test_the_books_of_7c4d313_go_on(tmp_path: Path) -> None:
    store = make(tmp_path, WITHOUT_VERSION)
    assert store.layout() == 0
    ledger = Ledger(store)
    ledger.bring_forward()
    assert (store.layout(), property_of(tmp_path)) == (LAYOUT, str(LAYOUT))
    assert [run.relation for run in ledger.runs("marts.a")] == ["marts.a"], "and what they say is kept"
    assert ledger.begin(Holder("b", "dbt build", 30, True, "elsewhere")).number == 2
    ledger.write([ModelRun("b", 2, 1, "marts.b", "model", "success", "full")])
    again = FileStore({record.table: str(tmp_path / record.table) for record in RECORDS})
    assert {row.job for row in again.read(JobEvent)} == {"a", "b"}
    versions = [DeltaTable(str(tmp_path / record.table)).version() for record in RECORDS]
    Ledger(again).bring_forward()
    assert versions == [DeltaTable(str(tmp_path / record.table)).version() for record in RECORDS], "once is enough"


def test_columns_that_came_later_are_added(tmp_path: Path) -> None:
    """As a layout before `model_run.sql` and `published_snapshot.bytes` would have been; also after a kill before the last step."""
    older = WITHOUT_VERSION | {
        "model_run": WITHOUT_VERSION["model_run"].removesuffix(", sql string"),
        "published_snapshot": WITHOUT_VERSION["published_snapshot"].replace(", bytes bigint", ""),
    }
    store = make(tmp_path, older)
    DeltaTable(str(tmp_path / "model_run")).alter.add_columns([Field("sql", PrimitiveType("string"))])
    ledger = Ledger(store)
    ledger.bring_forward()
    ledger.write([ModelRun("b", 2, 1, "marts.a", "model", "success", "full", sql="select 1")])
    assert [(run.number, run.sql) for run in ledger.runs("marts.a")] == [(2, "select 1"), (1, None)]
    assert {field.name for field in DeltaTable(str(tmp_path / "published_snapshot")).schema().fields} >= {
        "bytes",
        "published_at",
    }


def test_layout_1_has_no_concerns(tmp_path: Path) -> None:
    """Layout 1 is that of 7c4d313 with its version noted. Readers, which never write, read it as it is; jobs bring it forward."""
    store = make(tmp_path, WITHOUT_VERSION)
    DeltaTable(str(tmp_path / "job_event")).alter.set_table_properties({PROPERTY: "1"}, raise_if_not_exists=False)
    append(tmp_path / "published_snapshot", job="a", number=1, relation="ops.waiting", definition="select 1")
    reader = Ledger(FileStore({record.table: str(tmp_path / record.table) for record in RECORDS}))
    old = PublishedRelation("a", 1, "ops.waiting", definition="select 1")
    assert (reader.published_rows(), reader.published()) == ([old], {"ops.waiting": old})
    assert store.layout() == 1 and DeltaTable(str(tmp_path / "published_snapshot")).version() == 1, (
        "nothing was written"
    )
    ledger = Ledger(store)
    ledger.bring_forward()
    new = PublishedRelation("b", 2, "ops.waiting", definition="select 1", concern="{}")
    ledger.write([new])
    assert (store.layout(), ledger.published_rows()) == (LAYOUT, [new, old])
    assert reader.published_rows() == [new, old], "a reader that was open before"


@pytest.mark.parametrize("told", [str(LAYOUT + 1), "x"])
def test_newer_books_are_refused(tmp_path: Path, told: str) -> None:
    store = make(tmp_path, WITHOUT_VERSION)
    DeltaTable(str(tmp_path / "job_event")).alter.set_table_properties({PROPERTY: told}, raise_if_not_exists=False)
    with pytest.raises(
        LayoutError, match=f"have layout {told}; this entrepot knows layouts up to {LAYOUT}. A newer entrepot"
    ):
        Ledger(store).bring_forward()


def test_books_are_brought_forward_by_who_holds_the_lock(tmp_path: Path) -> None:
    """A job of the version before, which is running, would fail at its next heartbeat: its table has other properties."""
    store = make(tmp_path, WITHOUT_VERSION)
    append(
        tmp_path / "job_event",
        job="b",
        number=2,
        event="started",
        owner="ada",
        command="dbt build",
        at=datetime.now(timezone.utc),
    )
    with pytest.raises(LockError, match="Job 2 of ada is running"):
        Ledger(store).begin(Holder("c", "dbt build", 30, False, "elsewhere"))
    assert store.layout() == 0
    assert Ledger(store).begin(Holder("c", "dbt build", 30, True, "elsewhere")).number == 3
    assert store.layout() == LAYOUT


def test_an_empty_folder_has_the_layout_of_the_program(tmp_path: Path) -> None:
    assert FileStore({record.table: str(tmp_path / record.table) for record in RECORDS}).layout() == LAYOUT


def test_by_statements() -> None:
    sent: list[str] = []

    def query(sql: str) -> list[dict[str, Any]]:
        sent.append(sql)
        if sql.startswith("describe"):
            table = sql.rpartition(".")[2]
            return [
                {"col_name": one.split()[0]}
                for one in (WITHOUT_VERSION | CAME_LATER)[table].split(", ")
                if one != "detail string"
            ]
        return [{"key": "delta.isolationLevel", "value": "Serializable"}]

    Ledger(StatementStore("ops", query, literal)).bring_forward()
    assert [sql for sql in sent if not sql.startswith("describe")] == [
        "show tblproperties ops.job_event",
        "alter table ops.job_event add columns (detail string)",
        "alter table ops.model_run add columns (started_at timestamp, appends boolean)",
        "alter table ops.published_snapshot add columns (detail string, concern string, "
        "node string, holds_through timestamp, unique_key string, promises string)",
        f"alter table ops.job_event set tblproperties ('{PROPERTY}' = '{LAYOUT}')",
        *(f"optimize ops.{record.table}" for record in RECORDS),
    ]
