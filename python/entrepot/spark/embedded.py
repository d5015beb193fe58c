"""Start Spark inside this process, and say in a sentence what stands in the way: Java, the folder, another process.

The embedded metastore's first minutes: a process that is killed while it is being created leaves one that never opens. So a
marker lies beside it until it has answered. A marker that is found says that nothing can have been registered yet: the
remains are removed, and creation begins anew.

Derby takes its own lock with the first statement, seconds after Spark has begun to start. So a process takes a place before it starts
Spark, and keeps it until it ends: of two that start together one is told, or waits. Who has the place and finds Derby's lock taken
comes right behind a command whose Java lives a moment longer, and waits for that.

The metastore names the folders of its tables by whole paths. In a copy of the warehouse these are still the original's, and a job
would write there. So the file of the place says where the warehouse was made, and nothing starts on it elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.parse import unquote

from entrepot.errors import EnvironmentProblemError
from entrepot.java import java_problem, prepare_environment
from entrepot.patience import Patience
from entrepot.spark.archive import JAVA_OPTIONS
from entrepot.spark.session import WITH_METASTORE, quiet_loggers, started

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARKER = "METASTORE_IS_BEING_CREATED"
PLACE = ".metastore.lock"
METASTORE = "metastore_db"
# seconds that the Java of a command which has ended may take to end, too
ENDING = 5.0
FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1"
# the first compiler alone is asked for soon; the second one is to know well what it compiles
COMPILE_SOON = "-XX:CompileThresholdScaling="
DERBY = "spark.hadoop.javax.jdo.option.ConnectionURL"
# deltalake, which reads and writes the books, takes what they stand in for another path, or ends the process
NOT_IN_PATHS = re.compile(r"[%\[\]^|\\\x00-\x1f]")
# the places that this process has taken, open files until it ends
_taken: dict[Path, TextIO] = {}


def start_session(settings: Mapping[str, str], log: Path, patience: Patience | None = None) -> SparkSession:
    """Start this process's Spark, with a metastore.

    Args:
        settings: Spark settings (`server_side_parameters`)
        log: where the JVM's own messages go from its start on, instead of standard error
        patience: how long another process that has the warehouse is waited for; none: not at all

    Raises:
        EnvironmentProblemError: no Java 17 or 21; folder not writable; warehouse in use by another process; no jars
    """
    warehouse = local_warehouse(settings)
    prepare_environment()
    if problem := java_problem() or (warehouse and folder_problem(warehouse)):
        raise EnvironmentProblemError(problem, "")
    chosen = WITH_METASTORE | dict(settings)
    is_embedded = chosen["spark.sql.catalogImplementation"] == "hive" and "jdbc:derby:" in chosen.get(
        DERBY, "jdbc:derby:"
    )
    if warehouse and is_embedded and (problem := moved_problem(warehouse)):
        raise EnvironmentProblemError(problem, "")
    while warehouse and (problem := (is_embedded and place_problem(warehouse)) or metastore_problem(warehouse, ENDING)):
        if not (patience and patience.goes_on(f"The warehouse {warehouse} is in use by another process.")):
            raise EnvironmentProblemError(problem, "")
    if warehouse:
        _begin_metastore(warehouse)
    quiet_loggers()
    session = started(chosen, log)
    if warehouse:
        _begun_metastore(session, warehouse)
    return session


def to_stay(settings: Mapping[str, str]) -> dict[str, str]:
    """Return Spark settings for a process that stays: Java's second compiler, which the local profile switches off, pays in one (decision 10).

    >>> to_stay({"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.1 -Xms3g"})
    {'spark.driver.extraJavaOptions': '-Xms3g'}
    """
    options = settings.get(JAVA_OPTIONS, "").split(" ")
    if FIRST_COMPILER_ONLY not in options:
        return dict(settings)
    kept = (option for option in options if option != FIRST_COMPILER_ONLY and not option.startswith(COMPILE_SOON))
    return {**settings, JAVA_OPTIONS: " ".join(kept)}


def local_warehouse(settings: Mapping[str, str]) -> Path | None:
    """Return the folder of the warehouse where it lies on this machine; None where it does not.

    >>> local_warehouse({"spark.sql.warehouse.dir": "file:/tmp/warehouse"})
    PosixPath('/tmp/warehouse')
    >>> local_warehouse({"spark.sql.warehouse.dir": "s3a://bucket/warehouse"})
    """
    folder = settings.get("spark.sql.warehouse.dir")
    if not folder or "://" in folder:
        return None
    return Path(folder.removeprefix("file:")).absolute()


def folder_problem(warehouse: Path) -> str | None:
    """Return why nothing can be written to the warehouse's folder, as a sentence; None where it can.

    >>> print(folder_problem(Path("/builds/a%2Fb")))
    The warehouse cannot be used: /builds/a%2Fb has '%' in its path. Set ENTREPOT_WAREHOUSE to a folder without any of % [ ] ^ | and backslash.
    """
    if found := NOT_IN_PATHS.search(str(warehouse)):
        return (
            f"The warehouse cannot be used: {warehouse} has {found[0]!r} in its path. "
            "Set ENTREPOT_WAREHOUSE to a folder without any of % [ ] ^ | and backslash."
        )
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


def place_problem(warehouse: Path) -> str | None:
    """Take this process's place at the embedded metastore; return who has it, as a sentence, where another one is first."""
    if warehouse in _taken:
        return None
    file = (warehouse / PLACE).open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return _in_use(warehouse)
    _taken[warehouse] = file
    return None


def metastore_problem(warehouse: Path, seconds: float) -> str | None:
    """Return who holds the embedded metastore (Derby lets in one process), as a sentence; None as soon as it is free.

    Args:
        warehouse: the folder of the warehouse
        seconds: how long who holds it may take to let it go
    """
    soon = time.monotonic() + seconds
    while is_held := _is_held(warehouse / METASTORE / "dbex.lck"):
        if time.monotonic() >= soon:
            break
        time.sleep(0.1)
    return _in_use(warehouse) if is_held else None


def _is_held(lock: Path) -> bool:
    if not lock.exists():
        return False
    with lock.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def moved_problem(warehouse: Path) -> str | None:
    """Return that a warehouse was made under another path, as a sentence; None where it was made under this one, or nobody knows yet."""
    place = warehouse / PLACE
    made = os.fsdecode(place.read_bytes()) if place.exists() else ""
    return _moved(warehouse, Path(made)) if made else None


def _moved(warehouse: Path, made: Path) -> str | None:
    if made.exists() and made.samefile(warehouse):
        return None
    if made.exists():
        what = f"is a copy of {made}"
        way_out = f"Set ENTREPOT_WAREHOUSE to {made}, or to an empty folder."
    else:
        what = f"has been moved from {made}"
        way_out = f"Move it back, or say: ln -s {shlex.quote(str(warehouse))} {shlex.quote(str(made))}"
    return f"The warehouse {warehouse} {what}: its metastore names the folders of its tables by that path, so a job would write there. {way_out}"


def _in_use(warehouse: Path) -> str:
    return (
        f"The warehouse {warehouse} is in use by another process: a dbt command, `entrepot run` or a Spark session is open on "
        "it, and its embedded metastore lets in one at a time. Wait until it has ended (`entrepot query` and "
        "`entrepot status` work meanwhile), say ENTREPOT_WAIT=5m to have it waited for, or set ENTREPOT_WAREHOUSE to another folder."
    )


def _begin_metastore(warehouse: Path) -> None:
    """Remove a metastore whose creation was interrupted; mark one that is about to be created."""
    metastore, marker = warehouse / METASTORE, warehouse / MARKER
    if marker.exists():
        shutil.rmtree(metastore, ignore_errors=True)
    if not metastore.exists():
        marker.write_text("Written before the metastore's first statement, removed after it.\n")


def _begun_metastore(session: SparkSession, warehouse: Path) -> None:
    """Have a metastore that is new, or was made before places were noted, say where it was made, and note it.

    Raises:
        EnvironmentProblemError: that is elsewhere
    """
    marker = warehouse / MARKER
    if not (marker.exists() or _lacks_place(warehouse)):
        return
    told = {row["info_name"]: row["info_value"] for row in session.sql("describe database default").collect()}
    marker.unlink(missing_ok=True)
    if _lacks_place(warehouse):
        made = local_warehouse({"spark.sql.warehouse.dir": unquote(told["Location"])}) or warehouse
        # a process that tries again is told before Spark starts
        (warehouse / PLACE).write_bytes(os.fsencode(made))
        if problem := _moved(warehouse, made):
            session.stop()
            raise EnvironmentProblemError(problem, "")


def _lacks_place(warehouse: Path) -> bool:
    """Whether a warehouse has a metastore in it of which nobody has noted where it was made."""
    place = warehouse / PLACE
    return (warehouse / METASTORE).exists() and place.exists() and place.stat().st_size == 0
