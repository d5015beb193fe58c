"""What `entrepot generate` plans and writes, from values; no Spark, no database."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt_common.clients.jinja import DocumentationExtension
from jinja2 import Environment
from yamllint import linter
from yamllint.config import YamlLintConfig

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping import writing
from entrepot.mapping.catalogue import CatalogueTable, tables_of
from entrepot.mapping.checks import failures_of
from entrepot.mapping.files import docs_blocks, entity_files
from entrepot.mapping.paths import same_reach
from entrepot.mapping.plan import Plan, Wanted, plan_of
from entrepot.mapping.project import read_project
from entrepot.mapping.seeds import COLUMNS, Row, read_seed
from entrepot.mapping.trees import Attribute, Version
from entrepot.mapping.values import Seen, look_at
from tests.conftest import ROOT

SETTINGS = """# ours
name: entrepot
docs-paths: [docs/dbt]
vars:
  landing_path: x  # here
  entities:
    - item
  other: 1
"""


class Fork:
    """A project with the mapping's seeds, and an entity `item` that a person has written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.put("dbt_project.yml", SETTINGS)
        self.put("models/mapped/mapped_item.sql", "{{ map_to_entity('item') }}\n")
        self.seed("schema_attribute", "shop.public.item,1,code,text,1,true,\n")
        self.seed("entity_attribute", "item,1,code,string,true,Code\n")
        self.seed("unique_block", "shop.public.item,1,item,1,code,code\n")

    def put(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def seed(self, name: str, rows: str) -> None:
        self.put(f"seeds/mapping/{name}.csv", ",".join(COLUMNS[name]) + "\n" + rows)

    def rows(self, name: str) -> list[str]:
        """The rows of a seed behind those that the person has written."""
        with (self.path / f"seeds/mapping/{name}.csv").open(newline="") as file:
            return [",".join(row) for row in list(csv.reader(file))[2:]]

    def files(self) -> dict[str, str]:
        return {str(one.relative_to(self.path)): one.read_text() for one in self.path.rglob("*") if one.is_file()}

    def plan(self, landed: Sequence[Version], *patterns: str, **more: Any) -> Plan:
        tables = more.pop("tables", None)
        look = more.pop("look", lambda schemas: {})
        return plan_of(read_project(self.path), landed, Wanted(patterns, **more), look, tables)

    def write(self, plan: Plan) -> list[str]:
        seeds = {name: (self.path / f"seeds/mapping/{name}.csv", ",", name) for name in COLUMNS}
        refused = failures_of(seeds)
        left = writing.write(plan, read_project(self.path))
        assert failures_of(seeds) == refused, "no row that is generated is refused"
        return left


def added(plan: Plan, name: str) -> list[Row]:
    return [row for file in plan.added if file.path.stem == name for row in file.added]


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    return Fork(tmp_path)


def version(schema: str, number: int = 1, /, **types: str | None) -> Version:
    """A version; the first attribute is the key, unless its name begins with `no_`."""
    attributes = [
        Attribute(name, data_type, place, place == 1 and not name.startswith("no_"))
        for place, (name, data_type) in enumerate(types.items(), 1)
    ]
    return Version(f"shop.public.{schema}", number, tuple(attributes))


CUSTOMER = version("customer", id="integer", name="text", limit="numeric(12,2)")


def test_a_table_becomes_an_entity(fork: Fork) -> None:
    plan = fork.plan([CUSTOMER])
    assert [one.entity.name for one in plan.proposals] == ["customer"]
    assert sorted(plan.files) == [
        "docs/dbt/entities/customer.md", "models/intermediate/int_customer_current.sql",
        "models/intermediate/int_customer_current.yml", "models/mapped/mapped_customer.sql", "models/mapped/mapped_customer.yml",
        "snapshots/customer_history.yml",
    ]  # fmt: skip
    assert fork.write(plan) == []
    assert fork.rows("schema_attribute") == [
        "shop.public.customer,1,id,integer,1,true,", "shop.public.customer,1,name,text,2,false,",
        "shop.public.customer,1,limit,numeric(12,2),3,false,",
    ]  # fmt: skip
    assert '"numeric(12,2)"' in (fork.path / "seeds/mapping/schema_attribute.csv").read_text()
    assert fork.rows("entity_attribute") == [
        "customer,1,id,integer,true,Column id of shop.public.customer",
        "customer,1,name,string,false,Column name of shop.public.customer",
        "customer,1,limit,decimal(12,2),false,Column limit of shop.public.customer",
    ]
    assert fork.rows("unique_block") == [
        f"shop.public.customer,1,customer,1,{name},{name}" for name in ("id", "name", "limit")
    ]
    assert (fork.path / "dbt_project.yml").read_text() == SETTINGS.replace("- item\n", "- item\n    - customer\n")


def test_again_there_is_nothing_to_write(fork: Fork) -> None:
    landed = [CUSTOMER, version("note", a="text")]
    fork.write(fork.plan(landed))
    before = fork.files()
    again = fork.plan(landed)
    assert again.is_empty and not again.proposals
    fork.write(again)
    assert fork.files() == before


@pytest.mark.parametrize("kill_after", range(11))
def test_a_killed_run_is_repeated(
    fork: Fork, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, kill_after: int
) -> None:
    twin = Fork(tmp_path_factory.mktemp("twin"))
    twin.write(twin.plan([CUSTOMER]))
    calls = iter(range(100))
    write = writing.replace

    def killed(path: Path, content: bytes) -> None:
        if next(calls) >= kill_after:
            raise KeyboardInterrupt
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(writing, "replace", killed)
        if kill_after < 10:
            with pytest.raises(KeyboardInterrupt):
                fork.write(fork.plan([CUSTOMER]))
        else:
            fork.write(fork.plan([CUSTOMER]))
    fork.write(fork.plan([CUSTOMER]))
    assert fork.files() == twin.files()


def test_what_a_person_has_edited_stays(fork: Fork) -> None:
    fork.put("models/mapped/mapped_customer.sql", "-- mine\n")
    fork.put("snapshots/all.yml", "snapshots: [{name: customer_history, relation: ref('mapped_customer')}]\n")
    plan = fork.plan([CUSTOMER])
    fork.write(plan)
    assert (fork.path / "models/mapped/mapped_customer.sql").read_text() == "-- mine\n"
    assert plan.kept == {
        "models/mapped/mapped_customer.sql": "models/mapped/mapped_customer.sql",
        "snapshots/customer_history.yml": "snapshots/all.yml",
    }
    assert not (fork.path / "snapshots/customer_history.yml").exists()
    assert (fork.path / "models/mapped/mapped_customer.yml").exists()


def test_docs_blocks_that_are_there_are_not_written_again(fork: Fork) -> None:
    fork.put("docs/dbt/all.md", "{% docs customer__name %}\nOurs.\n{% enddocs %}\n")
    fork.put("docs/dbt/entities/customer.md", "Ours.\n")
    text = fork.plan([CUSTOMER]).files["docs/dbt/entities/customer_2.md"]
    assert "customer__id" in text and "customer__name" not in text


def test_entities_of_the_seeds_without_models(fork: Fork) -> None:
    """Somebody has written the mapping; its files follow from it."""
    fork.seed(
        "entity_attribute",
        'client,1,number,integer,true,Number\nclient,1,limit,"decimal(9, 2)",false,Most\nempty,1,a,string,false,\n',
    )
    fork.seed(
        "unique_block",
        "shop.public.item,1,item,1,code,code\nshop.public.customer,1,client,1,id,number\nshop.public.x,1,empty,1,a,a\n",
    )
    plan = fork.plan([CUSTOMER])
    assert ([one.name for one in plan.without_model], plan.proposals, bool(plan.added)) == (
        ["client"],
        (),
        False,
    )
    assert "shop.public.customer in the seed" in plan.files["models/mapped/mapped_client.yml"].replace("\n     ", "")
    assert "limit:decimal(9,2)" in plan.files["models/mapped/mapped_client.yml"]
    fork.write(plan)
    assert fork.plan([CUSTOMER]).is_empty


def test_versions(fork: Fork) -> None:
    """A block for each version with other attributes; types that take all versions' values; a possible rename is said, not guessed."""
    landed = [
        version("a", 1, id="integer", x="integer", old="date"),
        version("a", 2, id="integer", x="numeric(12,2)", old="date"),
        version("a", 3, id="bigint", x="text", new="timestamp"),
    ]
    plan = fork.plan(landed)
    fork.write(plan)
    assert fork.rows("unique_block") == [
        *(f"shop.public.a,1,a,1,{name},{name}" for name in ("id", "x", "old")),
        *(f"shop.public.a,3,a,1,{name},{name}" for name in ("id", "x", "new")),
    ]
    assert [row.split(",")[2:4] for row in fork.rows("entity_attribute")] == [
        ["id", "integer"], ["x", "string"], ["old", "date"], ["new", "timestamp"],
    ]  # fmt: skip
    notes = " ".join(plan.proposals[0].notes)
    assert "version 3 has new and no old any more" in notes
    assert "x is integer and decimal(12,2) and string in its versions: string" in notes


def test_registered_versions_and_renames(fork: Fork) -> None:
    """Versions of the seed are not written again, and what it says was renamed goes on under its first name."""
    fork.seed("schema_attribute", "".join([
        "shop.public.item,1,code,text,1,true,\n", "shop.public.a,1,id,integer,1,true,\n", "shop.public.a,1,mail,,2,false,\n",
        "shop.public.a,2,id,integer,1,true,\n", "shop.public.a,2,email,text,2,false,mail\n",
    ]))  # fmt: skip
    plan = fork.plan([version("a", 2, id=None, email=None)])
    assert added(plan, "schema_attribute") == []
    assert [(row["version"], row["attribute"], row["entity_attribute"]) for row in added(plan, "unique_block")] == [
        ("1", "id", "id"), ("1", "mail", "mail"), ("2", "id", "id"), ("2", "email", "mail"),
    ]  # fmt: skip
    assert not any("renamed_from" in note for note in plan.proposals[0].notes)


def test_awkward_names(fork: Fork) -> None:
    landed = [
        Version("shop.public.Weird-Table", 1, (
            Attribute("op", "integer", 1, True), Attribute("Name", "text", 2, False), Attribute("name", "text", 3, False),
            Attribute('it\'s "odd", é', "text", 4, False), Attribute("dbt_valid_from", "date", 5, False), Attribute("名前", "text", 6, False),
            Attribute("on", "integer", 7, False), Attribute("2fa", "boolean", 8, False), Attribute("createdAt", "timestamptz", 9, False),
            Attribute("null_", "text", 10, False),
        )),
    ]  # fmt: skip
    plan = fork.plan(landed)
    names = {row["attribute"]: row["entity_attribute"] for row in added(plan, "unique_block")}
    assert names == {
        "op": "weird_table_op", "Name": "name", "name": "name_2", 'it\'s "odd", é': "it_s_odd_e",
        "dbt_valid_from": "weird_table_dbt_valid_from", "名前": "attribute_6", "on": "on", "2fa": "_2fa", "createdAt": "created_at",
        "null_": "attribute_10",
    }  # fmt: skip
    notes = " ".join(plan.proposals[0].notes)
    assert (
        "op becomes weird_table_op: mapped models and histories have a column op" in notes
        and "name becomes name_2" in notes
    )
    fork.write(plan)
    columns = yaml.safe_load(plan.files["snapshots/weird_table_history.yml"])["snapshots"][0]["columns"]
    assert "on" in [column["name"] for column in columns]
    assert fork.rows("unique_block")[3].count('it\'s "odd", é') == 1
    assert fork.plan(landed).is_empty


ODD = (
    "%s", "'x", '"x', "`x", "@x", "*x", "!x", "[a", "a,b", "a]", 'x: "y"', "x # y", "end\\", "v'w", "unit-price", "2026-13-45", "on",
    "1e3", "{x}", "weight [kg]", " blank ", "a  b", "名前", "\x7f", "<b>", "%}",
)  # fmt: skip


def odd_seeds(fork: Fork, names: Sequence[str]) -> None:
    """Write an entity `oddity` whose attributes have these names, the first three of them keys, fed by a schema whose name is Jinja."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        ["oddity", 1, name, "string", str(place < 3).lower(), f"{name} {{{{ x }}}} of it"]
        for place, name in enumerate(names)
    )
    fork.seed("entity_attribute", f"item,1,code,string,true,Code\n{rows.getvalue()}")
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        ["shop.{{ x }}.odd", 1, "oddity", 1, name.replace("[]", ""), name] for name in names
    )
    fork.seed("unique_block", f"shop.public.item,1,item,1,code,code\n{rows.getvalue()}")
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        ["shop.{{ x }}.odd", 1, name.replace("[]", ""), "text", place, str(place < 4).lower(), ""]
        for place, name in enumerate(names, 1)
    )
    fork.seed("schema_attribute", f"shop.public.item,1,code,text,1,true,\n{rows.getvalue()}")


@pytest.mark.parametrize("first", range(0, len(ODD), 3))
def test_any_name_of_an_attribute_is_quoted(fork: Fork, first: int) -> None:
    names = [*ODD[first:], *ODD[:first], "odd[].a b", "odd[].`"]
    odd_seeds(fork, names)
    plan = fork.plan([])
    assert [one.name for one in plan.without_model] == ["oddity"] and not plan.left
    (history,) = yaml.safe_load(plan.files["snapshots/oddity_history.yml"])["snapshots"]
    columns = {name for name in names if not name.startswith("odd[]")} | {"odd"}
    assert history["config"]["unique_key"] == names[:3]
    assert columns <= {one["name"] for one in history["columns"]}
    (mapped,) = yaml.safe_load(plan.files["models/mapped/mapped_oddity.yml"])["models"]
    image = next(one["data_type"] for one in mapped["columns"] if one["name"] == "after")
    assert "`weight [kg]`:string" in image and "`v'w`:string" in image and "on:string" in image
    assert "odd:array<struct<````:string,`a b`:string>>" in image
    docs = plan.files["docs/dbt/entities/oddity.md"]
    blocks = set(re.findall(r"{% docs (.*) %}", docs))
    texts = {one["name"]: one["description"] for one in history["columns"] if one["name"] in columns}
    for name, text in texts.items():
        assert (
            text == f"{{{{ doc('oddity__{name}') }}}}"
            if f"oddity__{name}" in blocks
            else "{{" not in text and name.split()[0] in text
        )
    assert blocks == {"oddity__on", "oddity__1e3", "oddity__odd"}
    Environment(extensions=[DocumentationExtension]).parse(docs)
    for path, text in plan.files.items():
        if path.endswith(".yml"):
            assert "{{ x" not in text


@pytest.mark.parametrize("name", ["{{x}}", "{%x", "a{#"])
def test_a_name_that_dbt_would_evaluate_is_left_alone(fork: Fork, name: str) -> None:
    odd_seeds(fork, ["id", "a", "b", name])
    plan = fork.plan([])
    assert plan.left == {
        "the entity oddity": f"dbt would evaluate the name of its attribute {name}. Give the attribute another name in entity_attribute and "
        "unique_block, or write its model and history yourself (docs/mapping.md)"
    } and not plan.files  # fmt: skip


@pytest.mark.parametrize(
    ("entity", "why"),
    [
        ("../../evil", "an entity cannot be called '../../evil'"), ("a/b", "cannot be called 'a/b'"), ("My Entity", "such as my_entity"),
        ("{{x}}", "cannot be called '{{x}}'"), ("it's", "cannot be called"), ("party ", "cannot be called 'party '"),
        ("x" * 201, "at most 200 of them"), ("Item", "Item and item are one table to Spark"),
    ],
)  # fmt: skip
def test_nothing_is_written_for_an_entity_that_is_no_table_s_name(fork: Fork, entity: str, why: str) -> None:
    fork.seed("entity_attribute", f"item,1,code,string,true,Code\n{entity},1,id,integer,true,\n")
    fork.seed("unique_block", f"shop.public.item,1,item,1,code,code\nshop.public.evil,1,{entity},1,id,id\n")
    plan = fork.plan([])
    assert plan.is_empty and list(plan.left) == [f"the entity {entity}"]
    assert why in plan.left[f"the entity {entity}"]


def test_a_table_whose_entity_differs_from_one_in_case_only_is_left_alone(fork: Fork) -> None:
    fork.seed("entity_attribute", "item,1,code,string,true,Code\nCUSTOMER,1,id,integer,true,\n")
    plan = fork.plan([CUSTOMER])
    assert plan.is_empty
    assert plan.left["shop.public.customer"].startswith(
        "the seed entity_attribute has an entity CUSTOMER. Say --entity shop.public.customer=public_customer, or map it"
    )


def test_an_entity_of_the_seeds_without_a_key_is_left_alone_with_a_sentence(fork: Fork) -> None:
    fork.seed("entity_attribute", "item,1,code,string,true,Code\nlog,1,text,string,,\n")
    fork.seed("unique_block", "shop.public.item,1,item,1,code,code\nshop.public.log,1,log,1,text,text\n")
    plan = fork.plan([])
    assert plan.is_empty and plan.left == {
        "the entity log": "it has no key, and a history needs one. Write true into is_key of its business key in entity_attribute, or "
        "write its mapped model yourself (docs/mapping.md)"
    }  # fmt: skip
    fork.put("models/mapped/mapped_log.sql", "{{ map_to_entity('log') }}\n")
    assert not fork.plan([]).left


def test_yaml_is_as_the_project_wants_it(fork: Fork) -> None:
    many = version(
        "a_very_long_name_of_a_table_with_many_columns",
        id="integer",
        **{f"column_{number}": "numeric(12,2)" for number in range(60)},
    )
    settings = YamlLintConfig((ROOT / ".yamllint").read_text())
    for path, text in fork.plan([CUSTOMER, many]).files.items():
        assert max(map(len, text.splitlines())) <= 140
        if path.endswith(".yml"):
            assert [str(problem) for problem in linter.run(text, settings, path)] == []


LEFT = {
    "no key": (
        [version("log", no_id="integer", text="text")], {},
        {"log": "Say its business key: --key shop.public.log=no_id"},
    ),
    "a name that is taken": (
        [Version("crm.public.item", 1, CUSTOMER.attributes)], {},
        {"crm.public.item": "has an entity item. Say --entity crm.public.item=public_item"},
    ),
    "two tables of one name": (
        [version("a", id="integer"), Version("shop.sales.a", 1, CUSTOMER.attributes)], {},
        {"shop.public.a": "shop.sales.a would be a, too. Say --entity shop.public.a=public_a",
         "shop.sales.a": "shop.public.a would be a, too. Say --entity shop.sales.a=sales_a"},
    ),
    "one entity, two keys": (
        [version("a", id="integer"), version("b", code="text")], {"entities": (("shop.public.?", "both"),)},
        {"a": "Say one for both (--key)", "b": "Say one for both (--key)"},
    ),
    "a name that a seed cannot have": ([version("a", id="integer", Null="text")], {}, {"a": "a seed cannot name its column 'Null'"}),
    "a name that no file can have": (
        [version("x" * 300, id="integer")], {},
        {"x" * 300: "its table has a name of 300 characters, and 300 bytes: files and tables that are called by it have room for 200. "
                    "Say a shorter one: --entity 'shop.public.xxxxxxxxxxxx*=name'"},
    ),
    "a name for it that no file can have": (
        [version("a", id="integer")], {"entities": (("shop.public.a", "é" * 101),)},
        {"a": "its entity has a name of 101 characters, and 202 bytes"},
    ),
    "tables that differ in case only": (
        [version("Select", id="integer"), version("select", id="integer")], {},
        {"Select": "Say --entity shop.public.Select=public_select,", "select": "Say --entity shop.public.select=shop_public_select,"},
    ),
    "tables of one name in two systems": (
        [Version("a.public.x", 1, CUSTOMER.attributes), Version("b.public.x", 1, CUSTOMER.attributes),
         version("public_x", id="integer"), version("a_public_x", id="text")],
        {"patterns": ("*.x", "shop.public.customer")},
        {"a.public.x": "Say --entity a.public.x=public_x,", "b.public.x": "Say --entity b.public.x=b_public_x,"},
    ),
    "a name that a shell would take apart": (
        [version("my log", no_id="integer"), version("my table", id="integer"), Version("shop.sales.my table", 1, CUSTOMER.attributes)],
        {"patterns": ("*.my *", "shop.public.customer")},
        {"my log": "Say its business key: --key 'shop.public.my log=no_id'", "my table": "Say --entity 'shop.public.my table=public_my_table'",
         "shop.sales.my table": "Say --entity 'shop.sales.my table=sales_my_table'"},
    ),
    "no letter": ([version("***", id="integer")], {}, {"***": "--entity 'shop.public.***=name'"}),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT.values(), ids=LEFT)
def test_what_is_left_alone_and_why(fork: Fork, case: tuple[list[Version], dict[str, Any], dict[str, str]]) -> None:
    landed, options, expected = case
    plan = fork.plan([*landed, CUSTOMER], *options.pop("patterns", ()), **options)
    assert [one.entity.name for one in plan.proposals] == ["customer"], "the rest is generated all the same"
    found = {schema.removeprefix("shop.public."): why for schema, why in plan.left.items()}
    expected = {schema.removeprefix("shop.public."): why for schema, why in expected.items()}
    assert found.keys() == expected.keys()
    for schema, why in expected.items():
        assert why in found[schema]


def test_what_a_person_says_of_it(fork: Fork) -> None:
    landed = [
        version("log", no_id="integer", text="text"), version("order_2026_01", id="integer", x="integer"),
        version("order_2026_02", id="integer", y="text"), version("a", id="integer"), Version("shop.sales.a", 1, CUSTOMER.attributes),
    ]  # fmt: skip
    plan = fork.plan(
        landed,
        keys={"shop.public.log": ("text", "no_id")},
        entities=(("*.order_*", "order"), ("shop.sales.a", "sales_a")),
    )
    assert plan.left == {}
    assert {one.entity.name: one.entity.schemas for one in plan.proposals} == {
        "log": ("shop.public.log",), "order": ("shop.public.order_2026_01", "shop.public.order_2026_02"), "a": ("shop.public.a",),
        "sales_a": ("shop.sales.a",),
    }  # fmt: skip
    order = next(one.entity for one in plan.proposals if one.entity.name == "order")
    assert [one.name for one in order.attributes] == ["id", "x", "y"]
    assert "unique_key: [no_id, text]" in plan.files["snapshots/log_history.yml"]


@pytest.mark.parametrize(
    ("patterns", "options", "sentence"),
    [
        (("shop.x.*",), {}, "shop.x.* names no source schema. There are shop.public.customer, shop.public.item."),
        ((), {"excluded": ("y",)}, "y names no source schema."),
        ((), {"entities": (("y", "z"),)}, "--entity y=… names no source schema that is asked for."),
        ((), {"keys": {"shop.public.customer": ("x",)}}, "it has no x. It has id, name, limit."),
    ],
)
def test_what_names_nothing_is_refused(
    fork: Fork, patterns: tuple[str, ...], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(EntrepotError) as error:
        fork.plan([CUSTOMER], *patterns, **options)
    assert sentence in error.value.message


def test_patterns(fork: Fork) -> None:
    landed = [CUSTOMER, version("a", id="integer"), version("b", id="integer")]
    assert [one.entity.name for one in fork.plan(landed, "shop.public.?").proposals] == ["a", "b"]
    assert [one.entity.name for one in fork.plan(landed, excluded=("*.b",)).proposals] == ["a", "customer"]
    assert fork.plan(landed, "shop.public.item").mapped == ("shop.public.item",)


def test_types_from_values_are_said(fork: Fork) -> None:
    seen = Seen(0, {})
    look_at(seen, '{"id": 1, "at": 1772323276410000, "name": "x", "tags": ["a"]}')
    asked: list[Sequence[str]] = []

    def look(schemas: Sequence[str]) -> dict[str, Seen]:
        asked.append(schemas)
        return {"shop.public.note": seen}

    plan = fork.plan([CUSTOMER, version("note", id=None, at=None, name=None, tags=None, nothing=None)], look=look)
    assert asked == [["shop.public.note"]], "what the records say is not looked for"
    note = plan.proposals[1]
    assert note.sources[0].origins == ["values of 1 events", "nothing"]
    assert [row["data_type"] for row in note.schema_rows()] == ["bigint", "bigint", "text", "text[]", "text"]
    assert note.entity_rows()[1]["description"] == "Column at of shop.public.note (type from values)"
    assert "no value and no type of nothing has been seen: text" in note.notes
    assert "(type from values)" not in plan.files["docs/dbt/entities/note.md"]


CATALOGUE = {
    f"shop.{name}": table
    for name, table in tables_of([
        ("public", "note", "Notes of {{ people }}", None, "id", "integer", 1, True, "Number"),
        ("public", "note", "Notes of {{ people }}", None, "at", "timestamp without time zone", 2, False, ""),
        ("public", "order_1", "", "public.\"order\"", "id", "integer", 1, True, ""),
        ("sales", "visit", "", None, "id", "uuid", 1, True, ""),
    ]).items()
}  # fmt: skip


def test_types_keys_and_comments_of_a_catalogue(fork: Fork) -> None:
    landed = Version("shop.public.note", 1, (Attribute("id", None, 1, False), Attribute("at", None, 2, False)))
    plan = fork.plan([landed], tables=CATALOGUE)
    (note,) = plan.proposals
    assert [(row["data_type"], row["is_key"]) for row in note.schema_rows()] == [
        ("integer", "true"),
        ("timestamp without time zone", "false"),
    ]
    assert [(one.data_type, one.description) for one in note.entity.attributes] == [
        ("integer", "Number"), ("timestamp", "Column at of shop.public.note"),
    ]  # fmt: skip
    assert note.sources[0].origins == ["catalogue"]
    assert "Notes of { { people }}." in plan.files["docs/dbt/entities/note.md"], "dbt would take it for a template"


def test_a_catalogue_before_anything_has_landed(fork: Fork) -> None:
    plan = fork.plan([], "shop.*", tables=CATALOGUE)
    assert [one.entity.name for one in plan.proposals] == ["note", "visit"]
    assert (
        "is a partition of public.\"order\". Say --entity 'shop.public.order_*=order'"
        in plan.left["shop.public.order_1"]
    )
    assert [row["version"] for row in added(plan, "schema_attribute")] == ["1", "1", "1"]


def test_a_catalogue_has_other_columns_now(fork: Fork) -> None:
    landed = Version("shop.public.note", 1, (Attribute("id", "integer", 1, True), Attribute("x", "text", 2, False)))
    (note,) = fork.plan([landed], tables=CATALOGUE).proposals
    assert "the database and version 1 differ in at, x" in note.notes


def test_a_seed_in_another_order_and_of_windows(fork: Fork) -> None:
    path = fork.path / "seeds/mapping/unique_block.csv"
    path.write_bytes(
        b"entity,schema,version,attribute,entity_attribute,entity_version,remark\r\nitem,shop.public.item,1,code,code,1,ours"
    )
    fork.write(fork.plan([version("a", id="integer")]))
    assert path.read_bytes().endswith(b",1,ours\r\na,shop.public.a,1,id,id,1,\r\n")


def test_seeds_that_cannot_be_read(tmp_path: Path) -> None:
    for content, sentence in (
        (b"schema,version\n", "has no column entity, entity_version"),
        (b"\xff\xfe", "is no CSV file in UTF-8"),
    ):
        (tmp_path / "x.csv").write_bytes(content)
        with pytest.raises(EntrepotError) as error:
            read_seed("unique_block", tmp_path / "x.csv")
        assert sentence in error.value.message


def test_a_seed_that_changes_meanwhile(fork: Fork) -> None:
    plan, project = fork.plan([CUSTOMER]), read_project(fork.path)
    fork.seed("entity_attribute", "item,1,code,string,true,Another\n")
    with pytest.raises(EntrepotError, match="has been changed in the meantime"):
        writing.write(plan, project)


def test_a_folder_that_cannot_be_written(fork: Fork) -> None:
    (fork.path / "snapshots").write_text("a file")
    with pytest.raises(EnvironmentProblemError, match="cannot be written"):
        fork.write(fork.plan([CUSTOMER]))


def test_line_ends_of_windows(fork: Fork) -> None:
    (fork.path / "dbt_project.yml").write_bytes(SETTINGS.replace("\n", "\r\n").encode())
    assert fork.write(fork.plan([CUSTOMER])) == []
    changed = SETTINGS.replace("- item\n", "- item\n    - customer\n").replace("\n", "\r\n")
    assert (fork.path / "dbt_project.yml").read_bytes() == changed.encode()


def test_a_list_that_has_to_be_changed_by_hand(fork: Fork) -> None:
    fork.put("dbt_project.yml", "{name: entrepot, vars: {entities: [item]}}\n")
    assert fork.write(fork.plan([CUSTOMER])) == ["Add customer to the list of variable entities in dbt_project.yml."]


def test_a_project_of_another_name_calls_the_package(fork: Fork) -> None:
    fork.put("dbt_project.yml", "name: ours\n")
    assert (
        "{{ entrepot.map_to_entity('customer') }}" in fork.plan([CUSTOMER]).files["models/mapped/mapped_customer.sql"]
    )


def test_the_files_of_the_steelworks_are_of_the_same_form() -> None:
    """What is generated for an entity of the repository's own seeds is what people have written, but for the words of descriptions."""
    project = read_project(ROOT)
    entity = project.seeds.entities()["sales_order"]
    files = {path: text for path, (_, text) in entity_files(entity, project).items()}
    for path, text in (files | {"docs/dbt/entities/sales_order.md": docs_blocks(entity)}).items():
        written = (ROOT / path).read_text()
        if path.endswith(".sql"):
            # what is written by hand names the source's table, for the lineage
            assert text == "".join(line for line in written.splitlines(True) if "do [source(" not in line)
        elif path.endswith(".yml"):
            assert _undescribed(yaml.safe_load(text)) == _undescribed(yaml.safe_load(written))
        else:
            assert [line for line in text.splitlines() if "{%" in line] == [
                line for line in written.splitlines() if "{%" in line
            ]


def _undescribed(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _undescribed(value) for key, value in part.items() if key != "description" or "doc(" in str(value)}
    return [_undescribed(one) for one in part] if isinstance(part, list) else part


def test_tables_of_rows() -> None:
    assert CATALOGUE["shop.public.order_1"] == CatalogueTable(
        (Attribute("id", "integer", 1, True),), "", 'public."order"'
    )


INSIDE = Version(
    "shop.public.basket", 1,
    tuple(
        Attribute(name, data_type, place, name == "id")
        for place, (name, data_type) in enumerate({
            "id": "integer", "Lines": "struct[]", "Lines[].SKU": "text", "Lines[].op": "text", "Lines[].at.Time": "timestamp", "Lines[].at": "struct",
            "Lines[].parts": "struct[]", "lines": "text", "order": "struct", "order.tags": "map", "order.tags{}": "text", "prices": "map",
            "prices{}": "struct", "prices{}.Net": "numeric(8,2)", "prices{}.of": "map", "prices{}.of{}": "bigint", "codes": "text[]",
            "all": "map", "all{}": "struct[]", "all{}[].n": "bigint", "doc": "jsonb", "`a{}`": "text",
        }.items(), 1)
    ),
)  # fmt: skip


def test_arrays_and_maps_of_records_become_paths(fork: Fork) -> None:
    (proposal,) = fork.plan([INSIDE]).proposals
    assert proposal.names[INSIDE.schema] == {
        "id": "id", "Lines[].SKU": "lines[].sku", "Lines[].op": "lines[].op", "Lines[].at.Time": "lines[].at_time", "Lines[].parts": "lines[].parts",
        "lines": "lines_2", "order.tags{}": "order_tags{}", "prices{}.Net": "prices{}.net", "prices{}.of{}": "prices{}.of{}", "codes": "codes",
        "all{}[].n": "all{}[].n", "doc": "doc", "`a{}`": "a",
    }  # fmt: skip
    types = {one.name: one.data_type for one in proposal.entity.attributes}
    assert (types["lines[].parts"], types["prices{}.net"], types["codes"]) == (
        "array<string>",
        "decimal(8,2)",
        "array<string>",
    )
    plan = fork.plan([INSIDE])
    assert (
        "prices:array<struct<key:string,value:struct<net:decimal(8,2),of:array<struct<key:string,value:bigint>>>>>"
        in "".join(plan.files["models/mapped/mapped_basket.yml"].split())
    )
    assert fork.write(plan) == []
    assert "shop.public.basket,1,basket,1,Lines[].SKU,lines[].sku" in fork.rows("unique_block")


def test_a_renamed_array_keeps_its_name_and_takes_what_is_new_in_it(fork: Fork) -> None:
    names = {"id": "", "goods": "Lines", "goods[].SKU": "Lines[].SKU", "goods[].new": ""}
    renamed = Version(
        INSIDE.schema, 2, tuple(
            Attribute(name, "text", place, name == "id", "", former) for place, (name, former) in enumerate(names.items(), 1)
        )
    )  # fmt: skip
    (proposal,) = fork.plan([INSIDE, renamed]).proposals
    assert {one: proposal.names[INSIDE.schema][one] for one in ("goods[].SKU", "goods[].new")} == {
        "goods[].SKU": "lines[].sku",
        "goods[].new": "lines[].new",
    }


def test_arrays_of_records_in_values_become_paths(fork: Fork) -> None:
    """Of plain JSON: what all its values are. An object may be a record or a map, and stays one attribute."""
    seen = Seen(0, {})
    images = [
        {"id": 1, "lines": [], "mixed": [{"n": 1}], "none": [], "place": {"x": 1}, "texts": ["a"]},
        {
            "id": 2,
            "lines": [{"sku": "a", "n": 1, "to": {"x": 1}, "never": None}, None],
            "mixed": ["x"],
            "none": [],
            "place": None,
            "texts": [],
        },
        {
            "id": 3,
            "lines": [{"sku": "b", "n": 1.5, "a.b": [1]}],
            "mixed": None,
            "none": None,
            "place": {},
            "texts": None,
        },
    ]
    for image in images:
        look_at(seen, json.dumps(image))
    plain = version("basket", 1, **dict.fromkeys(images[0]))
    plan = fork.plan([plain], look=lambda schemas: dict.fromkeys(schemas, seen))
    assert [(row["attribute"], row["data_type"], row["position"]) for row in added(plan, "schema_attribute")] == [
        ("id", "bigint", "1"), ("lines", "struct[]", "2"), ("lines[].sku", "text", "3"), ("lines[].n", "double precision", "4"),
        ("lines[].to", "jsonb", "5"), ("lines[].never", "text", "6"), ("lines[].`a.b`", "text[]", "7"), ("mixed", "jsonb", "8"),
        ("none", "text[]", "9"), ("place", "jsonb", "10"), ("texts", "text[]", "11"),
    ]  # fmt: skip
    (proposal,) = plan.proposals
    assert [row["entity_attribute"] for row in proposal.block_rows()] == [
        "id", "lines[].sku", "lines[].n", "lines[].to", "lines[].never", "lines[].a_b", "mixed", "none", "place", "texts",
    ]  # fmt: skip
    assert [note for note in proposal.notes if "lines" in note] == [
        "lines[].`a.b` becomes lines[].a_b",
        "no value and no type of lines[].never has been seen: text",
        "what is inside of lines is what the values show: add what they do not, or map it as a whole, in the seeds",
    ]
    assert fork.write(plan) == []
    # what events show of the version is still the same version
    assert same_reach(plain.names, frozenset(row["attribute"] for row in proposal.schema_rows()))


def test_maps_of_which_records_tell_no_more_take_what_their_values_show(fork: Fork) -> None:
    """An embedded schema says that it is a map."""
    seen = Seen(0, {})
    for image in (
        {
            "id": 1,
            "tags": {"a": "x", "b": None},
            "prices": {"eur": {"net": 1.5}, "usd": None},
            "odd": {"a": {"x": 1}, "b": 7},
            "none": {},
        },
        {"id": 2, "tags": None, "prices": {"eur": {"net": 1, "of": {"x": 1}}}, "odd": {}, "none": None},
    ):
        look_at(seen, json.dumps(image))
    typed = version("basket", 1, id="integer", tags="map", prices="map", odd="map", none="map")
    plan = fork.plan([typed], look=lambda schemas: dict.fromkeys(schemas, seen))
    assert [(row["attribute"], row["data_type"]) for row in added(plan, "schema_attribute")] == [
        ("id", "integer"), ("tags", "map"), ("tags{}", "text"), ("prices", "map"), ("prices{}.net", "double precision"), ("prices{}.of", "jsonb"),
        ("odd", "map"), ("odd{}", "jsonb"), ("none", "map"),
    ]  # fmt: skip
    (proposal,) = plan.proposals
    assert [row["entity_attribute"] for row in proposal.block_rows()] == [
        "id",
        "tags{}",
        "prices{}.net",
        "prices{}.of",
        "odd{}",
        "none",
    ]
    assert fork.write(plan) == []
