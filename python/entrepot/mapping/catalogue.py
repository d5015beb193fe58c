"""Tables of a PostgreSQL database as its catalogue describes them: columns, types, keys, comments, partitions."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.paths import quoted
from entrepot.mapping.trees import Attribute

# a domain is what it is made of, an enum travels as text; PostgreSQL does not replicate generated columns
QUERY = """
with recursive base as (
  select oid, oid as of_type, -1 as modifier from pg_type where typtype <> 'd'
  union all
  select domain.oid, base.of_type, case when base.modifier = -1 then domain.typtypmod else base.modifier end
  from pg_type as domain inner join base on domain.typbasetype = base.oid where domain.typtype = 'd'
)
select
  namespace.nspname, class.relname, coalesce(obj_description(class.oid, 'pg_class'), ''),
  case when class.relispartition then (select inhparent::regclass::text from pg_inherits where inhrelid = class.oid limit 1) end,
  attribute.attname,
  case when kind.typtype = 'e' then 'text'
    else format_type(base.of_type, case when base.modifier = -1 then attribute.atttypmod else base.modifier end) end,
  row_number() over (partition by class.oid order by attribute.attnum),
  coalesce(attribute.attnum = any (identity.indkey::int2[]), false),
  coalesce(col_description(class.oid, attribute.attnum), '')
from pg_class as class
inner join pg_namespace as namespace on class.relnamespace = namespace.oid
inner join pg_attribute as attribute on class.oid = attribute.attrelid
inner join base on attribute.atttypid = base.oid
inner join pg_type as kind on base.of_type = kind.oid
left join lateral (
  select indkey from pg_index
  where indrelid = class.oid and (indisprimary or indisreplident and class.relreplident = 'i')
  order by indisprimary desc limit 1
) as identity on true
where class.relkind in ('r', 'p') and attribute.attnum > 0 and not attribute.attisdropped and attribute.attgenerated = ''
  and namespace.nspname <> 'information_schema' and namespace.nspname not like 'pg\\_%'
order by 1, 2, 7
"""
ROOM = 10  # seconds until a database that does not answer is given up


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table as the catalogue describes it.

    Attributes:
        attributes: its columns
        comment: what the database says of it; empty where nothing
        partition_of: the table that it is a partition of; None where it is none
    """

    attributes: tuple[Attribute, ...]
    comment: str
    partition_of: str | None


def catalogue_tables(dsn: str) -> dict[str, CatalogueTable]:
    """Return all tables of a database, {schema.table: table}.

    Raises:
        EnvironmentProblemError: there is no driver, or the database does not answer
        EntrepotError: the text is no connection string
    """
    psycopg = _driver()
    try:
        with psycopg.connect(dsn, connect_timeout=ROOM, application_name="entrepot generate") as connection:
            return tables_of(connection.execute(QUERY).fetchall())
    except psycopg.ProgrammingError as error:
        raise EntrepotError(
            f"--dsn cannot be read: {str(error).strip()}.", "For example: --dsn postgresql://reader@database:5432/shop"
        ) from error
    except psycopg.Error as error:
        raise EnvironmentProblemError(
            f"The database of --dsn does not answer: {' '.join(str(error).split())}.", "Correct --dsn, or leave it out."
        ) from error


def _driver() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError as error:
        raise EnvironmentProblemError(
            "--dsn needs a PostgreSQL driver, and psycopg is not installed.",
            "Say `pip install 'entrepot[catalogue]'`, or `make setup-record` in a clone of entrepot.",
        ) from error


def tables_of(rows: Iterable[tuple[Any, ...]]) -> dict[str, CatalogueTable]:
    """Return the tables that rows of the query describe."""
    attributes: dict[str, list[Attribute]] = {}
    about: dict[str, tuple[str, str | None]] = {}
    for namespace, table, comment, parent, name, data_type, position, is_key, said in rows:
        about[f"{namespace}.{table}"] = (comment, parent)
        attributes.setdefault(f"{namespace}.{table}", []).append(
            Attribute(quoted(name), data_type, position, is_key, said)
        )
    return {name: CatalogueTable(tuple(attributes[name]), *said) for name, said in about.items()}
