"""How the adapter's methods ask Spark: by a statement, or where Spark runs in this process without one."""

from __future__ import annotations

from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.tables.table import told_location


class Asking(SparkAdapter):
    """What the adapter's other parts need to know of the session that they run in."""

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Run one statement and return its rows."""
        _, table = self.execute(sql, fetch=True)
        return [dict(zip(table.column_names, row, strict=True)) for row in table.rows]

    def attempt(self, sql: str) -> tuple[list[dict[str, Any]], str | None]:
        """Run one statement that nothing depends on; its rows, and what Spark says where it refuses it."""
        try:
            return self.ask(sql), None
        except DbtRuntimeError as error:
            return [], " ".join(str(error.msg).split())

    @for_macros
    def statements_sent(self) -> int:
        """How many statements the running thread has sent."""
        sent: int = self.connections.sent()
        return sent

    def is_embedded(self) -> bool:
        """Whether Spark runs inside this process."""
        return bool(self.config.credentials.method == SparkConnectionMethod.SESSION)

    @property
    def handle(self) -> Any:
        """What the running thread's connection holds: for method `session` a `SessionHandle`."""
        return self.connections.get_thread_connection().handle

    def setting(self, key: str) -> str | None:
        """Return one of the session's settings; None where it is not set."""
        if self.is_embedded():
            value: str | None = self.handle.setting(key)
            return value
        told = self.ask(f"set {key}")[0]["value"]
        return None if told == "<undefined>" else str(told)

    def location(self, relation: str) -> str | None:
        """Return where a table lies, as the catalogue knows it now; None where it does not exist, or is a view."""
        if self.is_embedded():
            place: str | None = self.handle.location(relation)
            return place
        schema, _, identifier = relation.rpartition(".")
        rows = self.ask(f"show table extended in {schema} like '{identifier}'")
        return told_location(rows[0]["information"]) if rows else None
