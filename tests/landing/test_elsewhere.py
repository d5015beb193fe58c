"""Landing from a storage that only Spark reaches: its files are listed by a statement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.landing.records import Log
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase
from tests.support.spark import Spark


def test_files_that_only_spark_lists(dbt_case: Callable[..., DbtCase], spark: Spark, tmp_path: Path) -> None:
    """Hadoop's own name for a folder of this machine stands for a bucket."""
    settings = spark.session.sparkContext._jsc.hadoopConfiguration()
    settings.set("fs.viewfs.mounttable.elsewhere.link./in", f"file://{tmp_path}/in")
    folder = tmp_path / "in"
    folder.mkdir()
    case = dbt_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml", "seeds/mapping/schema_attribute.csv"),
        project={"vars": {"landing_path": "viewfs://elsewhere/in/*.jsonl"}},
    )
    log = Log("shop")

    def line(number: int) -> str:
        return log.change(f"{number}", "c", key={"id": number}, after={"id": number}).text + "\n"

    def landed() -> set[tuple[str, int]]:
        table = case.table("landing", "landed_file")
        return set(spark.answer(f"select regexp_extract(landed_from, '([^/]*)$', 1), changes from {table}"))

    (folder / "a.jsonl").write_text(line(1) + line(2))
    (folder / "b.jsonl").write_text(line(3))
    (folder / "b.text").write_text(line(4))
    case.build(*WITHOUT_TESTS)
    assert landed() == {("a.jsonl", 2), ("b.jsonl", 1)}

    quiet = case.build(*WITHOUT_TESTS)
    assert quiet.messages["change_event"] == "unchanged"

    with (folder / "b.jsonl").open("a") as file:
        file.write(line(5))
    (folder / "c.jsonl").write_text(line(6))
    case.build()
    assert landed() == {("a.jsonl", 2), ("b.jsonl", 1), ("b.jsonl", 2), ("c.jsonl", 1)}
    assert spark.answer(f"select count(*) from {case.table('landing', 'change_event')}") == [(5,)]
