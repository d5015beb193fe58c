"""The rows of a stored Delta table, read from its files in some milliseconds; a query costs Spark some hundred."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from deltalake import DeltaTable, QueryBuilder
from deltalake.schema import ArrayType, MapType, PrimitiveType, StructType

# whether Spark does all that it can do, as in `make campaigns`
BY_SPARK = bool(os.environ.get("ENTREPOT_TEST_BY_SPARK"))
WHOLE_TABLE = re.compile(r"select \* from (\w+)\.(\w+)")
# deltalake reads no other feature as Spark does
FEATURES = {"timestampNtz"}
CHAR = "__CHAR_VARCHAR_TYPE_STRING"
PRIMITIVES = {
    "string", "long", "integer", "short", "byte", "float", "double", "boolean", "binary", "date", "timestamp", "timestamp_ntz",
}  # fmt: skip
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table's rows, and its columns as Delta's log has them.

    Attributes:
        rows: an Arrow table
        fields: its columns
    """

    rows: Any
    fields: Sequence[Any]


def stored_rows(query: str) -> list[tuple[Any, ...]] | None:
    """Return what Spark would collect, structs as tuples; None where the query is not of one whole table, or not of one that can be read so."""
    named = WHOLE_TABLE.fullmatch(query.strip())
    return rows_of_table(named[1], named[2]) if named else None


def rows_of_table(schema: str, name: str, version: int | None = None) -> list[tuple[Any, ...]] | None:
    """Return what Spark would collect of a table, or of a version of it; None where it is not one that can be read so."""
    found = stored_table(schema, name, version)
    if found is None:
        return None
    convert = [_converter(field.type) for field in found.fields]
    values = [found.rows.column(number).to_pylist() for number in range(len(found.fields))]
    return [
        tuple(to_spark(value) for to_spark, value in zip(convert, row, strict=True))
        for row in zip(*values, strict=True)
    ]


def stored_table(schema: str, name: str, version: int | None = None) -> StoredTable | None:
    """Return the rows of a table of the tests' warehouse; None where it is not there, or deltalake does not read it as Spark does."""
    table = opened(schema, name, version)
    if table is None:
        return None
    fields = table.schema().fields
    # Spark pads what is declared as char(n)
    if any(CHAR in field.metadata for field in fields) or not all(_can_be_read(field.type) for field in fields):
        return None
    columns = ", ".join('"' + field.name.replace('"', '""') + '"' for field in fields)
    try:
        rows = QueryBuilder().register("stored", table).execute(f"select {columns} from stored").read_all()
    except Exception as error:  # deltalake has no class of its own for texts that are none
        if "non UTF-8" in str(error):
            return None
        raise
    return StoredTable(rows, fields)


def logged(schema: str, name: str) -> list[dict[str, Any]]:
    """Return what the commits of a table say of themselves, the newest first; its log has to be whole."""
    log = _folder(schema, name) / "_delta_log"
    commits = []
    for file in sorted(log.glob(f"{'[0-9]' * 20}.json"), reverse=True):
        actions = map(json.loads, file.read_text().strip().split("\n"))
        commit = next(action["commitInfo"] for action in actions if "commitInfo" in action)
        commits.append({"userMetadata": None, **commit, "version": int(file.stem)})
    assert [commit["version"] for commit in commits] == [*reversed(range(len(commits)))] and commits
    return commits


def opened(schema: str, name: str, version: int | None = None) -> DeltaTable | None:
    """Return a table of the tests' warehouse; None where it is not there, or has what deltalake does not read as Spark does."""
    folder = _folder(schema, name)
    if not (folder / "_delta_log").is_dir():
        return None
    table = DeltaTable(folder, version)
    protocol = table.protocol()
    return table if protocol.min_reader_version != 2 and set(protocol.reader_features or ()) <= FEATURES else None


def _folder(schema: str, name: str) -> Path:
    return Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{schema.lower()}.db" / name.lower()


def _can_be_read(kind: Any) -> bool:
    if isinstance(kind, StructType):
        return all(_can_be_read(field.type) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return _can_be_read(kind.element_type)
    if isinstance(kind, MapType):
        return _can_be_read(kind.key_type) and _can_be_read(kind.value_type)
    return kind.type in PRIMITIVES or kind.type.startswith("decimal")


def _converter(kind: Any) -> Convert:
    """How a value of Arrow becomes what Spark's collect gives."""
    if isinstance(kind, PrimitiveType):
        return moment if kind.type == "timestamp" else lambda value: value
    if isinstance(kind, ArrayType):
        element = _converter(kind.element_type)
        return _or_none(lambda value: [element(part) for part in value])
    if isinstance(kind, MapType):
        key, of = _converter(kind.key_type), _converter(kind.value_type)
        return _or_none(lambda value: {key(k): of(v) for k, v in (value.items() if isinstance(value, dict) else value)})
    parts = [(field.name, _converter(field.type)) for field in kind.fields]
    return _or_none(lambda value: tuple(convert(value[name]) for name, convert in parts))


def _or_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def moment(value: datetime | None) -> datetime | None:
    """A moment as Spark's collect gives it: in the process's own time zone, without saying so."""
    return None if value is None else value.astimezone().replace(tzinfo=None)
