"""Stored models against their full recompute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from entrepot.jobs.new_columns import columns_at
from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.rules import body_at
from entrepot.sql import quoted
from entrepot.tables.net_changes import net_rows_sql


@dataclass(frozen=True, slots=True)
class Proof:
    """What a comparison has found.

    Attributes:
        relation: the relation
        version: which version of it
        rows: rows that differ, decimals as plain digits; `_side` says which of the two has them. None where it could not be compared
    """

    relation: str
    version: int | None
    rows: tuple[Mapping[str, Any], ...] | None


def difference_sql(job: Job, node: Node, version: int, reads: Mapping[str, int | None], body: str) -> str:
    """Return SQL of the rows in which a stored relation differs, as a multiset, from its full recompute on consumed versions.

    Args:
        job: what knows the relations
        node: the relation's node
        version: which version is compared
        reads: the versions that it has consumed
        body: the model's SQL, with its views inlined
    """
    names = ", ".join(quoted(name) for name, _type in columns_at(job, node.relation, version))
    recomputed = body_at(body, job.changes.pinned(job.project.upstreams(node), reads), job.memory.whole)
    return (
        "select if(_delta > 0, 'stored, not recomputed', 'recomputed, not stored') as _side, * except (_delta)\nfrom (\n"
        + net_rows_sql(
            f"select {names}, 1 as _sign from {node.relation} version as of {version}\nunion all\n"
            f"select {names}, -1 as _sign from (\n{recomputed}\n)"
        )
        + "\n)"
    )


def stored_difference(job: Job, node: Node) -> str | None:
    """Return that SQL for a relation as it is now; none where the delta strategy has not written it."""
    if job.engine.catalogued(node.relation) is None:
        return None
    contents = job.relations.contents(node.relation)
    if contents.version is None or contents.reads is None:
        return None
    body = job.verdicts.body(node.relation, contents.sql_hash)
    return difference_sql(job, node, contents.version, contents.reads, body) if body else None


def can_be_proved(node: Node) -> bool:
    """Whether a node has a full recompute to be compared with."""
    return node.is_maintained and not node.lands


def published_proof(job: Job, node: Node, most_rows: int) -> Proof:
    """Compare what is published of a model with its full recompute on the versions that it was made from; writes nothing.

    Args:
        job: what knows the relations
        node: a model that is published
        most_rows: how many differing rows are asked for
    """
    row = job.relations.published(node.relation)
    assert row is not None, "the model is published"
    body = job.verdicts.body(node.relation, row.sql_hash)
    if body is None or row.version is None:
        return Proof(node.relation, row.version, None)
    sql = difference_sql(job, node, row.version, json.loads(row.reads or "{}"), body)
    rows = job.engine.ask(f"select * from (\n{sql}\n) limit {most_rows}")
    plain = ({name: f"{one:f}" if isinstance(one, Decimal) else one for name, one in found.items()} for found in rows)
    return Proof(node.relation, row.version, tuple(plain))


def published_models(job: Job) -> list[Node]:
    """Return the models that have a published version and a full recompute, by name."""
    return sorted(
        (
            node
            for node in job.project.maintained
            if can_be_proved(node) and (row := job.relations.published(node.relation)) and row.reads
        ),
        key=lambda node: node.name,
    )
