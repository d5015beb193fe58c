"""What one commit of a Delta table says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

KEEP_ROWS = frozenset(
    {
        "OPTIMIZE",
        "OPTIMIZE CHECKPOINT",
        "REORG",
        "REORG TABLE UPGRADE UNIFORM",
        "VACUUM START",
        "VACUUM END",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "ADD CONSTRAINT",
        "DROP CONSTRAINT",
        "UPGRADE PROTOCOL",
        "CLUSTER BY",
        "COMPUTE STATS",
        "DROP FEATURE",
        "Deletion Vector Tombstones",
        "Empty Commit",
        "DOMAIN METADATA CLEANUP",
        "ROW TRACKING BACKFILL",
        "ROW TRACKING UNBACKFILL",
        "REMOVE COLUMN MAPPING",
    }
)
CHANGE_COLUMNS = frozenset({"CHANGE COLUMN", "CHANGE COLUMNS"})
MOVES_COLUMN = re.compile(r"typeChanges|\bposition\b")
# what deltalake counts in merges and appends, in the words of Delta on Spark
COUNTED = {
    "num_target_rows_inserted": "numTargetRowsInserted",
    "num_target_rows_updated": "numTargetRowsUpdated",
    "num_target_rows_deleted": "numTargetRowsDeleted",
    "num_added_rows": "numOutputRows",
}
TOUCHES_COLUMNS = re.compile("CREATE|REPLACE|CLONE|CONVERT|RESTORE|SCHEMA|COLUMN")


class Touches(Enum):
    """What a commit may have touched, as far as a reader of changes has to know.

    Attributes:
        ROWS: rows only, or nothing
        COLUMNS: the columns too: ALTER, REPLACE, RESTORE, or a write that may merge or overwrite the schema
        PERHAPS_COLUMNS: the columns too, which a MERGE or a stream does not say
        FEED: the switch of the change feed, or the way columns are stored
    """

    ROWS = "rows"
    COLUMNS = "columns"
    PERHAPS_COLUMNS = "perhaps columns"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a Delta table: what was done when, and how much of it.

    Attributes:
        version: the version of the table that it made
        at: when, in milliseconds since 1970
        operation: Delta's word for what was done, such as `MERGE`; empty where a foreign writer has not said it
        parameters: what the operation was given
        metrics: what it counted
        user_metadata: the text that its writer has put into it
        bytes_more: by how much its files have made the table larger, where the metrics are deltalake's, which counts no bytes, and a reader
            of logs has seen the files; else none
    """

    version: int
    at: int
    operation: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    user_metadata: str | None = None
    bytes_more: int | None = field(default=None, compare=False)

    @property
    def keeps_rows(self) -> bool:
        """Whether it leaves rows and columns as they are.

        Of the commits that alter a column only those do that change neither its type nor its place; they say so in
        their parameters.

        >>> Commit(1, 0, "OPTIMIZE").keeps_rows, Commit(1, 0, "MERGE").keeps_rows, Commit(1, 0).keeps_rows
        (True, False, False)
        """
        if self.operation in CHANGE_COLUMNS:
            return not any(MOVES_COLUMN.search(text) for item in self.parameters.items() for text in item)
        return self.operation in KEEP_ROWS

    @property
    def appends(self) -> bool:
        """Whether all that it did was to append rows."""
        return self.operation == "WRITE" and self.parameters.get("mode") == "Append"

    @property
    def is_new(self) -> bool:
        """Whether it has replaced all that the table was."""
        return self.operation.startswith(("CREATE", "REPLACE"))

    @property
    def changed_rows(self) -> int | None:
        """How many rows it says that it has changed, an update counting as two.

        None where it does not say it, or has replaced rows without comparing them. It is never fewer than there are net
        changes.

        >>> Commit(1, 0, "UPDATE", metrics={"numUpdatedRows": "3"}).changed_rows
        6
        """
        if self.keeps_rows:
            return 0
        if self.operation == "MERGE" and "numTargetRowsInserted" in self.metrics:
            updated = self.metric("numTargetRowsUpdated")
            return self.metric("numTargetRowsInserted") + 2 * updated + self.metric("numTargetRowsDeleted")
        if self.operation == "UPDATE" and "numUpdatedRows" in self.metrics:
            return 2 * self.metric("numUpdatedRows")
        if self.operation == "DELETE" and "numDeletedRows" in self.metrics:
            return self.metric("numDeletedRows")
        if self.appends and "numOutputRows" in self.metrics:
            return self.metric("numOutputRows")
        return None

    def touches(self, *, is_ours: bool) -> Touches:
        """Return what it may have touched; a MERGE or a stream of ours never changes columns.

        >>> Commit(1, 0, "MERGE").touches(is_ours=False), Commit(1, 0, "MERGE").touches(is_ours=True)
        (<Touches.PERHAPS_COLUMNS: 'perhaps columns'>, <Touches.ROWS: 'rows'>)
        """
        parameters = " ".join(text for item in self.parameters.items() for text in item).lower()
        if not self.operation or TOUCHES_COLUMNS.search(self.operation):
            return Touches.COLUMNS
        if "canmergeschema" in parameters or "canoverwriteschema" in parameters:
            return Touches.COLUMNS
        if "TBLPROPERTIES" in self.operation and (
            "enablechangedatafeed" in parameters or "columnmapping" in parameters
        ):
            return Touches.FEED
        if self.operation in ("MERGE", "STREAMING UPDATE") and not is_ours:
            return Touches.PERHAPS_COLUMNS
        return Touches.ROWS

    def metric(self, name: str) -> int:
        """Return what it counted under a name; 0 where it did not count that, or not in whole numbers."""
        try:
            return int(self.metrics.get(name, 0))
        except ValueError:
            return 0


def counts_no_bytes(metrics: Mapping[str, str]) -> bool:
    """Return whether a commit's counts are deltalake's, which has none of bytes.

    >>> counts_no_bytes({"num_added_rows": "3"}), counts_no_bytes({"numOutputRows": "3", "numOutputBytes": "900"})
    (True, False)
    """
    return not COUNTED.keys().isdisjoint(metrics)


def in_deltas_words(metrics: Mapping[str, str]) -> dict[str, str]:
    """Return what a commit has counted under the names that Delta on Spark has for it; deltalake has others.

    >>> in_deltas_words({"num_added_rows": "3", "numFiles": "1"})
    {'numOutputRows': '3', 'numFiles': '1'}
    """
    return {COUNTED.get(name, name): count for name, count in metrics.items()}
