"""`entrepot run` as a user has it: a process of its own on a new project, jobs, queries, signals, a kill."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.answers import Form, Screen
from entrepot.cli import main
from entrepot.errors import EntrepotError
from entrepot.running.chain import Plan
from entrepot.running.client import ask_running
from entrepot.running.log import Log
from entrepot.running.question import Question, answered
from entrepot.running.service import Service, Wanted
from entrepot.spark.embedded import PLACE
from entrepot.target import open_place
from tests.support.spark import Spark

ENTREPOT = "import sys; from entrepot.cli import main; sys.argv[0] = 'entrepot'; main()"
LINE = '{"order_id": %d, "customer": "Bell", "item": "nail", "amount": 1.00, "sold_on": "2026-01-06"}\n'
COUNT = "select count(*) as n from sale"


@dataclass
class Running:
    """One `entrepot run`, and what it has written."""

    process: subprocess.Popen[str]
    output: Path
    seen: list[dict[str, Any]] = field(default_factory=list)

    def until(self, **holds: Any) -> dict[str, Any]:
        """Wait for a line of the log that has some values."""
        deadline = time.monotonic() + 180
        while True:
            for line in self.output.read_text().splitlines():
                told = json.loads(line) if line.startswith("{") else {}
                if told and told not in self.seen and all(told.get(key) == value for key, value in holds.items()):
                    self.seen.append(told)
                    return told
            assert time.monotonic() < deadline and self.process.poll() is None, self.output.read_text()
            time.sleep(0.1)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    subprocess.run([sys.executable, "-c", ENTREPOT, "init", "shop"], cwd=folder, check=True, capture_output=True)
    return folder / "shop"


@pytest.fixture
def start(project: Path, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    begun: list[subprocess.Popen[str]] = []
    own = ("ENTREPOT_WAREHOUSE", "DBT_PROFILES_DIR")
    # Java's second compiler is for hours, and takes half of some minutes: its command line asks for it, as users' does.
    # And without it the first one need not wait (decision 10)
    told = {"ENTREPOT_WAIT": "1m", "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.1"}
    environment = {key: value for key, value in os.environ.items() if key not in own} | told

    def run(*options: str) -> Running:
        output = tmp_path / "output"
        with output.open("w") as sink:
            command = [sys.executable, "-c", ENTREPOT, "run", "--log-format", "json", *options]
            begun.append(subprocess.Popen(command, cwd=project, env=environment, stdout=sink, stderr=sink, text=True))
        return Running(begun[-1], output)

    yield run
    for process in begun:
        process.kill()
        process.wait()


@contextmanager
def in_use(warehouse: Path) -> Iterator[None]:
    """Another process that has the warehouse."""
    warehouse.mkdir(exist_ok=True)
    with (warehouse / PLACE).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def refusal(ask: Callable[[], object]) -> tuple[str, int]:
    with pytest.raises(EntrepotError) as said:
        ask()
    return said.value.message, said.value.exit_code


def without_ages(text: str) -> str:
    return re.sub(r"\([^()]* ago\)", "", text)


def java_of(process: subprocess.Popen[str]) -> str:
    """The command line of a process' JVM."""
    children = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-a", "java"], capture_output=True, text=True, check=True
    )
    return children.stdout


@pytest.mark.slow
# `spark`: what is asked in this process has the tests' session
def test_a_day_of_a_process(
    project: Path, start: Callable[..., Running], monkeypatch: pytest.MonkeyPatch, spark: Spark
) -> None:
    monkeypatch.delenv("ENTREPOT_WAREHOUSE")
    monkeypatch.delenv("DBT_PROFILES_DIR")
    place = open_place(project)
    screen = Screen(100)

    def ask(sql: str, **more: Any) -> str | None:
        said = ask_running(place, Question(sql, "csv", **more), screen)
        return None if said is None else said.out

    with in_use(project / "warehouse"):
        running = start("--on-arrival", "--http", "0")
        assert "is in use by another process" in running.until(event="waiting")["says"]
    ready = running.until(event="ready")
    java = java_of(running.process)
    assert "ReservedCodeCacheSize" in java
    assert "TieredStopAtLevel" not in java and "CompileThresholdScaling" not in java
    assert running.until(event="job")["why"] == "start"
    assert ask(COUNT) == "n\n3\n"

    (project / "landing" / "more.jsonl").write_text(LINE % 4)
    job = running.until(event="job")
    assert (job["why"], job["state"], job["rows_written"] > 0) == ("arrival", "finished", True)
    assert ask(COUNT) == "n\n4\n"
    said = (project / "logs" / "dbt.log").read_text()
    assert said.count("Done. PASS=") == 2 and "[debug]" not in said, "what `dbt build` prints"

    # a query has a job, and no second one is begun for the same
    assert ask(COUNT, max_age=timedelta(seconds=0.01), stale_ok=True) == "n\n4\n"
    assert running.until(event="job")["why"] == "query"

    address = ready["says"].split("; ")[-1]
    with urllib.request.urlopen(address + "metrics") as answer:
        assert 'entrepot_jobs_total{state="finished"} 3' in answer.read().decode()

    forms: tuple[Form, ...] = ("table", "csv", "json")
    asked = [Question("select * from sale order by order_id", form, snapshot=str(job["job"])) for form in forms]
    wrong = [Question(sql) for sql in ("select * from nope", "select x from sale", "select 1; select 2", "select")]
    there = [ask_running(place, question, screen) for question in asked]
    refused = [refusal(lambda question=question: ask_running(place, question, screen)) for question in wrong]

    # what it has said is what a process of its own says, but for how long ago
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
    assert "stopping" in running.output.read_text() and "stopped" in running.output.read_text()
    assert ask(COUNT) is None and not list((project / "warehouse").glob("run.*.json"))
    here = [answered({"project_dir": project}, question, screen) for question in asked]
    assert [said and without_ages(said.out) for said in there] == [without_ages(said.out) for said in here]
    assert refused == [
        refusal(lambda question=question: answered({"project_dir": project}, question, screen)) for question in wrong
    ]


@pytest.mark.slow
@pytest.mark.long
def test_a_kill_in_the_middle_of_a_job_harms_nothing(
    project: Path, start: Callable[..., Running], monkeypatch: pytest.MonkeyPatch, spark: Spark
) -> None:
    """Nor is it noticed by who asks: a process of its own answers."""
    monkeypatch.delenv("ENTREPOT_WAREHOUSE")
    monkeypatch.delenv("DBT_PROFILES_DIR")
    place = open_place(project)

    def ask() -> str | None:
        said = ask_running(place, Question(COUNT, "csv"), Screen(100))
        return None if said is None else said.out

    running = start("--on-arrival")
    assert running.until(event="job")["state"] == "finished"
    before = int((ask() or "").split()[1])
    (project / "landing" / "third.jsonl").write_text(LINE % 5)
    time.sleep(0.5)
    assert ask() in (f"n\n{before}\n", f"n\n{before + 1}\n")
    running.process.send_signal(signal.SIGKILL)
    running.process.wait()
    assert ask() is None
    here = answered({"project_dir": project}, Question(COUNT, "csv"), Screen(100)).out
    assert here in (f"n\n{before}\n", f"n\n{before + 1}\n")

    # its Java lives a moment longer: it is waited for
    again = start("--every", "1h")
    assert again.until(event="job")["state"] == "finished"
    assert ask() == f"n\n{before + 1}\n"


def test_who_waits_for_the_warehouse_can_be_ended(project: Path, start: Callable[..., Running]) -> None:
    with in_use(project / "warehouse"):
        running = start("--on-arrival")
        running.until(event="waiting")
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(20) == 0
    assert "stopped" in running.output.read_text() and "ready" not in running.output.read_text()


def test_what_cannot_be_run_is_said_before_spark_starts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBT_PROFILES_DIR")

    def refused(*options: str) -> str:
        result = CliRunner().invoke(main, ["--project-dir", str(project), "run", *options])
        assert result.exit_code in (2, 3), result.output
        return result.output

    assert "Say when jobs begin" in refused()
    assert "no span of time" in refused("--every", "soon")
    assert "longer than nothing" in refused("--every", "0s")
    assert "write a port" in refused("--on-query", "--http", "here")
    assert "write YAML" in refused("--on-query", "--vars", "[1")
    assert "landing_path is s3a://in/" in refused("--on-arrival", "--vars", "landing_path: s3a://in/*.jsonl")


def test_what_is_cut_off_is_said(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ENTREPOT_WAREHOUSE", raising=False)
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    codes: list[int] = []
    monkeypatch.setattr("entrepot.running.service.kill_spark", lambda: None)
    monkeypatch.setattr(os, "_exit", codes.append)
    wanted = Wanted({"project_dir": project}, Plan(), "when a query needs one", [], [], {}, None, timedelta(minutes=5))
    service = Service(wanted, Log("text"))
    for since, failures, code, says in (
        (datetime.now(timezone.utc), 0, 1, "the running job publishes nothing"),
        (None, 0, 0, "no job was running; who waits for an answer starts a Spark for it"),
        (None, 2, 1, "no job was running"),
    ):
        service._chain.running_since, service._chain.failures = since, failures
        service._abandon(tmp_path / "folder" / "socket")
        assert codes.pop() == code and says in capsys.readouterr().out
