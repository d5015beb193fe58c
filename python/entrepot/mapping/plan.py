"""The plan of `entrepot generate`: which schemas become which entities, what is written, and what is left alone and why."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain, count

from entrepot.errors import EntrepotError
from entrepot.mapping.catalogue import CatalogueTable
from entrepot.mapping.files import entity_files, is_jinja
from entrepot.mapping.names import LONGEST, canonical_name, fits_a_seed, no_entity, table_of
from entrepot.mapping.placing import with_rows
from entrepot.mapping.project import Project
from entrepot.mapping.proposal import Proposal, propose
from entrepot.mapping.seeds import Row, SeedFile, Seeds
from entrepot.mapping.sources import Source, source_of
from entrepot.mapping.trees import Entity, Version
from entrepot.mapping.values import MAP, Seen

Look = Callable[[Sequence[str]], Mapping[str, Seen]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person has asked for.

    Attributes:
        patterns: names of schemas, with `*` and `?`; none means all that have landed
        excluded: patterns of schemas to leave out
        entities: (pattern of schemas, entity) pairs: what they shall be called
        keys: {schema: attributes}: business keys
        owner: whose new rows of the seeds are; None where nobody has said it
    """

    patterns: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    owner: str | None = None

    def chooses(self, schema: str) -> bool:
        """Whether a schema is asked for."""
        return (not self.patterns or _matches(schema, self.patterns)) and not _matches(schema, self.excluded)

    def entity_of(self, schema: str) -> str | None:
        """Return what a schema's entity shall be called; None where nobody has said it."""
        return next((entity for pattern, entity in self.entities if fnmatchcase(schema, pattern)), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written.

    Attributes:
        proposals: new entities
        without_model: entities of the seeds that have no mapped model yet
        left: {schema, or entity of the seeds: why it is left alone, and what to do}
        mapped: schemas that are mapped already
        files: {path within the project: text} of new files
        kept: {path: where what it would hold is} of files that are not written
        seeds: the seeds, with rows that are to be appended
        listed: entities to add to the variable `entities`
    """

    proposals: tuple[Proposal, ...]
    without_model: tuple[Entity, ...]
    left: dict[str, str]
    mapped: tuple[str, ...]
    files: dict[str, str]
    kept: dict[str, str]
    seeds: Seeds
    listed: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written."""
        return not (self.files or self.added or self.listed)

    @property
    def added(self) -> tuple[SeedFile, ...]:
        """The files of the seeds to which rows are to be appended."""
        return tuple(file for file in self.seeds.files if file.added)


def plan_of(
    project: Project,
    landed: Iterable[Version],
    wanted: Wanted,
    look: Look = lambda schemas: {},
    tables: Mapping[str, CatalogueTable] | None = None,
) -> Plan:
    """Return the plan.

    Args:
        project: the project to write into
        landed: schema versions that events have shown
        wanted: what a person has asked for
        look: looks at the values of schemas without types
        tables: the tables of a database's catalogue, by the names of their schemas

    Raises:
        EntrepotError: something is asked for that is not there
    """
    tables = tables or {}
    versions = _versions(project, landed)
    known = [*versions, *(name for name in tables if name not in versions and (wanted.patterns or not versions))]
    chosen = [schema for schema in known if wanted.chooses(schema)]
    _check(wanted, known, chosen)
    blocks = project.seeds.mapped()
    named, left = _entities([schema for schema in chosen if schema not in blocks], wanted, tables, project)
    without_types = [
        one for schemas in named.values() for one in schemas if _lacks_types(versions.get(one, []), tables.get(one))
    ]
    seen = look(without_types) if without_types else {}
    proposals = []
    for entity, schemas in named.items():
        sources = [source_of(one, versions.get(one, []), tables.get(one), seen.get(one)) for one in schemas]
        _check_keys(wanted.keys, sources)
        proposal = propose(entity, sources, wanted.keys)
        problem = proposal if isinstance(proposal, str) else _is_there(project, proposal)
        if isinstance(proposal, Proposal) and problem is None:
            proposals.append(proposal)
        elif problem is not None:
            left |= dict.fromkeys(schemas, problem)
    without_model = []
    for one in project.seeds.entities().values():
        if one.name not in project.entities and any(wanted.chooses(schema) for schema in one.schemas):
            if why := _unwritable(project, one):
                left[f"the entity {one.name}"] = why
            else:
                without_model.append(one)
    mapped = tuple(schema for schema in chosen if schema in blocks)
    return _written(project, proposals, without_model, left, mapped, wanted.owner)


def _versions(project: Project, landed: Iterable[Version]) -> dict[str, list[Version]]:
    """All versions by schema; of the same number the registered one counts."""
    found = {(one.schema, one.number): one for one in landed}
    found |= {(one.schema, one.number): one for one in project.seeds.versions()}
    by_schema: dict[str, list[Version]] = {}
    for _, version in sorted(found.items()):
        by_schema.setdefault(version.schema, []).append(version)
    return by_schema


def _lacks_types(versions: Sequence[Version], table: CatalogueTable | None) -> bool:
    """Whether values have to be looked at: nothing says the type of an attribute, or what is in a map."""
    told = {one.name for version in versions for one in version.attributes if one.data_type}
    told |= {one.name for one in table.attributes} if table else set()
    return any(
        one.name not in told or one.data_type == MAP
        for version in versions
        if not version.is_registered
        for one in version.attributes
    )


def _entities(
    schemas: Sequence[str], wanted: Wanted, tables: Mapping[str, CatalogueTable], project: Project
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return {entity: schemas that become it}, and {schema: why} of those that cannot be one."""
    named: dict[str, list[str]] = {}
    left: dict[str, str] = {}
    for schema in sorted(schemas):
        table, said = tables.get(schema), wanted.entity_of(schema)
        entity = said or canonical_name(table_of(schema))
        if len(entity.encode()) > LONGEST:
            size = len(entity.encode())
            left[schema] = (
                f"{'its entity' if said else 'its table'} has a name of {len(entity)} characters, and {size} bytes: files and tables that are "
                f"called by it have room for {LONGEST}. Say a shorter one: --entity '{_shortened(schema)}=name'"
            )
        elif not fits_a_seed(entity):
            left[schema] = (
                f"its table has no letter or digit that an entity could be called by. Say --entity '{schema}=name'"
            )
        elif table and table.partition_of and not said:
            parent = canonical_name(table_of(table.partition_of.replace('"', "")))
            left[schema] = (
                f"it is a partition of {table.partition_of}. Say --entity '{_stem(schema)}*={parent}' where its partitions "
                "shall be one entity, or let the publication send them as their table (publish_via_partition_root)"
            )
        else:
            named.setdefault(entity, []).append(schema)
    taken = {*named, *(name.lower() for name in project.seeds.entities())}
    for entity, several in named.items():
        silent = [schema for schema in several if not wanted.entity_of(schema)]
        if len(several) > 1 and silent:
            for schema in silent:
                others = [one for one in several if one != schema]
                left[schema] = _too(schema, entity, others, offered := _qualified(schema, taken))
                taken.add(offered)
            named[entity] = [schema for schema in several if schema not in silent]
    return {entity: several for entity, several in named.items() if several}, left


def _too(schema: str, entity: str, others: Sequence[str], offered: str) -> str:
    """Why one of several tables of a name is left alone."""
    return (
        f"{' and '.join(others)} would be {entity}, too. Say {_entity_option(schema, offered)}, or the same entity for "
        "all of them where they are one"
    )


def _is_there(project: Project, proposal: Proposal) -> str | None:
    """Return why an entity cannot be written because there is one of its name; None where there is none, or an interrupted run wrote it."""
    entity, schema = proposal.entity, proposal.sources[0].schema
    seeds = project.seeds.entities()
    offered = _qualified(schema, [name.lower() for name in seeds])
    if entity.name in project.foreign:
        return (
            f"an installed package describes a model mapped_{entity.name}, and dbt takes that for the one of this project. "
            f"Say {_entity_option(schema, offered)}"
        )
    there = seeds.get(entity.name) or next((one for name, one in seeds.items() if name.lower() == entity.name), None)
    if there is None:
        return None
    same = [(one.name, one.data_type, one.is_key) for one in there.attributes]
    if (
        there.name == entity.name
        and not there.schemas
        and same == [(one.name, one.data_type, one.is_key) for one in entity.attributes]
    ):
        return None
    return (
        f"the seed entity_attribute has an entity {there.name}. Say {_entity_option(schema, offered)}, or map it to that one by "
        "rows in unique_block.csv (docs/mapping.md)"
    )


def _unwritable(project: Project, entity: Entity) -> str | None:
    """Return why an entity of the seeds cannot have its files; None where it can."""
    alike = [name for name in project.seeds.entities() if name != entity.name and name.lower() == entity.name.lower()]
    if wrong := no_entity(entity.name):
        given, instead = wrong
        return f"{given}. {instead}, in entity_attribute and unique_block"
    if alike:
        return f"{entity.name} and {alike[0]} are one table to Spark. Write another name in entity_attribute and unique_block"
    if not entity.keys:
        return (
            "it has no key, and a history needs one. Write true into is_key of its business key in entity_attribute, or "
            "write its mapped model yourself (docs/mapping.md)"
        )
    if evaluated := [one.name for one in entity.attributes if is_jinja(one.name)]:
        return (
            f"dbt would evaluate the name of its attribute {evaluated[0]}. Give the attribute another name in entity_attribute and "
            "unique_block, or write its model and history yourself (docs/mapping.md)"
        )
    return None


def _written(
    project: Project,
    proposals: Sequence[Proposal],
    without_model: Sequence[Entity],
    left: dict[str, str],
    mapped: tuple[str, ...],
    owner: str | None,
) -> Plan:
    """The plan, with the files and rows that are not there yet."""
    files: dict[str, str] = {}
    kept: dict[str, str] = {}
    entities = [*(proposal.entity for proposal in proposals), *without_model]
    for entity in entities:
        for path, (node, text) in entity_files(entity, project).items():
            at = project.nodes.get(node, path)
            if project.has(path) or at.rpartition(".")[0] != path.rpartition(".")[0]:
                kept[path] = at
            else:
                files[path] = text
    there = {
        name: set(map(_identity, getattr(project.seeds, name).rows))
        for name in ("schema_attribute", "entity_attribute")
    }
    rows = {
        "entity_attribute": [row for one in proposals for row in one.entity_rows()],
        "schema_attribute": [row for one in proposals for row in one.schema_rows()],
        "unique_block": [row for one in proposals for row in one.block_rows()],
    }
    for name, known in there.items():
        rows[name] = [row for row in rows[name] if _identity(row) not in known]
    with_model = {*project.entities, *(entity.name for entity in entities)}
    listed = tuple(sorted(with_model - set(project.listed)))
    seeds = with_rows(project.seeds, rows, owner)
    return Plan(tuple(proposals), tuple(without_model), left, mapped, files, kept, seeds, listed)


def _identity(row: Row) -> tuple[str, ...]:
    """What a row of a seed is about."""
    names = ("schema", "version", "attribute") if "schema" in row else ("entity", "entity_version", "entity_attribute")
    return tuple(row[name] for name in names)


def _check(wanted: Wanted, known: Sequence[str], chosen: Sequence[str]) -> None:
    """Refuse what names nothing.

    Raises:
        EntrepotError: with what there is
    """
    there = (
        f"There are {', '.join(sorted(known)[:20])}{' …' if len(known) > 20 else ''}." if known else "None is known."
    )
    for pattern in (*wanted.patterns, *wanted.excluded):
        if not any(fnmatchcase(schema, pattern) for schema in known):
            raise EntrepotError(f"{pattern} names no source schema.", there)
    for option, patterns in (("--entity", [one for one, _ in wanted.entities]), ("--key", list(wanted.keys))):
        for pattern in patterns:
            if not any(fnmatchcase(schema, pattern) for schema in chosen):
                raise EntrepotError(f"{option} {pattern}=… names no source schema that is asked for.", there)


def _check_keys(keys: Mapping[str, Sequence[str]], sources: Sequence[Source]) -> None:
    for source in sources:
        names = [one.name for one in source.newest.attributes]
        if missing := [name for name in keys.get(source.schema, ()) if name not in names]:
            raise EntrepotError(
                f"--key {source.schema}={','.join(keys[source.schema])}: it has no {', '.join(missing)}.",
                f"It has {', '.join(names)}.",
            )


def _matches(schema: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(schema, pattern) for pattern in patterns)


def _qualified(schema: str, taken: Collection[str] = ()) -> str:
    """A name for an entity that tells tables of one name apart: of as many parts of the schema's as it needs, then with a number.

    >>> _qualified("shop.sales.customer"), _qualified("shop.sales.customer", ["sales_customer"])
    ('sales_customer', 'shop_sales_customer')
    >>> _qualified("shop.sales.customer", ["sales_customer", "shop_sales_customer"])
    'shop_sales_customer_2'
    """
    parts = schema.split(".")
    names = ["_".join(filter(None, map(canonical_name, parts[-size:]))) for size in range(2, max(len(parts), 2) + 1)]
    numbered = (f"{names[-1]}_{number}" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in taken)


def _entity_option(schema: str, entity: str) -> str:
    """The option that names a schema's entity, as a shell takes it.

    >>> _entity_option("shop.public.a", "b"), _entity_option("shop.public.my table", "b")
    ('--entity shop.public.a=b', "--entity 'shop.public.my table=b'")
    """
    return f"--entity {shlex.quote(f'{schema}={entity}')}"


def _shortened(schema: str) -> str:
    """A pattern for a schema whose name fills the screen.

    >>> _shortened("shop.public." + 300 * "x")
    'shop.public.xxxxxxxxxxxx*'
    """
    return schema if len(schema) <= LONGEST else f"{schema[:24]}*"


def _stem(schema: str) -> str:
    """What partitions of a table have in common: the name up to its first digit.

    >>> _stem("shop.public.order_2026_01"), _stem("shop.public.order_default")
    ('shop.public.order_', 'shop.public.order_')
    """
    system, _, table = schema.rpartition(".")
    cut = next((place for place, letter in enumerate(table) if letter.isdigit()), table.rfind("_") + 1)
    return f"{system}.{table[:cut]}"
