"""Writes rows as a data file of a Delta table, with the statistics that readers leave files out by (decision 55)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from deltalake.transaction import AddAction
    from pyarrow import Array, DataType
    from pyarrow import Table as ArrowTable

# of so many columns Delta has statistics (delta.dataSkippingNumIndexedCols), and of so many letters of a text
COLUMNS, LETTERS = 32, 32
LAST_LETTER = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a file has of a column.

    Attributes:
        path: the column's name; of a nested one behind those of the structs that it is in
        nulls: in how many rows it is null
        least, most: no value is less, or more; none where that cannot be said
    """

    path: tuple[str, ...]
    nulls: int
    least: Any = None
    most: Any = None


def write_file(folder: str, rows: ArrowTable) -> AddAction:
    """Write rows as a new file of a table that is not partitioned, and return what a commit says of it.

    Args:
        folder: the table's
        rows: all of its columns, in its types

    Raises:
        OSError, pyarrow.ArrowException: it could not be written; nothing is left of it
    """
    from deltalake.transaction import AddAction
    from pyarrow.parquet import write_table

    path = Path(folder, f"part-00000-{uuid4()}-c000.snappy.parquet")
    try:
        # a few rows are read all or not at all, and Arrow's statistics leave NaN out, which is the greatest of all for Spark
        write_table(rows, path, compression="snappy", write_statistics=False, store_schema=False)
        size = path.stat().st_size
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return AddAction(path.name, size, {}, int(time.time() * 1000), data_change=True, stats=statistics(rows))


def statistics(rows: ArrowTable) -> str:
    """Return what Delta's log says of a file of these rows (Delta's protocol, Per-file Statistics), as JSON.

    Of floats that are no number, moments that Python has not, truth values, bytes and arrays no bounds are told: a reader takes a file
    then that it could have left out.

    >>> import pyarrow
    >>> statistics(pyarrow.table({"at": [{"day": "Mo"}, None, {"day": "Fr"}]}))
    '{"numRecords": 3, "minValues": {"at": {"day": "Fr"}}, "maxValues": {"at": {"day": "Mo"}}, "nullCount": {"at": {"day": 1}}}'
    """
    columns = ((name, rows.column(name).combine_chunks()) for name in rows.schema.names)
    found = list(islice(_leaves(columns), COLUMNS))
    told = {
        "minValues": _nested((one.path, one.least) for one in found if one.least is not None),
        "maxValues": _nested((one.path, one.most) for one in found if one.most is not None),
        "nullCount": _nested((one.path, one.nulls) for one in found),
    }
    return _json({"numRecords": rows.num_rows, **told})


def _leaves(columns: Iterable[tuple[str, Array]], inside: tuple[str, ...] = ()) -> Iterator[Bounds]:
    """Yield what there is of each column, and of those in structs instead of the struct."""
    from pyarrow import types

    for name, values in columns:
        path = (*inside, name)
        if types.is_struct(values.type):
            # other than `field`, this has nulls where the struct is null
            fields = zip((field.name for field in values.type), values.flatten(), strict=True)
            yield from _leaves(fields, path)
        else:
            yield Bounds(path, values.null_count, *_least_and_most(values))


def _least_and_most(values: Array) -> tuple[Any, Any]:
    from pyarrow import compute, types

    type_ = values.type
    has_order = (
        types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) or types.is_string(type_)
        or types.is_date32(type_) or types.is_timestamp(type_)
    )  # fmt: skip
    if not has_order or values.null_count == len(values):
        return None, None
    if types.is_floating(type_) and not compute.all(compute.is_finite(values)).as_py():
        return None, None
    found = compute.min_max(values)
    return _told(found["min"], type_), _told(found["max"], type_, is_most=True)


def _told(bound: Any, type_: DataType, *, is_most: bool = False) -> Any:
    """A bound as it is told in JSON; none where it cannot be."""
    from pyarrow import types

    try:
        value = bound.as_py()
    except (ValueError, OverflowError):  # a date or moment before the year 1 or behind 9999
        return None
    if isinstance(value, datetime):
        moment = value.replace(tzinfo=None).isoformat(timespec="microseconds")
        return f"{moment}Z" if type_.tz else moment
    if types.is_date32(type_):
        return value.isoformat()
    if isinstance(value, str) and len(value) > LETTERS:
        # whatever follows is not more than the last letter, unless it begins with that
        beyond = value if value[LETTERS] == LAST_LETTER else value[:LETTERS] + LAST_LETTER
        return beyond if is_most else value[:LETTERS]
    return value


def _nested(told: Iterable[tuple[tuple[str, ...], Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in told:
        place = found
        for name in path[:-1]:
            place = place.setdefault(name, {})
        place[path[-1]] = value
    return found


def _json(value: Any) -> str:
    """JSON of a value; of a decimal all of its digits, for which `json` has floats only."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json(one)}" for name, one in value.items()) + "}"
    return format(value, "f") if isinstance(value, Decimal) else json.dumps(value)
