"""Views for readers who know nothing of versions: `marts_published.fct_x` is `marts.fct_x` as the newest whole job has published it.

All of them are of one job. Where a job could not publish every relation that has such a view, they stay as they are. A catalogue changes
one view at a time, so for the moment that a job needs to switch them some are of the job before (decision 45).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.jobs.states import State
from entrepot.jobs.verdicts import checksum_of
from entrepot.ledger import PublishedRelation
from entrepot.ledger.records import UNKNOWN_STATE
from entrepot.sql import SqlError, TableName, quoted_if_needed, substitute, tables_of_query

KIND = "published_view."
SUFFIX = "_published"


def switch_views(job: Job, rows: Iterable[PublishedRelation]) -> None:
    """Let the views show what a job has published: a statement for each that shows something else, none for all others.

    What Spark refuses is said, and tried again by the next job; the job itself has been published.

    Args:
        job: the job
        rows: what it has published
    """
    published = {row.relation: row for row in rows}
    wanted = {f"{KIND}{node.relation}": node for node in viewed(job.project.written, job.options.published_views)}
    lacking = sorted(node.relation for node in wanted.values() if node.relation not in published)
    if lacking:
        job.engine.tell(f"The published views stay as they are: {lacking[0]} is not current in this job.")
        return
    standing = job.states.checksums(KIND)
    try:
        texts = {name: _text(job, node, published) for name, node in wanted.items()}
    except SqlError as error:
        job.engine.tell(f"The published views stay as they are: {error}")
        return
    stale = {name: text for name, text in texts.items() if standing.get(name) != checksum_of(text)}
    for schema in sorted({_schema(wanted[name]) for name in stale}):
        job.engine.attempt(f"create schema if not exists {schema}")
    for name, text in stale.items():
        node = wanted[name]
        place = f"{_schema(node)}.{quoted_if_needed(node.identifier)}"
        _run(job, f"create or replace view {place} as\n{text}", name, checksum_of(text))
    for name in sorted(standing.keys() - wanted.keys()):
        schema, _, identifier = name.removeprefix(KIND).rpartition(".")
        _run(job, f"drop view if exists {schema}{SUFFIX}.{quoted_if_needed(identifier)}", name, UNKNOWN_STATE)


def viewed(nodes: Iterable[Node], told: Collection[str]) -> list[Node]:
    """Return the nodes that have such a view: those of the schemas and names told, as `marts` or `fct_payment`.

    A schema is told without what the profile puts in front: `marts` is `anna_marts` too.
    """
    return [
        node
        for node in nodes
        if (node.is_view or node.is_delta)
        and node.materialized != "ephemeral"
        and any(
            name in (node.name, node.name.partition(".v")[0]) or node.schema == name or node.schema.endswith(f"_{name}")
            for name in told
        )
    ]


def _schema(node: Node) -> str:
    return f"{node.schema}{SUFFIX}"


def _run(job: Job, sql: str, name: str, checksum: str) -> None:
    _, problem = job.engine.attempt(sql)
    if problem is None:
        job.states.note_done(State(name, checksum))
    else:
        job.engine.tell(f"A published view could not be switched: {problem}")


def _text(job: Job, node: Node, published: Mapping[str, PublishedRelation]) -> str:
    """Return the SELECT of a relation as it is published: a table at its version, a view as its text over tables at theirs."""
    row = published[node.relation]
    if row.version is not None:
        return f"select * from {node.relation} version as of {row.version}"
    body = job.views.inlined(job.views.text(node.relation), node)
    versions: dict[TableName, str] = {}
    for table in tables_of_query(body):
        read = job.project.of_table(table)
        if read is None:
            continue
        known = published.get(read.relation)
        version = job.relations.pin_if_there(read.relation) if known is None else known.version
        if version is not None:
            versions[table] = f"{read.relation} version as of {version}"
    return substitute(body, versions)
