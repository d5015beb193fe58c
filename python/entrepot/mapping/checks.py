"""Checks of the three seeds as they lie in the project: everything that is wrong with them, found without Spark (decision 29).

A check refuses what fails a job or maps wrongly whatever the warehouse holds. What depends on the warehouse, such as a version that
events have shown and nobody has registered, is left to the SQL of `mapping_contradictions` and to the dbt tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from entrepot.errors import EntrepotError
from entrepot.mapping.block_checks import block_failures
from entrepot.mapping.failures import Failure, Line, lines_of, said_of
from entrepot.mapping.owners import owned, strangers
from entrepot.mapping.seeds import COLUMNS, NUMBER, SeedFile, Seeds, UnreadableSeedError, read_file, read_owned
from entrepot.mapping.tree_checks import entity_failures, schema_failures

GREATEST = 2**31 - 1
TRUTHS = ("true", "t", "yes", "y", "1", "false", "f", "no", "n", "0")
VERSIONS = ("version", "entity_version")
FILLED = {
    "schema_attribute": ("schema", "version", "attribute"),
    "entity_attribute": ("entity", "entity_version", "entity_attribute", "data_type"),
    "unique_block": ("schema", "version", "entity", "entity_version"),
}
# a seed's own file, what stands between two values, the file as the project names it
Named = tuple[Path, str, str]
# a file of a seed, with how the project names it
Said = tuple[SeedFile, str]


def failures_of(files: Mapping[str, Named], any_name: bool = False) -> list[Failure]:
    """Return all that is wrong with the seeds, in the order of seeds, files and lines.

    Args:
        files: of the seeds that the project has, by name; a seed that it has not is not asked of
        any_name: whether the tables of mapped models take any name for a column (Delta's column mapping)
    """
    found = list(_strange(files))
    read: dict[str, list[Said]] = {}
    for name, named in files.items():
        read[name] = []
        for one in _read(name, *named):
            if isinstance(one, Failure):
                found.append(one)
            else:
                read[name].append(one)
    return _judged(read, found, any_name)


def failures_in(seeds: Seeds, own: Mapping[str, str], any_name: bool = False) -> list[Failure]:
    """Return all that is wrong with seeds that have been read, as `failures_of` does.

    Args:
        seeds: the seeds
        own: {seed: its own file, as the project names it}; a seed that is not here is not asked of
        any_name: see `failures_of`
    """
    read = {name: [(file, said_of(file, said)) for file in getattr(seeds, name).files] for name, said in own.items()}
    return _judged(read, [], any_name)


def _judged(read: Mapping[str, list[Said]], found: list[Failure], any_name: bool) -> list[Failure]:
    """All that is wrong, besides what has been found in reading."""
    found = list(found)
    lines: dict[str, list[Line]] = {}
    for name, files in read.items():
        lines[name] = []
        for one in files:
            broken = list(_unreadable(name, *one))
            found += broken
            wrong = {failure.line for failure in broken}
            lines[name] += [line for line in lines_of(name, *one) if line.number not in wrong]
    schemas, entities = lines.get("schema_attribute"), lines.get("entity_attribute")
    # rows that cannot be read are unknown to the trees, so what names them is not judged
    is_whole = all(failure.seed == "unique_block" for failure in found)
    found += schema_failures(schemas or ())
    found += entity_failures(entities or (), any_name)
    found += block_failures(lines.get("unique_block", ()), schemas, entities, is_whole)
    order = list(COLUMNS)
    return sorted(found, key=lambda failure: (order.index(failure.seed), failure.file, failure.line))


def sentence_of(failures: list[Failure]) -> str:
    """Return all failures, at least one, as one text for a person."""
    told = [f"{one.file}:{one.line}: {one.given}. {one.instead}" for one in failures]
    count = "1 failure" if len(told) == 1 else f"{len(told)} failures"
    listed = "\n  ".join(told)
    return (
        f"The seeds of the mapping cannot be used as they are, {count}:\n  {listed}\n"
        "Correct them and build again (docs/mapping.md, Refused seeds). Spark has not been asked, and nothing has changed."
    )


def _strange(files: Mapping[str, Named]) -> Iterator[Failure]:
    """Yield what lies in owners' folders and is no seed."""
    folders = {path.parent: (name, PurePath(said).parent) for name, (path, _, said) in files.items()}
    for folder, (name, said) in folders.items():
        for path, given, instead in strangers(folder, COLUMNS):
            yield Failure(name, (said / path.relative_to(folder)).as_posix(), 1, given, instead)


def _read(name: str, path: Path, delimiter: str, said: str) -> Iterator[Said | Failure]:
    """Yield the files of a seed with their names; of one that cannot be read, why."""
    own = None
    for owner, file in (("", path), *owned(path)):
        place = said if not owner else (PurePath(said).parent / owner / file.name).as_posix()
        try:
            one = read_file(file, COLUMNS[name], delimiter) if own is None else read_owned(own, owner, file, delimiter)
        except UnreadableSeedError as error:
            yield Failure(name, place, error.line, error.given, error.way_out)
            continue
        except EntrepotError as error:
            yield Failure(name, place, 1, error.problem.removesuffix("."), error.way_out)
            continue
        own = own or one
        yield one, place


def _unreadable(name: str, file: SeedFile, said: str) -> Iterator[Failure]:
    """Yield the rows whose values are none of their columns."""
    for number in file.too_long:
        yield Failure(
            name,
            said,
            number,
            f"the row has more than {len(file.columns)} values",
            'Put a value with a comma in quotes, such as "numeric(12,2)".',
        )
    for line in lines_of(name, file, said):
        if line.number not in file.too_long:
            yield from _values(line)


def _values(line: Line) -> Iterator[Failure]:
    for column in FILLED[line.seed]:
        if not line[column]:
            yield line.fails(f"{column} is empty", f"Every row has {', '.join(FILLED[line.seed])}.")
    for column in (*VERSIONS, "position"):
        if text := line.values.get(column):
            yield from _number(line, column, text)
    if (text := line.values.get("is_key", "")) and text.strip().lower() not in TRUTHS:
        yield line.fails(f"is_key is {text}", "It is true or false; empty is false.")


def _number(line: Line, column: str, text: str) -> Iterator[Failure]:
    plain = text.strip()
    if not NUMBER.fullmatch(plain) or abs(int(plain)) > GREATEST:
        yield line.fails(f"{column} is {text}, which is no whole number", "It is 1, 2, 3 …")
    elif column in VERSIONS and int(plain) < 1:
        yield line.fails(f"{column} is {text}", "Versions are 1, 2, 3 …")
