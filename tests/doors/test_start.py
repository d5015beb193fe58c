"""Spark that cannot start: the reason in a sentence, of this start and not of an earlier one."""

from __future__ import annotations

import shutil
import string
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest
from deltalake import DeltaTable, write_deltalake
from py4j.java_gateway import GatewayClient

from dbt.adapters.entrepot.sessions import Root, Sessions
from entrepot.errors import EnvironmentProblemError
from entrepot.java import java_version
from entrepot.spark import embedded, session
from entrepot.spark.embedded import PLACE, folder_problem, moved_problem, place_problem
from entrepot.spark.session import lighten_configuration, start_problem
from tests.support.spark import Spark

START = """
import sys
from pathlib import Path
from entrepot.errors import EntrepotError
from entrepot.spark.session import reader_session
from entrepot.target import Target
try:
    reader_session(Target("default", Path("."), "t", {"spark.driver.memory": sys.argv[1]}), Path(sys.argv[2]))
except EntrepotError as error:
    print(error.message)
"""


def started(memory: str, log: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", START, memory, str(log)], capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_too_much_and_too_little_memory(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "spark.log"
    said = started("900000g", log)
    assert said.startswith(
        "Spark could not start: Java cannot have as much memory as it is to have. Make room, or let it have less"
    ), said
    assert said.count("\n") == 1, "what Java prints is in the log"
    assert "900000g" in (words := log.read_text()) or "Could not reserve" in words
    said = started("100m", log)
    assert said.startswith("Spark could not start: ") and "must be at least" in said and said.count("\n") == 1, said
    said = started("1g", Path("/proc/nothing/spark.log"))
    assert said.startswith("Spark's messages cannot be written: /proc/nothing/spark.log: No such file"), said


def test_what_an_earlier_start_has_said_is_none_of_this_one(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    assert start_problem(log) == "Spark could not start."
    log.write_text("Could not reserve enough space for object heap\n")
    assert "as much memory" in start_problem(log)
    before = log.stat().st_size
    assert start_problem(log, before) == "Spark could not start."
    with log.open("a") as more:
        more.write("java.io.IOException: No space left on device\n")
    assert start_problem(log, before) == "Spark could not start: no space left on the device."


def test_a_hadoop_that_keeps_its_origins_elsewhere_starts(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ORIGINS", "somewhere else")
    lighten_configuration(spark.session)
    assert spark.session._jsc.hadoopConfiguration().get("fs.file.impl")


def test_a_start_asks_java_little(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Java map, which py4j empties entry by entry, is replaced; a setting that a session has is not set again, nor one that cannot be."""
    configuration = spark.session._jsc.hadoopConfiguration()
    for number in range(200):
        configuration.set(f"entrepot.test.{number}", "x", "here")
    asked: list[str] = []
    send = GatewayClient.send_command

    def counted(client: GatewayClient, command: str, *more: object, **named: object) -> str:
        if not command.startswith("m\n"):  # a word of py4j's own: an object that nobody needs any more
            asked.append(command)
        return str(send(client, command, *more, **named))

    monkeypatch.setattr(GatewayClient, "send_command", counted)
    lighten_configuration(spark.session)
    assert len(asked) < 100
    assert not [*(configuration.getPropertySources("entrepot.test.7") or ())]
    for number in range(200):
        configuration.unset(f"entrepot.test.{number}")

    given = dict(spark.session.sparkContext.getConf().getAll())
    sessions, root = Sessions(given), Root(spark.session)
    new = spark.session.newSession()
    assert {key: root.given[key] for key in given} == {key: new.conf.get(key) for key in given}
    asked.clear()
    sessions._session(root)
    assert len(asked) < 4 * len(given)
    asked.clear()
    made = sessions._session(root)
    assert len(asked) < 10
    assert made.conf.get("spark.sql.session.timeZone") == given["spark.sql.session.timeZone"]
    other = Sessions(given | {"spark.sql.shuffle.partitions": "7", "spark.driver.memory": "9g"})
    assert other._session(root).conf.get("spark.sql.shuffle.partitions") == "7"
    assert "spark.driver.memory" in other._static and "spark.sql.shuffle.partitions" not in other._static


@pytest.mark.parametrize(
    ("release", "said", "version"),
    [
        ('IMPLEMENTOR="x"\nGRAALVM_VERSION="22.3"\nJAVA_VERSION="17.0.15"\n', "", 17),
        ('JAVA_VERSION="1.8.0_392"\n', "", 8),
        ("", 'openjdk version "21.0.1" 2023-10-17', 21),
        ("nothing", 'java version "1.8.0_392"', 8),
        (None, 'openjdk version "11.0.2"', 11),
        (None, "", None),
    ],
)
def test_a_java_says_its_version_in_a_file_or_when_asked(
    tmp_path: Path, release: str | None, said: str, version: int | None
) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    if release is not None:
        (tmp_path / "jdk" / "release").write_text(release)
    link = tmp_path / "java"
    link.symlink_to(java)
    assert java_version(link) == version
    assert java_version(tmp_path / "none") is None


HOLD = """
import sys
from pathlib import Path
from entrepot.spark.embedded import place_problem
print(place_problem(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_of_two_that_start_together_one_has_the_place(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "None\n"
    assert "is in use by another process" in (place_problem(tmp_path) or "")
    first.kill()
    first.wait()
    assert [place_problem(tmp_path), place_problem(tmp_path)] == [None, None]


@pytest.mark.parametrize("became", ["copied", "moved", "moved, with a link", "reached by a link", "its own"])
def test_a_warehouse_that_was_made_elsewhere(tmp_path: Path, became: str) -> None:
    made, here = tmp_path / "made", tmp_path / "here"
    made.mkdir()
    (made / PLACE).write_text(str(made))
    if became == "copied":
        shutil.copytree(made, here)
    elif became.startswith("moved"):
        made.rename(here)
    if became == "moved, with a link":
        made.symlink_to(here)
    elif became == "reached by a link":
        here.symlink_to(made)
    problem = moved_problem(made if became == "its own" else here)
    sentence = {"copied": f"is a copy of {made}: ", "moved": f"has been moved from {made}: "}.get(became)
    assert (problem is not None and sentence in problem) if sentence else problem is None, problem
    if became == "moved":
        assert problem and problem.endswith(f" Move it back, or say: ln -s {here} {made}")


ENDS = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); time.sleep(float(sys.argv[2]))"


class StartedError(Exception):
    """Spark would start."""


@pytest.mark.parametrize("seconds", [1, 60])
def test_the_java_of_a_command_that_has_just_ended_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    """A while: of what goes on holding the metastore without its place, such as another tool's Spark, one is told."""
    (tmp_path / "metastore_db").mkdir()
    monkeypatch.setattr(embedded, "ENDING", 3.0)

    def start(settings: object, log: Path) -> None:
        raise StartedError("now")

    monkeypatch.setattr(embedded, "started", start)
    command = [sys.executable, "-c", ENDS, str(tmp_path / "metastore_db/dbex.lck"), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        is_told = seconds > embedded.ENDING
        with pytest.raises(
            EnvironmentProblemError if is_told else StartedError, match="is in use by another" if is_told else "now"
        ):
            embedded.start_session({"spark.sql.warehouse.dir": str(tmp_path)}, tmp_path / "spark.log")
        holder.kill()


NOTE = """
import shutil
import sys
from pathlib import Path
from entrepot.errors import EntrepotError
from entrepot.spark.archive import with_archive
from entrepot.spark.embedded import PLACE, start_session
made, here, log = (Path(argument) for argument in sys.argv[1:])
def start(warehouse):
    derby = f"jdbc:derby:;databaseName={warehouse}/metastore_db;create=true"
    settings = {"spark.sql.warehouse.dir": str(warehouse), "spark.hadoop.javax.jdo.option.ConnectionURL": derby}
    start_session(with_archive(settings | {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}), log)
start(made)
print((made / PLACE).read_text())
shutil.copytree(made, here)
for said in (str(made), ""):  # as an earlier version has left it
    (here / PLACE).write_text(said)
    try:
        start(here)
    except EntrepotError as error:
        print(error.message)
"""


@pytest.mark.slow
def test_a_metastore_says_where_it_was_made(tmp_path: Path) -> None:
    made, here = tmp_path / "an odd é", tmp_path / "here"
    ran = subprocess.run(
        [sys.executable, "-c", NOTE, str(made), str(here), str(tmp_path / "spark.log")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    noted, *refused = ran.stdout.splitlines()
    assert noted == str(made), ran.stderr
    assert len(refused) == 2 and all(f"The warehouse {here} is a copy of {made}: " in one for one in refused), refused


@pytest.mark.parametrize("sign", [sign for sign in f"{string.punctuation} ü\t" if sign != "/"])
def test_the_books_can_lie_in_every_folder_that_is_not_refused(tmp_path: Path, sign: str) -> None:
    """deltalake takes `%2F` for a slash, and ends the process where it meets a bracket: nobody would know from what it says."""
    folder = tmp_path / f"shop{sign}20main" / "warehouse"
    if sign in "%[]^|\\\t":
        problem = folder_problem(folder)
        assert problem is not None and f"has {sign!r} in its path" in problem and "ENTREPOT_WAREHOUSE" in problem
        assert not folder.parent.exists()
        return
    assert folder_problem(folder) is None
    rows = pyarrow.table({"id": pyarrow.array([1, 2])})
    for _ in range(2):
        write_deltalake(str(folder / "t"), rows, mode="append")
    DeltaTable(str(folder / "t")).delete("id = 1")
    assert DeltaTable(str(folder / "t")).to_pyarrow_table().num_rows == 2
