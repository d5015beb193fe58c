"""entrepot as an adapter: somebody else's dbt project says `type: entrepot` in its profile and uses all of it, with no fork."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.errors import NotInSnapshotError, QueryError
from entrepot.warehouse import Warehouse
from tests.conftest import ROOT
from tests.support.dbt_case import DbtCase, Outcome
from tests.support.spark import Spark

PROJECT = Path(__file__).parent / "project"
LOADER = "webshop_loader"


class Loader:
    """The program that feeds the shop: it writes Delta tables with PySpark and knows nothing of dbt."""

    def __init__(self, spark: Spark, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        spark.sql(f"create schema if not exists {LOADER}")
        self.save("sale", "order_id int, item string, customer_id int, sold_on date, amount decimal(10, 2)", feed=True)
        self.save("customer", "customer_id int, name string, country string")
        self.save("price_log", "number bigint, committed_at timestamp, item string, kind string, price decimal(8, 2)")

    def save(self, table: str, columns: str, feed: bool = False) -> None:
        """Create an empty table at a place of its own, not below the warehouse's folder."""
        writer = (
            self.spark.session.createDataFrame([], columns)
            .write.format("delta")
            .option("path", str(self.folder / table))
        )
        if feed:
            writer = writer.option("delta.enableChangeDataFeed", "true")
        writer.saveAsTable(f"{LOADER}.{table}")

    def append(self, rows: dict[str, tuple[str, ...]]) -> None:
        """Append rows to tables, each row as SQL values."""
        for table, values in rows.items():
            columns = self.spark.session.table(f"{LOADER}.{table}").schema
            typed = ", ".join(
                f"cast({column.name} as {column.dataType.simpleString()}) as {column.name}" for column in columns
            )
            inline = f"values {', '.join(f'({row})' for row in values)} as _({', '.join(columns.names)})"
            frame = self.spark.session.sql(f"select {typed} from {inline}")
            frame.write.format("delta").mode("append").save(str(self.folder / table))


class Webshop(DbtCase):
    """The shop's dbt project in a folder of its own."""

    name = "webshop"

    def __init__(self, folder: Path, spark: Spark) -> None:
        self.path, self.schema, self.spark = folder / "webshop", "webshop", spark
        self.watch: Callable[[Any], None] = lambda event: None
        shutil.copytree(PROJECT, self.path, ignore=shutil.ignore_patterns("target", "logs", "dbt_packages"))


FILLED = {
    "customer": ("1, 'Ada', 'DE'", "2, 'Bell', 'FR'", "3, 'Cecil', 'GB'"),
    "sale": (
        "10, 'nail', 1, '2026-01-05', 4.00",
        "10, 'bolt', 1, '2026-01-05', 2.50",
        "11, 'nail', 2, '2026-01-06', 8.00",
    ),
    "price_log": ("1, '2026-01-01 08:00:00', 'nail', 'new', 2.00", "2, '2026-01-02 08:00:00', 'nail', 'changed', 4.00"),
}
# the last two of the shop's price changes arrive in the wrong order
CHANGED = {
    "sale": ("12, 'bolt', 3, '2026-01-07', 1.00",),
    "price_log": (
        "4, '2026-01-04 08:00:00', 'nail', 'gone', null",
        "3, '2026-01-03 08:00:00', 'nail', 'changed', 5.00",
    ),
}


@pytest.fixture(scope="module")
def jobs(spark: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Webshop, Outcome, Outcome]]:
    """A job, changes by the loader, and another job."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEBSHOP_WAREHOUSE", os.environ["ENTREPOT_WAREHOUSE"])
        loader, webshop = (
            Loader(spark, tmp_path_factory.mktemp("loader")),
            Webshop(tmp_path_factory.mktemp("package"), spark),
        )
        loader.append(FILLED)
        spark.session.sql("select 'West' as region, 5.0 as target").write.format("parquet").saveAsTable(
            f"{LOADER}.region_target"
        )
        first = webshop.build()
        loader.append(CHANGED)
        spark.change(f"update {LOADER}.customer set name = 'Belle', country = 'DE' where customer_id = 2")
        yield webshop, first, webshop.build()


def entrepot(webshop: Webshop, *arguments: str) -> str:
    """What the entrepot command prints for the shop's project."""
    place = ["--project-dir", str(webshop.path), "--profiles-dir", str(webshop.path)]
    result = CliRunner().invoke(main, [*place, *arguments])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_models_and_histories_are_kept_up(jobs: tuple[Webshop, Outcome, Outcome]) -> None:
    webshop, first, second = jobs
    kept_up = ("country", "sale_by_customer", "revenue_by_region", "region_result", "price_change", "price_history")
    assert {name: first.messages[name].split(":")[0] for name in kept_up} == dict.fromkeys(kept_up, "create")
    assert {name: second.messages[name] for name in kept_up} == {
        "country": "unchanged",
        "sale_by_customer": "join: 3 in +1 ~1 -0",
        "revenue_by_region": "scope: 3 in +0 ~2 -0",
        "region_result": "full: +0 ~1 -0",
        "price_change": "join: 2 in +2 ~0 -0",
        "price_history": "scope: 2 in +1 ~1 -0",
    }
    for model in ("sale_by_customer", "revenue_by_region", "region_result", "price_change"):
        assert webshop.difference_from_recompute("reporting", model) == [], model


def test_both_kinds_of_snapshots(jobs: tuple[Webshop, Outcome, Outcome]) -> None:
    webshop = jobs[0]
    prices = f"select cast(price as string), day(dbt_valid_from), day(dbt_valid_to) from {webshop.table('history', 'price_history')}"
    assert webshop.spark.rows(prices) == [("2.00", 1, 2), ("4.00", 2, 3), ("5.00", 3, 4)], "by commit order"
    names = (
        f"select name, dbt_valid_to is null from {webshop.table('history', 'customer_history')} where customer_id = 2"
    )
    assert webshop.spark.rows(names) == [("Bell", False), ("Belle", True)], "dbt's own strategy"


def test_what_is_published_can_be_asked(jobs: tuple[Webshop, Outcome, Outcome]) -> None:
    webshop = jobs[0]
    answer = Warehouse(webshop.path, webshop.path).query(
        "select region, revenue from revenue_by_region order by region"
    )
    assert [tuple(map(str, row.values())) for row in answer.rows()] == [("Central", "14.50"), ("West", "1.00")]
    assert (answer.snapshot.number, answer.versions) == (2, {"webshop_reporting.revenue_by_region": 1})
    assert set(answer.snapshot.relations) == {
        "webshop.country", "webshop_history.customer_history", "webshop_history.price_history",
        *(f"webshop_reporting.{name}" for name in
          ("best_customer", "price_change", "region_result", "revenue_by_region", "sale_by_customer")),
        "webshop_ops.ops_model_run", "webshop_ops.ops_full_refresh_reason", "webshop_ops.ops_job",
        "webshop_ops.ops_table_health",
        *(f"webshop_loader.{name}" for name in ("customer", "price_log", "sale")),
    }, "everything but region, which has no versions; and what another program loads"  # fmt: skip
    both = Warehouse(webshop.path, webshop.path).query(
        "select a.region, b.region from best_customer as a cross join best_customer as b"
    )
    with pytest.raises(QueryError, match="Several columns of the answer are called region"):
        both.rows()
    with pytest.raises(NotInSnapshotError, match="The snapshot 2, of job 2, has no nothing"):
        Warehouse(webshop.path, webshop.path).query("select * from nothing", snapshot=2)
    said = entrepot(webshop, "query", "select customer_name from best_customer where region = 'Central'")
    assert "Belle" in said and "snapshot of job 2" in said, said
    assert "finished, published" in entrepot(webshop, "status", "--relations")


def test_hooks_of_adapter_and_project_open_one_job(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project={"on-run-start": ["{{ jobs_start() }}"], "on-run-end": ["{{ jobs_end(results) }}"]})
    case.put("models/one.sql", "{{ config(materialized='table') }} select 1 as n")
    case.build()
    assert case.spark.rows(f"select number, event from {case.table('ops', 'job_event')}") == [
        (1, "finished"),
        (1, "started"),
    ]
    assert len(case.spark.rows(f"select * from {case.table('ops', 'published_snapshot')}")) == 1


def readme_files() -> dict[str, str]:
    """The files that README says to write: fenced texts whose first line is a comment with a file's name."""
    section = (ROOT / "README.md").read_text().split("**In a project of your own.**")[1].split("\n## ")[0]
    return dict(re.findall(r"```\w+\n(?:#|--) (\S+)\n(.*?)```", section, flags=re.DOTALL))


def test_readme_says_what_the_shop_has_written() -> None:
    files = readme_files()
    assert set(files) == {"profiles.yml", "models/sale_by_customer.sql"}
    for name, text in files.items():
        assert (PROJECT / name).read_text().startswith(text), name


def test_the_shop_says_nothing_of_entrepot_but_in_its_profile() -> None:
    texts = {
        path.relative_to(PROJECT): path.read_text() for path in PROJECT.rglob("*") if path.suffix in (".yml", ".sql")
    }
    assert [str(name) for name, text in texts.items() if "type: entrepot" in text] == ["profiles.yml"]
    assert not {"packages.yml", "macros"} & {name.parts[0] for name in texts}
    assert all(
        word not in text for text in texts.values() for word in ("dispatch", "on-run", "+enabled", "+file_format")
    )
