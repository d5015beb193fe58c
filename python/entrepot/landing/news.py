"""Which files are news: what has arrived, beside what has landed (OD-ETL 3.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from entrepot.landing.cut import File

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

# of `landed_file`; `problem` came to it later
COLUMNS = ("landed_from", "file_size", "file_modified_at", "problem")
# how the problems begin with which a file of the same name, size and time is no news
DAMAGED = "it is damaged"
WAITS = "it waits for schemas"


def news(arrived: Iterable[File], landed: Iterable[File], pulled: Collection[int]) -> list[File]:
    """Return the files that have arrived or changed since they last landed, in the order of their names.

    What could not be read then is news when it has changed, or can be listed now; unless it is damaged, or waits for schemas of a registry
    of which none has been pulled.

    Args:
        arrived: `landed_from`, `file_size` in bytes, `modified_ms` since 1970, and `problem`, why it cannot be read
        landed: the same of files as they were when they landed
        pulled: the numbers of the schemas that have been pulled

    >>> a = dict(landed_from="a", file_size=1, modified_ms=1, problem=None)
    >>> landed = [a, dict(a, landed_from="b", problem="locked")]
    >>> arrived = [dict(a, landed_from="b"), a, dict(a, landed_from="c"), dict(a, file_size=2)]
    >>> [(file["landed_from"], file["file_size"]) for file in news(arrived, landed, [])]
    [('a', 2), ('b', 1), ('c', 1)]
    """
    known = defaultdict(list)
    for file in landed:
        known[_as_it_was(file)].append(file["problem"])
    numbers = {str(number) for number in pulled}
    found = [
        file for file in arrived if not any(_stands(file["problem"], then, numbers) for then in known[_as_it_was(file)])
    ]
    return sorted(found, key=lambda file: str(file["landed_from"]))


def landed_files(rows: ArrowTable) -> list[File]:
    """Return the files of rows of `landed_file`, as `news` takes them."""
    problems: list[Any] = (
        rows.column("problem").to_pylist() if "problem" in rows.column_names else [None] * rows.num_rows
    )
    moments = rows.column("file_modified_at").cast("timestamp[ms]", safe=False).cast("int64")
    columns = (rows.column("landed_from").to_pylist(), rows.column("file_size").to_pylist(), moments.to_pylist())
    return [
        {"landed_from": name, "file_size": size, "modified_ms": moment, "problem": problem}
        for name, size, moment, problem in zip(*columns, problems, strict=True)
    ]


def _as_it_was(file: File) -> tuple[Any, ...]:
    return file["landed_from"], int(file["file_size"]), int(file["modified_ms"])


def _stands(now: str | None, then: str | None, pulled: Collection[str]) -> bool:
    """Whether a file of the same name, size and time is no news, by its problem now and then."""
    return now == then or (now is None and then is not None and (then.startswith(DAMAGED) or _waits(then, pulled)))


def _waits(problem: str, pulled: Collection[str]) -> bool:
    """Whether a file waits for schemas of which none has been pulled since.

    >>> _waits("it waits for schemas of the registry (entrepot registry pull): 3, 17", {"7"})
    True
    """
    _, _, numbers = problem.partition(": ")
    return problem.startswith(WAITS) and not set(numbers.split(", ")).intersection(pulled)
