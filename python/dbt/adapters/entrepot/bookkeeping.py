"""What macros ask of the warehouse's books, as methods of the adapter (see `entrepot.ledger`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.ledger import Ledger, Lock, ModelRun, ModelVerdict, PublishedRelation, Store
from entrepot.ledger.files import FileStore
from entrepot.ledger.layout import create_table, replace_table
from entrepot.ledger.lock import Holder, LockError
from entrepot.ledger.records import EPOCH, RECORDS
from entrepot.ledger.statements import StatementStore
from entrepot.sql.literals import literal
from entrepot.tables.table import local_folder

EMBEDDED_METASTORE = "spark.hadoop.javax.jdo.option.ConnectionURL"
METASTORE_DRIVER = "spark.hadoop.javax.jdo.option.ConnectionDriverName"
METASTORE_SERVER = "spark.hadoop.hive.metastore.uris"


class Bookkeeping(Asking):
    """The books of the warehouse that a dbt command works on: opened once, held until the command ends."""

    _books: Ledger | None = None
    _lock: Lock | None = None

    @for_macros
    def books_tables(self) -> list[str]:
        """The names of the bookkeeping tables."""
        return [record.table for record in RECORDS]

    @for_macros
    def books_open(self, schema: str, locations: Mapping[str, str]) -> None:
        """Open the bookkeeping tables of a schema; make those that `locations`, {table: location}, does not name."""
        missing = [record for record in RECORDS if record.table not in locations]
        if missing:
            self.ask(f"create schema if not exists {schema}")
        for record in missing:
            try:
                self.ask(create_table(schema, record))
            except DbtRuntimeError:
                self.ask(replace_table(schema, record))
        places = {
            record.table: locations.get(record.table) or self.location(f"{schema}.{record.table}") for record in RECORDS
        }
        self._books = Ledger(self._store(schema, places))
        self._books.bring_forward()

    @for_macros
    def books_begin(self, job: str, command: str, minutes: float) -> dict[str, Any]:
        """Take the chain's lock: the job's number, the job before where it was killed, and whether that did not pass."""
        lock = self._lock = self._open_books().begin(Holder(job, command, float(minutes), self._is_alone()))
        return {"number": lock.number, "killed": lock.killed, "after_failure": lock.after_failure}

    @for_macros
    def books_heartbeat(self) -> None:
        """Say that the job is alive, at most once a minute."""
        try:
            if self._lock:
                self._lock.heartbeat()
        except LockError:
            self._lock = None
            raise

    @for_macros
    def books_hold_lock(self) -> bool:
        """Whether this command holds the chain's lock."""
        return self._lock is not None

    @for_macros
    def books_end(self, event: str, detail: str | None) -> None:
        """End the job, `finished` or `failed`, and give the lock back."""
        if self._lock:
            self._lock.release(event, detail)
            self._lock = None

    @for_macros
    def books_published(self) -> dict[str, dict[str, Any]]:
        """What the newest snapshots say of each relation, {relation: row}; `landed_through` as text in UTC."""
        found = self._books.published() if self._books else {}
        return {
            relation: row.values() | {"landed_through": _told(row.landed_through)} for relation, row in found.items()
        }

    @for_macros
    def books_publish(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Publish one snapshot: all its rows in one commit. `committed_at` in milliseconds, `landed_through` as text in UTC."""
        now = datetime.now(timezone.utc)
        self._open_books().write(
            [
                PublishedRelation(
                    **dict(row) | {
                        "committed_at": _moment(row["committed_at"]), "landed_through": _heard(row["landed_through"]),
                        "published_at": now,
                    }
                )
                for row in rows
            ]
        )  # fmt: skip

    @for_macros
    def books_note_runs(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Note what models, seeds and snapshots did in this job."""
        self._open_books().write([ModelRun(**dict(row)) for row in rows])

    @for_macros
    def books_cost_runs(self, relations: Iterable[str]) -> list[dict[str, Any]]:
        """What runs of some relations cost, newest first; nothing where there are no books yet."""
        return [run.values() for run in self._books.cost_runs(relations)] if self._books else []

    @for_macros
    def books_verdicts(self) -> list[dict[str, Any]]:
        """All stored verdicts, oldest first; nothing where there are no books yet."""
        return [row.values() for row in self._books.verdicts()] if self._books else []

    @for_macros
    def books_note_verdicts(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Note what the analyzer has found in this job."""
        now = datetime.now(timezone.utc)
        self._open_books().write([ModelVerdict(**dict(row), at=now) for row in rows])

    @for_macros
    def books_model_sql(self, relation: str, sql_hash: str) -> str | None:
        """The SQL of a model with its views inlined, by its checksum; none where it is not known."""
        return self._books.model_sql(relation, sql_hash) if self._books else None

    def _open_books(self) -> Ledger:
        """Return the books, which a job's start has opened."""
        assert self._books is not None, "on-run-start opens the books"
        return self._books

    def _store(self, schema: str, locations: Mapping[str, str | None]) -> Store:
        """Return the tables by their files where this process reaches them, else by statements."""
        folders = {table: local_folder(location) for table, location in locations.items() if location}
        found = {table: folder for table, folder in folders.items() if folder and Path(folder, "_delta_log").is_dir()}
        if self.is_embedded() and len(found) == len(RECORDS):
            return FileStore(found)
        return StatementStore(schema, self.ask, literal)

    def _is_alone(self) -> bool:
        """Whether no second process can work on this warehouse: its metastore is an embedded Derby, which lets in one only."""
        keys = (EMBEDDED_METASTORE, METASTORE_DRIVER, METASTORE_SERVER)
        found = {key: value for key in keys if (value := self.setting(key)) is not None}
        driver = found.get(METASTORE_DRIVER)
        return EMBEDDED_METASTORE in found and METASTORE_SERVER not in found and (driver is None or "derby" in driver)


def _moment(millis: int | None) -> datetime | None:
    """Return milliseconds since 1970 as a moment."""
    return None if millis is None else EPOCH + timedelta(milliseconds=int(millis))


def _heard(text: str | None) -> datetime | None:
    """Return a moment from text in UTC, as Spark casts it.

    >>> _heard("2026-11-21 14:24:28.5").isoformat()
    '2026-11-21T14:24:28.500000+00:00'
    """
    if not text:
        return None
    seconds, _, fraction = str(text).partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction:0<6}").replace(tzinfo=timezone.utc)


def _told(moment: datetime | None) -> str | None:
    """Return a moment as text in UTC, as Spark casts it.

    >>> _told(_heard("2026-11-21 14:24:28.5")), _told(_heard("2026-11-21 14:24:28"))
    ('2026-11-21 14:24:28.5', '2026-11-21 14:24:28')
    """
    if moment is None:
        return None
    text = moment.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
    return text.rstrip("0").rstrip(".")
