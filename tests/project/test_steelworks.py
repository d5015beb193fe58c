"""The main job end to end on the recorded changes, compared with a replay in plain Python.

Two jobs and one without news; with `make campaigns` three jobs, compared with one job.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from entrepot.cli import main
from entrepot.ledger.concerns import Figures
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.target import load_target
from tests.conftest import ROOT
from tests.record.recorded_events import CHANGES, EVENING, FOLDER, OPENING, Event, events, number, select
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome

pytestmark = pytest.mark.slow

PARTS = ("models", "seeds", "snapshots")
ENTITIES = (
    "customer", "item", "sales_order", "order_line", "payment", "equipment", "production", "equipment_status", "quality",
)  # fmt: skip
MARTS = (
    "fct_order_line", "fct_payment", "fct_production_grain", "fct_production", "mart_customer_balance", "mart_sales_daily",
    "mart_equipment_oee_daily",
)  # fmt: skip
ALL = (OPENING, CHANGES, EVENING)
CUSTOMER = ("customer_id", "city", "created_at", "credit_limit", "email", "name", "phone")
COUNTING = "what waits for a person"
CONCERNS = (
    ("ops", "ops_unmapped_event", "{schema_name}: {reason}"), ("ops", "ops_rejected_event", "{reason}"),
    ("ops", "ops_waiting_order_line", "{waits_for}"), ("ops", "ops_waiting_production", "{waits_for}"),
    ("mapping", "mapping_review", "{schema} version {version}"),
)  # fmt: skip


def project(make: Callable[..., DbtCase]) -> DbtCase:
    """The whole project, with a landing folder of its own."""
    case = make(parts=PARTS)
    settings = yaml.safe_load((case.path / "dbt_project.yml").read_text())
    settings["vars"]["landing_path"] = f"{case.path}/arriving/*/*.jsonl"
    case.put("dbt_project.yml", yaml.safe_dump(settings))
    # a narrowing that the project has accepted is seen by this one
    described = yaml.safe_load((case.path / "models/mapping/balanced_set.yml").read_text())
    tests = described["models"][0]["data_tests"]
    fit = next(test["mapping_types_fit"] for test in tests if "mapping_types_fit" in test)
    assert fit["config"]["where"]
    tests.append({"mapping_types_fit": {"name": "every_narrowing", "arguments": fit["arguments"]}})
    return case.put("models/mapping/balanced_set.yml", yaml.safe_dump(described))


def build(case: DbtCase, *phases: str, options: tuple[str, ...] = ()) -> Outcome:
    """Run one job on what has arrived by the end of some phases."""
    for phase in phases:
        if not (arrived := case.path / "arriving" / phase).exists():
            shutil.copytree(FOLDER / phase, arrived)
    return case.build(*options)


class Steelworks:
    """The warehouse after two jobs, of which the second runs dbt's tests, and one without news; messages are published after each."""

    def __init__(self, make: Callable[..., DbtCase]) -> None:
        self.case = project(make)
        self.messages = self.case.path / "messages"
        self.jobs, self.published = [], []
        self.views: dict[str, list[dict[str, Any]]] = {}
        for phases, options in (((OPENING,), WITHOUT_TESTS), (ALL, ()), (ALL, WITHOUT_TESTS)):
            self.jobs.append(build(self.case, *phases, options=options))
            self.published.append(self.entrepot("publish-events", "--out", str(self.messages)))

    def view(self, layer: str, name: str) -> list[dict[str, Any]]:
        """The rows of a view, which is asked once."""
        view = self.case.table(layer, name)
        if view not in self.views:
            self.views[view] = [row.asDict(recursive=True) for row in self.case.spark.sql(f"select * from {view}")]
        return self.views[view]

    def entrepot(self, *arguments: str) -> str:
        """What a command prints."""
        place = ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]
        result = CliRunner().invoke(main, [*place, *arguments])
        assert result.exit_code == 0, result.output
        return result.stdout


@pytest.fixture(scope="module")
def steelworks(module_case: Callable[..., DbtCase]) -> Steelworks:
    return Steelworks(module_case)


@pytest.mark.long
def test_three_jobs_give_what_one_job_gives(dbt_case: Callable[..., DbtCase]) -> None:
    case, twin = project(dbt_case), project(dbt_case)
    for phases in ((OPENING,), (OPENING, CHANGES), (OPENING, CHANGES, EVENING)):
        build(case, *phases)
    build(twin, OPENING, CHANGES, EVENING)
    compared = {f"{entity}_history": "history" for entity in ENTITIES} | dict.fromkeys(MARTS, "marts")
    compared |= dict.fromkeys(ENTITIES, "mapped") | {"balanced_set": "mapping"}
    for name, layer in compared.items():
        difference = case.spark.equal(
            f"select * from {case.table(layer, name)}", f"select * from {twin.table(layer, name)}"
        )
        assert not difference, f"{layer}.{name}: {difference[:3]}"


def test_the_rules_are_used_and_nothing_runs_without_news(steelworks: Steelworks) -> None:
    assert steelworks.jobs[1].messages["mapped_payment"].startswith("join: ")
    assert steelworks.jobs[1].messages["customer_history"].startswith("scope: ")
    assert steelworks.jobs[1].messages["mart_customer_balance"].startswith("full: ")
    quiet = steelworks.jobs[2]
    stored = [
        *(f"mapped_{entity}" for entity in ENTITIES),
        *(f"{entity}_history" for entity in ENTITIES),
        *MARTS,
        "balanced_set",
    ]
    assert {name: quiet.messages[name] for name in stored} == dict.fromkeys(stored, "unchanged")
    assert quiet.statements == []
    assert quiet.messages["change_event"] == "unchanged"


@pytest.mark.parametrize(
    ("test", "relation"),
    [
        ("mapping_one_to_one", "unique_block"),
        ("mapping_attributes_exist", "unique_block"),
        ("mapping_round_trip", "matrix"),
        ("mapping_keys_mapped", "unique_block"),
        ("mapping_versions_without_gaps", "schema_tree"),
        ("mapping_versions_without_gaps", "entity_attribute"),
        ("mapping_versions_mapped", "unique_block"),
        ("mapping_types_convert", "balanced_set"),
        ("mapping_types_fit", "balanced_set"),
    ],
)
def test_the_seeds_pass_the_tests_for_mappings(steelworks: Steelworks, test: str, relation: str) -> None:
    assert steelworks.jobs[1].results(test, relation) == [("pass", 0)]


def test_a_narrowing_of_the_seeds_is_a_warning(steelworks: Steelworks) -> None:
    job = steelworks.jobs[1]
    narrowing = job.nodes["every_narrowing"]
    assert (str(narrowing.status), narrowing.failures) == ("warn", 1)
    assert (
        "plant.mes.material version 1 to item: weight_per_piece is numeric, and not every value of it fits weight, which is decimal(18,6)"
        in job.text
    )


def test_each_job_has_a_cut_through_its_sources(steelworks: Steelworks) -> None:
    """What a job holds begins where the one before has ended; and tables hold what the slowest of the sources that feed them has committed."""
    case, ends = steelworks.case, {}
    for job, phases in ((1, (OPENING,)), (2, ALL)):
        for system in ("plant", "shop"):
            ends[job, system] = max(at for of, at in committed(*phases) if of == system)
    sql = (ROOT / "python/dbt/include/entrepot/models/ops/ops_job.sql").read_text()
    sql = re.sub(r"{{ source\('ops', '(\w+)'\) }}", lambda found: case.table("ops", found[1]), sql)
    found = [
        (row.job_number, row.source_system, row.state, row.after_committed_at, row.through_committed_at)
        for row in case.spark.sql(f"select * from ({sql}) order by job_number, source_system")
    ]
    assert found == [
        (1, "plant", "finished", None, ends[1, "plant"]),
        (1, "shop", "finished", None, ends[1, "shop"]),
        (2, "plant", "finished", ends[1, "plant"], ends[2, "plant"]),
        (2, "shop", "finished", ends[1, "shop"], ends[2, "shop"]),
        (3, None, "finished", None, None),
    ]
    heard = {
        (job, system): max((at for of, at in told(*phases) if of == system))
        for job, phases in ((1, (OPENING,)), (2, ALL), (3, ALL))
        for system in ("plant", "shop")
    }
    holds = {
        (row.number, row.relation.split(".")[1]): row.holds_through
        for row in case.spark.sql(f"select * from {case.table('ops', 'published_snapshot')}")
    }
    for job in (1, 2, 3):
        assert holds[job, "fct_payment"] == heard[job, "shop"]
        assert holds[job, "mart_equipment_oee_daily"] == heard[job, "plant"]
        assert holds[job, "change_event"] == min(heard[job, "plant"], heard[job, "shop"])
        assert holds[job, "unique_block"] > heard[job, "shop"], "a seed is as new as its job"


def test_the_embedded_metastore_holds_every_view(steelworks: Steelworks) -> None:
    """Derby, which the tests do without, keeps no text of a view that is longer than 32,700 characters."""
    compiled = steelworks.case.path / "target/compiled/entrepot/models"
    lengths = {file.stem: len(file.read_text()) for file in compiled.rglob("*.sql")}
    assert lengths["landing_record"] > 20_000
    views = [name for name in lengths if "view" in steelworks.jobs[0].by_node.get(name, [""])[-1][:60]]
    assert {name: length for name, length in lengths.items() if name in views and length > 32_000} == {}


def committed(*phases: str) -> list[tuple[str, datetime]]:
    """The source system and commit time of every recorded change, UTC."""
    return [
        (event.value["source"]["name"], micros(event.value["source"]["ts_us"]))
        for event in events()
        if event.phase in phases and event.op in "crudtm"
    ]


def told(*phases: str) -> list[tuple[str, datetime]]:
    """The same, and of the ends of transactions."""
    ends = [event for event in events() if event.phase in phases and event.op == "END"]
    return committed(*phases) + [
        (event.destination.split(".")[0], micros(event.value["ts_ms"] * 1000)) for event in ends
    ]


def micros(count: int) -> datetime:
    """A moment in UTC by its microseconds since 1970."""
    return datetime(1970, 1, 1) + timedelta(microseconds=count)


def test_every_line_is_accounted_for(steelworks: Steelworks) -> None:
    case = steelworks.case
    lines = sum(
        len((ROOT / "data/recorded" / phase / file).read_text().splitlines())
        for phase in (OPENING, CHANGES, EVENING)
        for file in [path.name for path in (ROOT / "data/recorded" / phase).glob("*.jsonl")]
    )
    counts = [case.rows("landing", name) for name in ("change_event", "control_event", "rejected_event")]
    assert sum(len(rows) for rows in counts) == lines
    assert counts[2] == []
    unmapped = steelworks.view("ops", "ops_unmapped_event")
    assert {(row["schema_name"], row["reason"]) for row in unmapped} == {("shop.sales.price_note", "no block")}, (
        "nobody has registered it"
    )


def position(event: Event) -> tuple[int, int, int]:
    source = event.value["source"]
    lsn = int(source["lsn"])
    before = json.loads(source["sequence"])[0] if source.get("sequence") else None
    return (int(before) if before else lsn, lsn, (event.value.get("transaction") or {}).get("total_order", 0))


def current(table: str, *keys: str) -> dict[tuple[Any, ...], Event]:
    """Replay a table: {key: the event that made its row what it is}."""
    rows: dict[tuple[Any, ...], Event] = {}
    for event in sorted(select(table, "crud"), key=position):
        key = tuple(event.key[name] for name in keys)
        if event.op == "d":
            rows.pop(key, None)
        elif key not in rows or rows[key].after != event.after:
            rows[key] = event
    return rows


@pytest.mark.parametrize(
    ("entity", "table", "keys"),
    [
        ("customer", "sales.customer", ("customer_id",)),
        ("sales_order", "sales.sales_order", ("order_id",)),
        ("order_line", "sales.order_line", ("order_id", "line_number")),
        ("production", "mes.production", ("production_id",)),
        ("equipment_status", "mes.equipment_status", ("status_id",)),
        ("quality", "mes.quality", ("quality_id",)),
    ],
)
def test_current_keys_equal_a_replay(steelworks: Steelworks, entity: str, table: str, keys: tuple[str, ...]) -> None:
    case = steelworks.case
    stored = case.spark.answer(
        f"select {', '.join(keys)} from {case.table('history', f'{entity}_history')} where valid_to_position is null"
    )
    assert stored == sorted(current(table, *keys), key=repr)


def test_order_lines_have_the_price_valid_at_their_own_commit(steelworks: Steelworks) -> None:
    case = steelworks.case
    prices: dict[str, list[tuple[tuple[int, int, int], Decimal | None]]] = {}
    for event in sorted(select("sales.item", "cru"), key=position):
        scale = int(next(scale for name, _, scale in event.fields or () if name == "price"))
        prices.setdefault(event.after["item_code"], []).append((position(event), number(event.after["price"], scale)))
    facts = {(row[0], row[1]): row[2] for row in case.spark.answer(
        f"select order_id, line_number, price from {case.table('marts', 'fct_order_line')}"
    )}  # fmt: skip
    compared = 0
    for key, event in current("sales.order_line", "order_id", "line_number").items():
        known = prices.get(event.after["item_code"])
        if key in facts and known:
            valid = [price for at, price in known if at <= position(event)] or [known[0][1]]
            assert facts[key] == valid[-1], f"order line {key}"
            compared += 1
    assert compared > 200


@dataclass
class Run:
    """A finished production run: seconds that were planned, run and ideal (as many digits as the fact keeps), pieces looked at and thrown away."""

    equipment: int
    day: date
    pieces: int
    planned: int
    running: int
    ideal: Decimal
    inspected: int = 0
    rejected: int = 0


def effectiveness(runs: list[Run]) -> tuple[float | None, ...]:
    """Availability, performance, quality and OEE (ISA-95, DOD-ETL 5) of some runs together; none where nothing ran, or nobody looked."""
    planned, running, ideal = (sum(getattr(run, name) for run in runs) for name in ("planned", "running", "ideal"))
    inspected = sum(run.inspected for run in runs)
    good = inspected - sum(run.rejected for run in runs)
    return (
        running / planned, float(ideal) / running if running else None, good / inspected if inspected else None,
        float(ideal) / planned * good / inspected if inspected else None,
    )  # fmt: skip


def finished_runs() -> dict[int, Run]:
    """The runs by their numbers, worked out of the recording: those with any status of a known equipment within their time."""
    speeds = {key[0]: event.after["max_speed"] for key, event in current("mes.equipment", "equipment_id").items()}
    states = [event.after for event in current("mes.equipment_status", "status_id").values()]
    runs: dict[int, Run] = {}
    for (number_,), event in current("mes.production", "production_id").items():
        row = event.after
        if row["ended_at"] is None or row["equipment_id"] not in speeds:
            continue
        start, end = datetime.fromisoformat(row["started_at"]), datetime.fromisoformat(row["ended_at"])
        shared = [
            (status["status"], min(end, ended) - max(start, datetime.fromisoformat(status["started_at"])))
            for status in states
            if status["equipment_id"] == row["equipment_id"]
            for ended in (datetime.fromisoformat(status["ended_at"]) if status["ended_at"] else end,)
            if min(end, ended) > max(start, datetime.fromisoformat(status["started_at"]))
        ]
        if shared:
            running = sum((span for status, span in shared if status == "on"), timedelta())
            ideal = Decimal(row["pieces"] / speeds[row["equipment_id"]] * 3600).quantize(Decimal("1e-6"), ROUND_HALF_UP)
            seconds = [int(span.total_seconds()) for span in (end - start, running)]
            runs[number_] = Run(row["equipment_id"], start.date(), row["pieces"], *seconds, ideal)
    for event in current("mes.quality", "quality_id").values():
        if run := runs.get(event.after["production_id"]):
            run.inspected += event.after["inspected"]
            run.rejected += event.after["rejected"]
    return runs


def test_equipment_effectiveness_is_what_plain_python_works_out(steelworks: Steelworks) -> None:
    case, runs = steelworks.case, finished_runs()
    figures = "availability, performance, quality, oee"
    facts = f"select production_id, pieces, planned_seconds, running_seconds, ideal_seconds, inspected, rejected, {figures} from {{}}"
    found = {row[0]: row[1:] for row in case.spark.rows(facts.format(case.table("marts", "fct_production")))}
    assert found.keys() == runs.keys() and len(runs) > 50
    for number_, run in runs.items():
        assert found[number_][:6] == (run.pieces, run.planned, run.running, run.ideal, run.inspected, run.rejected), (
            number_
        )
        assert found[number_][6:] == pytest.approx(effectiveness([run])), number_
    days: dict[tuple[int, date], list[Run]] = {}
    for run in runs.values():
        days.setdefault((run.equipment, run.day), []).append(run)
    daily = f"select equipment_id, production_date, runs, pieces, {figures} from {case.table('marts', 'mart_equipment_oee_daily')}"
    table = {(row[0], row[1]): row[2:] for row in case.spark.rows(daily)}
    assert table.keys() == days.keys()
    for day, some in days.items():
        assert table[day][:2] == (len(some), sum(run.pieces for run in some)), day
        assert table[day][2:] == pytest.approx(effectiveness(some)), day


def test_blocks_that_shrank_wait_for_a_review(steelworks: Steelworks) -> None:
    rows = steelworks.view("mapping", "mapping_review")
    reviewed = {(row["schema"].split(".", 1)[1], row["vanished"]) for row in rows}
    assert reviewed == {("sales.customer", "credit_limit"), ("mes.equipment", "line")}
    assert steelworks.jobs[1].results("mapping_reviewed", "mapping_review") == [("warn", 2)]


def test_the_books_say_what_mappings_cost(steelworks: Steelworks) -> None:
    case = steelworks.case
    figures = "entity, events_mapped, milliseconds_per_event, seconds, blocks, sql_characters"
    rows = case.spark.answer(f"select {figures} from {case.table('ops', 'ops_mapping_cost')}")
    assert [row[0] for row in rows] == sorted(ENTITIES)
    for entity, mapped, milliseconds, seconds, blocks, characters in rows:
        assert mapped >= len(case.rows("mapped", entity)) and milliseconds == pytest.approx(1000 * seconds / mapped)
        sql = (case.path / f"target/compiled/entrepot/models/mapped/mapped_{entity}.sql").read_text()
        assert blocks == len(re.findall(r"when schema_version in .* then .*from_json.image_text_after", sql))
        assert characters > 1000 * blocks
    state = state_of(seeds_of(ROOT / "seeds/mapping"))
    found = case.spark.answer(f"select schema, entity from {case.table('mapping', 'super_block_compaction')}")
    assert set(found) == {(one.schema, one.entity) for one in state.rows(state.stored)}


def test_plain_dbt_commands_and_the_entrepot_command(steelworks: Steelworks) -> None:
    case = steelworks.case
    for command in (
        ["test", "--select", "marts"],
        ["snapshot", "--select", "item_history"],
        ["docs", "generate"],
        ["run", "--select", "dim_item"],
    ):
        outcome = case.dbt(*command)
        assert outcome.success, outcome.text
    for output, expected in (("json", '[{"n": '), ("csv", "n\n"), ("table", "snapshot of job 3")):
        assert expected in steelworks.entrepot("query", "-f", output, "select count(*) as n from fct_order_line")
    said = steelworks.entrepot("status", "--relations")
    assert "finished, published" in said and "waiting: order_line" in said


def test_every_change_of_a_customer_is_one_message(steelworks: Steelworks) -> None:
    """Published in two files, the second with what is new; each validates, and says what the source said."""
    changes = {(*position(event), event.key["customer_id"]): event for event in select("sales.customer", "crud")}
    table = steelworks.case.table("outgoing", "customer_messages")
    files = sorted((steelworks.messages / table).glob("*.jsonl"))
    sent = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    assert [len(lines) for lines in sent] == [
        len([event for event in changes.values() if (event.phase == OPENING) == is_first]) for is_first in (True, False)
    ]
    assert steelworks.published == [
        f"{table}: {len(sent[0])} messages in {files[0]}\n", f"{table}: {len(sent[1])} messages in {files[1]}\n",
        f"{table}: nothing new\n",
    ]  # fmt: skip
    by_name = steelworks.entrepot("publish-events", "Customer_Messages", "--out", str(steelworks.messages))
    assert by_name == f"{table}: nothing new\n", "one folder for a table, whatever it is called"
    published = load_target(steelworks.case.path, steelworks.case.path).ledger().published()
    state = published[steelworks.case.table("mapped", "customer")].detail
    assert state and published[table].detail == f"{state} 1 customer", "one state of the mapping"
    validator = Draft202012Validator(json.loads(steelworks.entrepot("mapping", "schema", "customer")))
    found = {}
    for line in chain(*sent):
        value = line["value"]
        validator.validate(value)
        source = value["source"]
        at = (source["log_commit"], source["log_position"], source["log_serial"], line["key"]["customer_id"])
        found[at] = (line["key"], value["op"], value.get("after"), value.get("nulls"))
    assert found == {at: expected_message(event) for at, event in changes.items()}
    assert [at[:3] for at in found] == sorted(at[:3] for at in found), "in the order of the commits"


def expected_message(event: Event) -> tuple[Any, str, dict[str, Any] | None, list[str] | None]:
    """Key, op, the image without its nulls, and the names of these, of a change of a customer."""
    if event.after is None:
        return event.key, event.op, None, None
    values = {"email" if name == "email_address" else name: value for name, value in event.after.items()}
    if values.get("credit_limit") is not None:
        scale = next(scale for name, _, scale in event.fields or () if name == "credit_limit")
        values["credit_limit"] = float(number(values["credit_limit"], int(scale)) or 0)
    nulls = [name for name in CUSTOMER if name in values and values[name] is None]
    return event.key, event.op, {name: value for name, value in values.items() if value is not None}, nulls or None


def reason_of(row: dict[str, Any], pattern: str) -> str | None:
    """A pattern with a row's values; none where one of them is null."""
    return None if any(row[name] is None for name in re.findall(r"{(\w+)}", pattern)) else pattern.format(**row)


def test_what_waits_is_counted_by_the_jobs(steelworks: Steelworks) -> None:
    counts = [[sql for sql in job.statements if COUNTING in sql] for job in steelworks.jobs]
    assert [len(sent) for sent in counts] == [7, 6, 0], "each view where it is done, and none without news"
    assert not any("union all\nselect '" in sql for sent in counts for sql in sent), "none is left for the end"
    case = steelworks.case
    published = load_target(case.path, case.path).ledger().published()
    for layer, view, reason in CONCERNS:
        figures = Figures.told(published[case.table(layer, view)].concern or "")
        reasons = Counter(reason_of(row, reason) for row in steelworks.view(layer, view))
        expected = Figures.of(figures.says, reasons)
        assert figures == expected, view
