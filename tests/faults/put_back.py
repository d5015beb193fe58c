"""The tables of a project as they were, again and again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.dbt_case import DbtCase


@contextmanager
def kept(case: DbtCase, folder: Path) -> Iterator[Callable[[], None]]:
    """Keep a project's tables as they are; what is given puts them back."""
    warehouse = Path(os.environ["ENTREPOT_WAREHOUSE"])
    names = [path.name for path in warehouse.glob(f"{case.schema}_*.db")]
    for name in names:
        shutil.copytree(warehouse / name, folder / name)

    def put_back() -> None:
        for name in names:
            shutil.rmtree(warehouse / name)
            shutil.copytree(folder / name, warehouse / name)
        case.spark.forget_logs(*(folder for name in names for folder in (warehouse / name).iterdir()))
        case.spark.session.catalog.clearCache()

    yield put_back
