"""What a seed's commits say that its table was made from; no Spark.

The texts are those that former versions have written: a seed of theirs has to be recognised.
"""

from __future__ import annotations

from typing import Any

from entrepot.seeds import Checksums, wanted_checksums
from entrepot.seeds.checksums import SHAPING, docs_checksum, layout_checksum

CONFIG: dict[str, Any] = {"column_types": {"a": "int"}, "delimiter": ",", "file_format": "delta"}
PROPERTIES = {"delta.enableChangeDataFeed": "true", "c": "true"}


def test_checksums_of_former_versions() -> None:
    columns = {"a": {"name": "a", "description": "its"}}
    model = {"config": CONFIG | {"persist_docs": {"relation": True}}, "description": "dé", "columns": columns}
    assert wanted_checksums(model, PROPERTIES) == Checksums(
        None, "406cc7c37455ed80860d5c2409811e63", "bbfe246f0660af5792d646bdc0b0b7c1"
    )


def test_each_part_of_the_layout_counts() -> None:
    plain = layout_checksum(CONFIG, PROPERTIES)
    assert layout_checksum(CONFIG | {"tags": ["x"]}, PROPERTIES) == plain
    assert layout_checksum(CONFIG, dict(reversed(PROPERTIES.items()))) == plain
    assert layout_checksum(CONFIG, PROPERTIES | {"c": "false"}) != plain
    assert all(layout_checksum(CONFIG | {key: "other"}, PROPERTIES) != plain for key in SHAPING)


def test_descriptions_that_are_not_stored_do_not_count() -> None:
    assert docs_checksum(None, "one", [("a", "its")]) == "none"
    assert docs_checksum({"relation": False, "columns": False}, "one", []) == "none"
    stored = {"columns": True}
    assert docs_checksum(stored, "", [("a", "its")]) != docs_checksum(stored, "", [("a", "its own")])


def test_what_a_commit_carries_is_read_back() -> None:
    sums = Checksums("a", "b", "none")
    assert sums.text == "a.b.none"
    assert Checksums.of_text(sums.text) == sums
    assert Checksums.of_text("a") == Checksums("a"), "somebody's own text"
    assert sums.has_rows_of(Checksums("a", "b", "c")) and not sums.has_rows_of(Checksums("a", "c", "none"))
