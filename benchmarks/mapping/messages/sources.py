"""Source schemas of one entity, many versions of each: every version's block is another one, so that none share a block."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from entrepot.mapping.seeds import COLUMNS

ENTITY = "thing"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of the entity, and how sources have it in their first version.

    Attributes:
        name: of the entity
        canonical: its type
        source: type in the source's first version
        json: SQL of its value in an event's JSON, made of the row's number `id`
        wire: Spark's type of that value in JSON
        typed: what a projection written by hand makes of it, `{}` being the parsed field
    """

    name: str
    canonical: str
    source: str
    json: str
    wire: str
    typed: str = "{}"


# as entrepot orders them: keys first
ATTRIBUTES = (
    Attribute("thing_id", "integer", "bigint", "id div 3", "bigint"),
    Attribute("amount", "decimal(14,2)", "numeric(12,2)", "cast(cast(id % 99991 / 100 as decimal(12,2)) as string)",
              "string", "cast({} as decimal(14,2))"),
    Attribute("changed_at", "timestamp", "timestamptz",
              "date_format(timestamp_micros(1700000000000000 + id * 1000), \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")",
              "string", "cast({} as timestamp)"),
    Attribute("code", "text", "varchar(80)", "concat('C', id % 10000)", "string"),
    Attribute("is_open", "boolean", "boolean", "id % 2 = 0", "boolean"),
    Attribute("name", "text", "text", "concat('name ', id)", "string"),
    Attribute("note", "text", "text", "if(id % 5 = 0, null, repeat('n', cast(id % 80 as int)))", "string"),
    Attribute("opened_on", "date", "date", "cast(id % 20000 as int)", "int", "date_add(date '1970-01-01', {})"),
    Attribute("pieces", "integer", "integer", "id % 1000", "int", "cast({} as bigint)"),
    Attribute("status", "text", "text", "element_at(array('new', 'open', 'done'), cast(id % 3 as int) + 1)", "string"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute of a schema version.

    Attributes:
        name: in the source
        data_type: PostgreSQL's type
        fills: what it becomes; None of one that nothing maps
        renamed_from: its name in the version before; empty where it had the same
    """

    name: str
    data_type: str
    fills: Attribute | None
    renamed_from: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a source schema."""

    schema: str
    number: int
    fields: tuple[Field, ...]

    def source_of(self, attribute: Attribute) -> Field | None:
        """Return the field that fills an attribute of the entity; None where none does."""
        return next((field for field in self.fields if field.fills == attribute), None)


def versions(schemas: int, count: int) -> list[Version]:
    """Return so many versions of so many schemas, each with a block of its own.

    Each version renames, retypes or replaces one attribute of the version before: the third kind takes a mapped attribute away.

    >>> first, second = versions(1, 2)
    >>> [field.name for field in second.fields if field not in first.fields], second.fields[1].renamed_from
    (['s000_name_2'], 's000_name')
    """
    found = []
    for schema in range(schemas):
        fields = tuple(Field(f"s{schema:03}_{one.name}", one.source, one) for one in ATTRIBUTES)
        for number in range(1, count + 1):
            if number > 1:
                fields = _changed(fields, number)
            found.append(Version(f"bench.public.source_{schema:03}", number, fields))
    return found


def _changed(fields: Sequence[Field], number: int) -> tuple[Field, ...]:
    """The fields of the next version."""
    now = [replace(field, renamed_from="") for field in fields]
    mapped = [at for at, field in enumerate(now) if field.fills and at > 0]
    at = mapped[(number - 2) % len(mapped)]
    field = now[at]
    if number % 5 == 0:
        now[at] = Field(f"{field.name}_other", "text", None)
    else:
        now[at] = replace(field, name=f"{field.name}_{number}", renamed_from=field.name)
    return tuple(now)


def write_seeds(found: Iterable[Version], folder: Path) -> None:
    """Write the three seeds: all versions, the entity, and each schema's first block, which the later versions inherit."""
    found = list(found)
    rows: dict[str, Iterator[Sequence[object]]] = {
        "schema_attribute": (
            [one.schema, one.number, field.name, field.data_type, position, "true" if position == 1 else "", field.renamed_from]
            for one in found
            for position, field in enumerate(one.fields, 1)
        ),
        "entity_attribute": (
            [ENTITY, 1, one.name, one.canonical, "true" if at == 0 else "", f"The {one.name} of a thing."]
            for at, one in enumerate(ATTRIBUTES)
        ),
        "unique_block": (
            [one.schema, 1, ENTITY, 1, field.name, field.fills.name]
            for one in found
            if one.number == 1
            for field in one.fields
            if field.fills
        ),
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for seed, lines in rows.items():
        with (folder / f"{seed}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS[seed])
            writer.writerows(lines)


def events_sql(found: Sequence[Version], count: int) -> str:
    """Return the SQL of so many change events of these versions, in turn, with the columns of `landing.change_event`, laid out as landing does.

    Of ten events four are inserts, five updates and one a delete, whose before image has the key only.
    """
    values = ",\n  ".join(f"to_json(named_struct('v', {one.json})) as v{at}" for at, one in enumerate(ATTRIBUTES))
    images = {image: _image_sql(image) for image in ("after", "before")}
    rows = ", ".join(f"({at}, '{one.schema}', {one.number}, array({_names(one)}))" for at, one in enumerate(found))
    return f"""with version as (select * from values {rows} as (place, schema_name, schema_version, names)),
numbered as (
  select id, pmod(xxhash64(id), {len(found)}) as place, substring('cuucuucucd', cast(id % 10 as int) + 1, 1) as op,
  {values}
  from range({count})
)
select /*+ broadcast(version) */
  concat('e', id) as event_id, 'bench' as source_system, cast(null as string) as source_database, schema_name, schema_version, op,
  concat('{{"id":', id div 3, '}}') as event_key, {images["before"]} as before, {images["after"]} as after,
  named_struct('committed_at', timestamp_micros(1700000000000000 + id), 'source_system', 'bench', 'log_commit', id, 'log_position', id,
    'log_serial', 0, 'event_id', concat('e', id)) as commit_position,
  timestamp_micros(1700000000000000 + id) as committed_at, cast(id as string) as transaction_id, current_timestamp() as landed_at,
  'bench' as landed_from, id as landed_offset, false as is_typed,
  -- as landing finds in these records: decimals travel as texts, and a second's fraction is part of a text
  false as has_fractions
from numbered inner join version using (place)
sort by schema_name"""


def _names(version: Version) -> str:
    """The names of a version's fields, in the order of their values; what nothing maps has the values of what it replaced."""
    return ", ".join(f"'{field.name}'" for field in version.fields)


def _image_sql(image: str) -> str:
    """SQL of an image: each value as JSON behind its name in the version; a null is written out."""
    pairs = []
    for at in range(len(ATTRIBUTES)):
        text = f"if(v{at} = '{{}}', 'null', substring(v{at}, 6, length(v{at}) - 6))"
        pairs.append(f"""concat('"', names[{at}], '":', {text})""")
    whole = f"concat('{{', concat_ws(',', {', '.join(pairs)}), '}}')"
    if image == "after":
        return f"if(op = 'd', null, {whole})"
    key = f"concat('{{', {pairs[0]}, '}}')"
    return f"case op when 'c' then null when 'd' then {key} else {whole} end"
