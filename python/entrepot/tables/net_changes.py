"""SQL of the net changes of a table between two versions."""

from __future__ import annotations

from dataclasses import dataclass

from entrepot.tables.reader import ChangeReader


@dataclass(frozen=True, slots=True)
class Sources:
    """What the net changes of a table between two versions are read from, as SQL names it.

    Attributes:
        feed: the change feed
        beside: the columns that it has beside the table's
        older, newer: the table at the two versions
    """

    feed: str
    beside: str
    older: str
    newer: str

    @classmethod
    def of_delta(cls, relation: str, from_version: int, to_version: int) -> Sources:
        """Return what Delta has of a relation.

        >>> Sources.of_delta("raw.t", 3, 5).feed
        "table_changes('raw.t', 4, 5)"
        """
        return cls(
            f"table_changes('{relation}', {from_version + 1}, {to_version})",
            "_change_type, _commit_version, _commit_timestamp",
            f"{relation} version as of {from_version}",
            f"{relation} version as of {to_version}",
        )


def changes_sql(reader: ChangeReader, sources: Sources) -> str:
    """Return SQL of the net changes: the relation's columns and `_delta`, +1 for an inserted row, -1 for a deleted one.

    Rows are a multiset: the signs of equal rows are added up, so pairs that cancel vanish, whatever happened in between
    (OD-ETL 3.5.1: an update is a deletion followed by an insertion). Appended rows cannot cancel.

    >>> print(changes_sql(ChangeReader("feed", appends=True), Sources.of_delta("raw.t", 3, 5)))
    select * except (_change_type, _commit_version, _commit_timestamp), 1 as _delta
    from table_changes('raw.t', 4, 5)

    Args:
        reader: how to read it; not one of kind `none`
        sources: what from
    """
    columns, feed = f"select * except ({sources.beside}), ", f"\nfrom {sources.feed}"
    if reader.kind == "none":
        raise ValueError(f"{sources.older} and {sources.newer} cannot be compared: {reader.why}")
    if reader.kind == "feed" and reader.appends:
        return f"{columns}1 as _delta{feed}"
    if reader.kind == "feed":
        return net_rows_sql(f"{columns}if(_change_type in ('insert', 'update_postimage'), 1, -1) as _sign{feed}")
    return net_rows_sql(
        f"select *, 1 as _sign from {sources.newer}\nunion all\nselect *, -1 as _sign from {sources.older}"
    )


def net_rows_sql(signed: str) -> str:
    """Return SQL of the rows of `signed` whose signs, `_sign` 1 or -1, do not cancel when those of equal rows are added up.

    `_delta` is the sign that is left, in as many rows as there are too many.
    """
    return (
        "select * except (_count, _copy), cast(sign(_count) as int) as _delta\n"
        "from (\n  select * except (_sign), sum(_sign) as _count\n  from (\n"
        f"{signed}\n  )\n  group by all\n)\n"
        "lateral view explode(sequence(1, abs(_count))) as _copy\nwhere _count <> 0"
    )
