"""Errors of an embedded Spark as dbt errors: Spark's own sentence, without Java's stack trace."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from dbt_entrepot import metastore
from entrepot.spark.session import quiet_stderr, start_problem

# what can be done, by a part of Spark's own words
HINTS = {
    "[PATH_NOT_FOUND]": (
        "Files of changes are read from where the variable landing_path says: correct it in dbt_project.yml, or say "
        "--vars 'landing_path: folder/*.jsonl'; nothing has been landed."
    ),
    "No space left on device": (
        "Free some space and repeat the job; the last published snapshot is readable as before, and what was written "
        "of this job is taken up or undone."
    ),
}


def speak_plainly(warehouse: Path, log: Path) -> None:
    """Have dbt-spark's session cursor raise DbtRuntimeError for whatever goes wrong in Spark (once per process).

    Args:
        warehouse: the folder whose metastore the first answered statement opens (see `metastore`)
        log: where the JVM's own messages go from its start on, instead of standard error
    """
    from dbt.adapters.spark.session import Cursor
    from pyspark.core import context

    for name in ("execute", "fetchall"):
        method = getattr(Cursor, name)
        if not hasattr(method, "__wrapped__"):
            setattr(Cursor, name, _plain(method, warehouse))
    if not hasattr(context.launch_gateway, "__wrapped__"):
        context.launch_gateway = _quiet(context.launch_gateway, log)


def _quiet(launch: Callable[..., Any], log: Path) -> Callable[..., Any]:
    """Wrap the start of the JVM: its messages go to `log`, and a failure is said in a sentence."""
    from pyspark.errors import PySparkRuntimeError

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            with quiet_stderr(log):
                return launch(*arguments, **options)
        except PySparkRuntimeError:
            raise DbtRuntimeError(f"{start_problem(log)} Spark's own words are in {log}.") from None

    call.__wrapped__ = launch  # type: ignore[attr-defined]
    return call


def _plain(method: Callable[..., Any], warehouse: Path) -> Callable[..., Any]:
    """Wrap a cursor's method."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            result = method(*arguments, **options)
        except (Py4JError, PySparkException) as error:
            raise DbtRuntimeError(sentence(error)) from None
        except DbtRuntimeError as error:
            # dbt-spark has put an AnalysisException into it, as it is; what has no cause says what it has to say
            if error.__cause__ is None:
                raise
            raise DbtRuntimeError(sentence(error.__cause__)) from None
        if len(arguments) > 1:
            metastore.opened(warehouse, str(arguments[1]))
        return result

    call.__wrapped__ = method  # type: ignore[attr-defined]
    return call


def sentence(error: BaseException) -> str:
    """Return what an exception of PySpark says, without stack trace and query plan; what can be done, where known.

    >>> sentence(Exception("An error occurred while calling o1\\n: java.io.IOException: Disk full\\n\\tat a.b(C.java)"))
    'java.io.IOException: Disk full'
    >>> sentence(Exception("java.io.IOException: No space left on device")).split("; ")[0]
    'java.io.IOException: No space left on device. Free some space and repeat the job'
    """
    text = str(error)
    lines = [
        line for line in text.splitlines() if not re.match(r"\s+at |\s+\.\.\. \d+ more|An error occurred while", line)
    ]
    kept = "\n".join(lines).split("\n\nJVM stacktrace", 1)[0]
    parts = re.split(r"(SQLSTATE: \w+(?:; line \d+ pos \d+)?);\n", kept, maxsplit=1)
    kept = "".join(parts[:2])
    kept = re.sub(r"^: ", "", kept).strip()
    hints = [hint for words, hint in HINTS.items() if words in kept]
    return f"{kept.rstrip('.')}. {' '.join(hints)}" if hints else kept
