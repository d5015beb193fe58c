"""The embedded metastore's first minutes: a process that is killed while it is being created leaves one that never opens.

So a marker lies beside it until the first statement has been answered. A marker that is found says that nothing can have
been registered yet: the remains are removed, and creation begins anew.
"""

from __future__ import annotations

import shutil
from pathlib import Path

MARKER = "METASTORE_IS_BEING_CREATED"


def begin(warehouse: Path) -> None:
    """Remove a metastore whose creation was interrupted; mark one that is about to be created."""
    metastore, marker = warehouse / "metastore_db", warehouse / MARKER
    if marker.exists():
        shutil.rmtree(metastore, ignore_errors=True)
    if not metastore.exists():
        marker.write_text("Written by dbt before the metastore's first statement, removed after it.\n")


def opened(warehouse: Path, statement: str) -> None:
    """Note that a statement was answered: unless it only set something, the metastore is there."""
    marker = warehouse / MARKER
    if marker.exists() and not statement.lstrip().lower().startswith(("set ", "reset ")):
        marker.unlink()
