"""Connections: dbt-spark's own for its servers; for method `session` a Spark session for each that is open."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionMethod
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.credentials import EntrepotCredentials
from entrepot.errors import EntrepotError

if TYPE_CHECKING:
    from dbt.adapters.entrepot.sessions import Sessions


class EntrepotConnectionManager(SparkConnectionManager):
    """Opens and closes the connections of dbt's threads."""

    TYPE = "entrepot"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Begin with no connection, and no statement sent."""
        super().__init__(*arguments, **named)
        self._sent: Counter[Hashable] = Counter()

    def add_query(self, *arguments: Any, **named: Any) -> Any:
        """Send a statement, and count it."""
        self._sent[self.get_thread_identifier()] += 1
        return super().add_query(*arguments, **named)

    def sent(self) -> int:
        """Return how many statements the running thread has sent."""
        return self._sent[self.get_thread_identifier()]

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Open a connection: with method `session` on a session that no other open connection has.

        Raises:
            DbtRuntimeError: Spark cannot be started, or not on this warehouse
        """
        credentials = connection.credentials
        if credentials.method != SparkConnectionMethod.SESSION:
            return super().open(connection)
        if connection.state != ConnectionState.OPEN:
            # pyspark may not be installed where only other methods are used
            from dbt.adapters.entrepot.handles import SessionHandle

            try:
                connection.handle = SessionHandle(_sessions(credentials), _spark_log(), connection.name)
            except EntrepotError as error:
                raise DbtRuntimeError(error.message.strip()) from None
            connection.state = ConnectionState.OPEN
        return connection

    @classmethod
    def expect(cls, credentials: EntrepotCredentials) -> None:
        """Say that connections will be opened: with method `session` Spark starts meanwhile."""
        if credentials.method == SparkConnectionMethod.SESSION:
            # whatever goes wrong is said when a connection is opened; a command that ends before does not wait
            threading.Thread(target=_start, args=(credentials, _spark_log()), name="spark-start", daemon=True).start()

    def cleanup_all(self) -> None:
        """Close all connections at the end of a dbt command; the next command begins with sessions of its own."""
        used = bool(self.thread_connections)
        super().cleanup_all()
        if used and self.profile.credentials.method == SparkConnectionMethod.SESSION:
            _sessions(self.profile.credentials).forget()


def _start(credentials: EntrepotCredentials, log: Path) -> None:
    """Start Spark; without PySpark there is nothing to start."""
    with contextlib.suppress(ImportError):
        _sessions(credentials).start(log)


def _sessions(credentials: EntrepotCredentials) -> Sessions:
    """Return the sessions of a target."""
    from dbt.adapters.entrepot.sessions import Sessions

    return Sessions.of(credentials.server_side_parameters)


def _spark_log() -> Path:
    """Return where the JVM's own messages go: beside dbt's log."""
    from dbt.flags import get_flags

    flags = get_flags()
    return Path(getattr(flags, "PROJECT_DIR", None) or ".") / (getattr(flags, "LOG_PATH", None) or "logs") / "spark.log"
