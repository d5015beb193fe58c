"""The three seeds of the mapping as files: what they have, and what they are with rows appended."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.mapping.trees import Attribute, Entity, EntityAttribute, Version

Row = Mapping[str, str]
COLUMNS = {
    "schema_attribute": ("schema", "version", "attribute", "data_type", "position", "is_key", "renamed_from"),
    "entity_attribute": ("entity", "entity_version", "entity_attribute", "data_type", "is_key", "description"),
    "unique_block": ("schema", "version", "entity", "entity_version", "attribute", "entity_attribute"),
}
MARK = b"\xef\xbb\xbf"
LINE_END = re.compile(r"\r\n|\r|\n")
# a whole number as Spark reads one
NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True)
class Seed:
    """One of the three seeds.

    Attributes:
        path: its file
        content: what is in it, byte for byte
        columns: its columns, in the file's order
        rows: its rows
        lines: the line of the file on which each row begins, from 1 on
        too_long: the lines of rows that have more values than there are columns
    """

    path: Path
    content: bytes
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()
    too_long: tuple[int, ...] = ()

    def with_rows(self, new: Iterable[Row]) -> bytes:
        """Return the file with rows behind what is in it: its columns, its line ends, quotes only where they are needed."""
        ends = "\r\n" if b"\r\n" in self.content else "\n"
        text = io.StringIO()
        csv.DictWriter(text, self.columns, restval="", lineterminator=ends).writerows(new)
        between = b"" if not self.content or self.content.endswith(b"\n") else ends.encode()
        return self.content + between + text.getvalue().encode()


def read_seed(name: str, path: Path, delimiter: str = ",") -> Seed:
    """Read a seed; one that is not there has the columns of docs/mapping.md and no rows.

    Raises:
        EntrepotError: it lacks a column, or is no CSV file in UTF-8
    """
    columns = COLUMNS[name]
    content = path.read_bytes() if path.exists() else b""
    if not content.removeprefix(MARK).strip():
        return Seed(path, (",".join(columns) + "\n").encode(), columns, ())
    try:
        text = io.StringIO(content.removeprefix(MARK).decode(), newline="")
        reader = csv.DictReader(text, restval="", delimiter=delimiter, strict=True)
        numbered = [(_first_line(row, reader.line_num), row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise EntrepotError(f"{path} is no CSV file in UTF-8: {error}.", "Correct it and try again.") from error
    found = tuple(reader.fieldnames or ())
    if missing := [column for column in columns if column not in found]:
        raise EntrepotError(
            f"{path} has no column {', '.join(missing)}; it has {', '.join(found)}.",
            f"Its first line is {','.join(columns)} (docs/mapping.md).",
        )
    rows = tuple({key: value for key, value in row.items() if key} for _, row in numbered)
    lines = tuple(line for line, _ in numbered)
    return Seed(path, content, found, rows, lines, tuple(line for line, row in numbered if None in row))


def _first_line(row: Mapping[str | None, str | list[str]], last: int) -> int:
    """Return the line on which a row begins that ends on line `last`: its values may have line ends in quotes."""
    values = [part for value in row.values() for part in (value if isinstance(value, list) else [value])]
    return last - sum(len(LINE_END.findall(value)) for value in values)


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a project.

    Attributes:
        schema_attribute, entity_attribute, unique_block: the three
    """

    schema_attribute: Seed
    entity_attribute: Seed
    unique_block: Seed

    def versions(self) -> list[Version]:
        """Return the registered schema versions.

        Raises:
            EntrepotError: a version or a position is no number
        """
        found: dict[tuple[str, int], list[Attribute]] = {}
        for row in self.schema_attribute.rows:
            key = (row["schema"], whole_number(self.schema_attribute, row, "version"))
            position = (
                whole_number(self.schema_attribute, row, "position") if row["position"] else len(found.get(key, [])) + 1
            )
            attribute = Attribute(
                row["attribute"],
                row["data_type"].strip() or None,
                position,
                is_true(row["is_key"]),
                renamed_from=row["renamed_from"],
            )
            found.setdefault(key, []).append(attribute)
        return [
            Version(schema, number, tuple(sorted(attributes, key=lambda one: one.position)), is_registered=True)
            for (schema, number), attributes in found.items()
        ]

    def entity_versions(self) -> dict[str, dict[int, list[EntityAttribute]]]:
        """Return the attributes of all entity versions, {entity: {version: attributes}}, everything in the seed's order.

        Raises:
            EntrepotError: a version is no number
        """
        found: dict[str, dict[int, list[EntityAttribute]]] = {}
        for row in self.entity_attribute.rows:
            number = whole_number(self.entity_attribute, row, "entity_version")
            attribute = EntityAttribute(
                row["entity_attribute"], row["data_type"], is_true(row["is_key"]), row["description"]
            )
            found.setdefault(row["entity"], {}).setdefault(number, []).append(attribute)
        return found

    def entities(self) -> dict[str, Entity]:
        """Return the entities, each in its newest version.

        Raises:
            EntrepotError: a version is no number
        """
        return {
            name: Entity(name, max(versions), tuple(versions[max(versions)]), tuple(self.schemas_of(name)))
            for name, versions in self.entity_versions().items()
        }

    def mapped(self) -> dict[str, set[str]]:
        """Return the schemas that the blocks name, and the entities that each feeds or shall not feed."""
        found: dict[str, set[str]] = {}
        for row in self.unique_block.rows:
            found.setdefault(row["schema"], set()).add(row["entity"])
        return found

    def schemas_of(self, entity: str) -> list[str]:
        """Return the schemas that have a block to an entity, in the seed's order."""
        found = [row["schema"] for row in self.unique_block.rows if row["entity"] == entity and row["attribute"]]
        return list(dict.fromkeys(found))


def is_true(text: str) -> bool:
    """Return whether a text of a seed is true, as Spark reads it."""
    return text.strip().lower() in ("true", "t", "yes", "y", "1")


def whole_number(seed: Seed, row: Row, column: str) -> int:
    """Return the number of a row's version or position, as Spark reads it.

    Raises:
        EntrepotError: it is none
    """
    if NUMBER.fullmatch(text := row[column].strip()):
        return int(text)
    raise EntrepotError(
        f"{seed.path}: {column} of {','.join(row.values())} is no number.", "Versions and positions are 1, 2, 3 …"
    )
