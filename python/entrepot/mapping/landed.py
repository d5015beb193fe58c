"""What has landed: schema versions that events have shown, read from the files of Delta tables, without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.trees import Attribute, Version

COLUMNS = ("schema", "version", "attribute", "data_type", "position", "is_key")


def landed_versions(folder: Path) -> list[Version] | None:
    """Return the schema versions that have been discovered; None where nothing has landed yet.

    Args:
        folder: where landing.discovered_schema_attribute lies

    Raises:
        EnvironmentProblemError: the table cannot be read here
    """
    if not (folder / "_delta_log").is_dir():
        return None
    found: dict[tuple[str, int], list[Attribute]] = {}
    for row in rows(folder, COLUMNS):
        schema, version, name, data_type, position, is_key = row
        found.setdefault((schema, version), []).append(Attribute(name, data_type, position, bool(is_key)))
    return [
        Version(schema, number, tuple(sorted(attributes, key=lambda one: one.position)))
        for (schema, number), attributes in sorted(found.items())
    ]


def rows(folder: Path, columns: Sequence[str], where: str = "true") -> Iterator[tuple[Any, ...]]:
    """Yield rows of the newest version of a Delta table, a batch of them in memory at once.

    Raises:
        EnvironmentProblemError: the table cannot be read here
    """
    from deltalake import DeltaTable, QueryBuilder  # 0.1 s
    from deltalake.exceptions import DeltaError

    named = ", ".join(f'"{name}"' for name in columns)
    try:
        engine = QueryBuilder().register("landed", DeltaTable(folder))
        for batch in engine.execute(f"select {named} from landed where {where}"):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
    except (DeltaError, OSError, ValueError) as error:
        raise EnvironmentProblemError(
            f"{folder} cannot be read: {error}.",
            "Is it the warehouse of this target? `entrepot status` says what it has.",
        ) from error
