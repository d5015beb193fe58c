"""Landing: recorded files become exactly one row for every change, and one for every other line, whatever the files are like.

One project, four jobs, and many assertions on what they left behind. What each line has to become is said where the line
is written (`records.Line`); nothing here asks the SQL under test for its opinion.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.landing import recorded_formats
from tests.landing.records import START, Line, Log, Number, Position, message
from tests.support.dbt_case import DbtCase, Outcome

SEED = """schema,version,attribute,data_type,position,is_key,renamed_from
shop.public.item,1,item_id,INT4,1,true,
shop.public.item,1,name,varchar(40),2,false,
shop.public.item,1,price,"numeric(12, 2)",3,false,
"""
# what somebody registers later: the number that the discovery of `size` had got already, for another field list
SEED_LATER = SEED + "shop.public.item,2,item_id,integer,1,true,\nshop.public.item,2,colour,text,2,false,\n"

ITEM = {"item_id": "integer", "name": "text", "price": "numeric(12,2)"}
TABLES = ("change_event", "control_event", "rejected_event", "discovered_schema_attribute", "landed_file")
BLANK = Line("", "blank")
# files that are still being written when the first job comes, and how their lines end
OPEN = {"open": "\n", "open windows": "\r\n", "open marked": "\n"}
LONG = '{"item_id":30,"ratio":0.12345678901234567890123,"count":123456789012345678901234567890,"half":1.5}'


def item(number: int, name: str = "bolt", **more: Any) -> dict[str, Any]:
    return {"item_id": number, "name": name, "price": "BOI="} | more


@dataclass
class Folder:
    """The landing folder, and what has been put into it: {file: its lines as they are now}."""

    path: Path
    files: dict[str, list[Line]] = field(default_factory=dict)
    deliveries: set[tuple[str, int, str, str | None]] = field(default_factory=set)
    places: set[tuple[str, int, str]] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)

    def put(self, name: str, lines: list[Line], end: str = "\n", last: str | None = None, first: str = "") -> None:
        """Write a file; `last` ends the last line, such as "" for a file that is still being written; `first` stands before all."""
        text = first + end.join(line.text for line in lines) + (end if last is None else last)
        (self.path / name).write_bytes(text.encode() if lines else b"")
        self.files[name] = lines

    def landed(self) -> None:
        """Note what the files of now have to have landed as."""
        for name, lines in sorted(self.files.items()):
            for number, line in enumerate(lines, 1):
                place = (lines[0].text, number, line.text)
                if line.kind == "change":
                    assert line.name is not None
                    self.changes.add(line.name)
                elif line.kind in ("control", "rejected") and place not in self.places:
                    # what begins with the same line is the same file, whatever its name
                    self.places.add(place)
                    self.deliveries.add((name, number, line.kind, line.reason))


@dataclass
class Landing:
    """The project after its jobs."""

    case: DbtCase
    folder: Folder
    logs: dict[str, Log]
    outcomes: list[Outcome] = field(default_factory=list)
    versions: list[dict[str, int]] = field(default_factory=list)

    def job(self) -> None:
        """Run one job and note the versions of the tables after it."""
        self.outcomes.append(self.case.build())
        self.versions.append({name: self.case.head("landing", name) for name in TABLES})

    def table(self, name: str) -> str:
        return self.case.table("landing", name)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query in which `{name}` stands for a landing table."""
        return self.case.spark.rows(sql.format(**{name: self.table(name) for name in (*TABLES, "schema_version")}))

    def events(self) -> dict[str, dict[str, Any]]:
        """The landed change events by the names that their writers gave them, found by place in log and content."""
        named: dict[tuple[Any, ...], list[str]] = {}
        for log in self.logs.values():
            for name, position in log.written.items():
                named.setdefault((log.system, log.database, position.lsn, position.serial), []).append(name)
        found: dict[str, dict[str, Any]] = {}
        rows = self.case.spark.sql(f"select * from {self.table('change_event')} order by event_id")
        for row in rows:
            event = row.asDict(recursive=True)
            position = event["commit_position"]
            key = (event["source_system"], event["source_database"], position["log_position"], position["log_serial"])
            assert named.get(key), f"landed twice, or never written: {event}"
            found[named[key].pop()] = event
        return found


def first_files(folder: Folder, logs: dict[str, Log]) -> None:
    """What lies there before the first job."""
    shop, odd = logs["shop"], logs["my.shop 1"]
    lines = [
        shop.change("plain", "c", key={"item_id": 1}, after=item(1)),
        shop.change("typed", "c", key={"item_id": 2}, after=item(2), types=ITEM),
        BLANK,
        shop.change("update", "u", key={"item_id": 1}, before=item(1), after=item(1, "nut")),
        shop.change("delete", "d", key={"item_id": 1}, before={"item_id": 1, "name": "", "price": ""}),
        shop.tombstone("item", {"item_id": 1}),
        shop.change("truncate", "t", "order"),
        shop.change(
            "logical", "m", key={"prefix": "app"}, message={"prefix": "app", "content": "aGVsbG8="}, after=None
        ),
        Line(message("shop.transaction", {"id": "7"}, {"status": "BEGIN", "id": "7"}), "control", "transaction_begin"),
        Line(message("shop.transaction", {"id": "7"}, {"status": "END", "id": "7"}), "control", "transaction_end"),
        Line(message("__debezium-heartbeat.shop", {"serverName": "shop"}, {"ts_ms": 1}), "control", "heartbeat"),
        Line("   ", "blank"),
        Line('{"destination": "shop.public.item", "key": nu', "rejected", "broken_json"),
        Line("[1, 2]", "rejected", "broken_json"),
        Line("12", "rejected", "broken_json"),
        Line('{"destination": "shop.public.item"}', "rejected", "no_value"),
        Line(json.dumps({"destination": "x", "key": None, "value": "{"}), "rejected", "broken_value"),
        Line("null", "rejected", "broken_json"),
        Line("{}", "rejected", "no_value"),
        Line(json.dumps({"destination": "x", "key": None, "value": "null"}), "rejected", "broken_value"),
        Line(json.dumps({"destination": "x", "key": None, "value": "[]"}), "rejected", "broken_value"),
        Line(json.dumps({"destination": "x", "key": None, "value": "{}"}), "rejected", "unknown_op"),
        Line(message("x", None, {"schema": {}, "payload": None}), "rejected", "broken_value"),
        Line('{"destination": "x", "value": "\\ud83c"}', "rejected", "broken_text"),
        # escaped once more, as a text in a value is: a reader of the image would see a question mark
        Line(message("shop.public.item", None, {"op": "c", "after": {"name": "\ud83c"}}), "rejected", "broken_text"),
        Line('{"destination": "x", "value": "{\\"op\\": \\"\\ud83c\\"}"}', "rejected", "broken_text"),
        # what follows is no other half: three digits
        Line('{"destination": "x", "value": "{\\"op\\": \\"\\\\ud83c\\\\udd1\\"}"}', "rejected", "broken_text"),
    ]
    whole_record = message("shop.public.item", {"item_id": 1}, {"op": "c", "after": {"text": 'a "b" {c} [d]'}})
    deep = whole_record[:-1] + ', "headers": ' + "[" * 30 + "1" + "]" * 30 + "}"
    forged = whole_record + ',{"_line":"9"}],[' + whole_record
    for more in ("x", " x", "{}", whole_record, "," + whole_record, '"', "}", "]", "],[" + whole_record, forged):
        lines.append(Line(whole_record + more, "rejected", "text_after_record"))
    lines.append(Line(deep, "rejected", "no_source"))
    # a value that holds more than one object; what only some readers take for JSON
    value = json.loads(whole_record)["value"]
    for text in (
        value + value,
        value + "]",
        value + "}",
        value[:-1] + ',"x":NaN}',
        value.replace('"op"', "'op'"),
        value[:-1] + ',"x":"\t"}',
    ):
        lines.append(
            Line(
                json.dumps({"destination": "shop.public.item", "key": None, "value": text}), "rejected", "broken_value"
            )
        )
    lines.append(Line("{'destination': 'x', 'value': null}", "rejected", "broken_json"))
    at = START
    whole = {"item_id": 3}
    for reason, envelope in {
        "unknown_op": {"op": "x", "after": whole, "source": shop.source("item", Position(1, 1, 1), at)},
        "no_source": {"op": "c", "after": whole},
        "no_position": {
            "op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at) | {"lsn": None},
        },
        "no_table": {"op": "c", "after": whole, "source": shop.source(None, Position(1, 1, 1), at)},
        "no_after_image": {"op": "u", "after": None, "source": shop.source("item", Position(1, 1, 1), at)},
        "no_after_image ": {"op": "c", "after": {}, "source": shop.source("item", Position(1, 1, 1), at)},
        "no_before_image ": {"op": "d", "before": {}, "after": None, "source": shop.source("item", Position(1, 1, 1), at)},
        "no_before_image": {"op": "d", "before": None, "source": shop.source("item", Position(1, 1, 1), at)},
        "broken_envelope: after": {"op": "c", "after": "a text", "source": shop.source("item", Position(1, 1, 1), at)},
        "broken_envelope: source.lsn ": {"op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at) | {"lsn": "1"}},
        "unknown_connector: mysql": {
            "op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at) | {"connector": "mysql"},
        },
        "broken_envelope: source.lsn": {
            "op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at) | {"lsn": "abc"},
        },
        "broken_envelope: ts_ms, source.txId, source.ts_ms": {
            "op": "c", "after": whole, "ts_ms": 1.5,
            "source": shop.source("item", Position(1, 1, 1), at) | {"ts_ms": {}, "txId": 10**20},
        },
        "broken_envelope: source, transaction": {"op": "c", "after": whole, "source": [1], "transaction": "x"},
        "broken_envelope: transaction.total_order": {
            "op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at), "transaction": {"total_order": "1"},
        },
        "no_position ": {
            "op": "c", "after": whole, "source": shop.source("item", Position(1, 1, 1), at) | {"ts_us": 2**63 - 1, "ts_ms": 2**63 - 1},
        },
    }.items():  # fmt: skip
        lines.append(Line(message("shop.public.item", whole, envelope), "rejected", reason.strip()))
    lines += [
        shop.change("sized", "c", key={"item_id": 4}, after=item(4, size=9)),
        shop.change("sized too", "c", key={"item_id": 5}, after={"size": 8} | item(5)),
        shop.change("retyped", "c", key={"item_id": 6}, after=item(6), types=ITEM | {"item_id": "bigint"}),
        shop.change("long", "c", "measure", key={"item_id": 30}, after={
            "item_id": 30, "ratio": Number("0.12345678901234567890123"),
            "count": Number("123456789012345678901234567890"), "half": 1.5,
        }),
        shop.change("long deleted", "d", "measure", key={"item_id": 30}, before={
            "item_id": 30, "ratio": Number("0.12345678901234567890123"), "count": 1, "half": 1.5,
        }),
        shop.change("long typed", "c", "ratio", key={"item_id": 31}, after={"item_id": 31, "ratio": Number("0.12345678901234567890")},
                    types={"item_id": "integer", "ratio": "double precision"}),
        shop.change("message too", "d", "order", key={"id": 1}, before={"id": 1}, message={"prefix": "app"}),
        odd.change("odd", "c", "odd table.x", key={"id": 1}, after={"id": 1, "it's": "a|b,c"}),
        # one text where names are joined by commas, and two column sets
        shop.change("set 1", "c", "sets", key={"c": 1}, after={"a,b": 1, "c": 1}),
        shop.change("set 2", "c", "sets", key={"a": 1}, after={"a": 1, "b,c": 1}),
    ]  # fmt: skip
    deep = shop.change("deep header", "c", key={"item_id": 7}, after=item(7))
    headers = json.loads('{"a":' * 9 + "1" + "}" * 9)
    lines.append(Line(json.dumps(json.loads(deep.text) | {"headers": [headers]}), "change", name="deep header"))
    double = shop.change("double", "c", "double", after={"a": 1, "b": 2})
    lines.append(Line(double.text.replace('\\"b\\"', '\\"a\\"'), "change", name="double"))
    folder.put("first file.jsonl", lines)

    # positions and times that are there, and cannot be read
    wild = logs["wild"]
    wild_lines = []
    for number, odd_source in enumerate(
        ({"sequence": "[]"}, {"sequence": "x"}, {"sequence": '["x"]'}, {"ts_us": 2**63 - 1}, {"ts_us": -(2**63)})
    ):
        position = Position(100 + number, 100 + number, 1)
        source = wild.source("item", position, START) | odd_source
        wild_lines.append(
            wild.change(f"wild {number}", "c", after={"id": number}, position=position, at=START, source=source)
        )
    folder.put("wild.jsonl", wild_lines)

    same = Position(shop.commit, shop.commit + 1, 0)
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"a": 1, "b": "x"}, {"a": 1, "b": "x"}]
    keyless = [shop.change(f"row {n}", "r", "keyless", after=row, position=same) for n, row in enumerate(rows)]
    shop.commit += 10
    # one statement that writes many rows is one record of the log: only the serial tells its events apart
    copied = [
        shop.change(f"copied {serial}", "c", "keyless", after={"a": 7, "b": "y"},
                    position=Position(shop.commit, shop.commit + 1, serial))
        for serial in (1, 2)
    ]  # fmt: skip
    shop.commit += 10
    folder.put("keyless.jsonl", keyless + copied)
    # more of the snapshot, equal rows among them; and equal rows of one transaction whose source numbers none
    more = [shop.change(f"more {n}", "r", "keyless", after=row, position=same) for n, row in enumerate(rows)]
    uncounted = [
        shop.change(f"uncounted {n}", "c", "keyless", after={"a": 8, "b": "z"}, transaction=None,
                    position=Position(shop.commit, shop.commit + 1, 0))
        for n in range(3)
    ]  # fmt: skip
    # a source that numbers some of them only: its second and the second one in the file are two
    uncounted.insert(
        0,
        shop.change(
            "counted", "c", "keyless", after={"a": 8, "b": "z"}, position=Position(shop.commit, shop.commit + 1, 2)
        ),
    )
    shop.commit += 10
    folder.put("keyless more.jsonl", [*uncounted, *more])

    # equal rows at equal places of two logs in one file
    place = Position(shop.commit, shop.commit + 1, 0)
    twins = [log.change(f"twin of {log.system}", "c", "keyless", after={"a": 9, "b": "z"}, transaction=None, position=place)
             for log in (shop, odd)]  # fmt: skip
    shop.commit += 10
    folder.put("twins.jsonl", twins)

    folder.put("empty.jsonl", [])
    folder.put("windows.jsonl", [
        shop.change("windows 1", "c", key={"item_id": 40}, after=item(40, "crlf")),
        Line("not json", "rejected", "broken_json"),
    ], end="\r\n")  # fmt: skip
    folder.put("two lines.jsonl", [
        shop.change("two 1", "c", key={"item_id": 41}, after=item(41)), Line('{"destination"', "rejected", "broken_json"),
    ])  # fmt: skip
    folder.put("carriage.jsonl", [Line('{"a"\r:', "rejected", "broken_json"), Line("x", "rejected", "broken_json")])

    for name, end in OPEN.items():
        whole_line = shop.change(f"{name} 2", "c", key={"item_id": 50}, after=item(50, "ümlaut €"))
        before = shop.change(f"{name} 1", "c", key={"item_id": 51}, after=item(51, "ümlaut €"))
        part = Line(whole_line.text[:60], "waiting")
        folder.put(f"{name}.jsonl", [before, part], end, last="", first="\ufeff" if name == "open marked" else "")
        folder.files[f"{name}.jsonl"] = [before, part, Line(whole_line.text, "later", name=f"{name} 2")]
    folder.put("unended.jsonl", [shop.change("unended", "c", key={"item_id": 52}, after=item(52))], last="")

    # the same log twice, under two names: `once` lands in its order, `late` its end first
    clock = START
    events = []
    for log in (logs["once"], logs["late"]):
        for number in range(20):
            # the clock of the source jumps back now and then
            at = clock + timedelta(seconds=number * 10 - (35 if number in (5, 11, 12) else 0))
            events.append(log.change(f"{log.system} {number}", "c", "t", key={"k": number}, after={"k": number}, at=at))
    folder.put("once.jsonl", events[:20])
    folder.put("late 2.jsonl", list(reversed(events[32:])))
    folder.files["late 1.jsonl"] = events[20:32]


def avro_files(folder: Folder, log: Log, kind: str) -> None:
    """Messages in Avro, as recorded: lines of kind `waiting` until their schemas have been pulled. The same changes in JSON tell where they stand."""
    recorded = zip(recorded_formats.lines("avro"), recorded_formats.lines("enveloped"), strict=True)
    told = [
        (line, json.loads(json.loads(other)["value"])["payload"]) for line, other in recorded if "sales.plain" in line
    ]
    for place, (_, envelope) in enumerate(told):
        source = envelope["source"]
        commit, serial = int(json.loads(source["sequence"])[0]), envelope["transaction"]["total_order"]
        log.written[f"avro {place}"] = Position(commit, source["lsn"], serial)
    folder.put("avro.jsonl", [Line(line, kind, name=f"avro {place}") for place, (line, _) in enumerate(told)])


def second_files(folder: Folder, logs: dict[str, Log]) -> None:
    """What happens before the second job: files grow, come again, come late."""
    shop = logs["shop"]
    folder.put("late 1.jsonl", list(reversed(folder.files.pop("late 1.jsonl"))))
    for name, end in OPEN.items():
        before, _, later = folder.files[f"{name}.jsonl"]
        more = shop.change(f"{name} 3", "c", key={"item_id": 53}, after=item(53))
        first = "\ufeff" if name == "open marked" else ""
        folder.put(f"{name}.jsonl", [before, Line(later.text, "change", name=later.name), more], end, first=first)
    folder.put("unended.jsonl", [*folder.files["unended.jsonl"], Line("still no json", "rejected", "broken_json")])
    folder.put("copy of first file.jsonl", folder.files["first file.jsonl"])
    folder.put("keyless again.jsonl", folder.files["keyless.jsonl"])
    folder.put("keyless more again.jsonl", folder.files["keyless more.jsonl"])
    folder.put("one twin again.jsonl", folder.files["twins.jsonl"][1:])

    first = {line.name: line for line in folder.files["first file.jsonl"]}
    folder.put("redelivered.jsonl", [
        first["plain"], first["update"], first["plain"],
        shop.change("new", "c", key={"item_id": 60}, after=item(60)),
        shop.change("sized again", "c", key={"item_id": 61}, after=item(61, size=1)),
        shop.change("sized typed", "c", key={"item_id": 62}, after=item(62, size=1), types=ITEM | {"size": "integer"}),
        shop.change("retyped again", "u", key={"item_id": 6}, after=item(6), types=ITEM | {"item_id": "bigint"}),
        shop.change("dropped", "u", key={"item_id": 6}, after={"item_id": 6, "price": "BOI="}),
        # both ways at once: with and without types, it is one version
        shop.change("pair plain", "c", "pair", key={"item_id": 1}, after={"item_id": 1}),
        shop.change("pair typed", "c", "pair", key={"item_id": 2}, after={"item_id": 2}, types={"item_id": "integer"}),
    ])  # fmt: skip


def third_files(folder: Folder, logs: dict[str, Log]) -> None:
    """What happens before the third job: a redelivery alone, with the restarted connector's own idea of the last commit."""
    shop = logs["shop"]
    position = shop.written["typed"]
    again = shop.change("again", "c", key={"item_id": 2}, after=item(2), types=ITEM,
                        position=Position(position.lsn, position.lsn, 1))  # fmt: skip
    del shop.written["again"]
    folder.put("restarted.jsonl", [Line(again.text, "change", name="typed")])
    folder.put("after registration.jsonl", [
        shop.change("sized at last", "c", key={"item_id": 70}, after=item(70, size=1)),
        shop.change("coloured", "c", key={"item_id": 71}, after={"item_id": 71, "colour": "red"}),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def landing(module_case: Callable[..., DbtCase], tmp_path_factory: pytest.TempPathFactory) -> Landing:
    folder = Folder(tmp_path_factory.mktemp("arriving"))
    case = module_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml"),
        project={"vars": {"landing_path": f"{folder.path}/*.jsonl", "entrepot_lock_minutes": 10}},
    )
    case.put("seeds/mapping/schema_attribute.csv", SEED)
    landing = Landing(case, folder, {name: Log(name) for name in ("shop", "my.shop 1", "once", "late", "wild")})
    landing.logs["forms"] = Log("forms", "postgres")

    first_files(folder, landing.logs)
    avro_files(folder, landing.logs["forms"], "waiting")
    landing.job()
    folder.landed()

    second_files(folder, landing.logs)
    grown = []

    def grow(event: Any) -> None:
        # while the job runs: after its files have been read, before they are noted down
        if not grown and event.info.name == "LogStartLine" and "landed_file" in event.info.msg:
            grown.append(landing.logs["shop"].change("grown meanwhile", "c", key={"item_id": 63}, after=item(63)))
            folder.put("redelivered.jsonl", [*folder.files["redelivered.jsonl"], *grown])

    case.watch = grow
    landing.job()
    assert grown
    folder.landed()
    case.watch = lambda event: None

    third_files(folder, landing.logs)
    avro_files(folder, landing.logs["forms"], "change")
    recorded_formats.put(case.path / "registry", recorded_formats.pulled())
    case.put("seeds/mapping/schema_attribute.csv", SEED_LATER)
    landing.job()
    folder.landed()

    landing.job()
    return landing


def test_every_change_lands_once(landing: Landing) -> None:
    assert set(landing.events()) == landing.folder.changes
    assert len(landing.folder.changes) == sum(len(log.written) for log in landing.logs.values())


def test_every_other_line_lands_with_its_reason(landing: Landing) -> None:
    found = landing.query(
        "select regexp_extract(replace(landed_from, '%20', ' '), '([^/]*)$', 1), landed_offset, 'control', reason "
        "from {control_event} union all "
        "select regexp_extract(replace(landed_from, '%20', ' '), '([^/]*)$', 1), landed_offset, 'rejected', reason "
        "from {rejected_event}"
    )
    assert sorted(found) == sorted(landing.folder.deliveries)


def test_lines_are_kept_as_they_came(landing: Landing) -> None:
    texts = {
        line.text for lines in landing.folder.files.values() for line in lines if line.kind in ("control", "rejected")
    }
    assert {
        line for (line,) in landing.query("select line from {control_event} union select line from {rejected_event}")
    } == texts


def test_files_are_accounted_for(landing: Landing) -> None:
    newest = landing.query(
        "select regexp_extract(replace(landed_from, '%20', ' '), '([^/]*)$', 1), records, changes, rejected, waiting "
        "from {landed_file} qualify row_number() over (partition by landed_from order by landed_at desc, file_size desc) = 1"
    )
    expected = []
    for name, lines in landing.folder.files.items():
        kinds = Counter(line.kind for line in lines if line.kind != "blank")
        expected.append((name, sum(kinds.values()), kinds["change"], kinds["rejected"], kinds["waiting"]))
    assert sorted(newest) == sorted(expected)


def test_an_unfinished_line_waits_and_is_not_rejected(landing: Landing) -> None:
    waited = landing.query(
        "select regexp_extract(replace(landed_from, '%20', ' '), '([^/]*)$', 1), records, waiting from {landed_file} "
        "where waiting > 0"
    )
    assert sorted(waited) == [
        ("avro.jsonl", 4, 4),
        ("open marked.jsonl", 2, 1),
        ("open windows.jsonl", 2, 1),
        ("open.jsonl", 2, 1),
    ]


def test_messages_wait_for_their_schema_and_land_when_it_has_been_pulled(landing: Landing) -> None:
    # the job in between, which had no news of it, did not read it again
    found = landing.query("select problem, waiting, changes from {landed_file} where landed_from like '%avro.jsonl'")
    assert found == [
        ("it waits for schemas of the registry (entrepot registry pull): 7", 4, 0),
        (None, 0, 4),
    ]


def test_views_stand_from_job_to_job(landing: Landing) -> None:
    views = ("arrived_file", "landing_record", "raw_line", "read_line")
    states = landing.case.spark.answer(
        f"select regexp_extract(node, '[^.]*$', 0) as view, checksum <> '' from {landing.case.table('ops', 'node_state')} "
        "where node like 'model.%' qualify row_number() over (partition by node order by number desc) = 1"
    )
    assert sorted(row for row in states if row[0] in views) == [(view, True) for view in views]


def test_what_an_event_says_is_kept(landing: Landing) -> None:
    events = landing.events()
    plain = events["plain"]
    assert (plain["source_system"], plain["source_database"], plain["schema_name"]) == (
        "shop",
        "db",
        "shop.public.item",
    )
    assert (plain["op"], json.loads(plain["event_key"]), plain["before"]) == ("c", {"item_id": 1}, None)
    assert json.loads(plain["after"]) == item(1)
    assert plain["transaction_id"] == "105"
    typed = events["typed"]
    assert (json.loads(typed["event_key"]), json.loads(typed["after"])) == ({"item_id": 2}, item(2))
    assert json.loads(events["update"]["before"]) == item(1)
    assert events["delete"]["after"] is None
    truncate = events["truncate"]
    assert [truncate[name] for name in ("schema_name", "schema_version", "event_key", "before", "after")] == [
        "shop.public.order", None, None, None, None,
    ]  # fmt: skip
    logical = events["logical"]
    assert (logical["op"], logical["schema_name"], logical["schema_version"]) == ("m", None, None)
    assert json.loads(logical["after"]) == {"prefix": "app", "content": "aGVsbG8="}
    assert events["odd"]["schema_name"] == "my.shop 1.public.odd table.x"
    for name in (f"{name} 2" for name in OPEN):
        assert json.loads(events[name]["after"])["name"] == "ümlaut €"
    for log in landing.logs.values():
        for name, at in log.committed_at.items():
            if name in events:
                assert events[name]["committed_at"] == at.replace(tzinfo=None), name


def test_numbers_keep_their_digits(landing: Landing) -> None:
    events = landing.events()
    after = json.loads(events["long"]["after"], parse_float=str, parse_int=str)
    assert after == {
        "item_id": "30", "ratio": "0.12345678901234567890123", "count": "123456789012345678901234567890", "half": "1.5",
    }  # fmt: skip
    deleted = events["long deleted"]
    assert deleted["after"] is None
    assert json.loads(deleted["before"], parse_float=str)["ratio"] == "0.12345678901234567890123"
    assert json.loads(events["long typed"]["after"], parse_float=str)["ratio"] == "0.12345678901234567890"
    assert events["message too"]["after"] is None
    fractions = {name: list[str]() for name in events}
    for name, event in events.items():
        for image in filter(None, (event["before"], event["after"])):
            json.loads(image, parse_float=fractions[name].append)
    assert any(fractions.values())
    assert [name for name, found in fractions.items() if found and not events[name]["has_fractions"]] == []
    assert any(event["has_fractions"] is False for event in events.values())


def test_versions_are_recognised_by_their_field_lists(landing: Landing) -> None:
    versions = {name: event["schema_version"] for name, event in landing.events().items()}
    registered = ["plain", "typed", "update", "delete", "windows 1", "two 1", "unended", "new", "open 2"]
    # without types nobody can tell version 1 from the retyped one with the same names: the newest it is, once it is known
    assert versions["typed"] == 1
    assert {versions[name] for name in registered} <= {1, versions["retyped"]}
    assert versions["sized"] == versions["sized too"] == versions["sized again"] == versions["sized typed"] == 2
    assert versions["retyped"] == versions["retyped again"] == 3
    assert versions["dropped"] == 4
    assert versions["pair plain"] == versions["pair typed"] == 1
    assert (versions["long"], versions["odd"], versions["row 0"], versions["copied 1"]) == (1, 1, 1, 1)
    # version 2 has been registered with another field list; this one gets the next number, for good
    assert (versions["coloured"], versions["sized at last"]) == (2, 5)
    assert (versions["set 1"], versions["set 2"]) == (1, 2)
    assert {name for name, version in versions.items() if version is None} == {"logical", "truncate"}


def test_new_versions_register_themselves(landing: Landing) -> None:
    found = landing.query(
        "select schema, version, concat_ws(' ', collect_list(name)) from (select *, concat_ws(':', attribute, data_type, "
        "if(is_key, 'key', null)) as name from {discovered_schema_attribute} order by schema, version, position) group by all"
    )
    by_version = {(schema, version): text for schema, version, text in found}
    # the order of the attributes is that of the version's first event
    assert by_version == {
        ("shop.public.item", 2): "item_id:key name price size",
        ("shop.public.item", 3): "item_id:bigint:key name:text price:numeric(12,2)",
        ("shop.public.item", 4): "item_id:key price",
        # shown again with and without types, by a file that is read again because it grew: with types
        ("shop.public.item", 5): "item_id:integer:key name:text price:numeric(12,2) size:integer",
        ("shop.public.measure", 1): "item_id:key ratio count half",
        ("shop.public.ratio", 1): "item_id:integer:key ratio:double precision",
        ("shop.public.order", 1): "id:key",
        ("shop.public.double", 1): "a",
        ("shop.public.keyless", 1): "a b",
        ("shop.public.pair", 1): "item_id:integer:key",
        ("shop.public.sets", 1): "a,b c:key",
        ("shop.public.sets", 2): "a:key b,c",
        ("my.shop 1.public.odd table.x", 1): "id:key it's",
        ("my.shop 1.public.keyless", 1): "a b",
        ("once.public.t", 1): "k:key",
        ("late.public.t", 1): "k:key",
        ("wild.public.item", 1): "id",
        ("forms.sales.plain", 1): "number:integer text:text",
    }
    first = dict(
        landing.query("select schema || version, first_event_id from {discovered_schema_attribute} group by all")
    )
    events = landing.events()
    assert first["shop.public.item2"] == events["sized"]["event_id"]
    assert first["shop.public.item3"] == events["retyped"]["event_id"]


def test_commit_positions_follow_the_log_without_ties(landing: Landing) -> None:
    events = landing.events()
    positions = [tuple(event["commit_position"].values()) for event in events.values()]
    assert len(set(positions)) == len(positions)
    for log in landing.logs.values():
        by_log = sorted((position, name) for name, position in log.written.items())
        by_commit = sorted((tuple(events[name]["commit_position"].values()), name) for name in log.written)
        order = [log.written[name] for _, name in by_commit]
        assert order == [position for position, _ in by_log], log.system
        # without what settles ties: only rows of one log position share it
        assert all(
            tuple(events[name]["commit_position"].values())[2:5] == tuple(log.written[name]) for name in log.written
        )


def test_the_order_is_that_of_the_log_and_not_of_arrival(landing: Landing) -> None:
    events = landing.events()
    order = {
        system: [
            int(name.split()[1])
            for _, name in sorted(
                (tuple(event["commit_position"].values()), name)
                for name, event in events.items()
                if event["source_system"] == system
            )
        ]
        for system in ("once", "late")
    }
    assert order["late"] == order["once"] == list(range(20))


def test_a_job_without_news_writes_nothing(landing: Landing) -> None:
    assert landing.versions[3] == landing.versions[2]
    messages = landing.outcomes[3].messages
    assert {name: messages[name] for name in TABLES} == dict.fromkeys(TABLES, "unchanged")
