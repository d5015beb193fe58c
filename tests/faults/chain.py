"""A project of every layer whose jobs are processes of their own, on a warehouse that can be put back as it was."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from entrepot.snapshots import Snapshot
from entrepot.spark.reader import Reader
from entrepot.target import Target, load_target
from tests.faults.dying import NEVER
from tests.upkeep.test_warehouse import Shop

ROOT = Path(__file__).parents[2]
Rows = dict[str, list[tuple[Any, ...]]]
CHECKED = {
    "landing.change_event": "event_id, op, before, after",
    "landing.rejected_event": "*",
    "mapped.customer": "*",
    "mapped.booking": "*",
    "history.customer_history": "*",
    "history.booking_history": "*",
    "marts.fct_booking": "*",
    "marts.mart_city": "*",
}


class Chain:
    """The chain of jobs of a shop.

    Attributes:
        folder: the warehouse
        reader: of this process, which never writes and needs no metastore
    """

    def __init__(self, shop: Shop, folder: Path, target: Target, reader: Reader) -> None:
        self.shop, self.folder, self.target, self.reader = shop, folder, target, reader
        self.kept, self.told = folder.with_name("kept"), shop.case.path / "statements"

    @classmethod
    def made(cls, shop: Shop, folder: Path, patch: AbstractContextManager[pytest.MonkeyPatch]) -> Chain:
        """A chain without jobs."""
        with patch as patched:
            patched.setenv("ENTREPOT_WAREHOUSE", str(folder / "warehouse"))
            target = load_target(shop.case.path, shop.case.path)
        return cls(shop, folder / "warehouse", target, Reader.start(target, folder / "spark.log"))

    def start(self, point: int = NEVER) -> subprocess.Popen[bytes]:
        """Start `dbt build` in a process group of its own, which dies before its n-th statement."""
        command = [
            sys.executable,
            "-m",
            "tests.faults.dying",
            str(point),
            str(self.told),
            "build",
            "--quiet",
            *self.shop.place,
        ]
        return subprocess.Popen(
            command, cwd=ROOT, start_new_session=True, env=os.environ | {"ENTREPOT_WAREHOUSE": str(self.folder)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def build(self) -> list[str]:
        """Run one job to its end; return its statements."""
        process = self.start()
        output, _ = process.communicate()
        assert process.returncode == 0, output.decode()[-4000:]
        return self.told.read_text().splitlines()

    def failed(self) -> str:
        """Run one job that has to fail; return what it says."""
        process = self.start()
        output, _ = process.communicate()
        assert process.returncode not in (0, -signal.SIGKILL), output.decode()[-4000:]
        return output.decode()

    def killed_at(self, point: int) -> str | None:
        """Run one job that dies before its n-th statement, and return that; None where it has fewer."""
        process = self.start(point)
        output, _ = process.communicate()
        if process.returncode == -signal.SIGKILL:
            return self.told.read_text().splitlines()[-1]
        assert process.returncode == 0, output.decode()[-4000:]
        return None

    def head(self, table: str) -> int:
        """The newest version of a table; -1 where there is none."""
        layer, _, name = table.partition(".")
        log = self.folder / f"{self.shop.case.schema}_{layer}.db" / name / "_delta_log"
        return max((int(commit.stem) for commit in log.glob("*.json")), default=-1)

    def keep(self) -> None:
        """Keep the warehouse as it is, for `put_back`."""
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def put_back(self) -> None:
        """Put the warehouse back as it was kept."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder, symlinks=True)
        # versions have other files now
        self.reader = Reader(self.target, self.reader.session)

    def published(self) -> tuple[int, Rows]:
        """The newest published job's number, and the rows of its tables."""
        snapshot = self.reader.snapshots()[0]
        return snapshot.number, rows_of(self.reader, snapshot, self.shop.case.schema)


def rows_of(reader: Reader, snapshot: Snapshot, schema: str) -> Rows:
    """The rows of a published job's tables."""
    return {
        name: sorted(
            (tuple(row) for row in reader.run(f"select {columns} from {schema}_{name}", snapshot).collect()), key=repr
        )
        for name, columns in CHECKED.items()
    }
