"""Properties of tables."""

from __future__ import annotations

import pytest

from entrepot.tables.properties import TableProperties, seconds, table_properties


def test_names_in_any_case() -> None:
    properties = TableProperties({"DELTA.enablechangedatafeed": "TRUE", "delta.enableInCommitTimestamps": "false"})
    assert properties.has_change_feed and not properties.has_commit_times
    assert properties.get("delta.EnableChangeDataFeed") == "TRUE" and properties.get("delta.other") is None
    assert not TableProperties().has_change_feed


def test_what_is_no_property() -> None:
    told = {
        "delta.minReaderVersion": "1",
        "delta.minWriterVersion": "7",
        "delta.feature.appendOnly": "supported",
        "clusteringColumns": "[]",
    }
    assert table_properties({**told, "mine": "x"}) == TableProperties({"mine": "x"})


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ("interval 1 week", 604800),
        ("INTERVAL 30 DAYS", 30 * 86400),
        ("interval 1 day 12 hours 30 minutes 5.5 seconds", 131405.5),
        ("interval 0 seconds", 0),
        ("interval 500 milliseconds", 0.5),
        ("for ever", 0),
    ],
)
def test_intervals(interval: str, expected: float) -> None:
    assert seconds(interval) == expected


def test_how_long_files_are_kept() -> None:
    assert TableProperties().kept_seconds == 604800
    assert TableProperties({"delta.deletedFileRetentionDuration": "interval 2 hours"}).kept_seconds == 7200
