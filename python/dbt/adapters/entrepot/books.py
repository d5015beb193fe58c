"""The books of the warehouse that a dbt command works on (see `entrepot.ledger`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.engine import SparkEngine
from entrepot.ledger import Ledger, Store
from entrepot.ledger.files import FileStore
from entrepot.ledger.layout import create_table, replace_table
from entrepot.ledger.records import RECORDS
from entrepot.ledger.statements import StatementStore
from entrepot.sql.literals import literal
from entrepot.tables.table import local_folder, told_location

EMBEDDED_METASTORE = "spark.hadoop.javax.jdo.option.ConnectionURL"
METASTORE_DRIVER = "spark.hadoop.javax.jdo.option.ConnectionDriverName"
METASTORE_SERVER = "spark.hadoop.hive.metastore.uris"


class Books(SparkEngine):
    """Opens the books."""

    def open_books(self, schema: str) -> Ledger:
        """Open the bookkeeping tables of a schema; make those that do not exist."""
        locations = {
            record.table: location
            for record in RECORDS
            if (location := self.known_location(f"{schema}.{record.table}")) is not None
        }
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
        books = Ledger(self._store(schema, places))
        books.check_layout()
        return books

    def known_location(self, relation: str) -> str | None:
        """Return where a Delta table lies, as the catalogue told dbt at the start; None for anything else."""
        found = self.catalogued(relation)
        return told_location(found.information) if found and found.is_delta else None

    def _store(self, schema: str, locations: Mapping[str, str | None]) -> Store:
        """Return the tables by their files where this process reaches them, else by statements."""
        folders = {table: local_folder(location) for table, location in locations.items() if location}
        found = {table: folder for table, folder in folders.items() if folder and Path(folder, "_delta_log").is_dir()}
        if self.is_embedded() and len(found) == len(RECORDS):
            return FileStore(found)
        return StatementStore(schema, self.ask, literal)

    def is_alone(self) -> bool:
        """Whether no second process can work on this warehouse: its metastore is an embedded Derby, which lets in one only."""
        keys = (EMBEDDED_METASTORE, METASTORE_DRIVER, METASTORE_SERVER)
        found = {key: value for key in keys if (value := self.setting(key)) is not None}
        driver = found.get(METASTORE_DRIVER)
        return EMBEDDED_METASTORE in found and METASTORE_SERVER not in found and (driver is None or "derby" in driver)
