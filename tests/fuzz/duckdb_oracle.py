"""The independent oracle: the same models over the same rows in DuckDB, computed from the sources on every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import duckdb

from tests.fuzz.change_stream import SOURCES, Source
from tests.fuzz.render import model_sql
from tests.fuzz.sql_types import NAMES, Row, comparable, literal, normal
from tests.fuzz.tree import Model


class DuckDbOracle:
    """A DuckDB in memory that holds the sources and computes the models."""

    def __init__(self) -> None:
        """Start one, with empty sources."""
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        for source in SOURCES:
            columns = ", ".join(f"{name} {NAMES['duckdb'][type_]}" for name, type_ in source.types)
            self.connection.execute(f'create table "{source.name}" ({columns})')

    def load(self, source: Source, rows: Iterable[Row]) -> None:
        """Replace the rows of a source."""
        self.connection.execute(f'delete from "{source.name}"')
        values = [
            f"({', '.join(literal(v, type_, 'duckdb') for v, (_, type_) in zip(row, source.types, strict=True))})"
            for row in rows
        ]
        if values:
            self.connection.execute(f'insert into "{source.name}" values {", ".join(values)}')

    def sql(self, model: Model) -> str:
        """The SQL of a model. (The place where tests plant a fault.)"""
        return model_sql(model, "duckdb")

    def compute(self, models: Sequence[Model]) -> None:
        """Compute models, in the order given, each from those before it."""
        for model in models:
            self.connection.execute(f'create or replace table "{model.name}" as {self.sql(model)}')

    def rows(self, model: Model) -> Counter[Row]:
        """The rows of a computed model, as a multiset."""
        columns = ", ".join(comparable(column.name, column.type, "duckdb") for column in model.root.columns)
        return Counter(
            normal(row) for row in self.connection.execute(f'select {columns} from "{model.name}"').fetchall()
        )

    def has_unique_key(self, model: Model) -> bool:
        """Whether the key that the generator claims tells the rows apart."""
        positions = [[column.name for column in model.root.columns].index(name) for name in model.root.key]
        rows = self.rows(model)
        return len({tuple(row[p] for p in positions) for row in rows}) == rows.total()

    def close(self) -> None:
        """Free it."""
        self.connection.close()
