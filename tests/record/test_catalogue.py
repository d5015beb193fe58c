"""Tables as PostgreSQL's own catalogue describes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.catalogue import CatalogueTable, catalogue_tables
from entrepot.mapping.types import canonical_type
from recorder.local_postgres import find_binaries, throw_away_postgres

psycopg = pytest.importorskip("psycopg")
pytestmark = [pytest.mark.record, pytest.mark.skipif(find_binaries() is None, reason="needs PostgreSQL's programs")]

DEFINED = """
create type mood as enum ('sad', 'happy');
create domain price as numeric(12,2);
create domain low_price as price check (value < 10);
create schema sales;
create table sales.item (
  name varchar(20), id bigserial primary key, price price, low low_price, mood mood, at timestamp(3) with time zone, tags text[],
  whole numeric, doubled numeric generated always as (whole * 2) stored, gone int, what jsonb, flags bit(8), "Odd name" "char"
);
alter table sales.item drop column gone;
comment on table sales.item is 'What is sold';
comment on column sales.item.name is 'Name, as printed';
create table line (item bigint, place int, number int not null, primary key (place, item));
create table by_index (a int not null, b int);
create unique index by_a on by_index (a);
alter table by_index replica identity using index by_a;
create table log (line text);
create table visit (id int, day date, primary key (id, day)) partition by range (day);
create table visit_2026 partition of visit for values from ('2026-01-01') to ('2027-01-01');
create view seen as select * from log;
"""


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    with throw_away_postgres() as found:
        with psycopg.connect(found, autocommit=True) as connection:
            connection.execute(DEFINED)
        yield found


@pytest.fixture(scope="module")
def tables(dsn: str) -> dict[str, CatalogueTable]:
    return catalogue_tables(dsn)


def test_tables(tables: dict[str, CatalogueTable]) -> None:
    assert sorted(tables) == [
        "public.by_index",
        "public.line",
        "public.log",
        "public.visit",
        "public.visit_2026",
        "sales.item",
    ]
    assert {name: table.partition_of for name, table in tables.items() if table.partition_of} == {
        "public.visit_2026": "visit"
    }
    assert tables["sales.item"].comment == "What is sold"


def test_columns_and_types(tables: dict[str, CatalogueTable]) -> None:
    """A domain is what it is made of; generated columns are not replicated."""
    found = {one.name: one.data_type for one in tables["sales.item"].attributes}
    assert found == {
        "name": "character varying(20)", "id": "bigint", "price": "numeric(12,2)", "low": "numeric(12,2)", "mood": "text",
        "at": "timestamp(3) with time zone", "tags": "text[]", "whole": "numeric", "what": "jsonb", "flags": "bit(8)", "Odd name": '"char"',
    }  # fmt: skip
    assert [one.position for one in tables["sales.item"].attributes] == list(range(1, 12))
    assert tables["sales.item"].attributes[0].comment == "Name, as printed"
    assert [canonical_type(one or "") for one in found.values()] == [
        "string", "integer", "decimal(12,2)", "decimal(12,2)", "string", "timestamp", "array<string>", "number", "json", "string", "string",
    ]  # fmt: skip


def test_keys(tables: dict[str, CatalogueTable]) -> None:
    keys = {name: [one.name for one in table.attributes if one.is_key] for name, table in tables.items()}
    assert keys == {
        "sales.item": ["id"], "public.line": ["item", "place"], "public.by_index": ["a"], "public.log": [],
        "public.visit": ["id", "day"], "public.visit_2026": ["id", "day"],
    }  # fmt: skip


def test_databases_that_cannot_be_asked(dsn: str) -> None:
    with pytest.raises(EnvironmentProblemError, match="The database of --dsn does not answer"):
        catalogue_tables("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(EntrepotError, match="--dsn cannot be read"):
        catalogue_tables("postgresql:/what is this")
