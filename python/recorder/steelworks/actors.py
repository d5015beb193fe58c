"""The applications of the story: they execute its steps on a real server and remember what was committed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from types import TracebackType
from typing import Any

from recorder.checks import Connection, connect, wait_for_readers
from recorder.optional import load
from recorder.steelworks.schema import DATABASES, create_statements, first_layout
from recorder.steelworks.steps import Change, Interleaved, SchemaChange, Statement, Step, Transaction

OWNER_MARK = "created by python -m recorder steelworks"


def database_dsn(dsn: str, database: str) -> str:
    """The same server and user, another database."""
    return str(load("psycopg").conninfo.make_conninfo(dsn, dbname=database))


class Actors:
    """Two connections to each database, the state of its columns, and the transactions committed so far."""

    def __init__(self, dsn: str) -> None:
        """``dsn`` leads to the server; the databases and their tables must not exist yet."""
        self._dsn = dsn
        self._stack = ExitStack()
        self._connections: dict[tuple[str, int], Connection] = {}
        self._layouts = {database: first_layout(database) for database in DATABASES}
        self.committed: dict[str, set[int]] = {database: set() for database in DATABASES}

    def __enter__(self) -> Actors:
        """Nothing to do: connections are opened when they are needed."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self._stack.close()

    def create_tables(self, database: str) -> None:
        """Create the schemas and tables of one database."""
        for statement in create_statements(database):
            self._connection(database).execute(statement)

    def play(self, steps: Iterable[Step]) -> None:
        """Execute steps in the given order.

        :raises AssertionError: an update or delete found no row: a mistake in the story.
        """
        for step in steps:
            if isinstance(step, SchemaChange):
                self._connection(step.database).execute(self._layouts[step.database].alter(step).sql)
            elif isinstance(step, Transaction):
                self._transaction(step)
            elif isinstance(step, Interleaved):
                self._interleaved(step)

    def _transaction(self, step: Transaction) -> None:
        connection = self._connection(step.database)
        with connection.transaction(force_rollback=step.rolled_back):
            for write in step.writes:
                self._write(connection, step.database, write)
            number = _transaction_number(connection)
        if number is not None and not step.rolled_back:
            self.committed[step.database].add(number)

    def _interleaved(self, step: Interleaved) -> None:
        first, second = self._connection(step.database, 0), self._connection(step.database, 1)
        with first.transaction(), second.transaction():  # the second is committed first
            for one, other in zip_longest(step.first, step.second):
                for connection, write in ((first, one), (second, other)):
                    if write is not None:
                        self._write(connection, step.database, write)
            numbers = [_transaction_number(first), _transaction_number(second)]
        self.committed[step.database].update(number for number in numbers if number is not None)

    def _write(self, connection: Connection, database: str, write: Change | Statement) -> None:
        statement = self._layouts[database].statement(write)
        if statement is None:
            return
        cursor = connection.execute(statement.sql, statement.values or None)
        assert not isinstance(write, Change) or cursor.rowcount > 0, f"no row for {write}"

    def _connection(self, database: str, number: int = 0) -> Connection:
        if (database, number) not in self._connections:
            connection = connect(database_dsn(self._dsn, database), autocommit=True, options="-c timezone=UTC")
            self._connections[database, number] = self._stack.enter_context(connection)
        return self._connections[database, number]


def prepare_databases(admin: Connection, replace: bool) -> list[str]:
    """Create the story's databases, dropping those of an earlier recording; returns the names that stand in the way.

    Nothing is dropped if somebody else created one of them, unless ``replace``.
    """
    foreign = [name for name in DATABASES if _exists(admin, name) and not _is_ours(admin, name)]
    if foreign and not replace:
        return foreign
    for name in DATABASES:
        drop_slots(admin, [name])
        admin.execute(f"drop database if exists {name} with (force)")
        admin.execute(f"create database {name} template template0 encoding 'UTF8'")
        admin.execute(f"comment on database {name} is '{OWNER_MARK}'")
    return []


def drop_slots(admin: Connection, names: Sequence[str]) -> None:
    """Drop the replication slots of these databases: an unused slot makes the server keep its log for ever. One that is read stays."""
    wait_for_readers(admin, "database = any(%s)", (list(names),))
    admin.execute(
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = any(%s) and not active",
        (list(names),),
    )


def _transaction_number(connection: Connection) -> int | None:
    """The number of the transaction if it has written anything; Debezium shows the lower 32 bits as ``txId``."""
    row: Any = connection.execute("select pg_current_xact_id_if_assigned()::text::bigint").fetchone()
    return None if row is None or row[0] is None else int(row[0]) % 2**32


def _exists(admin: Connection, name: str) -> bool:
    return admin.execute("select 1 from pg_database where datname = %s", (name,)).fetchone() is not None


def _is_ours(admin: Connection, name: str) -> bool:
    row = admin.execute(
        "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", (name,)
    ).fetchone()
    return row is not None and row[0] == OWNER_MARK
