"""Errors of an embedded Spark as dbt errors: Spark's own sentence, without Java's stack trace."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dbt_common.exceptions import DbtRuntimeError


def speak_plainly() -> None:
    """Have dbt-spark's session cursor raise DbtRuntimeError for whatever goes wrong in Spark (once per process)."""
    from dbt.adapters.spark.session import Cursor

    for name in ("execute", "fetchall"):
        method = getattr(Cursor, name)
        if not hasattr(method, "__wrapped__"):
            setattr(Cursor, name, _plain(method))


def _plain(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a cursor's method."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return method(*arguments, **options)
        except (Py4JError, PySparkException) as error:
            raise DbtRuntimeError(sentence(error)) from None

    call.__wrapped__ = method  # type: ignore[attr-defined]
    return call


def sentence(error: BaseException) -> str:
    """Return what an exception of PySpark says, without stack trace and query plan; what can be done, where known.

    >>> sentence(Exception("An error occurred while calling o1\\n: java.io.IOException: Disk full\\n\\tat a.b(C.java)"))
    'java.io.IOException: Disk full'
    """
    text = str(error)
    if "JAVA_GATEWAY_EXITED" in text:
        return (
            "Spark could not start; its own words stand above. If they speak of unresolved dependencies, the package "
            "registry (Maven) is not reachable from here, and Delta's jars have not been fetched yet."
        )
    lines = [
        line for line in text.splitlines() if not re.match(r"\s+at |\s+\.\.\. \d+ more|An error occurred while", line)
    ]
    kept = "\n".join(lines).split("\n\nJVM stacktrace", 1)[0]
    parts = re.split(r"(SQLSTATE: \w+(?:; line \d+ pos \d+)?);\n", kept, maxsplit=1)
    kept = "".join(parts[:2])
    return re.sub(r"^: ", "", kept).strip()
