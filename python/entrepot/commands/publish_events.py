"""`entrepot publish-events`: write outgoing messages to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.errors import EntrepotError
from entrepot.outbox import Outbox, note_outbox, refuse_older_messages
from entrepot.outbox.messages import outgoing_of
from entrepot.snapshots import published_snapshots, snapshot_for
from entrepot.warehouse import Warehouse

SCHEMA = "outgoing"


@click.command("publish-events")
@click.argument("relations", nargs=-1, metavar="[TABLE]...")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True,
    help="The folder to write to; each table has a folder of its own in it.",
)  # fmt: skip
@click.pass_obj
def publish_events(place: dict[str, Any], relations: tuple[str, ...], out: Path) -> None:
    """Write the outgoing messages that no earlier run has written, exactly once.

    A TABLE is a published model that {{ outgoing_messages(…) }} has made, as `schema.name` or by its name alone; default: all
    of schema `outgoing`. Each run writes one file per table that has news, a message a line, in the order of their commits;
    files appear whole. A killed run is safe to repeat.

    \b
    entrepot publish-events --out messages
    """
    warehouse = Warehouse(**place)
    names = _published_names(warehouse, relations) if relations else _all_outgoing(warehouse)
    for relation in names:
        outbox = Outbox(out / relation)
        with outbox.locked():
            note_outbox(warehouse.target, outbox.folder)
            outgoing = outgoing_of(warehouse, relation, outbox.position())
            written, file = outbox.write(outgoing.lines(warehouse), outgoing.reached)
        click.echo(f"{relation}: {written} messages in {file}" if file else f"{relation}: nothing new")


def _published_names(warehouse: Warehouse, names: tuple[str, ...]) -> list[str]:
    """The tables as they are published, whatever somebody calls them: each has one folder.

    Raises:
        NothingPublishedError, NotInSnapshotError: no job has published one of them
        EntrepotError: the messages of one are of another state than what they are made from
    """
    ledger = warehouse.target.ledger()
    found = [snapshot_for(ledger, [name]).resolve(name) for name in names]
    published = [relation.name for relation in found if relation is not None]
    refuse_older_messages(ledger, published)
    return published


def _all_outgoing(warehouse: Warehouse) -> list[str]:
    """The published tables of schema `outgoing`, by name.

    Raises:
        EntrepotError: there is none, or the messages of one are of another state than what they are made from
    """
    ledger = warehouse.target.ledger()
    # a job that has mapped anew without them leaves them out of its snapshot
    refuse_older_messages(ledger, [name for name in ledger.published() if _is_outgoing(name)])
    names = [name for snapshot in published_snapshots(ledger, 1) for name in snapshot.relations if _is_outgoing(name)]
    if not names:
        raise EntrepotError(
            f"The newest snapshot has no table in a schema {SCHEMA}.",
            "Name the tables to publish, or make models of messages (docs/mapping.md, Outgoing messages) and run `dbt build`.",
        )
    return sorted(names)


def _is_outgoing(name: str) -> bool:
    """Whether a relation is in schema `outgoing`; dbt's own names of schemas begin with the target's."""
    return f"_{name}".rpartition(".")[0].endswith(f"_{SCHEMA}")
