"""The one layout of a seed's file: however its lines were ordered and written, the same rows are the same file, so that diffs are small."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from entrepot.errors import EntrepotError
from entrepot.mapping.seeds import MARK, Row, SeedFile, whole_number

Key = Callable[[Row, int], tuple[object, ...]]


def laid_out(name: str, file: SeedFile) -> bytes:
    """Return a file of a seed in its layout: sorted, UTF-8 without a mark, line ends as on Linux, quotes only where they are needed.

    Rows of schema_attribute go by schema, version, position and attribute, those of unique_block by schema, version, entity, entity
    version and attribute; those of entity_attribute by entity and version, and stay among themselves as they are. Columns stay as they are.

    Raises:
        EntrepotError: a version or a position is no number, or a row has more values than there are columns
    """
    rows = list(csv.reader(io.StringIO(file.content.removeprefix(MARK).decode(), newline=""), strict=True))
    for values in rows:
        if len(values) > len(file.columns):
            raise EntrepotError(
                f"{file.path}: {','.join(values)} has {len(values)} values, and there are {len(file.columns)} columns.",
                'Put a value with a comma in quotes, such as "numeric(12,2)".',
            )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(file.columns)
    key = _keys(file)[name]
    writer.writerows(_values(file.columns, row) for row, _ in sorted(file.numbered(), key=lambda one: key(*one)))
    return text.getvalue().encode()


def _values(columns: Sequence[str], row: Row) -> list[str]:
    return [row.get(column, "") for column in columns]


def _keys(file: SeedFile) -> dict[str, Key]:
    """What each seed is sorted by; whole rows last, so that the order of lines never matters."""

    def whole(row: Row) -> tuple[str, ...]:
        return tuple(row.values())

    def number(row: Row, line: int, column: str) -> int:
        return whole_number(file, row, column, line) if row[column].strip() else 0

    return {
        "schema_attribute": lambda row, line: (
            row["schema"], number(row, line, "version"), number(row, line, "position"), row["attribute"], whole(row),
        ),
        "entity_attribute": lambda row, line: (row["entity"], number(row, line, "entity_version")),
        "unique_block": lambda row, line: (
            row["schema"], number(row, line, "version"), row["entity"], number(row, line, "entity_version"), row["attribute"], whole(row),
        ),
    }  # fmt: skip
