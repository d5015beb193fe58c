"""What a table contains, as its commits tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from entrepot.errors import EntrepotError
from entrepot.tables.commit import Commit
from entrepot.tables.log import is_later
from entrepot.tables.metadata import CommitMetadata, metadata_of


class MissingHistoryError(EntrepotError):
    """The commits that were looked up do not reach back far enough."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a table contains at its newest version.

    Attributes:
        version: the newest version; None for a relation without versions, which is not a Delta table
        data_version: the newest version that changed rows, which OPTIMIZE, VACUUM and ALTER do not
        reads: {relation: version} that these rows were made from; None where nobody wrote it down
        sql_hash: checksum of the SQL that made them; None where unknown
        read_at: {relation: when that version was committed}, in milliseconds since 1970, as far as known
        committed_at: when the newest version was committed, in milliseconds since 1970, where that was looked up
        row_count: how many rows it has; None where unknown
        bytes: how large its files are; None where unknown
        restore_to: the version before a half-applied write; None where the newest version is whole
        detail: what the project keeps with the rows, such as the state of the mapping; None where it keeps nothing
    """

    version: int | None
    data_version: int | None
    reads: Mapping[str, int | None] | None = None
    sql_hash: str | None = None
    read_at: Mapping[str, int] = field(default_factory=dict)
    committed_at: int | None = None
    row_count: int | None = None
    bytes: int | None = None
    restore_to: int | None = None
    detail: str | None = None


NO_VERSIONS = Contents(None, None)


def contents_of(relation: str, commits: Sequence[Commit], newest: int | None = None) -> Contents:
    """Return what a table contains, as it is or, with `newest`, as it was at that version.

    A RESTORE brings back rows and reads of the version that it names. A commit without our metadata has unknown reads,
    and so has one of ours if somebody else has written the table since the version that it was worked out from.

    Args:
        relation: the table's name, as our commits write it
        commits: its newest ones, newest first
        newest: the version to look at

    Raises:
        MissingHistoryError: none of the commits is as old as `newest`
    """
    history = [commit for commit in commits if newest is None or commit.version <= newest]
    if not history:
        wanted = "no commit" if newest is None else f"no commit up to version {newest}"
        raise MissingHistoryError(
            f"The log of {relation} has {wanted} among the {len(commits)} that were looked up.",
            "Set the variable entrepot_history_depth to more commits.",
        )
    changes = [commit for commit in history if not commit.keeps_rows]
    found = _origin(relation, changes)
    metadata = metadata_of(found, relation) if found else None
    is_ours = found is not None and metadata is not None and intruder(relation, found, history) is None
    known = metadata if is_ours else None
    return Contents(
        version=history[0].version,
        data_version=(changes[0] if changes else history[-1]).version,
        reads=known.reads if known else None,
        sql_hash=known.sql_hash if known else None,
        read_at=known.read_at if known else {},
        committed_at=history[0].at,
        detail=known.detail if known else None,
        restore_to=metadata.base if metadata and metadata.part == "first" else None,
    )


def keeps_rows_since(commits: Sequence[Commit], version: int, noted_at: int | None) -> bool:
    """Whether a table still has the rows that a version had: all that came since has left rows and columns as they are.

    Args:
        commits: its commits from that version on, newest first
        version: the version
        noted_at: when it was committed, in milliseconds since 1970, as it was noted; another table's has a later time
    """
    if not commits or commits[-1].version != version or is_later(commits[-1].at, noted_at):
        return False
    return all(commit.keeps_rows for commit in commits[:-1])


def intruder(relation: str, ours: Commit, commits: Sequence[Commit]) -> int | None:
    """Return the version that somebody else wrote between one of ours and the version that ours was worked out from.

    None where there is none, or where ours replaced all rows.

    Args:
        relation: the table's name, as our commits write it
        ours: a commit of ours
        commits: the newest ones, newest first; what they do not reach back to counts as somebody else's
    """
    metadata = metadata_of(ours, relation)
    if metadata is None or metadata.base is None:
        return None
    for commit in commits:
        if metadata.base < commit.version < ours.version and not commit.keeps_rows:
            theirs = metadata_of(commit, relation)
            if theirs is None or theirs.job != metadata.job:
                return commit.version
    return metadata.base + 1 if commits[-1].version > metadata.base + 1 else None


def commit_of_job(relation: str, job: str, commits: Sequence[Commit]) -> Commit | None:
    """Return the newest commit in which a job has written a table wholly; not always the newest of all commits.

    Args:
        relation: the table's name, as our commits write it
        job: the job
        commits: its newest ones, newest first
    """
    return next((commit for commit in commits if _is_of_job(metadata_of(commit, relation), job)), None)


def _is_of_job(metadata: CommitMetadata | None, job: str) -> bool:
    return metadata is not None and metadata.job == job and metadata.part != "first"


def _origin(relation: str, changes: Sequence[Commit]) -> Commit | None:
    """The commit that made the rows: the newest one, or what a RESTORE by somebody else brings back."""
    restored: int | None = None
    for commit in changes:
        if restored is not None and commit.version > restored:
            continue
        if commit.operation != "RESTORE" or metadata_of(commit, relation):
            return commit
        restored = restored_version(commit)
    return None


def restored_version(commit: Commit) -> int:
    """Return the version that a RESTORE brings back; -1 where it names a time.

    >>> restored_version(Commit(5, 0, "RESTORE", {"version": "2"}))
    2
    """
    version = commit.parameters.get("version") or ""
    return int(version) if version.isdigit() else -1
