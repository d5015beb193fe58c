"""`entrepot generate`: mapping, mapped models, histories and their descriptions for source tables that have none yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import agreed, console, yes_option
from entrepot.commands.landed import table_folder
from entrepot.commands.mapping.seeds import owner_option, refuse_failures
from entrepot.errors import EntrepotError
from entrepot.mapping.catalogue import CatalogueTable, catalogue_tables
from entrepot.mapping.landed import landed_versions
from entrepot.mapping.names import canonical_name
from entrepot.mapping.plan import Plan, Wanted, plan_of
from entrepot.mapping.project import VARIABLE, Project, read_project
from entrepot.mapping.proposal import Proposal
from entrepot.mapping.sources import VALUES
from entrepot.mapping.trees import Version
from entrepot.mapping.values import seen_values
from entrepot.mapping.writing import write
from entrepot.registry.kept import FOLDER, described, read_kept
from entrepot.target import Place, open_place, project_folder

BY_VALUES = (
    "Types from values: records without a schema have dates and times as numbers and decimals as Base64. Check bigint and text in "
    "schema_attribute.csv, or take the types from the database (--dsn)."
)


@click.command()
@click.argument("schemas", nargs=-1, metavar="[SCHEMA]...")
@click.option("--exclude", multiple=True, metavar="SCHEMA", help="Leave these out.")
@click.option(
    "--dsn",
    metavar="DSN",
    help="Connection string of the PostgreSQL database, whose catalogue has types, keys and comments.",
)
@click.option(
    "--entity",
    "entities",
    multiple=True,
    metavar="SCHEMA=NAME",
    help="What the entity of a schema, or of several, shall be called.",
)
@click.option("--key", "keys", multiple=True, metavar="SCHEMA=COLUMN,…", help="The business key of a schema.")
@owner_option
@click.option("--plan", "only_plan", is_flag=True, help="Show the plan and write nothing.")
@yes_option
@click.pass_obj
def generate(place: dict[str, Any], schemas: tuple[str, ...], exclude: tuple[str, ...], dsn: str | None, entities: tuple[str, ...],
             keys: tuple[str, ...], owner: str | None, only_plan: bool, yes: bool) -> None:  # fmt: skip
    """Map source tables that have landed: rows of the mapping's seeds, mapped models, histories, descriptions and tests.

    SCHEMA is a source schema such as shop.sales.customer, and may have * and ?; without one, all that have landed and are not mapped
    yet. Entities of the seeds that have no mapped model get their files, too. The plan comes first. What is there stays as it is: files,
    and rows of the seeds, to which new ones are appended, in the files of their owners. Reads the warehouse's files; starts no Spark.

    \b
    entrepot generate --plan
    entrepot generate 'shop.sales.*' --dsn postgresql://reader@database/shop
    """
    wanted = Wanted(
        schemas,
        exclude,
        tuple(_entity(text) for text in entities),
        {left: _columns(right) for left, right in map(_pair_of_key, keys)},
        owner,
    )
    project, where = read_project(project_folder(place["project_dir"])), open_place(**place)
    refuse_failures(project.seeds, project.path)
    landed = landed_versions(table_folder(where, "discovered_schema_attribute"))
    of_database = catalogue(dsn, wanted, landed or []) if dsn else None
    # a database knows more of its columns than a registry does of its messages
    tables = described(read_kept(project.path / FOLDER)) | (of_database or {})
    if landed is None and of_database is None and not project.seeds.schema_attribute.rows:
        raise EntrepotError(
            f"Nothing has landed in {where.warehouse} yet.",
            "Run `dbt build`, or say the database: --dsn postgresql://… 'shop.public.*'",
        )
    plan = plan_of(project, landed or [], wanted, looking(where), tables)
    out = console()
    print_plan(out, plan, project, wanted)
    if plan.is_empty or only_plan:
        return
    if not yes and not agreed(out):
        return
    for line in write(plan, project):
        out.print(line)
    out.print("Written. See `git diff`, then run `dbt build`.")


def catalogue(dsn: str, wanted: Wanted, landed: Sequence[Version]) -> dict[str, CatalogueTable]:
    """Return the tables of a database by the names of their schemas.

    Raises:
        EntrepotError: it is not said which source system the database is
    """
    found = catalogue_tables(dsn)
    names = {version.schema for version in landed if wanted.chooses(version.schema)}
    systems = {name.removesuffix(f".{table}") for name in names for table in found if name.endswith(f".{table}")}
    systems = systems or {pattern.partition(".")[0] for pattern in wanted.patterns}
    systems = {system for system in systems if system and not set("*?[") & set(system)}
    if len(systems) != 1:
        told = f"{', '.join(sorted(systems))} are several" if len(systems) > 1 else "none is named"
        raise EntrepotError(
            f"--dsn is one database, of one source system, and of these {told}.",
            "Name its schemas, the source system (Debezium's topic prefix) first: entrepot generate 'shop.public.*' --dsn …",
        )
    return {f"{next(iter(systems))}.{name}": table for name, table in found.items()}


def looking(where: Place) -> Callable[[Sequence[str]], Any]:
    """Return what looks at the values that have landed."""
    return lambda schemas: seen_values(table_folder(where, "change_event"), schemas)


def print_plan(out: Console, plan: Plan, project: Project, wanted: Wanted) -> None:
    """Print what would be written, and what is left alone and why."""
    if plan.proposals:
        table = Table(
            "schema", "versions", "entity", "attributes", "key", "types from", show_edge=False, pad_edge=False
        )
        for proposal in plan.proposals:
            for row in rows_of(proposal):
                table.add_row(*row)
        out.print(table)
    for entity in plan.without_model:
        out.print(f"{entity.name} is in the seeds and has no mapped model yet.", highlight=False)
    notes = notes_of(plan.proposals)
    if any(VALUES in source.types_from.values() for proposal in plan.proposals for source in proposal.sources):
        notes.append(BY_VALUES)
    _print_list(out, "To check:", notes)
    _print_list(out, "Left alone:", [f"{schema}: {why}." for schema, why in sorted(plan.left.items())])
    named = [schema for schema in plan.mapped if schema in wanted.patterns]
    _print_list(
        out,
        "",
        [f"{schema} is mapped already; its new versions are registered as docs/mapping.md says." for schema in named],
    )
    _print_list(
        out, "There already:", [f"{path}" if path == at else f"{path}: {at}" for path, at in sorted(plan.kept.items())]
    )
    if plan.is_empty:
        out.print("Nothing to write: everything asked for that can be mapped is mapped.")
        return
    _print_list(out, "To write:", summary(plan, project))


def notes_of(proposals: Sequence[Proposal]) -> list[str]:
    """Return what a person should know, a line for each sentence, with the entities that it is about."""
    about: dict[str, list[str]] = {}
    for proposal in proposals:
        for note in proposal.notes:
            about.setdefault(note, []).append(proposal.entity.name)
    return [f"{', '.join(entities)}: {note}." for note, entities in about.items()]


def rows_of(proposal: Proposal) -> list[tuple[str, ...]]:
    """Return the rows of the plan's table, one for each schema of an entity."""
    key = ", ".join(one.name for one in proposal.entity.keys)
    return [
        (
            source.schema,
            ", ".join(str(version.number) for version in source.versions),
            proposal.entity.name,
            str(len(set(proposal.names[source.schema].values()))),
            key,
            ", ".join(source.origins),
        )
        for source in proposal.sources
    ]


def summary(plan: Plan, project: Project) -> list[str]:
    """Return what would be written, a line for each folder and seed."""
    folders: dict[str, int] = {}
    for path in plan.files:
        folder = path.rpartition("/")[0]
        folders[folder] = folders.get(folder, 0) + 1
    lines = [f"{count:5d} new files in {folder}" for folder, count in sorted(folders.items())]
    lines += [f"{len(file.added):5d} rows to {file.path.relative_to(project.path)}" for file in plan.added]
    if plan.listed:
        lines.append(f"{len(plan.listed):5d} entities to variable {VARIABLE} in dbt_project.yml")
    return lines


def _print_list(out: Console, heading: str, lines: Sequence[str]) -> None:
    if lines and heading:
        out.print(f"\n{heading}")
    for line in lines:
        out.print(f"  {line}" if heading else line, highlight=False)


def _pair(option: str, text: str, example: str) -> tuple[str, str]:
    left, equals, right = (part.strip() for part in text.rpartition("="))
    if not (left and equals and right):
        raise EntrepotError(
            f"{option} {text} does not say {example.partition('=')[0]} and what it is.",
            f"For example: {option} {example}",
        )
    return left, right


def _entity(text: str) -> tuple[str, str]:
    pattern, name = _pair("--entity", text, "shop.sales.customer=customer")
    if canonical_name(name) != name:
        raise EntrepotError(
            f"An entity cannot be called {name}: it has small letters, digits and underscores, and begins with no digit.",
            f"For example: --entity {pattern}={canonical_name(name) or 'customer'}",
        )
    return pattern, name


def _pair_of_key(text: str) -> tuple[str, str]:
    return _pair("--key", text, "shop.sales.order_line=order_id,line_number")


def _columns(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
