"""What dbt tests of the mapping say: elements as a job has read them, and the lines of the seeds that rows of the warehouse come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.mapping.block_checks import unconverted
from entrepot.mapping.checks import Named
from entrepot.mapping.conversions import Conversion, conversion_of
from entrepot.mapping.failures import Line, lines_of, said_of
from entrepot.mapping.seeds import COLUMNS, read_seed

Element = tuple[str, int, str, int, str, str, str, str]


def converted(mapping: Mapping[str, Any], conversion: Conversion) -> Iterator[Element]:
    """Yield elements of D_P whose values are converted so.

    Args:
        mapping: as macro `mapping_read` returns it: entities with attributes, and blocks of versions that share their elements
        conversion: `none` or `narrowing`

    Yields:
        schema, the first version, entity, its version, attribute, entity attribute, what is wrong, what to do
    """
    for entity, versions in mapping["blocks"].items():
        for number, blocks in versions.items():
            for schema, version, *words in _converted(entity, mapping["entities"][entity][number], blocks, conversion):
                yield schema, version, entity, int(number), *words


def _converted(
    entity: str, attributes: Sequence[Mapping[str, Any]], blocks: Iterable[Mapping[str, Any]], conversion: Conversion
) -> Iterator[tuple[str, int, str, str, str, str]]:
    types = {attribute["name"]: attribute["data_type"] for attribute in attributes}
    known: set[tuple[str, ...]] = set()
    for block in sorted(blocks, key=lambda one: (one["schema"], min(one["versions"]))):
        schema, version = block["schema"], min(block["versions"])
        for one in block["elements"]:
            target = types.get(one["entity_attribute"])
            if target is None or conversion_of(one["data_type"], target) != conversion:
                continue
            names = one["attribute"], one["data_type"], one["entity_attribute"], target
            if (schema, *names) not in known:
                known.add((schema, *names))
                words = unconverted(
                    f"{schema} version {version} to {entity}", *names, is_some=conversion == "narrowing"
                )
                yield schema, version, names[0], names[2], *words


def told(rows: Iterable[Mapping[str, Any]], files: Mapping[str, Named]) -> list[str]:
    """Return sentences of what a dbt test has found, each with the file and line of the seed that it comes from; without one where no line has it.

    Args:
        rows: with columns `seed`, `problem` and `instead`, and columns of the seed that say which row is meant
        files: the seeds' own files, by seed
    """
    lines = {name: _lines(name, *file) for name, file in files.items()}
    return [f"{_place(row, lines, files)}: {row['problem']}. {row['instead']}" for row in rows]


def _lines(name: str, path: Path, delimiter: str, said: str) -> list[Line]:
    try:
        files = read_seed(name, path, delimiter).files
    except EntrepotError:
        return []
    return [line for file in files for line in lines_of(name, file, said_of(file, said))]


def _place(row: Mapping[str, Any], lines: Mapping[str, list[Line]], files: Mapping[str, Named]) -> str:
    seed = row["seed"]
    if seed not in files:
        return str(seed)
    wanted = {name: str(row[name]) for name in COLUMNS[seed] if row.get(name) is not None}
    found = (line for line in lines[seed] if all(line[name].strip() == text for name, text in wanted.items()))
    line = next(found, None)
    return files[seed][2] if line is None else f"{line.file}:{line.number}"
