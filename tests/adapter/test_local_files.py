"""How a session with the profile's settings writes local files (decision 10)."""

from pathlib import Path

from entrepot.spark.session import started
from tests.support.spark import Spark

MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


def test_checksums_of_commits_are_written_without_helper_processes(spark: Spark, tmp_path: Path) -> None:
    """Spark's own choice asks `readlink` four times for each checksum; a class that Spark does not know would leave none at all."""
    named = spark.session.conf.get(MANAGER)
    jvm = spark.session._jvm
    conf = spark.session._jsparkSession.sessionState().newHadoopConf()
    managers = getattr(jvm, "org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager")
    manager = managers.create(jvm.org.apache.hadoop.fs.Path(str(tmp_path)), conf)
    assert manager.getClass().getName() == named
    assert manager.isLocal()

    table = tmp_path / "table"
    spark.sql(f"create table delta.`{table}` using delta as select 1 as id")
    spark.sql(f"insert into delta.`{table}` select 2 as id")
    written = sorted(file.name for file in (table / "_delta_log").iterdir() if file.is_file())
    assert written == [f"{version:020}.{kind}" for version in (0, 1) for kind in ("crc", "json")]


def test_tables_are_read_and_written_without_the_settings_of_yarn(spark: Spark, tmp_path: Path) -> None:
    """They are half of what Spark sends with each scan and each write; what else there is stays, and nothing brings them back.

    Where an entry comes from, a list that is compressed for each alone, stays only for what a session sets itself.
    """
    for name in ("yarn.app.id", "mine.own"):
        spark.session._jsc.hadoopConfiguration().set(name, "1")
    started({}, tmp_path / "spark.log")
    table = tmp_path / "table"
    spark.sql(f"create table delta.`{table}` using delta as select 1 as id")
    assert spark.rows(f"select * from delta.`{table}`") == [(1,)]
    conf = spark.session._jsparkSession.sessionState().newHadoopConf()
    assert conf.getValByRegex("^yarn[.]").isEmpty()
    assert conf.get("fs.s3a.impl") and conf.get("mapreduce.outputcommitter.factory.scheme.s3a")
    assert conf.get("fs.file.impl") == "org.apache.hadoop.fs.RawLocalFileSystem"
    assert conf.get("mine.own") == "1"
    assert [conf.getPropertySources(name) for name in ("mine.own", "fs.s3a.impl")] == [None, None]
