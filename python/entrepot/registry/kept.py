"""What has been pulled, as files of the repository: `registry/versions.csv`, and each schema in a file of its own (docs/registry.md)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.mapping.catalogue import CatalogueTable
from entrepot.mapping.trees import Attribute
from entrepot.registry.definitions import AVRO, Definition, Reference, UnreadableError
from entrepot.registry.reading import row_of
from entrepot.registry.shape import NoRowError

FOLDER = "registry"
VERSIONS = "versions.csv"
TOLD = 5  # files that are named at once
COLUMNS = ("subject", "registry_version", "schema_id", "schema_type", "schema", "version", "references")


@dataclass(frozen=True, slots=True)
class Kept:
    """A version of a subject that has been pulled.

    Attributes:
        definition: as the registry had it
        schema: the source schema whose version it is; empty where it is none, as of a key
        version: its number in the seed schema_attribute; None where it is none
    """

    definition: Definition
    schema: str = ""
    version: int | None = None

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells it from all others: a subject that is made anew counts its versions anew."""
        return *self.definition.place, self.definition.schema_id

    def __str__(self) -> str:
        """Return how it is told."""
        return f"{self.definition} (id {self.definition.schema_id})"

    def row(self) -> tuple[str, ...]:
        """Return it as a row of versions.csv."""
        one = self.definition
        references = [{"name": to.name, "subject": to.subject, "version": to.version} for to in one.references]
        number = "" if self.version is None else str(self.version)
        told = json.dumps(references) if references else ""
        return one.subject, str(one.version), str(one.schema_id), one.schema_type, self.schema, number, told


def schema_file(schema_id: int, schema_type: str) -> str:
    """Return the name of a schema's file."""
    return f"schemas/{schema_id}.{'avsc' if schema_type == AVRO else 'json'}"


def written(text: str) -> str:
    """Return a schema as it is written down: JSON with a line for each part, so that its diff can be read."""
    found = _json(text)
    return (text.strip() if found is None else json.dumps(found, indent=2, ensure_ascii=False)) + "\n"


def files_of(kept: Iterable[Kept]) -> dict[str, bytes]:
    """Return what has been pulled as files, {path within the folder: content}; versions.csv, which names the others, comes last.

    Raises:
        EntrepotError: a schema holds half a character, which no file in UTF-8 can
    """
    files: dict[str, bytes] = {}
    rows = sorted(kept, key=lambda one: one.key)
    for one in rows:
        try:
            files[schema_file(one.definition.schema_id, one.definition.schema_type)] = written(
                one.definition.text
            ).encode()
        except UnicodeEncodeError:
            raise EntrepotError(
                f"The schema of {one.definition} holds half a character.",
                f"Correct it, or leave it out: --exclude '{one.definition.subject}'.",
            ) from None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(one.row() for one in rows)
    return files | ({VERSIONS: text.getvalue().encode()} if rows else {})


def read_kept(folder: Path) -> list[Kept]:
    """Read what has been pulled; nothing where nothing has been.

    Args:
        folder: `registry` of the project

    Raises:
        EntrepotError: a file is missing, or is not as `entrepot registry pull` writes it
    """
    path = folder / VERSIONS
    if not path.exists():
        return []
    try:
        rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), strict=True)
        if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
            raise KeyError(*missing)
        return [_kept(folder, row) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError, OSError, csv.Error) as error:
        said = f"{error.filename} cannot be read: {error.strerror}" if isinstance(error, OSError) else f"{error!r}"
        raise EntrepotError(
            f"{path} is not as `entrepot registry pull` writes it: {said}.",
            "Take it back from git, or remove it and pull again.",
        ) from error


def refuse_unnamed(folder: Path, gone: Iterable[Path], before: Iterable[Kept]) -> None:
    """Refuse to take schemas away that no version is known of: `versions.csv`, which named them, has been lost.

    What a pull that did not end has left is not refused where the next one wants it.

    Args:
        folder: `registry` of the project
        gone: files of schemas that are to go
        before: what has been pulled before

    Raises:
        EntrepotError: `versions.csv` does not name one of the files
    """
    named = {folder / schema_file(one.definition.schema_id, one.definition.schema_type) for one in before}
    if unnamed := sorted(path.name for path in gone if path not in named):
        told = f"{', '.join(unnamed[:TOLD])}{' …' if len(unnamed) > TOLD else ''}"
        is_there = "does not name" if (folder / VERSIONS).exists() else "is not there to name"
        raise EntrepotError(
            f"{folder / 'schemas'} has {told}, which this pull would remove: {VERSIONS} {is_there} what they are.",
            f"Put {folder / VERSIONS} back from git, or remove the folder {folder.name} and pull all of it again. "
            "Nothing has been written.",
        )


def _kept(folder: Path, row: dict[str, str]) -> Kept:
    schema_id, schema_type = int(row["schema_id"]), row["schema_type"]
    text = (folder / schema_file(schema_id, schema_type)).read_text(encoding="utf-8")
    references = tuple(
        Reference(one["name"], one["subject"], one["version"]) for one in json.loads(row["references"] or "[]")
    )
    definition = Definition(row["subject"], int(row["registry_version"]), schema_id, schema_type, text, references)
    return Kept(definition, row["schema"], int(row["version"]) if row["version"] else None)


def described(kept: Sequence[Kept]) -> dict[str, CatalogueTable]:
    """Return what the pulled schemas say of their fields, {source schema: its description}; of several versions the newest that says it."""
    there = {one.definition.place: one.definition for one in kept}
    found: dict[str, dict[str, Attribute]] = {}
    says: dict[str, str] = {}
    for one in sorted(kept, key=lambda one: (one.schema, one.version or 0)):
        if not one.schema:
            continue
        try:
            row = row_of(one.definition, there)
        except (UnreadableError, NoRowError):
            continue
        former = found.setdefault(one.schema, {})
        for attribute in row.attributes(frozenset()):
            earlier = former.get(attribute.name)
            former[attribute.name] = replace(
                attribute, comment=attribute.comment or (earlier.comment if earlier else "")
            )
        says[one.schema] = row.says or says.get(one.schema, "")
    return {schema: CatalogueTable(tuple(some.values()), says[schema], None) for schema, some in found.items()}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
