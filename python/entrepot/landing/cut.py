"""Where a job ends among files that have arrived: a backlog becomes several jobs (OD-ETL 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import Any

from entrepot.errors import EntrepotError

File = Mapping[str, Any]
# what a job says of files that it has left: `entrepot run` begins the next one at once
LEFT = "wait for the next one"


def threshold(value: object) -> int:
    """Return the bytes that var `landing_batch_bytes` says; 0 for as many as there are.

    Raises:
        EntrepotError: it says something else

    >>> threshold("800000000"), threshold(None)
    (800000000, 0)
    """
    text = str(value or 0).replace("_", "")
    if not text.isdecimal():
        raise EntrepotError(
            f"Var landing_batch_bytes is {value}.",
            "It is how many bytes of files one job lands, such as 800000000, or 0 for all that have arrived.",
        )
    return int(text)


def cut(files: Iterable[File], most: int) -> tuple[list[File], list[File]]:
    """Return the files that a job lands, and those that wait for the next one.

    The oldest come first, and at least one does: a file is never cut. What cannot be read waits for nobody.

    Args:
        files: `landed_from`, `file_size` in bytes, `modified_ms`, and `problem`
        most: bytes; 0 for no bound

    >>> files = [dict(landed_from=name, file_size=size, modified_ms=at, problem=None) for name, size, at in (("b", 60, 2), ("a", 50, 1), ("c", 1, 3))]
    >>> [[file["landed_from"] for file in part] for part in cut(files, 100)]
    [['a'], ['b', 'c']]
    """
    readable: Sequence[File] = sorted(
        (file for file in files if file["problem"] is None),
        key=lambda file: (int(file["modified_ms"]), file["landed_from"]),
    )
    sizes = accumulate(int(file["file_size"]) for file in readable)
    count = len(readable) if not most else max(1, sum(1 for _ in takewhile(lambda size: size <= most, sizes)))
    return [*(file for file in files if file["problem"] is not None), *readable[:count]], list(readable[count:])
