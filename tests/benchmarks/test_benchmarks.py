"""The benchmark: its parts without Spark, and the whole of it at a small scale where the generator is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from benchmarks.measure import Job, Measured, during, mean
from benchmarks.picture import COLOURS, draw
from benchmarks.report import BOTH, markdown, targets
from benchmarks.scenarios import Scenario, all_scenarios
from benchmarks.tpcds import telling as tpcds
from benchmarks.warehouse import Mark
from tests.conftest import ROOT

GENERATOR = Path(sys.executable).with_name("tpcgen-cli").exists() or shutil.which("tpcgen-cli")


def test_scenarios() -> None:
    names = [scenario.name for scenario in all_scenarios()]
    assert len(names) == len(set(names)) == 13
    assert {"nothing changed", "insert 0.1 % recent", "update 10 % scattered"} <= set(names)
    assert Scenario(0.0).statements(1000) == []
    assert Scenario(0.01, "update", "recent").statements(1000) == [
        "update tpch.lineitem set l_extendedprice = l_extendedprice + 1 where l_orderkey > 990"
    ]
    orders, lines = Scenario(0.001, "insert", "scattered").statements(1000)
    assert orders == (
        "insert into tpch.orders by name select o_orderkey + 1000 as o_orderkey, * except (o_orderkey) from tpch.orders "
        "where pmod(xxhash64(o_orderkey), 100000) < 100"
    )
    assert lines == orders.replace("tpch.orders", "tpch.lineitem").replace("o_orderkey", "l_orderkey")


def test_a_scenario_is_taken_back(tmp_path: Path) -> None:
    log = tmp_path / "marts.db" / "order_line" / "_delta_log"
    log.mkdir(parents=True)
    (log / "0.json").write_text("first")
    (log / "_last_checkpoint").write_text("at 0")
    mark, session = Mark(tmp_path), MagicMock()
    (log / "1.json").write_text("second")
    (log.parent / "part-1.parquet").write_text("rows")
    (log / "_last_checkpoint").write_text("at 1")
    mark.rewind(session)
    assert sorted(path.name for path in log.parent.rglob("*") if path.is_file()) == ["0.json", "_last_checkpoint"]
    assert (log / "_last_checkpoint").read_text() == "at 0"
    session.catalog.clearCache.assert_called_once()


def test_what_spark_did_belongs_to_the_model_that_ran() -> None:
    first, second = Measured(), Measured()
    first._window, second._window = (1000, 2000), (2500, 3000)
    found = {"first": first, "second": second}
    assert [during(found, moment) for moment in (500, 1500, 2200, 3000)] == [None, first, None, second]


def test_a_job_that_ran_twice_takes_the_mean() -> None:
    first = Job(30.0, 50.0, {"model": Measured("create", seconds=20.0, cpu_seconds=40.0, rows_read=9)})
    last = Job(20.0, 40.0, {"model": Measured("create", seconds=10.0, cpu_seconds=30.0, rows_read=8)})
    expected = Measured("create", seconds=15.0, cpu_seconds=35.0, rows_read=8)
    assert mean(first, last) == Job(25.0, 45.0, {"model": expected})


def record(ratio: float, scale: float = 1.0) -> dict[str, object]:
    """A run with one scenario."""
    models = {name: {"ratio": ratio, "incremental": {"statements": 9}} for name in [*COLOURS, BOTH]}
    scenario = {"name": "update 1 % recent", "share": 0.01, "kind": "update", "place": "recent", "models": models}
    return {"scale": scale, "scenarios": [scenario]}


def test_the_picture(tmp_path: Path) -> None:
    draw(record(7.5), tmp_path / "picture.svg")
    svg = ElementTree.parse(tmp_path / "picture.svg").getroot()
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("7.50") == 2 and "update 1 % recent" in texts
    assert max(float(bar.get("width", "0").rstrip("%")) for bar in svg.iter("{http://www.w3.org/2000/svg}rect")) == 560


def test_targets_are_said() -> None:
    assert targets(record(0.5))[0].endswith("(target 0.6: met)")
    assert targets(record(0.7))[0].endswith("(target 0.6: missed)")
    assert targets(record(0.5, scale=10.0))[0].endswith("(target 0.25: missed)")


def test_the_documentation_shows_the_runs_that_it_names(tmp_path: Path) -> None:
    tpch = SimpleNamespace(markdown=markdown, draw=draw)
    text = (ROOT / "docs" / "benchmarks.md").read_text()
    named = set(re.findall(r"benchmarks/results/\S+?\.json", text))
    assert named == {str(path.relative_to(ROOT)) for path in ROOT.glob("benchmarks/results/*.json")}
    for path in named:
        shown = json.loads((ROOT / path).read_text())
        of = tpcds if shown.get("benchmark") == "tpcds" else tpch
        assert of.markdown(shown) in text
        of.draw(shown, tmp_path / "picture.svg")
        pictures = [picture.read_text() for picture in ROOT.glob("docs/benchmarks*.svg") if f"({picture.name})" in text]
        assert (tmp_path / "picture.svg").read_text() in pictures


@pytest.mark.slow
@pytest.mark.skipif(not GENERATOR, reason="tpcgen-cli is not installed: make setup-bench")
def test_a_small_benchmark(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--scale", "0.01", "--memory", "1g", "--folder", str(tmp_path / "work"),
         "--results", str(tmp_path), "--draw", str(tmp_path / "picture.svg"), "--only", "nothing", "--only", "update 1 % recent"],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT)])},
        capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout + process.stderr
    (path,) = tmp_path.glob("*.json")
    nothing, update = json.loads(path.read_text())["scenarios"]
    assert nothing["equal"] and update["equal"]
    assert nothing["models"][BOTH]["incremental"]["statements"] == 0
    line = update["models"]["order_line"]
    assert line["message"].startswith("join: ") and line["incremental"]["commits"] == 1, (
        "few rows: one merge, without Spark"
    )
    assert 0 < line["incremental"]["rows_written"] < line["full"]["rows_written"]
    assert line["incremental"]["files_read"] > 0 and line["full"]["rows_read"] > 60000
    assert (tmp_path / "picture.svg").exists()
