"""Whether a version of a table can still be read."""

from __future__ import annotations

from collections.abc import Mapping

from entrepot.tables.commit import Commit
from entrepot.tables.properties import TableProperties


def is_removed(commits: Mapping[int, Commit], version: int, properties: TableProperties, now: int) -> bool:
    """Whether a version may no longer be there to be read: cleaned out of the log, or with files that a VACUUM has removed.

    A file is kept for a while after the commit that dropped it, the next one at the earliest. VACUUM does not log itself
    everywhere, so past the table's own retention a version counts as removed.

    Args:
        commits: {version: commit}, from that version on
        version: an older version than the newest
        properties: the table's
        now: the time, in milliseconds since 1970
    """
    if version not in commits or version + 1 not in commits:
        return True
    dropped_at = commits[version + 1].at
    kept = properties.kept_seconds * 1000
    if now - dropped_at > kept:
        return True
    return any(
        commit.at - dropped_at > min([kept, *limits(commit)])
        for commit in commits.values()
        if commit.operation == "VACUUM START" and commit.version > version
    )


def limits(vacuum: Commit) -> list[float]:
    """After how many milliseconds a VACUUM removes files, as it says itself."""
    names = ("specifiedRetentionMillis", "defaultRetentionMillis")
    return [float(vacuum.parameters[name]) for name in names if name in vacuum.parameters]
