"""Where the tables of landing lie."""

from __future__ import annotations

from pathlib import Path

from entrepot.snapshots import RECENT_JOBS, published_snapshots
from entrepot.tables.table import local_folder
from entrepot.target import Place


def table_folder(where: Place, name: str) -> Path:
    """Return where a table of landing lies: where it was published last, else in the layer of this repository's name."""
    for snapshot in published_snapshots(where.ledger(), RECENT_JOBS):
        for relation in snapshot.relations.values():
            if relation.identifier == name and relation.location and (folder := local_folder(relation.location)):
                return Path(folder)
    return where.table_path("landing", name)
