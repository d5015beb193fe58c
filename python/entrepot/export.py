"""A snapshot in files that need no Spark: Parquet in a folder, or one DuckDB file, with where each table comes from."""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.ledger import Ledger
from entrepot.ledger.files import user
from entrepot.ledger.lock import lives
from entrepot.opened import OpenSnapshot
from entrepot.patterns import matching
from entrepot.snapshots import PublishedRelation
from entrepot.sql import literal, tables_of_query

TOLD, PROVENANCE = "snapshot.json", "_provenance"
DATABASE = ".duckdb"


class ExportError(EntrepotError):
    """A snapshot cannot be exported as it is asked for."""


@dataclass(frozen=True)
class Export:
    """What is to be exported, and where to.

    Attributes:
        opened: the snapshot
        ledger: the books, which know what each version was made of
        to: a folder, or a file whose name ends in .duckdb
        tables: which, by name; all that is of the snapshot alone where neither they nor patterns are said
        patterns: which of those that are of the snapshot alone: names or patterns (`entrepot.patterns`); others are left out
        replace: whether an earlier export there may go
    """

    opened: OpenSnapshot
    ledger: Ledger
    to: Path
    tables: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    replace: bool = False

    @property
    def is_database(self) -> bool:
        """Whether it becomes a DuckDB file."""
        return self.to.suffix == DATABASE

    def write(self) -> list[str]:
        """Write it, whole or not at all: beside its place, and moved there at the end; return the names of what was written.

        Raises:
            ExportError: something is there already; a type has no equal in Parquet; or it cannot be written
            NotInSnapshotError: the snapshot has not all of the tables, or one was made anew since it was published
            EnvironmentProblemError: duckdb is not installed
        """
        self._refuse_what_is_there()
        if self.is_database:
            _duckdb()
        relations = self._relations()
        making = self.to.parent / f".{self.to.name}.{os.getpid()}"
        try:
            self.to.parent.mkdir(parents=True, exist_ok=True)
            self._remove_litter()
            making.mkdir()
            for relation in relations:
                self._write_parquet(relation, making / relation.name)
            told = self._told(relations)
            if self.is_database:
                done = making / self.to.name
                _write_database(done, making, told)
            else:
                (making / TOLD).write_text(json.dumps(told, indent=1))
                done = making
            self._move(done, making)
        except OSError as error:
            raise ExportError(
                f"The snapshot cannot be exported: {error.strerror or error} ({error.filename}).",
                "Nothing was exported. Make room or set the rights, and say it again.",
            ) from error
        finally:
            shutil.rmtree(making, ignore_errors=True)
        return [relation.name for relation in relations]

    def _remove_litter(self) -> None:
        """Remove what killed runs have left beside the place: folders of processes that are no more."""
        for folder in self.to.parent.glob(f".{glob.escape(self.to.name)}.*"):
            process = folder.name.removesuffix(".old").rpartition(".")[2]
            if process.isdecimal() and not lives(int(process)):
                shutil.rmtree(folder, ignore_errors=True)

    def _refuse_what_is_there(self) -> None:
        if not self.to.exists():
            return
        is_ours = self.to.is_file() if self.is_database else (self.to / TOLD).is_file()
        if not is_ours:
            raise ExportError(
                f"{self.to} is there, and is no export.", "Say another place: only an export is ever replaced."
            )
        if not self.replace:
            raise ExportError(
                f"{self.to} is there already.", "Say --replace to have it replaced, or export to another place."
            )

    def _relations(self) -> list[PublishedRelation]:
        names = [*self.tables, *self._matching()] if self.tables or self.patterns else self._all()
        found = {relation.name: relation for relation in map(self.opened.relation, names)}
        return [found[name] for name in sorted(found)]

    def _matching(self) -> list[str]:
        if not self.patterns:
            return []
        known = self._all()
        found = [name for pattern in self.patterns for name in matching(known, pattern)]
        if not found:
            raise ExportError(
                f"The snapshot of job {self.opened.snapshot.number} has nothing that {' '.join(self.patterns)} stands for.",
                f"Without --select these are exported: {', '.join(known) or 'none'}.",
            )
        return found

    def _all(self) -> list[str]:
        """Return what is of the snapshot alone: all tables of ours, and the views that read nothing else, such as files or the bookkeeping."""
        snapshot = self.opened.snapshot

        def is_alone(relation: PublishedRelation | None) -> bool:
            if relation is None or relation.definition is None:
                return relation is not None
            read = tables_of_query(relation.definition)
            return all(is_alone(snapshot.resolve(table.plain)) for table in read)

        return [
            name
            for name in self.opened.tables
            if is_alone(snapshot.relations[name]) and not snapshot.relations[name].is_source
        ]

    def _write_parquet(self, relation: PublishedRelation, folder: Path) -> None:
        """Write the rows of a table or view, moments in microseconds as all readers know them."""
        reader = self.opened.start()
        try:
            reader.write_parquet(self.opened.table(relation.name), folder)
        except EntrepotError as error:
            raise ExportError(f"{relation.name} cannot be exported: {error.problem}", error.way_out) from error

    def _told(self, relations: Iterable[PublishedRelation]) -> dict[str, Any]:
        """Return where everything comes from, as JSON can say it."""
        snapshot = self.opened.snapshot
        made_of = self.ledger.made_of(snapshot.number)
        return {
            "number": snapshot.number, "job": snapshot.job, "published_at": _text(snapshot.published_at),
            "landed_through": _text(snapshot.landed_through), "exported_at": _text(datetime.now(timezone.utc)), "exported_by": user(),
            "relations": [_row(relation, *made_of.get(relation.name, (None, None))) for relation in relations],
        }  # fmt: skip

    def _move(self, done: Path, making: Path) -> None:
        """Move what is done to its place. A file takes the place of another in one step; a folder cannot, and the other one goes first."""
        if self.is_database or not self.to.exists():
            done.replace(self.to)
            return
        going = self.to.parent / f".{self.to.name}.{os.getpid()}.old"
        self.to.rename(going)
        making.rename(self.to)
        shutil.rmtree(going, ignore_errors=True)


def _row(relation: PublishedRelation, sql_hash: str | None, detail: str | None) -> dict[str, Any]:
    return {
        "relation": relation.name, "version": relation.version, "committed_at": _text(relation.committed_at),
        "holds_through": _text(relation.holds_through), "definition": relation.definition, "node": relation.node,
        "unique_key": list(relation.unique_key), "sql_hash": sql_hash, "mapping_state": detail,
    }  # fmt: skip


def _write_database(database: Path, folder: Path, told: Mapping[str, Any]) -> None:
    """Write a DuckDB file of the Parquet files in a folder, a schema for each layer, and `_provenance`, a row for each table."""
    with _duckdb().connect(str(database)) as connection:
        for row in told["relations"]:
            schema, identifier = row["relation"].split(".", 1)
            connection.execute(f"create schema if not exists {_name(schema)}")
            files = literal(f"{folder / row['relation']}/*.parquet")
            connection.execute(
                f"create table {_name(schema)}.{_name(identifier)} as select * from read_parquet({files})"
            )
        rows = [
            {name: told[name] for name in ("number", "job", "published_at", "landed_through", "exported_at", "exported_by")} | row
            for row in told["relations"]
        ]  # fmt: skip
        moments = "published_at", "landed_through", "exported_at", "committed_at", "holds_through"
        kinds = dict.fromkeys(moments, "timestamptz") | {
            "number": "bigint",
            "version": "bigint",
            "unique_key": "varchar[]",
        }
        names = list(rows[0]) if rows else []
        columns = ", ".join(f"{_name(name)} {kinds.get(name, 'varchar')}" for name in names)
        connection.execute(f"create table {PROVENANCE} ({columns})")
        connection.executemany(
            f"insert into {PROVENANCE} values ({', '.join('?' for _ in names)})",
            [[row[name] for name in names] for row in rows],
        )


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise EnvironmentProblemError(
            "duckdb is not installed here.",
            "Say pip install 'entrepot[export]', or export to a folder: Parquet needs nothing.",
        ) from None
    return duckdb


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
