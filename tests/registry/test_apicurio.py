"""`entrepot registry pull` against a real Apicurio Registry."""

from __future__ import annotations

import csv
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from tests.landing.recorded_formats import subjects
from tests.landing.recorded_formats.record import COLUMNS
from tests.registry.projects import field, files, project_in, pull, record, refused, said, seed
from tests.support import apicurio

pytestmark = pytest.mark.skipif(not apicurio.is_installed(), reason=apicurio.MISSING)
MANY = 600  # subjects: more than a page of any API


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The registry that the tests of this module share; each takes subjects of its own."""
    with apicurio.registry(tmp_path_factory.mktemp("apicurio") / "server.log") as url:
        yield url


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


def ask(url: str, path: str, method: str = "GET", body: dict[str, Any] | None = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, content, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def register(url: str, subject: str, schema: str, schema_type: str = "AVRO", *references: tuple[str, str, int]) -> int:
    """Register a schema as its next version; returns the registry's number of it."""
    told = [dict(zip(("name", "subject", "version"), one, strict=True)) for one in references]
    body = {"schema": schema, "schemaType": schema_type, "references": told}
    return int(ask(url, f"/subjects/{subject}/versions", "POST", body)["id"])


def test_versions_keys_and_references_become_rows(server: str, project: Path) -> None:
    register(server, "one.Address", record("one.Address", field("street", "string")))
    register(server, "one.customer-key", record("one.customer.Key", field("id", "long")))
    first = (field("id", "long"), field("home", "one.Address"), field("e_mail", ["null", "string"], default=None))
    address = ("one.Address", "one.Address", 1)
    register(server, "one.customer-value", record("one.Customer", *first), "AVRO", address)
    email = field("email", ["null", "string"], default=None, aliases=["e_mail"])
    second = (*first[:2], email, field("tags", {"type": "array", "items": "string"}, default=[]))
    register(server, "one.customer-value", record("one.Customer", *second), "AVRO", address)
    shown = said(pull(project, server, "one.*"))
    assert (
        "one.customer 1 one.customer-value 1" in shown and "New in the domain tree: one.customer version 1, 2." in shown
    )
    assert shown.endswith("Nothing has been written: say --yes.") and not files(project)
    assert said(pull(project, server, "one.customer-value", "--yes")).endswith("Written. See `git diff`.")
    assert seed(project) == [
        "one.customer,1,id,bigint,1,true,",
        "one.customer,1,home,struct,2,false,",
        "one.customer,1,home.street,text,3,false,",
        "one.customer,1,e_mail,text,4,false,",
        "one.customer,2,id,bigint,1,true,",
        "one.customer,2,home,struct,2,false,",
        "one.customer,2,home.street,text,3,false,",
        "one.customer,2,email,text,4,false,e_mail",
        "one.customer,2,tags,text[],5,false,",
    ]
    written = files(project)
    assert "Nothing to write" in said(pull(project, server, "one.customer-value", "--yes"))
    assert files(project) == written
    rows = (project / "registry/versions.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [
        "one.Address",
        "one.customer-key",
        "one.customer-value",
        "one.customer-value",
    ]


def test_json_schemas_of_rows_become_rows(server: str, project: Path) -> None:
    inner = {"type": "object", "properties": {"city": {"type": "string"}}}
    register(server, "two.Place", json.dumps({"$id": "place.json", **inner}), "JSON")
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"}, "at": {"type": ["null", "string"], "format": "date-time"},
            "where": {"oneOf": [{"type": "null"}, {"$ref": "place.json"}]}, "price": {"type": "number", "description": "In euro."},
        },
    }  # fmt: skip
    register(server, "two.stop-value", json.dumps(schema), "JSON", ("place.json", "two.Place", 1))
    said(pull(project, server, "two.stop-value", "--yes"))
    assert seed(project) == [
        "two.stop,1,id,bigint,1,false,", "two.stop,1,at,timestamptz,2,false,", "two.stop,1,where,struct,3,false,",
        "two.stop,1,where.city,text,4,false,", "two.stop,1,price,double precision,5,false,",
    ]  # fmt: skip
    assert sorted(path.suffix for path in (project / "registry/schemas").iterdir()) == [".json", ".json"]


def test_what_is_deleted_there_is_told_and_stays(server: str, project: Path) -> None:
    for fields in ([field("id", "int")], [field("id", "int"), field("text", "string", default="")]):
        register(server, "three.note-value", record("three.Note", *fields))
    said(pull(project, server, "three.*", "--yes"))
    written = files(project)
    ask(server, "/subjects/three.note-value/versions/2", "DELETE")
    shown = said(pull(project, server, "three.*", "--yes"))
    assert "is not in the registry any more; its rows, three.note version 2, stay in the seed." in shown
    assert "`entrepot mapping delete three.note 2` takes them out." in shown
    assert files(project) == written
    ask(server, "/subjects/three.note-value", "DELETE")
    ask(server, "/subjects/three.note-value?permanent=true", "DELETE")
    register(server, "three.note-value", record("three.Note", field("id", "int"), field("title", "string")))
    shown = said(pull(project, server, "three.*", "--yes"))
    assert "is another schema now, with id" in shown and "three.note 3 three.note-value 1" in shown
    assert [row for row in seed(project) if ",3," in row[:13]] == [
        "three.note,3,id,integer,1,false,",
        "three.note,3,title,text,2,false,",
    ]
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    for number in ("1", "2"):
        assert CliRunner().invoke(main, [*place, "mapping", "delete", "three.note", number, "--yes"]).exit_code == 0
    assert "and its version is not in the seed: forgotten." in said(pull(project, server, "three.*", "--yes"))
    assert "Nothing to write" in said(pull(project, server, "three.*", "--yes"))
    assert len(files(project)) == 3


def test_what_cannot_be_read_is_told_and_nothing_is_written(server: str, project: Path) -> None:
    register(server, "four.good-value", record("four.Good", field("id", "int")))
    register(server, "four.proto-value", 'syntax = "proto3"; message Four { int32 id = 1; }', "PROTOBUF")
    shown = refused(pull(project, server, "four.*", "--yes"))
    assert "four.proto-value version 1: it is of type PROTOBUF, and only Avro and JSON Schema are read." in shown
    assert "--exclude 'four.proto-value'" in shown and not files(project)
    said(pull(project, server, "four.*", "--exclude", "four.proto-value", "--yes"))
    assert seed(project) == ["four.good,1,id,integer,1,false,"]
    assert "nothing names no subject of the registry" in refused(pull(project, server, "nothing"))


def test_what_a_real_debezium_has_registered_has_the_types_of_its_table(server: str, project: Path) -> None:
    for one in subjects():
        register(server, one["subject"], one["schema"])
    shown = said(pull(project, server, "*forms*", "--yes"))
    assert "Left alone: forms.transaction-value: messages of Debezium about itself." in shown
    expected = [tuple(one.split(" ", 1)) for one in COLUMNS.partition(", primary key")[0].split(", ")]
    found = [tuple(row[2:4]) for row in csv.reader(seed(project)) if row[0] == "forms.sales.item" and row[1] == "1"]
    assert found == expected
    keys = [row[2] for row in csv.reader(seed(project)) if row[5] == "true" and row[1] == "2"]
    assert keys == ["id", "line"]
    second = [row[2] for row in csv.reader(seed(project)) if row[0] == "forms.sales.item" and row[1] == "2"]
    assert second == ["title" if name == "name" else name for name, _ in expected] + ["extra"]


@pytest.mark.long
def test_many_subjects_are_all_there(server: str, project: Path) -> None:
    for number in range(MANY):
        register(
            server,
            f"many.t{number:03}-value",
            record(f"many.T{number}", field("id", "int"), field(f"c{number}", "string")),
        )
    said(pull(project, server, "many.*", "--yes"))
    assert len(seed(project)) == 2 * MANY
    assert "Nothing to write" in said(pull(project, server, "many.*", "--yes"))


def test_generated_entities_have_the_registrys_types_and_descriptions(server: str, project: Path) -> None:
    register(server, "five.order-key", record("five.order.Key", field("number", "int")))
    total = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    fields = (field("number", "int", doc="Number of the order."), field("total", total))
    register(server, "five.order-value", record("five.Order", *fields, doc="What somebody orders."))
    said(pull(project, server, "five.*", "--yes"))
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    done = CliRunner().invoke(main, [*place, "generate", "--yes"])
    assert done.exit_code == 0, done.output
    assert (project / "seeds/mapping/entity_attribute.csv").read_text().splitlines()[1:] == [
        "order,1,number,integer,true,Number of the order.",
        'order,1,total,"decimal(9,2)",false,Column total of five.order',
    ]
    assert any("What somebody orders." in path.read_text() for path in project.rglob("*.md"))
