"""What macros ask of published snapshots: relations as a finished job has left them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.states import States
from entrepot.errors import NothingPublishedError, NotInSnapshotError, ProfileError, QueryError
from entrepot.pinned import pinned_relation
from entrepot.pins import snapshot_named
from entrepot.promises import kept_promises, newest_rows
from entrepot.snapshots import RECENT_JOBS, Snapshot, published_snapshots, snapshot_for
from entrepot.tables.table import local_folder
from entrepot.target import Place

WAREHOUSE = "spark.sql.warehouse.dir"


class Relation(Protocol):
    """What is asked of dbt's relations."""

    schema: str
    identifier: str


class Published(States):
    """Published snapshots, in a job or beside one."""

    @for_macros
    def published_text(self, model: Mapping[str, Any], relation: Relation, snapshot: str | int | None) -> str:
        """What stands in a node's SQL for a relation as it was published.

        Args:
            model: dbt's of the node
            relation: the relation, as `ref` gives it
            snapshot: the number of a job, or the name of a snapshot that is kept; the newest that has all that the node reads where none

        Raises:
            QueryError: the node is part of a snapshot itself
            NothingPublishedError, NotInSnapshotError, PinError: there is no such snapshot, or it has not the relation
        """
        _refuse_published(model)
        if not self.job.has_begun:
            raise NothingPublishedError(
                "Nothing has been published on this warehouse yet.",
                "Run `dbt build` without what reads published tables (--exclude): a job that passes publishes a snapshot.",
            )
        wanted = f"{relation.schema}.{relation.identifier}"
        read = self._snapshot(model, wanted) if snapshot is None else self._named(snapshot)
        found = read.resolve(wanted)
        if found is None:
            raise NotInSnapshotError(
                f"The snapshot {snapshot}, of job {read.number}, has no {wanted}.",
                "It has what its job has built or found up to date; name another one, or none.",
            )
        return pinned_relation(found, read)

    @for_macros
    def published_broken(self, relation: Relation) -> list[str]:
        """What is promised of a published relation's age and not kept, a sentence each."""
        now, name = datetime.now(timezone.utc), f"{relation.schema}.{relation.identifier}"
        rows = [row for row in newest_rows(published_snapshots(self.job.books, RECENT_JOBS)) if row.name == name]
        return [one.sentence(now) for one in kept_promises(rows, now) if not one.is_kept]

    def _snapshot(self, model: Mapping[str, Any], wanted: str) -> Snapshot:
        """Return the newest snapshot that has all that a node reads and that any has: the same for each of its tables."""
        nodes = map(self.job.project.node, (model.get("depends_on") or {}).get("nodes") or ())
        read = {node.relation for node in nodes if node is not None and node.kind != "source"}
        known = self.job.books.published()
        return snapshot_for(self.job.books, sorted({wanted, *(name for name in read if name in known)}))

    def _named(self, snapshot: str | int) -> Snapshot:
        told = str(self.setting(WAREHOUSE) or "")
        folder = local_folder(told if ":" in told else str(Path(told).absolute()))
        if folder is None and not str(snapshot).isdecimal():
            raise ProfileError(
                f"The warehouse lies at {told}, where no snapshot can be kept.", "Name the number of a job, or nothing."
            )
        place = Place(self.config.credentials.schema, Path(folder or "."))
        return snapshot_named(place, self.job.books, str(snapshot))


def _refuse_published(model: Mapping[str, Any]) -> None:
    """Refuse a node whose rows a job publishes: it would have those of an earlier snapshot beside those of its own.

    Raises:
        QueryError: it is one
    """
    config = model.get("config") or {}
    if model.get("resource_type") not in ("model", "snapshot", "seed"):
        return
    is_export = config.get("materialized") == "table" and config.get("file_format") != "delta"
    if not is_export:
        raise QueryError(
            f"{model['name']} reads by snapshot_ref what an earlier job has published, and is published itself: one snapshot would have rows of two.",
            "Say ref. snapshot_ref is for analyses, dbt show, tests, and exports: models with materialized 'table' and a file_format other "
            "than 'delta', which no snapshot has (docs/reading.md).",
        )
