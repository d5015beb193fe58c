"""`entrepot export`: a snapshot in files that need no Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console
from entrepot.commands.dbt import listed_nodes, relation_of, words_of
from entrepot.errors import EntrepotError
from entrepot.export import Export
from entrepot.patterns import is_pattern
from entrepot.snapshots import newest_whole
from entrepot.warehouse import Warehouse


@click.command()
@click.argument("snapshot", metavar="[JOB|NAME]", required=False)
@click.option(
    "--to",
    required=True,
    type=click.Path(path_type=Path),
    help="A folder for Parquet files, or a file whose name ends in .duckdb.",
)
@click.option(
    "--select",
    "said",
    multiple=True,
    help="Only these: a name, a pattern such as marts.*, or what dbt's --select takes, such as tag:daily or +fct_payment; may be said again.",
)
@click.option("--replace", is_flag=True, help="Replace an earlier export.")
@click.pass_obj
def export(place: dict[str, Any], snapshot: str | None, to: Path, said: tuple[str, ...], replace: bool) -> None:
    """Write a snapshot, the newest by default, into Parquet or DuckDB files, with where each of its tables comes from.

    A snapshot is named by the number of its job, or by the name that it is kept under (entrepot pin). Parquet files come with
    snapshot.json, a DuckDB file with the table _provenance: job, versions, checksums of the SQL, the state of the mapping, and up to when
    each table holds what its sources have committed. The export appears whole, or not at all.

    \b
    entrepot export month-end --to month-end.duckdb
    entrepot export --to /data/marts --select fct_payment --select dim_item --replace
    entrepot export --to sales.duckdb --select 'marts.fct_*' --select +exposure:weekly_sales
    """
    warehouse, wanted = Warehouse(**place), Selection.of(said)
    selected = wanted.by_dbt(place)
    named: str | int | None = None if snapshot in (None, "newest") else snapshot
    if named is None and wanted.is_open:
        named = newest_whole(warehouse.target.ledger(), "say entrepot export {} to have what it has").number
    opened = warehouse.snapshot(named, tables=[*wanted.names, *selected])
    patterns = (*wanted.patterns, *selected)
    written = Export(opened, warehouse.target.ledger(), to, wanted.names, patterns, replace).write()
    number = opened.snapshot.number
    what = "1 relation" if len(written) == 1 else f"{len(written)} relations"
    is_in = "is in" if len(written) == 1 else "are in"
    console().print(f"{what} of the snapshot of job {number} {is_in} {to}.", highlight=False)


@dataclass(frozen=True)
class Selection:
    """What is to be exported, as it was said.

    Attributes:
        names: names of tables and views
        patterns: patterns of names
        selectors: what dbt's `--select` knows: methods (`tag:daily`), neighbours (`+fct_payment`), intersections (`a,b`)
    """

    names: tuple[str, ...]
    patterns: tuple[str, ...]
    selectors: tuple[str, ...]

    @classmethod
    def of(cls, said: Iterable[str]) -> Selection:
        """Tell names, patterns and dbt's selectors apart.

        >>> Selection.of(["fct_a marts.dim_*", "+fct_*", "tag:daily"])
        Selection(names=('fct_a',), patterns=('marts.dim_*',), selectors=('+fct_*', 'tag:daily'))
        """
        words = words_of(said)
        selectors = [word for word in words if any(mark in word for mark in ":+@,")]
        others = [word for word in words if word not in selectors]
        names, patterns = (tuple(one for one in others if is_pattern(one) is so) for so in (False, True))
        return cls(names, patterns, tuple(selectors))

    @property
    def is_open(self) -> bool:
        """Whether the snapshot decides what it comes to, so that one of a part would leave out the rest in silence."""
        return bool(self.patterns) or not (self.names or self.selectors)

    def by_dbt(self, place: Mapping[str, Any]) -> list[str]:
        """Return the relations that dbt's selectors stand for in the project as it is now.

        Raises:
            EntrepotError: the project cannot be read, dbt does not know such a selector, or it stands for nothing
        """
        if not self.selectors:
            return []
        nodes = listed_nodes(place, "schema alias config", "--select", *self.selectors)
        found = [relation_of(node) for node in nodes if node["config"].get("materialized") != "ephemeral"]
        if not found:
            raise EntrepotError(
                f"No model, seed or snapshot is selected by {' '.join(self.selectors)}.",
                "`dbt ls --select …` shows what a selection stands for.",
            )
        return found
