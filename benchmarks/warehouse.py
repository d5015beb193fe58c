"""The benchmark's warehouse: TPC-H as Delta tables, and a way back to how it was before a scenario.

Delta's own RESTORE would not do: it is a commit of its own, whose rows are in the change feed, so the next job would read
the changes of the scenario before and their undoing as well. A shallow clone forgets what its commits say of consumed
versions. So the files that a scenario has added are taken away again: Delta tables only ever add files.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = {"lineitem": "l_orderkey", "orders": "o_orderkey", "customer": "c_custkey", "nation": None, "region": None}
PROPERTIES = "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true'"
# bytes of Parquet that one file of a source is made of
FILE_BYTES = 16 * 1024 * 1024


def generate(folder: Path, scale: float, suite: str = "tpch", tables: Iterable[str] = tuple(TABLES)) -> None:
    """Write tables as Parquet with `tpcgen-cli`, unless they are there.

    Args:
        folder: where they lie, a file for each
        scale: the scale factor
        suite: `tpch` or `tpcds`
        tables: which of its tables

    Raises:
        click.ClickException: the generator is not installed
    """
    tables = list(tables)
    if all((folder / f"{table}.parquet").exists() for table in tables):
        return
    beside = Path(sys.executable).with_name("tpcgen-cli")
    program = str(beside) if beside.exists() else shutil.which("tpcgen-cli")
    if program is None:
        raise click.ClickException("tpcgen-cli is not installed: `make setup-bench` installs it.")
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    command = [program, suite, "parquet", "-s", f"{scale:g}", f"--tables={','.join(tables)}", f"--output-dir={partial}"]
    subprocess.run(command, check=True, capture_output=True)
    partial.rename(folder)


def load(session: SparkSession, folder: Path) -> None:
    """Make the source tables; lines and orders in the order of their keys, in files of about FILE_BYTES."""
    session.sql("create schema if not exists tpch")
    for table, key in TABLES.items():
        parquet = folder / f"{table}.parquet"
        frame = session.read.parquet(f"file:{parquet}")
        files = -(-parquet.stat().st_size // FILE_BYTES)
        frame = (
            frame.repartitionByRange(files, key).sortWithinPartitions(key) if key and files > 1 else frame.coalesce(1)
        )
        frame.createOrReplaceTempView("loaded")
        session.sql(
            f"create or replace table tpch.{table} using delta tblproperties ({PROPERTIES}) as select * from loaded"
        )


def forget(session: SparkSession) -> None:
    """Have Spark forget what it knows of tables: a job of a new dbt process reads every Delta log that it needs, too."""
    session.catalog.clearCache()
    session._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


class Mark:
    """How the tables of a warehouse stood, as its files. What jobs have cost stays known: the choice by cost is part of what is measured."""

    def __init__(self, folder: Path, spared: Iterable[str] = ()) -> None:
        """Note the files of all tables below `folder`, but for those of the `spared` schemas, which stay as they will be."""
        self.folder, self._spared = folder, {f"{schema}.db" for schema in spared}
        self.files = set(self._found())
        self.checkpoints = {path: path.read_bytes() for path in self.files if path.name == "_last_checkpoint"}

    def _found(self) -> list[Path]:
        return [
            path
            for database in self.folder.glob("*.db")
            if database.name not in self._spared
            for path in database.rglob("*")
            if path.is_file() and "model_run" not in path.parts
        ]

    def rewind(self, session: SparkSession) -> None:
        """Take away what has been written since, and have Spark forget it."""
        for path in self._found():
            if path not in self.files:
                path.unlink()
        for path, content in self.checkpoints.items():
            path.write_bytes(content)
        forget(session)
