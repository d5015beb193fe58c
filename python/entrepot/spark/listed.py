"""Values of few rows on the driver, as SQL can list them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from entrepot.rules import Listed

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

# types whose values Python writes as Spark does, {Arrow's name: Spark's}
TYPES = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "string": "string",
    "date32[day]": "date",
}


def listed_rows(rows: ArrowTable, columns: Sequence[str], most: int) -> Listed | None:
    """Return the different values of some columns.

    None where there are more than `most`, where one is no column but a part of it (`address.city`), and where Python would write one in
    another way: other types, a text that is no UTF-8, a day outside of the years 1 to 9999.

    Args:
        rows: the rows, as they left Spark
        columns: names as SQL writes them; letters count alike, and one may come twice
        most: how many there may be
    """
    named = {name.lower(): name for name in rows.column_names}
    wanted = [named.get(column.strip("`").lower()) for column in columns]
    if not all(wanted):
        return None
    found = rows.select(wanted)
    types = tuple(TYPES.get(str(type_), "") for type_ in found.schema.types)
    if not all(types):
        return None
    places = [str(place) for place in range(len(wanted))]
    found = found.rename_columns(places).group_by(places).aggregate([])
    if found.num_rows > most:
        return None
    try:
        values = [column.to_pylist() for column in found.columns]
    except (UnicodeDecodeError, ValueError, OverflowError):
        return None
    texts = (tuple(None if value is None else str(value) for value in row) for row in zip(*values, strict=True))
    return Listed(types, tuple(sorted(texts, key=lambda row: [text or "" for text in row])))
