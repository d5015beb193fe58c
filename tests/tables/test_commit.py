"""What one commit says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from entrepot.tables.commit import KEEP_ROWS, Commit, Touches

APPEND = {"mode": "Append", "partitionBy": "[]"}
COMMENT = {"column": '{"name":"v","type":"long","nullable":true,"metadata":{"comment":"x"}}'}


def commit(operation: str, parameters: dict[str, str] | None = None, **metrics: Any) -> Commit:
    return Commit(1, 0, operation, parameters or {}, {name: str(value) for name, value in metrics.items()})


@pytest.mark.parametrize(
    ("operation", "parameters", "expected"),
    [
        *((operation, {}, True) for operation in sorted(KEEP_ROWS)),
        ("WRITE", APPEND, False),
        ("RESTORE", {}, False),
        ("RENAME COLUMN", {}, False),
        ("ADD COLUMNS", {}, False),
        ("something new", {}, False),
        ("", {}, False),
        ("CHANGE COLUMN", COMMENT, True),
        ("CHANGE COLUMNS", COMMENT, True),
        ("CHANGE COLUMN", {**COMMENT, "position": "FIRST"}, False),
        ("CHANGE COLUMN", {"column": '{"name":"v","metadata":{"delta.typeChanges":[]}}'}, False),
        ("CHANGE COLUMN", {"column": '{"name":"positions"}'}, True),
    ],
)
def test_keeps_rows(operation: str, parameters: dict[str, str], expected: bool) -> None:
    assert commit(operation, parameters).keeps_rows is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (commit("OPTIMIZE", numRemovedFiles=3), 0),
        (commit("MERGE", numTargetRowsInserted=1, numTargetRowsUpdated=2, numTargetRowsDeleted=4), 9),
        (commit("MERGE"), None),
        (commit("UPDATE", numUpdatedRows=3), 6),
        (commit("UPDATE"), None),
        (commit("DELETE", numDeletedRows=3), 3),
        (commit("DELETE", numRemovedFiles=3), None),
        (commit("WRITE", APPEND, numOutputRows=7), 7),
        (commit("WRITE", APPEND), None),
        (commit("WRITE", {"mode": "Overwrite"}, numOutputRows=7), None),
        (commit("STREAMING UPDATE", numOutputRows=7), None),
        (commit("CREATE TABLE AS SELECT", numOutputRows=7), None),
        (commit("RESTORE"), None),
        (commit(""), None),
    ],
)
def test_changed_rows(given: Commit, expected: int | None) -> None:
    assert given.changed_rows == expected


@pytest.mark.parametrize(
    ("given", "theirs", "ours"),
    [
        (commit("WRITE", APPEND), "rows", "rows"),
        (commit("WRITE", {**APPEND, "canMergeSchema": "true"}), "columns", "columns"),
        (commit("WRITE", {"mode": "Overwrite", "canOverwriteSchema": "true"}), "columns", "columns"),
        (commit("MERGE"), "perhaps columns", "rows"),
        (commit("STREAMING UPDATE"), "perhaps columns", "rows"),
        (commit("RESTORE"), "columns", "columns"),
        (commit("CREATE OR REPLACE TABLE AS SELECT"), "columns", "columns"),
        (commit("CLONE"), "columns", "columns"),
        (commit("CONVERT"), "columns", "columns"),
        (commit("CHANGE COLUMN", COMMENT), "columns", "columns"),
        (commit("SET TBLPROPERTIES", {"properties": '{"delta.enableChangeDataFeed":"false"}'}), "feed", "feed"),
        (commit("UNSET TBLPROPERTIES", {"properties": '["delta.columnMapping.mode"]'}), "feed", "feed"),
        (commit("SET TBLPROPERTIES", {"properties": '{"mine":"1"}'}), "rows", "rows"),
        (commit("OPTIMIZE"), "rows", "rows"),
        (commit(""), "columns", "columns"),
    ],
)
def test_touches(given: Commit, theirs: str, ours: str) -> None:
    assert given.touches(is_ours=False) is Touches(theirs)
    assert given.touches(is_ours=True) is Touches(ours)


def test_is_new() -> None:
    assert [commit(word).is_new for word in ("CREATE TABLE", "REPLACE TABLE AS SELECT", "CLONE", "WRITE", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_metric_that_is_no_number() -> None:
    assert commit("DELETE", numDeletedRows="many").changed_rows == 0
    assert commit("MERGE", numTargetRowsInserted=1).changed_rows == 1, "what it does not count is 0"
