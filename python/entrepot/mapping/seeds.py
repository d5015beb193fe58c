"""The three seeds of the mapping as files: what they have, and what they are with rows appended."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.mapping.names import NOTHING
from entrepot.mapping.owners import owned, strangers
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


class UnreadableSeedError(EntrepotError):
    """A file is none of a seed.

    Attributes:
        line: the line of it that says so, from 1 on
        given: what is there
    """

    def __init__(self, path: Path, line: int, given: str, instead: str) -> None:
        """Say what is wrong with a file, and what to do."""
        self.line, self.given = line, given
        super().__init__(f"{path}:{line}: {given}.", instead)


@dataclass(frozen=True, slots=True)
class SeedFile:
    """A file of one of the three seeds.

    Attributes:
        path: where it lies
        content: what is in it, byte for byte
        columns: its columns, in the file's order
        rows: its rows, without those that have no value at all, and behind them those that are to be appended
        lines: the line of the file on which each row begins, from 1 on; rows to append have none
        too_long: the lines of rows that have more values than there are columns
        owner: whose it is: the name of its folder beside the seed's own file; empty of that one
    """

    path: Path
    content: bytes
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[int, ...] = ()
    too_long: tuple[int, ...] = ()
    owner: str = ""

    @property
    def name(self) -> str:
        """How it is called where the seeds lie.

        >>> SeedFile(Path("seeds/mapping/plant/unique_block.csv"), b"", (), (), owner="plant").name
        'plant/unique_block.csv'
        """
        return f"{self.owner}/{self.path.name}" if self.owner else self.path.name

    @property
    def added(self) -> tuple[Row, ...]:
        """The rows that are to be appended."""
        return self.rows[len(self.lines) :]

    def numbered(self) -> Iterator[tuple[Row, int]]:
        """Yield the rows with their lines; 0 of one that is to be appended."""
        yield from zip(self.rows, chain(self.lines, repeat(0)), strict=False)

    def with_rows(self, new: Iterable[Row]) -> bytes:
        """Return the file with rows behind what is in it: its columns, its line ends, quotes only where they are needed."""
        ends = "\r\n" if b"\r\n" in self.content else "\n"
        text = io.StringIO()
        csv.DictWriter(text, self.columns, restval="", lineterminator=ends).writerows(new)
        between = b"" if not self.content or self.content.endswith(b"\n") else ends.encode()
        return self.content + between + text.getvalue().encode()


@dataclass(frozen=True, slots=True)
class Seed:
    """One of the three seeds: the rows of its own file, and of the files of owners beside it, as one.

    Attributes:
        files: its own file, which need not be there, and those of owners by name
    """

    files: tuple[SeedFile, ...]

    @property
    def path(self) -> Path:
        """Its own file."""
        return self.files[0].path

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, which all its files have."""
        return self.files[0].columns

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all its files."""
        return tuple(chain.from_iterable(file.rows for file in self.files))

    def placed(self) -> Iterator[tuple[SeedFile, Row, int]]:
        """Yield the rows with their files and lines; 0 of one that is to be appended."""
        for file in self.files:
            for row, line in file.numbered():
                yield file, row, line

    def file_of(self, owner: str) -> SeedFile:
        """Return the file of an owner; one without rows where it is not there yet."""
        there = next((file for file in self.files if file.owner == owner), None)
        path = self.path.parent / owner / self.path.name
        return there or SeedFile(path, _header(self.columns), self.columns, (), owner=owner)

    def appended(self, new: Mapping[str, Sequence[Row]]) -> Seed:
        """Return it with rows that are to be appended to files, {owner: rows}."""
        files = {file.owner: file for file in self.files}
        for owner, rows in new.items():
            file = self.file_of(owner)
            files[owner] = replace(file, rows=(*file.rows, *rows))
        return Seed(tuple(files.values()))


def read_seed(name: str, path: Path, delimiter: str = ",") -> Seed:
    """Read a seed: its own file and those of owners; one that is not there has the columns of docs/mapping.md and no rows.

    Raises:
        EntrepotError: a file lacks a column, has others than the seed's own file, or is no CSV file in UTF-8
    """
    own = read_file(path, COLUMNS[name], delimiter)
    return Seed((own, *(read_owned(own, owner, file, delimiter) for owner, file in owned(path))))


def read_owned(own: SeedFile, owner: str, path: Path, delimiter: str = ",") -> SeedFile:
    """Read the file of an owner.

    Args:
        own: the seed's own file
        owner: whose it is
        path: where it lies
        delimiter: what stands between two values

    Raises:
        EntrepotError: it has other columns than the seed's own file, or is no CSV file in UTF-8
    """
    file = replace(read_file(path, own.columns, delimiter), owner=owner)
    if file.columns != own.columns:
        raise EntrepotError(
            f"{path} has the columns {','.join(file.columns)}, and {own.path} has {','.join(own.columns)}.",
            "Files of one seed have the same first line.",
        )
    return file


def read_file(path: Path, columns: tuple[str, ...], delimiter: str = ",") -> SeedFile:
    """Read a file of a seed; one that is not there, or is empty, has these columns and no rows.

    Raises:
        EntrepotError: it lacks a column, has one twice, or is no CSV file in UTF-8 that can be read
    """
    try:
        content = path.read_bytes() if path.exists() or path.is_symlink() else b""
    except OSError as error:
        raise UnreadableSeedError(
            path, 1, f"the file cannot be read: {error.strerror}", "It is a CSV file in UTF-8."
        ) from error
    return parsed(path, content, columns, delimiter)


def parsed(path: Path, content: bytes, columns: tuple[str, ...], delimiter: str = ",") -> SeedFile:
    """Return what a file of a seed has in it.

    Args:
        path: where it lies
        content: what is in it; nothing is a file without rows
        columns: those that it needs
        delimiter: what stands between two values

    Raises:
        EntrepotError: it lacks a column, has one twice, or is no CSV file in UTF-8
    """
    if not content.removeprefix(MARK).strip():
        return SeedFile(path, _header(columns), columns, ())
    numbered = _numbered(path, _text(path, content), delimiter)
    _, found = next(numbered)
    _check_columns(path, found, columns)
    rows: list[Row] = []
    lines: list[int] = []
    too_long: list[int] = []
    for line, values in numbered:
        if len(values) > len(found):
            too_long.append(line)
        # spreadsheets write lines of commas below the last row
        if not all(map(NOTHING.fullmatch, values)):
            given = zip(found, chain(values, repeat("")), strict=False)
            rows.append({column: value for column, value in given if column})
            lines.append(line)
    return SeedFile(path, content, tuple(found), tuple(rows), tuple(lines), tuple(too_long))


def read_seeds(paths: Mapping[str, Path]) -> Seeds:
    """Read the seeds, {seed: its own file}, with those of owners.

    Raises:
        EntrepotError: a file cannot be read, or lies in an owner's folder and is no seed
    """
    for folder in dict.fromkeys(path.parent for path in paths.values()):
        if found := strangers(folder, COLUMNS):
            path, given, instead = found[0]
            raise EntrepotError(f"{path}: {given}.", instead)
    return Seeds(**{name: read_seed(name, path) for name, path in paths.items()})


def _header(columns: tuple[str, ...]) -> bytes:
    return (",".join(columns) + "\n").encode()


def _text(path: Path, content: bytes) -> str:
    """The text of a file."""
    try:
        return content.decode().removeprefix(MARK.decode())
    except UnicodeDecodeError as error:
        line = len(LINE_END.findall(content[: error.start].decode())) + 1
        said = content[error.start : error.end].hex(" ")
        raise UnreadableSeedError(
            path, line, f"the file is no CSV file in UTF-8: the bytes {said} are no letter", "Save it as UTF-8."
        ) from error


def _numbered(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a CSV file with their numbers, the first line too; of values with line ends the one on which they begin."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for values in reader:
            if values or line == 1:
                yield line, values
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableSeedError(
            path,
            line,
            f"the file is no CSV file in UTF-8: {error}",
            'A quote opens a value and closes it; one within a value is written twice: "2"" pipe".',
        ) from error


def _check_columns(path: Path, found: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse the first line of a file of a seed that has not each of the columns, once.

    Raises:
        EntrepotError: with what it has
    """
    way_out = f"Its first line is {','.join(columns)} (docs/mapping.md)."
    if not any(map(str.strip, found)):
        raise UnreadableSeedError(path, 1, "the first line is empty, and has to name the columns", way_out)
    if missing := [column for column in columns if column not in found]:
        raise UnreadableSeedError(
            path, 1, f"the file has no column {', '.join(missing)}; it has {', '.join(found)}", way_out
        )
    # Spark takes names that differ in upper and lower case for one
    counts = Counter(column.lower() for column in found if column)
    if several := dict.fromkeys(column for column in found if counts[column.lower()] > 1):
        raise UnreadableSeedError(
            path,
            1,
            f"the first line has the column {', '.join(several)} more than once",
            "Each column stands there once: give one of them another name, or take it out with its values.",
        )


def _written(file: SeedFile) -> SeedFile:
    """A file with its rows to append in it."""
    if not file.added:
        return file
    return replace(parsed(file.path, file.with_rows(file.added), file.columns), owner=file.owner)


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a project.

    Attributes:
        schema_attribute, entity_attribute, unique_block: the three
    """

    schema_attribute: Seed
    entity_attribute: Seed
    unique_block: Seed

    @property
    def files(self) -> tuple[SeedFile, ...]:
        """The files of all three."""
        return self.schema_attribute.files + self.entity_attribute.files + self.unique_block.files

    def as_written(self) -> Seeds:
        """Return them as they are once the rows that are to be appended are in their files: each with its line."""
        return Seeds(**{name: Seed(tuple(map(_written, getattr(self, name).files))) for name in COLUMNS})

    def versions(self) -> list[Version]:
        """Return the registered schema versions.

        Raises:
            EntrepotError: a version or a position is no number
        """
        found: dict[tuple[str, int], list[Attribute]] = {}
        for file, row, line in self.schema_attribute.placed():
            key = (row["schema"], whole_number(file, row, "version", line))
            position = whole_number(file, row, "position", line) if row["position"] else len(found.get(key, [])) + 1
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
        for file, row, line in self.entity_attribute.placed():
            number = whole_number(file, row, "entity_version", line)
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


def whole_number(file: SeedFile, row: Row, column: str, line: int = 0) -> int:
    """Return the number of a row's version or position, as Spark reads it.

    Args:
        file: the file
        row: one of its rows
        column: which of its columns
        line: the line on which the row begins; 0 where it is not known

    Raises:
        EntrepotError: it is none
    """
    if NUMBER.fullmatch(text := row[column].strip()):
        return int(text)
    place = f"{file.path}:{line}" if line else f"{file.path}"
    raise EntrepotError(
        f"{place}: {column} of {','.join(row.values())} is no number.", "Versions and positions are 1, 2, 3 …"
    )
