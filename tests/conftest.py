"""Fixtures of the whole suite: one Spark session per process in one JVM and warehouse, and dbt in-process."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dbt_common.tests import enable_test_caching

from dbt.include import entrepot as include
from entrepot.java import prepare_environment
from tests.support.lean import without_macro_docs

ROOT = Path(__file__).resolve().parent.parent
# the same for all of xdist's processes: they inherit it
_WAREHOUSE = Path(
    os.environ.get("ENTREPOT_TEST_WAREHOUSE") or f"{tempfile.mkdtemp(prefix='entrepot-tests-')}/warehouse"
)
os.environ["ENTREPOT_TEST_WAREHOUSE"] = str(_WAREHOUSE)

# Before anything starts a JVM: the session belongs to the tests, and never to the developer's own warehouse.
os.environ["ENTREPOT_WAREHOUSE"] = str(_WAREHOUSE)
os.environ.setdefault("DBT_PROFILES_DIR", str(ROOT))
# xdist says 80; commands are read as a pipe reads them
os.environ.pop("COLUMNS", None)
prepare_environment()
# as dbt's own tests have it: a text of Jinja is parsed once in a process, and not once for each of the projects that the tests write
enable_test_caching()
# a project that the tests write is read without what describes macros to people, which is half of a new one's parsing; `make lint` reads it
_LEAN = _WAREHOUSE.parent / f"include{os.getpid()}/entrepot"  # its name says to dbt whose it is
shutil.copytree(include.PACKAGE_PATH, _LEAN, ignore=without_macro_docs)
include.PACKAGE_PATH = str(_LEAN)

from tests.support.dbt_case import DbtCase  # noqa: E402
from tests.support.spark import Spark, started_spark  # noqa: E402

# dbt makes objects by the hundred thousand, of which few are garbage
gc.freeze()
gc.set_threshold(100_000, 20, 100)

_numbers = itertools.count(1)


# minutes each, the longest first
LONG_MODULES = (
    "delta/test_net_changes.py",
    "delta/test_constructs.py",
    "project/test_steelworks.py",
    "delta/test_killed_runs.py",
    "delta/test_join_scenarios.py",
    "delta/test_jobs.py",
    "delta/test_traps.py",
    "delta/test_other_hands.py",
    "tables/test_logs.py",
    "delta/test_aggregate_scenarios.py",
    "record/test_capture.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take long, so that processes side by side end together."""
    first = {ROOT / "tests" / name: place for place, name in enumerate(LONG_MODULES)}
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("campaign")}
    items.sort(key=lambda item: first.get(item.path, len(first) + (item.path not in slow)))


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """This process's session, with the settings of profiles.yml; also what dbt's session method uses."""
    with started_spark(ROOT / "profiles.yml", _WAREHOUSE) as started:
        yield started


def _maker(spark: Spark, folder: Path) -> Callable[..., DbtCase]:
    def make(**settings: object) -> DbtCase:
        return DbtCase(ROOT, folder / f"project{next(_numbers)}", f"t{os.getpid()}_{next(_numbers)}", spark, **settings)

    return make


@pytest.fixture
def dbt_case(spark: Spark, tmp_path: Path) -> Callable[..., DbtCase]:
    """Makes dbt projects that use entrepot's macros, each with schemas of its own."""
    return _maker(spark, tmp_path)


@pytest.fixture(scope="module")
def module_case(spark: Spark, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., DbtCase]:
    """The same for fixtures that a module's tests share."""
    return _maker(spark, tmp_path_factory.mktemp("case"))
