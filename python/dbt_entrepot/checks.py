"""What stands in a command's way, said in a sentence before Spark starts; and Spark's errors without stack traces.

Works for plain dbt: nobody has to call entrepot's own command line. Nothing else of dbt is touched.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from typing import Any

from dbt.plugins.manager import dbtPlugin
from dbt_common.exceptions import DbtRuntimeError

from dbt_entrepot import metastore
from entrepot.java import java_problem, prepare_environment

WITHOUT_SPARK = ("clean", "deps", "init", "list", "ls", "parse", "serve")


class EntrepotChecks(dbtPlugin):
    """Checks Java, the warehouse's folder and its metastore before dbt connects to an embedded Spark."""

    def initialize(self) -> None:
        """Raise DbtRuntimeError with a sentence where an embedded Spark could not work.

        Raises:
            DbtRuntimeError: no Java 17 or 21; folder not writable; warehouse in use by another process
        """
        from dbt.flags import get_flags

        from dbt_entrepot.spark_errors import speak_plainly

        flags = get_flags()
        if getattr(flags, "WHICH", None) in WITHOUT_SPARK:
            return
        warehouse = _embedded_warehouse(flags)
        if warehouse is None:
            return
        speak_plainly(warehouse, Path(flags.PROJECT_DIR or ".") / (flags.LOG_PATH or "logs") / "spark.log")
        if _spark_is_running():
            return
        prepare_environment()
        problem = java_problem() or folder_problem(warehouse) or metastore_problem(warehouse)
        if problem:
            raise DbtRuntimeError(problem)
        metastore.begin(warehouse)


def _spark_is_running() -> bool:
    """Whether this process has a Spark of its own already."""
    module = sys.modules.get("pyspark")
    return bool(module and module.SparkContext._active_spark_context)


def _embedded_warehouse(flags: Any) -> Path | None:
    """Return the warehouse folder of a session-mode Spark target; None for any other target, or none at all."""
    from dbt.config.runtime import load_profile
    from dbt_common.exceptions import DbtBaseException

    try:
        profile = load_profile(
            flags.PROJECT_DIR or ".", {}, getattr(flags, "PROFILE", None), getattr(flags, "TARGET", None)
        )
    except DbtBaseException:
        return None
    settings = getattr(profile.credentials, "server_side_parameters", None) or {}
    folder = settings.get("spark.sql.warehouse.dir")
    if getattr(profile.credentials, "method", None) != "session" or not folder or "://" in folder:
        return None
    return Path(folder.removeprefix("file:")).absolute()


def folder_problem(warehouse: Path) -> str | None:
    """Return why nothing can be written to the warehouse's folder, as a sentence; None where it can."""
    try:
        warehouse.mkdir(parents=True, exist_ok=True)
        probe = warehouse / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        return (
            f"The warehouse cannot be written: {warehouse}: {error.strerror}. "
            "Correct the folder's rights, or set ENTREPOT_WAREHOUSE to another folder."
        )
    return None


def metastore_problem(warehouse: Path) -> str | None:
    """Return who holds the embedded metastore (Derby lets in one process), as a sentence; None where it is free."""
    lock = warehouse / "metastore_db" / "dbex.lck"
    if not lock.exists():
        return None
    with lock.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return (
                f"The warehouse {warehouse} is in use by another process: a dbt command or a Spark session is open on "
                "it, and its embedded metastore lets in one at a time. Wait until it has ended (`entrepot query` and "
                "`entrepot status` work meanwhile), or set ENTREPOT_WAREHOUSE to another folder."
            )
    return None
