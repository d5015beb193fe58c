"""A stage: one statement that writes a model's table, in a commit of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from entrepot.tables.merge import FewRows

MOST_CHARACTERS = 20_000
Path = Literal["create", "overwrite", "insert", "delete+insert", "merge"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One statement that writes a model's table.

    Attributes:
        does: what it does
        sql: the statement; of `create` the SELECT that dbt makes a table of
        is_first: whether it is the first of two commits that belong together, so that it is undone where the second does not follow
        few: what is written without Spark, which runs the statement only where that cannot be done after all; none where Spark writes
    """

    does: Literal["add columns", "create", "insert", "delete", "merge"]
    sql: str
    is_first: bool = False
    few: FewRows | None = None

    @property
    def title(self) -> str:
        """What it does, in words.

        >>> Stage("delete", "delete from a", is_first=True).title
        'delete, undone unless the next stage follows'
        >>> Stage("merge", "merge into a …", few=FewRows("global_temp.apply_a", ("id",), 3, ("id",))).title
        'merge, without Spark'
        """
        if self.few:
            return f"{self.does}, without Spark"
        return f"{self.does}, undone unless the next stage follows" if self.is_first else self.does


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows are inserted, updated and deleted."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.inserted + self.updated + self.deleted

    @property
    def changed(self) -> int:
        """How many rows come and go: an update counts as two."""
        return self.total + self.updated


@dataclass(frozen=True, slots=True)
class Writing:
    """How a plan is written: the cheapest way that is right.

    Attributes:
        path: the apply path
        stages: what is to be run; nothing where nothing differs
        sql: the SQL that says what is written
        rows: how many rows that are; none where the commit will say it
        replaced: how many rows an overwrite takes away, where somebody reads that
        views: temporary views that the stages read, to be dropped after them
        changes: SQL of the net changes that the stages make, of rows in memory; none where that would have to be read back
    """

    path: Path
    stages: tuple[Stage, ...]
    sql: str
    rows: RowCounts | None = None
    replaced: int = 0
    views: tuple[str, ...] = ()
    changes: str | None = None

    @property
    def text(self) -> str:
        """The SQL that says what is written, and the stages: what `entrepot explain` shows. Long lists of keys are cut.

        >>> print(Writing("delete+insert", (Stage("delete", "delete from a where id in (1)"),), "select 1", RowCounts(deleted=1)).text)
        select 1;
        <BLANKLINE>
        -- stage 1: delete
        delete from a where id in (1);
        """
        stages = [
            f"-- stage {number}: {stage.title}\n{_cut(stage.sql)};" for number, stage in enumerate(self.stages, 1)
        ]
        is_said = any(stage.sql == self.sql for stage in self.stages)
        return "\n\n".join(stages if is_said else [f"{self.sql};", *stages])


def _cut(sql: str) -> str:
    """Return a statement without the middle of what is longer than a person reads."""
    if len(sql) <= MOST_CHARACTERS:
        return sql
    half = MOST_CHARACTERS // 2
    return f"{sql[:half]} … {sql[-half:]}"
