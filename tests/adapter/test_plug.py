"""What is ours in the adapter: a session for every open connection, ANSI mode as a choice, Delta where no format is named."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.__version__ import version
from dbt.adapters.entrepot.connections import EntrepotConnectionManager
from dbt.adapters.entrepot.credentials import EntrepotCredentials
from dbt.adapters.entrepot.handles import SessionHandle
from dbt.adapters.entrepot.impl import EntrepotConfig
from dbt.adapters.entrepot.sessions import Sessions
from dbt.adapters.entrepot.states import States
from entrepot.errors import EnvironmentProblemError
from tests.conftest import ROOT
from tests.support.dbt_case import DbtCase
from tests.support.spark import Spark

LOG = Path("spark.log")
METADATA = "spark.databricks.delta.commitInfo.userMetadata"


def credentials(**settings: Any) -> EntrepotCredentials:
    """Credentials as a profile gives them."""
    return EntrepotCredentials.from_dict({"method": "session", "host": "localhost", "schema": "x"} | settings)


def test_the_version_is_the_package_s() -> None:
    assert re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE).group(1) == version  # type: ignore[union-attr]


@pytest.mark.parametrize(("profile", "mode"), [({}, "false"), ({"ansi": False}, "false"), ({"ansi": True}, "true")])
def test_ansi_mode_is_the_profile_s_choice(profile: dict[str, bool], mode: str) -> None:
    assert credentials(**profile).server_side_parameters["spark.sql.ansi.enabled"] == mode


def test_what_the_same_sql_may_mean_something_else_by() -> None:
    """Spark keeps these settings with a view, so that a view of another profile is made again."""

    def shape(**profile: Any) -> dict[str, str]:
        adapter = SimpleNamespace(config=SimpleNamespace(credentials=credentials(**profile)))
        return States._session_shape(cast("States", adapter))

    assert shape() == shape(token="x", server_side_parameters={"spark.driver.memory": "5g"})
    assert shape() != shape(ansi=True)
    assert shape() != shape(server_side_parameters={"spark.sql.session.timeZone": "CET"})
    assert shape() != shape(server_side_parameters={"spark.jars.packages": "io.delta:delta-spark_4.2_2.13:4.3.0"})


def test_keys_of_dbt_spark_stay() -> None:
    keys = {"token": "x", "connect_retries": 3, "server_side_parameters": {"spark.sql.shuffle.partitions": 2}}
    found = credentials(**keys)
    assert (found.token, found.connect_retries) == ("x", 3)
    assert found.server_side_parameters["spark.sql.shuffle.partitions"] == "2"


def test_delta_is_the_default_and_no_more() -> None:
    layers: list[dict[str, Any]] = [{"materialized": "table"}, {"file_format": "parquet"}, {"tags": ["x"]}]
    config: dict[str, Any] = {}
    found = []
    for layer in layers:
        config |= EntrepotConfig._merge_dicts(config, layer)
        found.append(config["file_format"])
    assert found == ["delta", "parquet", "parquet"]


@pytest.fixture
def sessions(spark: Spark) -> Iterator[Sessions]:
    """The sessions of a target with a setting of its own, on the suite's Spark."""
    yield Sessions.of(credentials(server_side_parameters={"spark.sql.shuffle.partitions": "7"}).server_side_parameters)
    Sessions.reset()


def ask(handle: SessionHandle, sql: str) -> list[Any]:
    """The first column of a statement's rows."""
    cursor = handle.cursor()
    cursor.execute(sql)
    return [row[0] for row in cursor.fetchall()]


def test_spark_starts_early_and_who_needs_it_is_told_why_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def fails(settings: object, log: object, patience: object) -> None:
        begun.set()
        raise EnvironmentProblemError("There is no Java.", "")

    monkeypatch.setattr("dbt.adapters.entrepot.sessions.start_session", fails)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    wanted = credentials(server_side_parameters={"spark.sql.shuffle.partitions": "8"})
    EntrepotConnectionManager.expect(wanted)
    assert begun.wait(20), "without a connection"
    with pytest.raises(EnvironmentProblemError, match="There is no Java"):
        Sessions.of(wanted.server_side_parameters).take(LOG)
    begun.clear()
    wanted.method = SparkConnectionMethod.THRIFT
    EntrepotConnectionManager.expect(wanted)
    assert not begun.wait(0.2), "a server has been started by somebody else"


def test_open_connections_share_tables_and_neither_settings_nor_views(sessions: Sessions) -> None:
    first, second = SessionHandle(sessions, LOG), SessionHandle(sessions, LOG)
    ask(first, f"set {METADATA} = first")
    ask(first, "create temporary view only_here as select 1 as n")
    assert second._taken.session.conf.get(METADATA, "") == ""
    assert [each._taken.session.conf.get("spark.sql.shuffle.partitions") for each in (first, second)] == ["7", "7"]
    with pytest.raises(DbtRuntimeError, match="TABLE_OR_VIEW_NOT_FOUND") as refused:
        ask(second, "select * from only_here")
    assert "at org.apache" not in str(refused.value)


def test_what_delta_says_is_not_hidden(sessions: Sessions, tmp_path: Path) -> None:
    """PySpark looks for every error in Spark's own list, and tells only that it has not found Delta's."""
    handle, table = SessionHandle(sessions, LOG), f"delta.`{tmp_path}/t`"
    ask(handle, f"create table {table} (id int) using delta")
    with pytest.raises(DbtRuntimeError, match=r"Cannot resolve a\.nope in search condition") as refused:
        ask(handle, f"merge into {table} as a using {table} as b on a.nope = b.id when matched then delete")
    assert "at org.apache" not in str(refused.value)


def test_a_view_of_a_session_is_dropped_without_a_statement(sessions: Sessions) -> None:
    handle = SessionHandle(sessions, LOG)
    ask(handle, "create temporary view Mine__seed_file as select 1 as n")
    ask(handle, "create global temporary view mine__seed_file as select 2 as n")
    handle.drop_own("Mine__seed_file")
    with pytest.raises(DbtRuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
        ask(handle, "select * from mine__seed_file")
    assert ask(handle, "select n from global_temp.mine__seed_file") == [2], "of all sessions, which stays"
    handle.drop("mine__seed_file")


def test_what_a_job_caches_itself_is_known(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others of the suite's processes cache in the same Spark, so its count is told."""

    def told(entries: int) -> Any:
        manager = SimpleNamespace(numCachedEntries=lambda: entries)
        return SimpleNamespace(
            _jsparkSession=SimpleNamespace(sharedState=lambda: SimpleNamespace(cacheManager=lambda: manager))
        )

    assert not sessions.has_cached_more(told(0))
    monkeypatch.setattr(sessions, "views", {"cached": object(), "kept on the driver": None})
    assert [sessions.has_cached_more(told(entries)) for entries in (0, 1, 2)] == [False, False, True]


def test_kept_rows_are_read_whoever_reads_them(sessions: Sessions) -> None:
    """Also where both queries have common table expressions: Spark does not find the one plan in the other then, and computes it anew."""
    first, second = SessionHandle(sessions, LOG), SessionHandle(sessions, LOG)
    first.cursor().execute("with made as (select uuid() as kept_id from range(3)) select kept_id from made")
    first.cache("kept_rows")
    kept = ask(first, "select kept_id from global_temp.kept_rows order by kept_id")
    assert len(set(kept)) == 3
    mine = "with mine as (select kept_id from global_temp.kept_rows)"
    assert ask(second, f"{mine} select kept_id from mine order by kept_id") == kept
    joined = "select a.kept_id from mine as a join global_temp.kept_rows as b on a.kept_id = b.kept_id"
    assert ask(second, f"{mine} {joined} order by 1") == kept
    context = first._taken.session._jsparkSession.sparkContext()

    def held() -> list[str]:
        """The plans of what Spark keeps; other processes of the suite keep rows, too."""
        return [info.name() for info in context.getRDDStorageInfo() if "kept_id" in info.name()]

    assert len(held()) == 1
    second.drop("kept_rows")
    assert not held(), "the rows are not freed"
    with pytest.raises(DbtRuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
        ask(second, "select * from global_temp.kept_rows")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("map(1, named_struct('x', array(date'0001-01-01')))", 1),
        ("parse_json('[1]')", 1),
        ("array(cast(x'ff' as string))", 1),
        ("'a' collate UTF8_LCASE", 1),
        ("timestamp'1883-11-18 12:00:00 America/New_York'", 1),
        ("interval '1-2' year to month", None),
        ("array()", None),
        ("named_struct('a', 1, 'a', 2)", None),
    ],
)
def test_rows_on_the_driver_are_what_they_were_or_stay_with_spark(
    sessions: Sessions, value: str, kept: int | None
) -> None:
    handle = SessionHandle(sessions, LOG)
    asked = f"select {value} as value"
    handle.cursor().execute(asked)
    assert handle.keep("on_the_driver", 5) == kept
    if kept:
        there = "select * from global_temp.on_the_driver"
        assert ask(handle, f"select typeof(value) from ({there})") == ask(
            handle, f"select typeof(value) from ({asked})"
        )
        shown = "hex(cast(to_json(struct(value)) as binary))"
        assert ask(handle, f"select {shown} from ({there})") == ask(handle, f"select {shown} from ({asked})")
        handle.cursor().execute("select 1 as value from range(6)")
        assert handle.keep("too_many", 5) is None
        handle.drop("on_the_driver")
        assert "on_the_driver" not in sessions.kept


def test_one_after_the_other_has_the_same_session_until_the_command_ends(sessions: Sessions) -> None:
    first = SessionHandle(sessions, LOG)
    ask(first, "cache table kept as select 1 as n")
    first.close()
    second = SessionHandle(sessions, LOG)
    assert ask(second, "select n from kept") == [1]
    kept = second._taken.session.table("kept")
    assert kept.storageLevel.useMemory
    second.close()
    sessions.forget()
    third = SessionHandle(sessions, LOG)
    assert third._taken.session is not second._taken.session
    assert not kept.storageLevel.useMemory


def test_a_command_leaves_no_session_behind(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    case.put("models/one.sql", "{{ config(materialized='table') }} select 1 as n").build()
    assert [sessions._free for sessions in Sessions._by_settings.values() if sessions._free] == []


def test_spark_calls_its_jobs_by_their_nodes(dbt_case: Callable[..., DbtCase], spark: Spark) -> None:
    """And does not look for a name in Java's stack, where it would find the same for all."""
    context, called = spark.session.sparkContext._jsc.sc(), {}
    before = context.getCallSite().shortForm()
    case = dbt_case().put("models/one.sql", "{{ config(materialized='table') }} select 1 as n")

    def look(event: Any) -> None:
        if event.info.name == "SQLQueryStatus" and event.data.node_info.unique_id:
            site = context.getCallSite()
            called[event.data.node_info.unique_id] = (site.shortForm(), site.longForm())

    case.watch = look
    case.build()
    assert called["model.entrepot.one"] == ("model.entrepot.one",) * 2
    assert context.getCallSite().shortForm() == before, "the command has ended"
    assert spark.session.sparkContext.getLocalProperty("callSite.short") is None


def test_casts_in_ansi_mode(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case().put("models/cast.sql", "{{ config(materialized='table') }} select cast('x' as int) as n")
    case.build()
    assert case.rows("marts", "cast") == [(None,)]
    profile = yaml.safe_load((case.path / "profiles.yml").read_text())
    profile["entrepot"]["outputs"]["local"]["ansi"] = True
    case.put("profiles.yml", yaml.safe_dump(profile))
    outcome = case.dbt("build")
    assert not outcome.success and "CAST_INVALID_INPUT" in outcome.text


@pytest.mark.long
def test_landing_comes_by_packages_yml(dbt_case: Callable[..., DbtCase], tmp_path: Path) -> None:
    """A project that names this repository in packages.yml and nothing else lands what arrives."""
    (tmp_path / "entrepot").symlink_to(ROOT)
    case = dbt_case(project={"name": "shop"})
    shutil.rmtree(case.path / "macros")
    case.put("packages.yml", yaml.safe_dump({"packages": [{"local": str(tmp_path / "entrepot")}]}))
    installed = case.dbt("deps")
    assert installed.success, installed.text
    landing_path = ROOT / "data/recorded/01_opening/shop.jsonl"
    outcome = case.build("--select", "+entrepot.landing", "--vars", f"landing_path: {landing_path}")
    assert outcome.messages["change_event"].startswith("create: +"), outcome.messages
