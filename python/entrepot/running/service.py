"""The process of `entrepot run`: the chain in a thread of its own, the doors beside it, and what signals do to them."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from entrepot.answers import Printed, Screen
from entrepot.dbt_project import project_settings
from entrepot.errors import EntrepotError, EnvironmentProblemError, TooOldError
from entrepot.patience import Patience
from entrepot.running.chain import Chain, Plan, World
from entrepot.running.door import Door, QueryFigures
from entrepot.running.figures import Figures
from entrepot.running.job import JobReport, run_job
from entrepot.running.log import Log
from entrepot.running.note import note_file, own_version, the_only_one, write_note
from entrepot.running.question import Question
from entrepot.running.watching import Listing, arrived, landing_pattern, listing_of, project_listing
from entrepot.running.web import Web
from entrepot.spans import humanized
from entrepot.spark.embedded import start_session, to_stay
from entrepot.spark.session import end_spark, kill_spark, spark_is_gone
from entrepot.target import Target, load_target, profiles_folder, project_folder
from entrepot.timeline.content import Content, content

PASSED, DID_NOT_PASS = 0, 1
PAUSE = 0.1
# a job that takes longer says where it is, so often
TELL = 10.0
# how many jobs the live page shows: it is made anew every few seconds
LIVE_JOBS = 200
# what `dbt build` prints is in the lines of jobs, and in dbt's own log; with its statements only where the environment asks for them
QUIET = ("--log-level", "none", "--no-use-colors")
FILE_LEVEL = "DBT_LOG_LEVEL_FILE"
QUIET_FILE = ("--log-level-file", "info")


class EndingError(Exception):
    """The process ends, and cannot refresh what a query needs; whoever asks has to do it."""


@dataclass(frozen=True)
class Wanted:
    """What `entrepot run` was asked for.

    Attributes:
        place: project_dir, profiles_dir and target, as the command line has them
        plan: when jobs begin
        says: the same in words
        arguments: what is said to each job, such as `--vars`
        selection: what is said to jobs that no query has asked for, such as `--select`
        variables: dbt's variables of the command line
        http: host and port of the HTTP server; none for none
        grace: how long a running job may go on after the first signal
    """

    place: Mapping[str, Any]
    plan: Plan
    says: str
    arguments: Sequence[str]
    selection: Sequence[str]
    variables: Mapping[str, Any]
    http: tuple[str, int] | None
    grace: timedelta


class Service:
    """One `entrepot run`."""

    def __init__(self, wanted: Wanted, log: Log) -> None:
        """Read the target; nothing starts yet.

        Raises:
            ProfileError: the profile does not lead to a warehouse
            EnvironmentProblemError: its Spark is not in this process
        """
        self._wanted, self._log = wanted, log
        self._target: Target = load_target(**wanted.place)
        if self._target.method != "session":
            raise EnvironmentProblemError(
                f"Target {self._target.name} has method {self._target.method}: its Spark is another process, which is warm already.",
                "Let cron or Airflow say `dbt build` (docs/schedules.md), or choose a target with method: session.",
            )
        self._project = project_folder(wanted.place.get("project_dir"))
        self._name = str(project_settings(self._project).get("name") or "")
        pattern = landing_pattern(self._project, wanted.variables)
        if wanted.plan.on_arrival and (pattern is None or not pattern.is_local):
            raise EnvironmentProblemError(
                "Nobody can say what has arrived: "
                + ("var landing_path is not set." if pattern is None else f"var landing_path is {pattern.text}."),
                "Set it to files of this machine (dbt_project.yml, or --vars), or say --every 1m: a job without news is short.",
            )

        def listed() -> Listing:
            return listing_of(arrived(pattern)) if pattern is not None and pattern.is_local else {}

        self._watches = pattern is not None and pattern.is_local
        profiles = profiles_folder(self._project, wanted.place.get("profiles_dir"))

        def files() -> Listing:
            return project_listing(self._project, profiles)

        self._options = [*QUIET, *([] if FILE_LEVEL in os.environ else QUIET_FILE), *wanted.arguments]
        self._chain = Chain(wanted.plan, World(self._run_job, listed, files, self._log.job))
        self._queries = QueryFigures()
        self._tell_at, self._told = 0.0, ""
        self._signals = 0
        self._problem: BaseException | None = None

    def run(self) -> int:
        """Keep the chain going until a signal ends it, or it has run its jobs; return the exit code.

        Raises:
            EnvironmentProblemError: Java, the folder, the address or another process stands in the way; Spark has ended
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._count_signal)
        with the_only_one(self._target) as socket:
            web = Web(*self._wanted.http, self.figures, self.timeline) if self._wanted.http else None
            if web:
                threading.Thread(target=web.serve_forever, name="http", daemon=True).start()
            # not the main thread: there PySpark would take ctrl-C for itself
            worker = threading.Thread(target=self._work, args=(socket, web), name="jobs", daemon=True)
            worker.start()
            self._wait(worker, socket)
            if web:
                web.shutdown()
        if self._problem is not None:
            raise self._problem
        self._log.event("stopped", f"{self._chain.totals.count} jobs")
        return DID_NOT_PASS if self._chain.failures else PASSED

    def figures(self) -> Figures:
        """How the process stands."""
        chain, totals = self._chain, self._chain.totals
        return Figures(
            at=datetime.now(timezone.utc),
            version=own_version(),
            plan=self._wanted.says,
            history=tuple(chain.history),
            jobs=dict(totals.jobs),
            job_seconds=totals.seconds,
            rows_read=totals.rows_read,
            rows_written=totals.rows_written,
            last_success=totals.last_success,
            failures=chain.failures,
            running_since=chain.running_since,
            progress=self.progress() if chain.running_since else "",
            is_stopping=chain.is_stopping,
            backlog=chain.backlog if self._watches else None,
            heard={name: cut.heard_at for name, cut in self._target.ledger().cuts().items()},
            queries=dict(self._queries.count),
            query_seconds=self._queries.seconds,
        )

    def progress(self) -> str:
        """Where the running job is, in words; empty where none runs."""
        # books that are just being made cannot be read yet
        with suppress(EntrepotError):
            return str(self._target.ledger().progress() or "")
        return ""

    def timeline(self) -> Content:
        """The chain of jobs as the page shows it."""
        return content(self._target.ledger(), self._name, LIVE_JOBS)

    def _tell_progress(self) -> None:
        """Say in the log where a job is that takes long, where that is another place than before."""
        if not self._chain.running_since or time.monotonic() < self._tell_at:
            return
        self._tell_at = time.monotonic() + TELL
        if (now := self.progress()) and now != self._told:
            self._told = now
            self._log.event("progress", now)

    def _started_spark(self) -> bool:
        """Start Spark as soon as nobody else has the warehouse, for which is waited as ENTREPOT_WAIT says; False where a signal came first."""
        patience = Patience.told(lambda says: self._log.event("waiting", says), lambda: self._chain.is_stopping)
        try:
            start_session(to_stay(self._target.settings), self._project / "logs" / "spark.log", patience)
        except EnvironmentProblemError:
            if not (patience.has_waited and self._chain.is_stopping):
                raise
            return False
        return True

    def _work(self, socket: Path, web: Web | None) -> None:
        """Start Spark, open the door for queries, and run jobs until the chain ends."""
        try:
            if not self._started_spark():
                return
            from entrepot.running.answering import WarmWarehouse

            warehouse = WarmWarehouse(self._wanted.place, self._chain)

            def answer(question: Question, screen: Screen) -> Printed:
                try:
                    return warehouse.answer(question, screen)
                except TooOldError as error:
                    if self._chain.is_stopping:
                        raise EndingError from error
                    raise

            with Door(socket, answer, self._queries, self.progress) as door:
                threading.Thread(target=door.serve_forever, args=(PAUSE,), name="door", daemon=True).start()
                write_note(self._target, socket)
                at = f"; http://{web.server_address[0]}:{web.server_address[1]}/" if web else ""  # type: ignore[str-bytes-safe]
                self._log.event("ready", f"{self._wanted.says}; process {os.getpid()}{at}")
                self._chain.keep_going()
                # from now on queries go to a Spark of their own
                note_file(self._target).unlink(missing_ok=True)
                door.shutdown()
            warehouse.end()
            if not spark_is_gone():
                end_spark()
        except BaseException as error:
            self._problem = self._problem or error
        self._chain.stop()

    def _run_job(self, arguments: list[str]) -> JobReport:
        """Run a job; without Spark there are no more."""
        self._tell_at = time.monotonic() + TELL
        report = run_job(self._wanted.place, *self._options, *(arguments or self._wanted.selection))
        if spark_is_gone():
            self._chain.stop()
            self._problem = EnvironmentProblemError(
                "Spark has ended by itself, or was killed.",
                f"Whatever started `entrepot run` has to start it again. Spark's own words are in {self._project}/logs/spark.log.",
            )
        return report

    def _wait(self, worker: threading.Thread, socket: Path) -> None:
        """Wait for the end; the first signal asks for it, a second one and the end of the grace insist on it."""
        deadline = None
        while worker.is_alive():
            time.sleep(PAUSE)
            self._tell_progress()
            if self._signals and deadline is None:
                self._chain.stop()
                deadline = time.monotonic() + self._wanted.grace.total_seconds()
                grace = humanized(self._wanted.grace)
                says = f"the running job may take {grace}" if self._chain.running_since else "no job is running"
                self._log.event("stopping", f"{says}; a second signal ends it at once")
            if deadline is not None and (self._signals > 1 or time.monotonic() > deadline):
                self._abandon(socket)

    def _abandon(self, socket: Path) -> None:
        """End at once, as a kill would: the next job takes up or undoes what this one has written."""
        is_in_a_job = self._chain.running_since is not None
        self._log.event(
            "abandoned",
            "the running job publishes nothing; the next one takes up or undoes what it has written"
            if is_in_a_job
            else "no job was running; who waits for an answer starts a Spark for it",
        )
        note_file(self._target).unlink(missing_ok=True)
        shutil.rmtree(socket.parent, ignore_errors=True)
        kill_spark()
        os._exit(DID_NOT_PASS if is_in_a_job or self._chain.failures else PASSED)

    def _count_signal(self, _number: int, _frame: object) -> None:
        self._signals += 1
