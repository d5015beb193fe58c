"""Bookkeeping tables of the projects that tests write: Spark makes them once in a process, and each project gets copies.

The seven statements that make them were a twelfth of what all statements took. A copy is what Spark would have made, its log and its entry
in the catalogue, with a name, a place and an id of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.entrepot.books import Books
from entrepot.ledger.layout import create_table
from entrepot.ledger.records import RECORDS

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import SparkSession

RECORD_OF = {record.table: record for record in RECORDS}
ID = re.compile(r'(?<="meta[dD]ata":\{"id":")[^"]+')
MAKES = re.compile(r"create table if not exists (\w+)\.(\w+) ")


def copy_books(session: SparkSession) -> None:
    """Let dbt's commands in this process copy bookkeeping tables where there is nothing; elsewhere, Spark makes them."""
    models = _Models(session)
    ask = Books.ask

    def asked(books: Books, sql: str) -> list[dict[str, Any]]:
        return [] if models.copied(sql) else ask(books, sql)

    Books.ask = asked  # type: ignore[method-assign]


class _Models:
    def __init__(self, session: SparkSession) -> None:
        self._session, self._jvm, self._schema = session, session._jvm, f"books_of_{os.getpid()}"
        self._catalogue = session._jsparkSession.sharedState().externalCatalog()
        session.sql(f"create schema if not exists {self._schema}")

    def copied(self, sql: str) -> bool:
        """Do what a statement asks for, if that is to make a bookkeeping table where nothing lies; whether it was."""
        found = MAKES.match(sql)
        if found is None or found[2] not in RECORD_OF or sql != create_table(found[1], RECORD_OF[found[2]]):
            return False
        schema, table = found.groups()
        name, place = self._at(schema, table)
        folder = Path(place.getPath())
        if folder.exists() or self._catalogue.tableExists(schema, table):
            return False
        model = Path(self._at(self._schema, table)[1].getPath())
        if not model.exists():
            self._session.sql(create_table(self._schema, RECORD_OF[table]))
        shutil.copytree(model, folder)
        own = str(uuid.uuid4())
        for file in (folder / "_delta_log").glob("0*"):
            file.write_text(ID.sub(own, file.read_text()))
        storage = self._storage.with_(locationUri=self._jvm.scala.Option.apply(place))
        self._catalogue.createTable(self._entry.with_(identifier=name, storage=storage), False)
        return True

    def _at(self, schema: str, table: str) -> tuple[JavaObject, JavaObject]:
        """What Spark calls a table, and where it puts one."""
        some = self._jvm.scala.Option.apply
        name = self._jvm.org.apache.spark.sql.catalyst.TableIdentifier(table, some(schema), some("spark_catalog"))
        return name, self._session._jsparkSession.sessionState().catalog().defaultTablePath(name)

    @cached_property
    def _entry(self) -> _Case:
        """What the catalogue has of a bookkeeping table: but for name and place the same of each."""
        return _Case(self._catalogue.getTable(self._schema, RECORDS[0].table))

    @cached_property
    def _storage(self) -> _Case:
        return _Case(self._entry.value.storage())


class _Case:
    """An object of a Scala case class."""

    def __init__(self, value: JavaObject) -> None:
        self.value = value
        self._fields = {value.productElementName(at): value.productElement(at) for at in range(value.productArity())}

    def with_(self, **changes: Any) -> JavaObject:
        """A copy with other values of some fields."""
        return self.value.copy(*(self._fields | changes).values())
