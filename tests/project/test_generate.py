"""From landed tables to histories by `entrepot generate`: some of them awkward, compared with what plain Python says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from tests.landing.records import Line, Log
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome

pytestmark = pytest.mark.slow

PARTS = (
    "models/landing",
    "models/mapping",
    "models/ops/ops_unmapped_event.sql",
    "models/ops/ops_unmapped_event.yml",
    "seeds/mapping",
)
TYPES = {"id": "integer", "name": "text", "limit": "numeric(12,2)", "since": "timestamp"}
ODD = 'it\'s "odd", é'
# what the numbers and texts of records with types stand for
LIMIT = {"BOI=": Decimal("12.50"), "AA==": Decimal("0.00")}
SINCE = {1772323276410000: datetime(2026, 3, 1, 0, 1, 16, 410000)}
PAYMENT = "payment,1,payment_id,integer,true,Number\n"
STEELWORKS_SEEDS = ("schema_attribute", "entity_attribute", "unique_block")

Values = dict[str, Any]


@dataclass
class Source:
    """A source system whose tables change; remembers what their histories have to be."""

    log: Log
    lines: list[Line] = field(default_factory=list)
    lives: dict[str, dict[tuple[Any, ...], list[list[Any]]]] = field(default_factory=dict)

    def put(self, table: str, key: tuple[str, ...] | None, row: Values, types: dict[str, str] | None = None) -> None:
        """Insert a row, or update it where it is there."""
        keyed = {name: row[name] for name in key} if key else None
        life = self.lives.setdefault(table, {}).setdefault(tuple((keyed or {}).values()), [])
        there = bool(life) and life[-1][1]
        self.lines.append(self.log.change("x", "u" if there else "c", table, keyed, None, row, types))
        if there and life[-1][0] == row:
            return
        if there:
            life[-1][1] = False
        life.append([row, True])

    def delete(self, table: str, key: Values, row: Values, types: dict[str, str] | None = None) -> None:
        """Delete a row; of the others only the key is told."""
        before = {name: key.get(name) for name in row}
        self.lines.append(self.log.change("x", "d", table, key, before, None, types))
        self.lives[table][tuple(key.values())][-1][1] = False

    def history(self, table: str) -> list[tuple[Values, bool, bool]]:
        """The versions of all keys: their values, whether each is the first of its key, whether it is valid now."""
        return [
            (row, place == 0, is_valid)
            for life in self.lives[table].values()
            for place, (row, is_valid) in enumerate(life)
        ]


def weird(op: int, name: str | None, day: int = 20000) -> Values:
    return {"op": op, "Name": name, "name": "x", ODD: {"a": 1.5}, "dbt_valid_from": day, "on": [1, 2]}


def first_changes(shop: Source, crm: Source) -> None:
    """Tables as they come: with types and without, with words of SQL for names, of one name, without a key."""
    ada = {"id": 1, "name": "Ada", "limit": "BOI=", "since": 1772323276410000}
    shop.put("customer", ("id",), ada, TYPES)
    shop.put("customer", ("id",), ada | {"id": 2, "name": None}, TYPES)
    shop.put("customer", ("id",), ada | {"limit": "AA=="}, TYPES)
    shop.put("customer", ("id",), ada | {"limit": "AA=="}, TYPES)
    shop.delete("customer", {"id": 2}, ada, TYPES)
    shop.put("customer", ("id",), ada | {"id": 2, "name": "Bell"}, TYPES)
    shop.put("customer", ("id",), ada | {"city": "Linz"}, TYPES | {"city": "text"})
    for end in (1, 2):
        shop.put(
            "order-line",
            ("order", "end"),
            {"order": 7, "end": end, "pieces": 3, "from": "a", "left": True},
        )
    shop.put("order-line", ("order", "end"), {"order": 7, "end": 2, "pieces": 4, "from": "a", "left": False})
    shop.put("link", ("a", "b"), {"a": 1, "b": 2})
    shop.put("link", ("a", "b"), {"a": 1, "b": 3})
    shop.delete("link", {"a": 1, "b": 2}, {"a": 1, "b": 2})
    shop.put("Weird-Table é", ("op",), weird(1, "a"))
    shop.put("Weird-Table é", ("op",), weird(1, None))
    shop.put("log", None, {"line": "x"})
    shop.put("payment", ("id",), {"id": 1})
    shop.put("visit", ("id",), {"id": 1, "at": "2026-01-05T08:00:00Z"})
    crm.put("visit", ("id",), {"id": 1, "who": "Ada"})


@dataclass
class Landscape:
    """The project, with what has been said and done so far."""

    case: DbtCase
    shop: Source
    crm: Source
    said: list[str] = field(default_factory=list)

    def build(self, *options: str) -> Outcome:
        """Let what has been written arrive, and run a job."""
        for source in (self.shop, self.crm):
            self.case.put(f"arriving/{source.log.system}.jsonl", "".join(f"{line.text}\n" for line in source.lines))
        return self.case.build(*options)

    def generate(self, *options: str) -> str:
        """Run `entrepot generate` and return what it prints."""
        place = ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]
        result = CliRunner(env={"COLUMNS": "200"}).invoke(main, [*place, "generate", *options])
        assert result.exit_code == 0, result.output
        self.said.append(" ".join(result.output.split()))
        return self.said[-1]

    def tree(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.case.path)): path.read_text()
            for part in ("models", "snapshots", "docs", "seeds", "dbt_project.yml")
            for path in ([self.case.path / part] if part.endswith("yml") else self.case.path.joinpath(part).rglob("*"))
            if path.is_file()
        }

    def history(self, entity: str, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
        listed = ", ".join(f"`{column}`" for column in columns)
        return self.case.spark.answer(
            f"select {listed}, is_first_version, dbt_valid_to is null from {self.case.table('history', f'{entity}_history')}"
        )


@pytest.fixture(scope="module")
def landscape(module_case: Callable[..., DbtCase]) -> Landscape:
    """Land, generate, and build, as a person would."""
    case = module_case(parts=PARTS)
    for name in STEELWORKS_SEEDS:
        seed = case.path / f"seeds/mapping/{name}.csv"
        seed.write_text(seed.read_text().splitlines()[0] + "\n" + (PAYMENT if name == "entity_attribute" else ""))
    settings = (case.path / "dbt_project.yml").read_text()
    assert "- customer" in settings
    listed = settings.partition("  entities:\n")[2].partition("  entrepot_")[0]
    settings = settings.replace(listed, "").replace(
        "landing_path: data/recorded/*/*.jsonl", f"landing_path: {case.path}/arriving/*.jsonl"
    )
    (case.path / "dbt_project.yml").write_text(settings)
    found = Landscape(case, Source(Log("shop")), Source(Log("crm")))
    first_changes(found.shop, found.crm)
    found.build(*WITHOUT_TESTS)
    found.generate()
    found.generate("--yes")
    found.generate("--yes", "--entity", "crm.public.visit=crm_visit", "--exclude", "shop.public.log")
    found.build("--warn-error-options", '{"error": "all", "warn": ["UnusedResourceConfigPath"]}')
    return found


def test_the_plan_says_what_is_left_alone(landscape: Landscape) -> None:
    only_shown, said, _ = landscape.said
    assert only_shown.endswith("Nothing has been written: say --yes.")
    assert "shop.public.customer │ 1, 2 │ customer │ 5 │ id │ records" in said
    assert "shop.public.link │ 1 │ link │ 2 │ a, b │ values of 2 events" in said
    assert "Types from values: records without a schema have dates and times as numbers" in said
    assert "weird_table_e: dbt_valid_from becomes weird_table_e_dbt_valid_from" in said
    assert (
        "shop.public.log: its records have no key, and a history needs one. Say its business key: --key shop.public.log=line."
        in said
    )
    assert "shop.public.payment: the seed entity_attribute has an entity payment." in said
    assert "crm.public.visit: shop.public.visit would be visit, too." in said
    assert "5 rows to seeds/mapping/schema_attribute.csv" not in said


def test_nothing_is_to_be_generated_again(landscape: Landscape) -> None:
    before = landscape.tree()
    assert "Nothing to write" in landscape.generate("--yes")
    assert landscape.tree() == before


def test_histories_are_what_plain_python_says(landscape: Landscape) -> None:
    def rows(source: Source, table: str, of: Callable[[Values], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return sorted([(*of(row), first, valid) for row, first, valid in source.history(table)], key=repr)

    shop = landscape.shop
    assert landscape.history("customer", ("id", "name", "limit", "since", "city")) == rows(
        shop,
        "customer",
        lambda row: (row["id"], row["name"], LIMIT[row["limit"]], SINCE[row["since"]], row.get("city")),
    )
    assert landscape.history("order_line", ("order", "end", "pieces", "from", "left")) == rows(
        shop, "order-line", lambda row: tuple(row.values())
    )
    assert landscape.history("link", ("a", "b")) == rows(shop, "link", lambda row: tuple(row.values()))
    assert landscape.history(
        "weird_table_e", ("weird_table_e_op", "name", "name_2", "it_s_odd_e", "weird_table_e_dbt_valid_from", "on")
    ) == rows(
        shop,
        "Weird-Table é",
        lambda row: (row["op"], row["Name"], row["name"], '{"a":1.5}', row["dbt_valid_from"], ["1", "2"]),
    )
    assert landscape.history("visit", ("id", "at")) == [(1, datetime(2026, 1, 5, 8), True, True)]
    assert landscape.history("crm_visit", ("id", "who")) == [(1, "Ada", True, True)]


def test_what_is_valid_now(landscape: Landscape) -> None:
    case = landscape.case
    assert case.spark.answer(f"select id, name from {case.table('intermediate', 'int_customer_current')}") == [
        (1, "Ada"),
        (2, "Bell"),
    ]
    assert case.spark.answer(f"select a, b from {case.table('intermediate', 'int_link_current')}") == [(1, 3)]


@pytest.mark.long
def test_mapping_errors_of_generated_entities_are_seen(landscape: Landscape) -> None:
    case = landscape.case
    query = f"select schema_name, entity, reason from {case.table('ops', 'ops_unmapped_event')}"
    unmapped = [("shop.public.log", None, "no block"), ("shop.public.payment", None, "no block")]
    assert case.spark.rows(query) == unmapped
    landscape.shop.put(
        "order-line",
        ("order", "end"),
        {"order": 8, "end": 1, "pieces": "many", "from": "a", "left": True},
    )
    landscape.build(*WITHOUT_TESTS)
    told = "an image does not fit the types of its schema version: pieces"
    assert case.spark.rows(query) == sorted([*unmapped, ("shop.public.order-line", "order_line", told)], key=repr)


def test_a_mapped_model_that_the_variable_does_not_list(landscape: Landscape) -> None:
    """Somebody copies a mapped model by hand: nobody would see its mapping errors."""
    case = landscape.case
    settings = case.path / "dbt_project.yml"
    before = settings.read_text()
    assert "    - link\n" in before
    settings.write_text(before.replace("    - link\n", ""))
    try:
        outcome = case.dbt("build", "--select", "ops_unmapped_event")
        assert not outcome.success
        assert (
            "mapped_link maps to the entity link, which variable entities of dbt_project.yml does not list"
            in outcome.text
        )
        assert "1 entities to variable entities" in landscape.generate("--plan")
        landscape.generate("--yes")
        assert sorted(settings.read_text().splitlines()) == sorted(before.splitlines())
    finally:
        settings.write_text(before)
