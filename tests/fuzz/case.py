"""What one run of the fuzzer is given, and what it can find: all of it data, so that it can be repeated and shrunk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fuzz.change_stream import Change, Contents
from tests.fuzz.sql_types import Row
from tests.fuzz.tree import Model
from tests.support.dbt_case import delta_models


@dataclass(frozen=True)
class Case:
    """A project and the changes of its sources: the first job builds it on `contents`, each further one follows changes.

    Attributes:
        seed: where the randomness came from
        models: of the project
        contents: first rows of the sources
        jobs: the changes before each further job
        variables: vars of the project that make small tables count as large, or ask for costs
    """

    seed: int
    models: tuple[Model, ...]
    contents: Contents
    jobs: tuple[tuple[Change, ...], ...]
    variables: dict[str, int] = field(default_factory=dict)

    def model(self, name: str) -> Model:
        """A model by its name."""
        return next(model for model in self.models if model.name == name)

    @property
    def project(self) -> dict[str, Any]:
        """What dbt_project.yml says of it."""
        return delta_models() | {"vars": self.variables}


@dataclass(frozen=True)
class Failure:
    """What went wrong.

    Attributes:
        kind: `build`: dbt did not build the model; `oracle`: its table is not what DuckDB computes; `recompute`: it is not
            what Spark computes from the same upstream tables
        model: its name
        job: in which job, from 0 (the first build)
        message: dbt's line of the model, or its error
        missing: rows that should be there
        extra: rows that should not
    """

    kind: Literal["build", "oracle", "recompute"]
    model: str
    job: int
    message: str
    missing: tuple[Row, ...] = ()
    extra: tuple[Row, ...] = ()

    def __str__(self) -> str:
        """In a few lines."""
        rows = [f"  missing: {row}" for row in self.missing[:5]] + [f"  extra:   {row}" for row in self.extra[:5]]
        return "\n".join([f"job {self.job}, {self.model}: {self.kind} ({self.message[:1500]})", *rows])
