"""A project with books that no Spark has written: for what is read of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from entrepot.cli import main
from entrepot.ledger import JobEvent, Ledger, ModelRun, PublishedRelation
from entrepot.ledger.files import FileStore
from entrepot.ledger.layout import LAYOUT, PROPERTY
from entrepot.ledger.records import RECORDS, columns

NOON = datetime.now(timezone.utc) - timedelta(days=2, minutes=20)
TYPES = {"string": "string", "boolean": "boolean", "bigint": "long", "double": "double", "timestamp": "timestamp"}
PROFILE = """
shop: {target: here, outputs: {here: {type: entrepot, method: session, host: h, schema: default,
  server_side_parameters: {spark.sql.warehouse.dir: "{{ env_var('NOT_SET', 'warehouse') }}"}}}}
"""


class Shop:
    """A project with books, and no Spark."""

    def __init__(self, folder: Path, layout: int = LAYOUT) -> None:
        """Lay it out; layout 1 has no column `concern`."""
        self.path = folder
        (folder / "dbt_project.yml").write_text("{name: shop, profile: shop}")
        (folder / "profiles.yml").write_text(PROFILE)
        folders = {record.table: str(folder / "warehouse/ops.db" / record.table) for record in RECORDS}
        for record in RECORDS:
            fields = [
                Field(one.name, PrimitiveType(TYPES[one.spark_type]))
                for one in columns(record)
                if layout > 1 or one.name != "concern"
            ]
            DeltaTable.create(
                folders[record.table], Schema(fields),
                configuration={PROPERTY: str(layout)}, raise_if_key_not_exists=False,
            )  # fmt: skip
        self.store = FileStore(folders)
        self.ledger = Ledger(self.store)

    def job(
        self,
        number: int,
        *published: PublishedRelation,
        ended: str = "finished",
        runs: Sequence[ModelRun] | None = None,
        at: datetime = NOON,
        took: timedelta = timedelta(),
        detail: str | None = None,
    ) -> Shop:
        """Let a job have run."""
        begun = JobEvent("j", number, "started", "ann", "build", at)
        self.store.append(
            [begun, *([JobEvent("j", number, ended, "ann", "build", at + took, detail)] if ended else [])]
        )
        one = ModelRun("j", number, 1, "marts.late", "model", "success", "full", seconds=1.0)
        self.ledger.write([one] if runs is None else runs)
        self.ledger.write(published)
        return self

    def run(self, *command: str) -> Any:
        """What comes of a command."""
        return CliRunner().invoke(main, ["--project-dir", str(self.path), "--profiles-dir", str(self.path), *command])

    def says(self, *command: str) -> str:
        """What the command prints."""
        result = self.run(*command)
        assert result.exit_code == 0, result.output
        return " ".join(result.output.split())
