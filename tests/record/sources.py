"""What the tests of the captures without Debezium share: a private PostgreSQL, the command, and lines read back."""

from __future__ import annotations

import base64
import importlib.util
import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from recorder.checks import connect
from recorder.command import record
from recorder.local_postgres import find_binaries, throw_away_postgres

missing = [] if importlib.util.find_spec("psycopg") else ["psycopg"]
missing += [] if find_binaries() else ["PostgreSQL's initdb and pg_ctl"]
needs_postgres = [
    pytest.mark.record,
    pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}"),
]
EPOCH = datetime(1970, 1, 1)
EXACT = Context(prec=1000)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A private server, and its connection string."""
    with throw_away_postgres() as dsn:
        yield dsn


@pytest.fixture
def database(server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of the test's own, whose slots go with the test: a server has ten."""
    name = "".join(character if character.isalnum() else "_" for character in request.node.name.lower())[:60]
    with connect(server, autocommit=True) as admin:
        admin.execute(f'create database "{name}"')
    yield f"{server.rpartition('/')[0]}/{name}"
    with connect(server, autocommit=True) as admin:
        left = "select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active and database = %s"
        admin.execute(left, (name,))


def sql(dsn: str, *statements: str) -> list[Any]:
    """Execute statements, each in a transaction of its own; returns the rows of the last."""
    rows: list[Any] = []
    with connect(dsn, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
            rows = cursor.fetchall() if cursor.description else []
    return rows


class Event(NamedTuple):
    """One recorded change: values as Python has them."""

    op: str
    table: str
    key: dict[str, Any] | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    source: dict[str, Any]
    transaction: dict[str, Any] | None
    types: dict[str, Any]

    @property
    def short(self) -> tuple[Any, ...]:
        """Op and the image that counts, its values in a row."""
        return (self.op, *(self.after or self.before or {}).values())


def whole_lines(out: Path) -> bytes:
    """The whole lines of a file: what a kill has left of one behind them is cut off by the next capture."""
    written = out.read_bytes() if out.exists() else b""
    return written[: written.rfind(b"\n") + 1]


def events(out: Path) -> list[Event]:
    """Everything that a file has recorded; it is made by the first record."""
    return [_event(json.loads(line)) for line in out.read_text().splitlines()] if out.exists() else []


def _event(line: dict[str, Any]) -> Event:
    value = json.loads(line["value"])
    payload = value["payload"]
    fields = {field["field"]: field for field in value["schema"]["fields"]}
    types = {field["field"]: field for field in fields["after"]["fields"]}
    key = line["key"] and json.loads(line["key"])
    return Event(
        payload["op"],
        f"{payload['source']['schema']}.{payload['source']['table']}",
        key and read(key["payload"], {field["field"]: field for field in key["schema"]["fields"]}),
        read(payload["before"], types),
        read(payload["after"], types),
        payload["source"],
        payload["transaction"],
        types,
    )


def read(image: dict[str, Any] | None, types: dict[str, Any]) -> dict[str, Any] | None:
    """An image with values as psycopg has them."""
    return image and {name: value_of(value, types[name]) for name, value in image.items()}


def value_of(value: Any, field: dict[str, Any]) -> Any:
    """A value of a record by its field's schema."""
    if value is None:
        return None
    kind = field.get("name", field["type"]).rpartition(".")[2]
    if kind == "Decimal":
        number = int.from_bytes(base64.b64decode(value), "big", signed=True)
        return Decimal(number).scaleb(-int(field["parameters"]["scale"]), EXACT)
    if kind == "VariableScaleDecimal":
        number = int.from_bytes(base64.b64decode(value["value"]), "big", signed=True)
        return Decimal(number).scaleb(-value["scale"], EXACT)
    if kind == "Date":
        return date(1970, 1, 1) + timedelta(days=value)
    if kind == "MicroTimestamp":
        return EPOCH + timedelta(microseconds=value)
    if kind == "ZonedTimestamp" and not value.endswith("infinity"):
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    if kind == "bytes":
        return base64.b64decode(value)
    if kind == "Json":
        return json.loads(value)
    return [value_of(element, field["items"]) for element in value] if kind == "array" else value


def replayed(found: list[Event], key: tuple[str, ...] = ("id",)) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a table after all its events, by key; an event that does not fit what was there before fails."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in found:
        if event.op == "t":
            rows.clear()
            continue
        image = event.after or event.before
        assert image is not None and event.key is not None
        at = tuple(image[name] for name in key)
        assert at == tuple(event.key[name] for name in key)
        assert (at in rows) == (event.op in "ud"), event
        if event.before is not None:
            shared = event.before.keys() & rows[at].keys()
            assert {name: event.before[name] for name in shared} == {name: rows[at][name] for name in shared}, event
        if event.after is None:
            del rows[at]
        else:
            rows[at] = event.after
    return rows


def positions_are_right(found: list[Event]) -> None:
    """Positions and, of what landing makes of them, the order of the file go together."""
    order = [(json.loads(e.source["sequence"])[0] if e.source["sequence"] else 0, e.source["lsn"]) for e in found]
    positions = [position for _, position in order]
    assert positions == sorted(set(positions))
    commits = [int(commit) for commit, _ in order]
    assert commits == sorted(commits)


def run(*parts: object) -> str:
    """Run the command and insist that it succeeds; returns what it said."""
    done = CliRunner().invoke(record, [str(part) for part in parts], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def refused(*parts: object) -> str:
    """Run the command and insist that it ends with code 2 and one sentence, which is returned."""
    done = CliRunner().invoke(record, [str(part) for part in parts], catch_exceptions=False)
    assert done.exit_code == 2, done.output
    message = done.output.partition("Error: ")[2].strip()
    assert "\n" not in message
    return message
