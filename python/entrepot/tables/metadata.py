"""What our commits say that a table contains: the `userMetadata` of Delta's commit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from entrepot.tables.commit import Commit

LAYOUT = 1
# the session's setting whose text Delta writes into a commit
COMMIT_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
Part = Literal["whole", "first", "same"]


@dataclass(frozen=True, slots=True)
class CommitMetadata:
    """What a commit of ours contains, written in the same commit as the rows.

    Attributes:
        relation: the table that it is about; a clone of the table carries the text of another
        job: the job that wrote it
        reads: {relation: version} that its rows were made from, None for one without versions; None where nobody wrote it down
        read_at: {relation: when that version was committed}, in milliseconds since 1970, as far as known
        sql_hash: checksum of the SQL that made the rows
        part: `first` for the first of two commits that belong together, `same` where the rows stay as they are, else `whole`
        base: the version that the rows were worked out from; None where all are new
        detail: what the project wants to be kept with the rows; of a mapped model the state of the mapping
    """

    relation: str
    job: str | None
    reads: Mapping[str, int | None] | None
    read_at: Mapping[str, int] = field(default_factory=dict)
    sql_hash: str | None = None
    part: Part = "whole"
    base: int | None = None
    detail: str | None = None

    def render(self) -> str:
        """Return the text for `spark.databricks.delta.commitInfo.userMetadata`.

        >>> CommitMetadata("marts.a", "j", {"raw.b": 3}, base=7).render()
        '{"entrepot": 1, "relation": "marts.a", "job": "j", "reads": {"raw.b": 3}, "read_at": {}, "sql_hash": null, "part": "whole", "base": 7}'
        """
        reads = None if self.reads is None else dict(self.reads)
        return json.dumps(
            {
                "entrepot": LAYOUT,
                "relation": self.relation,
                "job": self.job,
                "reads": reads,
                "read_at": dict(self.read_at),
                "sql_hash": self.sql_hash,
                "part": self.part,
                "base": self.base,
            }
            | ({} if self.detail is None else {"detail": self.detail})
        )


def parse_metadata(text: str | None, relation: str) -> CommitMetadata | None:
    """Return what `render` wrote for this relation; None for anybody else's text, or another relation's.

    >>> parse_metadata('{"relation": "marts.a", "job": "j", "part": "first", "base": 7}', "marts.a")
    CommitMetadata(relation='marts.a', job='j', reads=None, read_at={}, sql_hash=None, part='first', base=7, detail=None)
    >>> parse_metadata("by hand", "marts.a") is None
    True
    """
    try:
        found: Any = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("relation") != relation:
        return None
    return CommitMetadata(
        relation,
        _text(found.get("job")),
        _versions(found.get("reads")),
        {name: at for name, at in (_versions(found.get("read_at")) or {}).items() if at is not None},
        _text(found.get("sql_hash")),
        found["part"] if found.get("part") in get_args(Part) else "whole",
        found["base"] if _is_whole(found.get("base")) else None,
        _text(found.get("detail")),
    )


def metadata_of(commit: Commit, relation: str) -> CommitMetadata | None:
    """Return what a commit of ours says that the relation contains; None for a commit of somebody else."""
    return parse_metadata(commit.user_metadata, relation)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _versions(value: Any) -> dict[str, int | None] | None:
    """Whole numbers by name; None where the value is not of that kind."""
    if not isinstance(value, dict) or not all(number is None or _is_whole(number) for number in value.values()):
        return None
    return value
