"""Extracts as files: the columns and rows of a CSV or a Parquet file, values as texts that the wire reads."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recorder.captures.shape import Column, Texts
from recorder.captures.wire import known_wire
from recorder.errors import RecordError
from recorder.optional import load

ROWS_AT_ONCE = 2000
PARQUET = (".parquet", ".pq")
# Parquet's types, by DuckDB's names, in PostgreSQL's words; what is not here travels as text
TYPES = {
    "BOOLEAN": "boolean", "TINYINT": "smallint", "UTINYINT": "smallint", "SMALLINT": "smallint", "USMALLINT": "integer",
    "INTEGER": "integer", "UINTEGER": "bigint", "BIGINT": "bigint", "UBIGINT": "numeric(20,0)", "FLOAT": "real",
    "DOUBLE": "double precision", "VARCHAR": "text", "BLOB": "bytea", "DATE": "date", "TIME": "time", "TIMESTAMP": "timestamp",
    "TIMESTAMP_NS": "timestamp_ns", "TIMESTAMP WITH TIME ZONE": "timestamptz", "UUID": "uuid", "JSON": "jsonb",
}  # fmt: skip


@dataclass(frozen=True)
class CsvFormat:
    """How a CSV file is written. A field that is ``null`` is null, in quotes or not; every other field is what it says.

    ``types`` are PostgreSQL's types of columns; of all others it is text.
    """

    delimiter: str = ","
    null: str = ""
    encoding: str = "utf-8"
    types: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Extract:
    """The columns of a file, and its rows, which can be read once."""

    columns: tuple[Column, ...]
    rows: Iterator[Texts]


@contextmanager
def open_extract(path: Path, form: CsvFormat) -> Iterator[Extract]:
    """Open a file: Parquet by its name's end (``.parquet``, ``.pq``), everything else as CSV, ``.gz`` unpacked.

    :raises RecordError: it cannot be read, or, after the last row, has changed while it was read.
    """
    before = _stamp(path)
    opened = _parquet if path.suffix.lower() in PARQUET else _csv
    with opened(path, form) as extract:
        yield replace(extract, rows=_unchanged(path, extract.rows, before))


def _unchanged(path: Path, rows: Iterator[Texts], before: tuple[int, int]) -> Iterator[Texts]:
    """The rows of a file that is at their end as it was before."""
    yield from rows
    if _stamp(path) != before:
        raise RecordError(f"{path} has changed while it was read: run this again when the file is complete.")


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError as error:
        raise RecordError(f"The extract {path} cannot be read ({error.strerror}): give the path of a file.") from error
    return stat.st_size, stat.st_mtime_ns


@contextmanager
def _csv(path: Path, form: CsvFormat) -> Iterator[Extract]:
    csv.field_size_limit(sys.maxsize)
    encoding = "utf-8-sig" if form.encoding.lower().replace("_", "-") in ("utf-8", "utf8") else form.encoding
    try:
        with (
            gzip.open(path, "rt", encoding=encoding, newline="")
            if path.suffix == ".gz"
            else path.open(encoding=encoding, newline="")
        ) as file:
            reader = csv.reader(file, delimiter=form.delimiter, strict=True)
            names = next(reader, None)
            columns = _columns(path, names, form.types or {})
            yield Extract(columns, _csv_rows(path, reader, [column.name for column in columns], form.null))
    except (OSError, EOFError, UnicodeDecodeError, LookupError, csv.Error) as error:
        raise RecordError(
            f"The CSV file {path} cannot be read ({error}): check the file, --encoding and --delimiter."
        ) from error


def _columns(path: Path, names: list[str] | None, types: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns that the first line names."""
    if not names or "" in names or len(set(names)) < len(names):
        raise RecordError(
            f"The first line of {path} is {names or []}: it has to name every column, each by another name."
        )
    unknown = sorted(types.keys() - set(names))
    if unknown:
        raise RecordError(
            f"{path} has no column {unknown[0]!r}, of which a type was given: its columns are {', '.join(names)}."
        )
    return tuple(Column(name, types.get(name, "text")) for name in names)


def _csv_rows(path: Path, reader: Any, names: list[str], null: str) -> Iterator[Texts]:
    for fields in reader:
        if not fields:
            continue  # an empty line
        if len(fields) != len(names):
            raise RecordError(
                f"Line {reader.line_num} of {path} has {len(fields)} fields, and the first line names {len(names)}: "
                "the file is not complete, or --delimiter is another."
            )
        yield {name: None if field == null else field for name, field in zip(names, fields, strict=True)}


@contextmanager
def _parquet(path: Path, form: CsvFormat) -> Iterator[Extract]:
    if form.types:
        raise RecordError(f"{path} says its types itself: leave --type out.")
    duckdb = load("duckdb")
    try:
        with duckdb.connect() as connection:
            connection.execute("set timezone = 'UTC'")
            large = connection.execute(
                "select name from parquet_schema(?) where precision > 38 limit 1", [str(path)]
            ).fetchone()
            if large:
                raise RecordError(
                    f"Column {large[0]!r} of {path} has more than 38 digits, of which some would be lost: write it as text."
                )
            described = connection.execute("describe from read_parquet(?)", [str(path)]).fetchall()
            _check_names(path, _names(connection, path), [row[0] for row in described])
            columns = tuple(Column(row[0], _type(row[1])) for row in described)
            selected = ", ".join(_text_sql(f'"{_doubled(row[0])}"', row[1]) for row in described)
            result = connection.execute(f"select {selected} from read_parquet(?)", [str(path)])
            yield Extract(columns, _parquet_rows(result, [column.name for column in columns]))
    except duckdb.Error as error:
        reason = " ".join(str(error).split())
        raise RecordError(f"The Parquet file {path} cannot be read ({reason}): check that it is complete.") from error


def _names(connection: Any, path: Path) -> list[str]:
    """The columns as the file calls them: DuckDB gives one of two names that differ by case alone another one."""
    parts = connection.execute("select name, coalesce(num_children, 0) from parquet_schema(?)", [str(path)]).fetchall()
    names, inside = [], 0  # of the parts that follow, so many are within a column
    for name, children in parts[1:]:
        if not inside:
            names.append(name)
            inside = 1
        inside += children - 1
    return names


def _check_names(path: Path, names: list[str], read: list[str]) -> None:
    """Fail on a column that would be read by another name.

    :raises RecordError: there is one.
    """
    for place, (name, other) in enumerate(zip(names, read, strict=False)):
        if name != other:
            before = next((one for one in names[:place] if one.lower() == name.lower()), name)
            how = "have one name" if before == name else "differ by case alone"
            raise RecordError(
                f"Columns {before!r} and {name!r} of {path} {how}: write the file with names that differ in more than that."
            )


def _parquet_rows(result: Any, names: list[str]) -> Iterator[Texts]:
    while rows := result.fetchmany(ROWS_AT_ONCE):
        for row in rows:
            yield dict(zip(names, row, strict=True))


def _type(type_: str) -> str:
    """A type of DuckDB in PostgreSQL's words."""
    if type_.endswith("[]"):
        return f"{_type(type_[:-2])}[]"
    if type_.startswith("DECIMAL"):
        return type_.replace("DECIMAL", "numeric")
    if type_.startswith(("STRUCT", "MAP", "UNION")):
        return "jsonb"
    return TYPES.get(type_, "text")


def _text_sql(value: str, type_: str) -> str:
    """SQL of the text of a value, of a list as a JSON array of texts."""
    if type_.endswith("[]") and _type(type_[:-2]) != "jsonb":
        return f"to_json(list_transform({value}, lambda x: {_text_sql('x', type_[:-2])}))::varchar"
    if type_ == "BLOB":
        return f"'\\x' || lower(hex({value}))"
    if _type(type_) in ("jsonb", "jsonb[]") and type_ != "JSON":
        return f"to_json({value})::varchar"
    return f"{value}::varchar"


def _doubled(name: str) -> str:
    return name.replace('"', '""')


def parse_type(text: str) -> tuple[str, str]:
    """Column and type of ``column=type``.

    :raises RecordError: it is not written so, or nobody knows the type.
    """
    name, equals, type_ = (part.strip() for part in text.rpartition("="))
    if not equals or not name or not type_:
        raise RecordError(f"The type {text!r} is not column=type: write for example  --type 'price=numeric(12,2)'.")
    if known_wire(type_.removesuffix("[]")) is None:
        raise RecordError(
            f"The type {type_!r} of column {name!r} is not known: write it as PostgreSQL does: smallint, integer, bigint, numeric(p,s), real, "
            "double precision, boolean, text, date, time, timestamp, timestamptz, interval, uuid, jsonb, bytea or bit(n), or an array, integer[]."
        )
    return name, type_
