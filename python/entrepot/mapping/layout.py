"""The one layout of a seed's file: however its lines were ordered and written, the same rows are the same file, so that diffs are small."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from entrepot.errors import EntrepotError
from entrepot.mapping.seeds import MARK, Row, SeedFile, whole_number

Key = Callable[[Row], tuple[object, ...]]


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
    writer.writerows(_values(file.columns, row) for row in sorted(file.rows, key=_keys(file)[name]))
    return text.getvalue().encode()


def _values(columns: Sequence[str], row: Row) -> list[str]:
    return [row.get(column, "") for column in columns]


def _keys(file: SeedFile) -> dict[str, Key]:
    """What each seed is sorted by; whole rows last, so that the order of lines never matters."""

    def whole(row: Row) -> tuple[str, ...]:
        return tuple(row.values())

    def number(row: Row, column: str) -> int:
        return whole_number(file, row, column) if row[column].strip() else 0

    return {
        "schema_attribute": lambda row: (
            row["schema"], number(row, "version"), number(row, "position"), row["attribute"], whole(row),
        ),
        "entity_attribute": lambda row: (row["entity"], number(row, "entity_version")),
        "unique_block": lambda row: (
            row["schema"], number(row, "version"), row["entity"], number(row, "entity_version"), row["attribute"], whole(row),
        ),
    }  # fmt: skip
