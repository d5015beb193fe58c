"""Fixtures of the whole suite: one Spark session per process in one JVM and warehouse, and dbt in-process."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from entrepot.java import prepare_environment

if TYPE_CHECKING:
    from tests.support.dbt_case import DbtCase
    from tests.support.spark import Spark

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

_numbers = itertools.count(1)


# minutes each, the longest first; but two of the first four need no Spark, for which the others wait
LONG_MODULES = (
    "tables/test_logs.py",
    "rules/test_rules.py",
    "record/test_capture.py",
    "delta/test_jobs.py",
    "project/test_steelworks.py",
    "delta/test_join_scenarios.py",
    "delta/test_aggregate_scenarios.py",
    "landing/test_files.py",
    "running/test_run.py",
    "tables/test_merge.py",
    "inventory/test_inventory.py",
    "delta/test_standing.py",
    "delta/test_net_changes.py",
    "delta/test_proof.py",
    "landing/test_epochs.py",
    "fuzz/test_fuzz.py",
    "doors/test_doors.py",
)


def import_dbt() -> None:
    """Import dbt as tests have it, which takes seconds; before anything else imports the adapter."""
    from tests.support.lean import collect_less_garbage, lighten

    lighten(_WAREHOUSE.parent / f"include{os.getpid()}")
    import tests.support.dbt_case  # noqa: F401

    collect_less_garbage()


def pytest_configure(config: pytest.Config) -> None:
    """Import dbt where tests run: xdist's processes would wait for it in the one that starts them."""
    if config.getoption("dist", "no") == "no":
        import_dbt()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take long, and end with those that need no Spark, so that processes side by side end together."""
    first = {ROOT / "tests" / name: place for place, name in enumerate(LONG_MODULES)}
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("campaign")}
    with_spark = {item.path for item in items if "spark" in getattr(item, "fixturenames", ())}
    items.sort(
        key=lambda item: first.get(item.path, len(first) + (item.path not in slow) + (item.path not in with_spark))
    )


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    """This process's session, with the settings of profiles.yml; also what dbt's session method uses."""
    from tests.support.empty_books import copy_books
    from tests.support.spark import started_spark

    with started_spark(ROOT / "profiles.yml", _WAREHOUSE) as started:
        copy_books(started.session)
        yield started


def _maker(spark: Spark, folder: Path) -> Callable[..., DbtCase]:
    from tests.support.dbt_case import DbtCase

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
