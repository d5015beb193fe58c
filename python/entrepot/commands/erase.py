"""`entrepot erase`: one key of an entity, out of landing and all that is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.dbt import listed_nodes, relation_of
from entrepot.commands.holder import held
from entrepot.errors import EntrepotError
from entrepot.freshness import build_apart, is_occupied
from entrepot.target import load_target, open_place

if TYPE_CHECKING:
    from entrepot.spark.keeper import Keeper
    from entrepot.upkeep import Stored
    from entrepot.upkeep.erasure import Found, Landing

LISTED = 10


@dataclass(frozen=True)
class Lineage:
    """What of a project the events of an entity go through.

    Attributes:
        landing: {model's name: relation} of the landing models
        mapped: the mapped tables of the entity
        downstream: all stored relations that are made of what has landed
    """

    landing: Mapping[str, str]
    mapped: tuple[str, ...]
    downstream: frozenset[str]


@click.command()
@click.argument("entity")
@click.argument("key", required=False)
@click.option(
    "--key",
    "parts",
    multiple=True,
    metavar="ATTRIBUTE=VALUE",
    help="A part of a key of several attributes; say it for each.",
)
@click.option("--apply", "is_applied", is_flag=True, help="Do it; without it what there is is only listed.")
@click.option(
    "--build/--no-build", "builds", default=True, show_default=True,
    help="Run `dbt build` afterwards, by which it leaves all that is made of what has landed; without it the next job does.",
)  # fmt: skip
@click.pass_obj
def erase(
    place: dict[str, Any], entity: str, key: str | None, parts: tuple[str, ...], is_applied: bool, builds: bool
) -> None:
    """Take one key of an entity out of landing, mapped tables, histories and marts, and say what still holds it, and until when.

    KEY is the value of a key of one attribute, or a JSON object of all. Without --apply nothing is written. Erase it at the source first:
    a change that the source makes later lands as any other. See docs/retention.md.

    \b
    entrepot erase customer 17
    entrepot erase order_line --key order_id=7 --key line_number=2 --apply
    """
    from entrepot.upkeep import stored_tables

    out, here = console(highlight=False), open_place(**place)
    ledger, lineage = here.ledger(), lineage_of(place, entity)
    tables = {one.relation: one for one in stored_tables(here, ledger.published_tables())}
    wanted = wanted_of(place, entity, (key, parts), lineage, tables)
    if not is_applied:
        found, counts = wanted.look()
        if print_found(out, wanted, found, counts):
            print_holders(out, here, found, wanted.touched(tables))
            out.print("Nothing was erased: say --apply.")
        return
    with held(ledger, place, "erase"):
        found, counts = wanted.look()
        if not print_found(out, wanted, found, counts):
            purge(wanted.keeper, tables, lineage.downstream)
            return
        wanted.take_out(found)
        purge(wanted.keeper, tables, lineage.landing.values())
    if not found.is_nothing:
        out.print("Erased from what has landed.")
    if builds:
        out.print("`dbt build` takes it out of what is made of it …")
        build(place)
        tables = {one.relation: one for one in stored_tables(here, ledger.published_tables())}
        with held(ledger, place, "erase"):
            purge(wanted.keeper, tables, lineage.downstream)
        wanted.refuse_what_is_left(tables)
    else:
        out.print("The next `dbt build` takes it out of what is made of it.")
    print_holders(out, here, found, wanted.touched(tables))


@dataclass(frozen=True)
class Wanted:
    """A key that is to be erased, and where it is looked for.

    Attributes:
        said: the entity and its key, as a person says them
        key: {attribute: its value as SQL}
        types: {attribute: its type in Spark's words}
        keeper: what runs statements
        lineage: what its events go through
        tables: the tables of the warehouse, {relation: table}
    """

    said: str
    key: Mapping[str, str]
    types: Mapping[str, str]
    keeper: Keeper
    lineage: Lineage
    tables: Mapping[str, Stored]

    @property
    def landing(self) -> Landing:
        """The landing tables."""
        from entrepot.upkeep.erasure import Landing

        found = {name: _sql(self.tables[one]) for name, one in self.lineage.landing.items() if one in self.tables}
        return Landing(**found)

    def look(self) -> tuple[Found, dict[str, int]]:
        """Return what has landed of it, and how many rows of tables name it, now or as they are published, {relation: rows}.

        What is published counts, too: a job that took it out may have been killed before it published anything.
        """
        from entrepot.upkeep.erasure import counted_in, found_in

        # an older version of the entity may have another key
        mapped = [table for table, _ in self._having(self.tables, self.lineage.mapped).values()]
        having = self._having(self.tables, self.lineage.downstream)
        published = {
            relation: (f"{table} version as of {rows[0].version}", condition)
            for relation, (table, condition) in having.items()
            if (rows := self.tables[relation].published) and rows[0].version != self.tables[relation].version
        }
        counts = counted_in(self.keeper.ask, published) | counted_in(self.keeper.ask, having)
        return found_in(self.keeper.ask, self.landing, mapped, self.key), counts

    def take_out(self, found: Found) -> None:
        """Take what was found out of the landing tables, in commits that say that they are ours."""
        from entrepot.tables.metadata import CommitMetadata
        from entrepot.upkeep.erasure import statements_of

        relations = {_sql(self.tables[one]): one for one in self.lineage.landing.values() if one in self.tables}
        try:
            for table, statement in statements_of(self.landing, found):
                self.keeper.say(CommitMetadata(relations[table], None, None).render())
                self.keeper.ask(statement)
        finally:
            self.keeper.say(None)

    def refuse_what_is_left(self, tables: Mapping[str, Stored]) -> None:
        """Say where a job has left rows of it.

        Raises:
            EntrepotError: mapped tables have some
        """
        from entrepot.upkeep.erasure import counted_in

        left = counted_in(self.keeper.ask, self._having(tables, self.lineage.mapped))
        if left:
            listed = ", ".join(f"{relation} ({rows})" for relation, rows in sorted(left.items()))
            raise EntrepotError(
                f"There are rows of {self.said} again: {listed}.",
                "New changes of it have landed meanwhile: erase it at the source, and say it again.",
            )

    def touched(self, tables: Mapping[str, Stored]) -> list[Stored]:
        """Return the tables that have versions with it."""
        return [tables[name] for name in sorted(self.lineage.downstream & tables.keys())]

    def _having(self, tables: Mapping[str, Stored], relations: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The tables whose rows can be told to have the key, {relation: (SQL, the condition)}."""
        from entrepot.tables.log_files import LogFiles
        from entrepot.upkeep.erasure import condition_on

        found = {}
        for relation in relations:
            if stored := tables.get(relation):
                columns = [column.name for column in LogFiles().columns_at(stored.table, stored.version)]
                if condition := condition_on(columns, self.key, self.types):
                    found[relation] = _sql(stored), condition
        return found


def wanted_of(
    place: dict[str, Any],
    entity: str,
    told: tuple[str | None, Sequence[str]],
    lineage: Lineage,
    tables: Mapping[str, Stored],
) -> Wanted:
    """Return what is to be erased, from how it was told: the key's value and its parts; starts Spark.

    Raises:
        EraseError: that is no key of the entity
        EntrepotError: no job has built its tables yet
    """
    from entrepot.spark.keeper import Keeper
    from entrepot.tables.log_files import LogFiles
    from entrepot.upkeep.erasure import key_columns, key_literals, told_key

    mapped = [tables[relation] for relation in lineage.mapped if relation in tables]
    if lineage.landing["change_event"] not in tables or not mapped:
        raise EntrepotError(f"Nothing of {entity} is on this warehouse yet.", "Run `dbt build`.")
    columns = key_columns(LogFiles().columns_at(mapped[0].table, mapped[0].version))
    values = told_key(*told, entity, [column.name for column in columns])
    keeper = Keeper(load_target(**place), Path(place.get("project_dir") or Path.cwd()) / "logs" / "spark.log")
    said = f"{entity} {', '.join(f'{name} = {value}' for name, value in values.items())}"
    types = {column.name: column.type for column in columns}
    return Wanted(said, key_literals(keeper.ask, values, columns), types, keeper, lineage, tables)


def lineage_of(place: dict[str, Any], entity: str) -> Lineage:
    """Return what the events of an entity go through, as dbt's project says.

    Raises:
        EntrepotError: the project cannot be read, lands nothing, or has no mapped model of the entity
    """
    keys = "unique_id name schema alias config depends_on resource_type"
    nodes = {node["unique_id"]: node for node in listed_nodes(place, keys)}
    by_name = {node["name"]: node for node in nodes.values()}
    landing = {
        name: relation_of(by_name[name])
        for name in ("change_event", "control_event", "rejected_event")
        if name in by_name
    }
    if "change_event" not in landing:
        raise EntrepotError(
            "This project lands no change events: it has no model change_event.", "See docs/retention.md."
        )
    entities = {node["config"].get("entity") for node in nodes.values()} - {None}
    mapped = sorted(relation_of(node) for node in nodes.values() if node["config"].get("entity") == entity)
    if not mapped:
        raise EntrepotError(
            f"No mapped model is of an entity {entity}.",
            f"There are models of {', '.join(sorted(entities)) or 'none'}.",
        )
    downstream, more = {by_name["change_event"]["unique_id"]}, True
    while more:
        found = {
            key for key, node in nodes.items() if downstream & set((node.get("depends_on") or {}).get("nodes") or ())
        }
        more = not found <= downstream
        downstream |= found
    return Lineage(
        landing, tuple(mapped), frozenset({*(relation_of(nodes[key]) for key in downstream), *landing.values()})
    )


def purge(keeper: Keeper, tables: Mapping[str, Stored], relations: Iterable[str]) -> None:
    """Write files anew whose rows are deleted by marks only: they would hold these rows as long as the table has them."""
    from entrepot.tables.health import health_of
    from entrepot.tables.log_files import LogFiles

    for relation in relations:
        stored = tables.get(relation)
        health = health_of(stored.table, LogFiles().commits(stored.table)) if stored else None
        if stored is not None and health is not None and health.deletion_vectors:
            keeper.ask(f"reorg table {_sql(stored)} apply (purge)")


def build(place: Mapping[str, Any]) -> None:
    """Run a job in a process of its own.

    Raises:
        EntrepotError: it failed
    """
    problem = build_apart(place)
    if problem and is_occupied(problem):
        raise EntrepotError(
            f"It is out of what has landed, and not yet of what is made of it: that takes a job, and another process has the warehouse: {problem}",
            "The next job that builds all takes it out; with `entrepot run --on-arrival` or --on-query, end that and run `dbt build`. "
            "Then say `entrepot erase` with --apply again: it removes what is only marked as deleted.",
        )
    if problem:
        raise EntrepotError(
            f"It is out of what has landed, and the job failed: {problem}",
            "Correct it and run `dbt build`: that takes it out of what is made of it.",
        )


def print_found(out: Console, wanted: Wanted, found: Found, counts: Mapping[str, int]) -> bool:
    """List what there is of a key; whether anything of it is left, in landing or in what is made of it."""
    out.print(f"{wanted.said}:")
    table = Table("where", "how much", show_edge=False, pad_edge=False)
    for schema, ids in found.whole.items():
        table.add_row(schema, f"{len(ids)} landed events")
    for schema, ids in found.before.items():
        table.add_row(schema, f"{len(ids)} events of other keys, whose image before is of this one")
    for name, ids in (("tombstones", found.control), ("rejected lines", found.rejected)):
        if ids:
            table.add_row(name, f"{len(ids)}")
    for relation, rows in sorted(counts.items()):
        table.add_row(relation, f"{rows} rows")
    if table.row_count:
        out.print(table)
    if found.doubtful:
        out.print(
            f"{found.doubtful} rejected lines have its values, but do not name its table: look at them in landing.rejected_event."
        )
    is_made = bool(set(wanted.lineage.mapped) & counts.keys())
    if found.is_nothing and is_made:
        out.print("Nothing of it is left in landing; a `dbt build` takes out the rest.")
    elif found.is_nothing:
        out.print("Nothing has landed of it.")
    return is_made or not found.is_nothing


def print_holders(out: Console, place: Any, found: Found, tables: Sequence[Stored]) -> None:
    """Say what still holds a key that is erased now, until when, and how that goes."""
    from entrepot.outbox import known_outboxes
    from entrepot.pins import Pins

    kept = max((table.properties.kept_seconds for table in tables), default=0.0)
    until = datetime.now(timezone.utc) + timedelta(seconds=kept)
    out.print(
        f"Older versions of {len(tables)} tables hold it until they are vacuumed: by `entrepot maintain --apply` after {until:%Y-%m-%d %H:%M} UTC, "
        "or with --retain 1h an hour after the next job.",
        soft_wrap=True,
    )
    out.print(
        "Their logs hold what Delta notes of each file, the least and the greatest value of a column (32 letters of a text), "
        "until `entrepot maintain` finds them old (docs/retention.md).",
        soft_wrap=True,
    )
    pins = Pins(place).names()
    if pins:
        out.print(f"Snapshots that are kept hold it: {_some(pins)}. `entrepot unpin NAME` lets one go.")
    if found.files:
        out.print(f"These files hold it; remove or archive them, they are not read again: {_some(found.files)}.")
    folders = [str(one.folder) for one in known_outboxes(place)]
    if folders:
        out.print(f"Messages that have been written may hold it: {_some(folders)}.")
    out.print(
        "ops.model_run has the SQL of the last runs, which may list keys: `entrepot maintain --keep-days` trims it."
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _sql(stored: Stored) -> str:
    return f"delta.`{stored.folder.replace('`', '``')}`"
