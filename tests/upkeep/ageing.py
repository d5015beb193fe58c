"""Tables whose commits were made some days earlier than they were."""

from __future__ import annotations

import os
import re
from pathlib import Path

from deltalake import DeltaTable

from tests.support.dbt_case import DbtCase

DAY = 86_400
TIMES = re.compile(r'("(?:deletionTimestamp|modificationTime)":)(\d+)')


def age(case: DbtCase, days: int) -> None:
    """Let all that a project's jobs have committed and published so far have happened some days earlier."""
    warehouse = Path(os.environ["ENTREPOT_WAREHOUSE"])
    folders = sorted(log.parent for log in warehouse.glob(f"{case.schema}_*.db/*/_delta_log"))
    for folder in folders:
        if folder.parent.name != f"{case.schema}_ops.db":
            _age(folder, days)
    span = f"interval '{days} days'"
    moments = ("published_at", "committed_at")
    books = DeltaTable(str(warehouse / f"{case.schema}_ops.db" / "published_snapshot"))
    books.update({name: f"{name} - {span}" for name in moments})
    case.spark.forget_logs(*folders)


def _age(folder: Path, days: int) -> None:
    for log in (folder / "_delta_log").glob("*.json"):
        at = log.stat().st_mtime - days * DAY
        text = TIMES.sub(lambda found: f"{found[1]}{int(found[2]) - days * DAY * 1000}", log.read_text())
        log.write_text(text)
        os.utime(log, (at, at))
    for file in folder.rglob("*.parquet"):
        at = file.stat().st_mtime - days * DAY
        os.utime(file, (at, at))
