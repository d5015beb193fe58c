"""METL's algorithms on the full matrix, 0s and all: slow, and written from the paper's definitions alone.

A matrix is a list of rows of 0 and 1. A row is an attribute of an entity version (entity, version, name), a column an attribute of a
schema version (schema, version, name). Attributes of a schema are generalised across its versions (5.4.1): every attribute has a label
that it keeps as long as it lives on, under its name or by a rename, and columns compare by these labels.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tests.mapping.oracle import Block, Blocks, Element, Place, Tree

RowName = tuple[str, int, str]
ColumnName = tuple[str, int, str]
# a block without its names: which label stands against which row
Pattern = frozenset[tuple[RowName, int]]


@dataclass
class Matrix:
    """A matrix with the names of its rows and columns."""

    rows: list[RowName]
    columns: list[ColumnName]
    values: list[list[int]]

    @classmethod
    def null(cls, rows: list[RowName], columns: list[ColumnName]) -> Matrix:
        return cls(rows, columns, [[0] * len(columns) for _ in rows])

    def ones(self) -> set[tuple[RowName, ColumnName]]:
        return {
            (row, column)
            for row, line in zip(self.rows, self.values, strict=True)
            for column, value in zip(self.columns, line, strict=True)
            if value
        }


def columns_of(tree: Tree) -> list[ColumnName]:
    return [
        (schema, version, name)
        for schema in sorted(tree)
        for version in sorted(tree[schema])
        for name in sorted(tree[schema][version])
    ]


def labels_of(tree: Tree) -> dict[ColumnName, int]:
    """The label of every attribute of every version."""
    labels: dict[ColumnName, int] = {}
    fresh = itertools.count()
    for schema, versions in tree.items():
        living: dict[str, int] = {}
        for version in sorted(versions):
            attributes = versions[version]
            now = {name: living[name] for name in attributes if name in living}
            for name in sorted(set(attributes) - set(living)):
                old = attributes[name]
                if old is not None and old in living and living[old] not in now.values():
                    now[name] = living[old]
                else:
                    now[name] = next(fresh)
            labels |= {(schema, version, name): label for name, label in now.items()}
            living = now
    return labels


def matrix_of(blocks: Blocks, rows: list[RowName], columns: list[ColumnName]) -> Matrix:
    """A null matrix with the elements of blocks set to 1 (algorithm 4, D_P)."""
    matrix = Matrix.null(rows, columns)
    for place, block in blocks.items():
        for element in block:
            row = rows.index((place.entity, element.entity_version, element.entity_attribute))
            matrix.values[row][columns.index((place.schema, place.version, element.attribute))] = 1
    return matrix


def balanced_set(matrix: Matrix) -> Blocks:
    """Partition into blocks, drop null blocks, then rows and columns of zeros, then the zeros (algorithm 2)."""
    found: Blocks = {}
    for schema, version in sorted({column[:2] for column in matrix.columns}):
        across = [number for number, column in enumerate(matrix.columns) if column[:2] == (schema, version)]
        for entity in sorted({row[0] for row in matrix.rows}):
            down = [number for number, row in enumerate(matrix.rows) if row[0] == entity]
            down = [row for row in down if any(matrix.values[row][column] for column in across)]
            left = [column for column in across if any(matrix.values[row][column] for row in down)]
            if down:
                found[Place(schema, version, entity)] = frozenset(
                    Element(matrix.rows[row][1], matrix.columns[column][2], matrix.rows[row][2])
                    for row in down
                    for column in left
                    if matrix.values[row][column]
                )
    return found


def unique_set(blocks: Blocks, tree: Tree) -> Blocks:
    """Walk each version super-block from the lowest version and keep what differs from the last one kept (algorithm 3)."""
    labels, found = labels_of(tree), Blocks()
    for schema, entity in sorted({(place.schema, place.entity) for place in blocks}):
        kept: Pattern = frozenset()
        for version in sorted(tree[schema]):
            place = Place(schema, version, entity)
            block: Block = blocks.get(place, frozenset())
            pattern = frozenset(
                ((entity, one.entity_version, one.entity_attribute), labels[schema, version, one.attribute])
                for one in block
            )
            if pattern != kept:
                found[place], kept = block, pattern
    return found


def decompacted(stored: Blocks, tree: Tree, rows: list[RowName]) -> Matrix:
    """Start from null; set the stored blocks; a version without one repeats the columns before it (algorithm 4, D_U)."""
    matrix, labels = matrix_of(stored, rows, columns_of(tree)), labels_of(tree)
    for schema, versions in tree.items():
        for before, after in itertools.pairwise(sorted(versions)):
            inherit = {row[0] for row in rows if Place(schema, after, row[0]) not in stored}
            copy_columns(matrix, labels, (schema, before), (schema, after), inherit)
    return matrix


def copy_columns(
    matrix: Matrix, labels: dict[ColumnName, int], before: tuple[str, int], after: tuple[str, int], entities: set[str]
) -> None:
    """Copy the columns of a version to the equivalent ones of the next, in the rows of some entities."""
    old = {labels[column]: number for number, column in enumerate(matrix.columns) if column[:2] == before}
    for number, column in enumerate(matrix.columns):
        if column[:2] == after and labels[column] in old:
            for row, line in zip(matrix.rows, matrix.values, strict=True):
                if row[0] in entities:
                    line[number] = line[old[labels[column]]]


def without_columns(matrix: Matrix, schema: str, version: int) -> Matrix:
    """Delete the columns of a schema version (algorithm 5, trigger 2)."""
    left = [number for number, column in enumerate(matrix.columns) if column[:2] != (schema, version)]
    return Matrix(matrix.rows, [matrix.columns[n] for n in left], [[line[n] for n in left] for line in matrix.values])


def with_rows(matrix: Matrix, entity: str, before: int, version: int, names: list[str]) -> Matrix:
    """Add the rows of an entity version: those of the version before, where the name is the same (algorithm 5, trigger 3)."""
    old = {row[2]: line for row, line in zip(matrix.rows, matrix.values, strict=True) if row[:2] == (entity, before)}
    lines = [list(old.get(name, [0] * len(matrix.columns))) for name in names]
    return Matrix(
        [*matrix.rows, *((entity, version, name) for name in names)], matrix.columns, [*matrix.values, *lines]
    )


def without_rows(matrix: Matrix, entity: str, version: int) -> Matrix:
    """Delete the rows of an entity version (algorithm 5, trigger 4)."""
    left = [number for number, row in enumerate(matrix.rows) if row[:2] != (entity, version)]
    return Matrix([matrix.rows[n] for n in left], matrix.columns, [matrix.values[n] for n in left])
