"""Types of attributes whose records carry none, from the values that have landed: a proposal that a person has to check."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from entrepot.mapping.landed import rows
from entrepot.mapping.paths import ELEMENTS, VALUES, quoted

# of a schema, and of all; so much says what more would
ENOUGH, MOST_ROWS = 500, 500_000
PLACEHOLDER = "__debezium_unavailable_value"
# kinds of arrays: of records, and one without an element, which says nothing of its elements
RECORDS, NO_ELEMENT = "struct[]", "[]"
MAP = "map"
ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(slots=True)
class Seen:
    """What has been seen of a schema.

    Attributes:
        events: how many have been looked at
        kinds: {attribute: PostgreSQL types that its values could be of}
    """

    events: int
    kinds: dict[str, set[str]]

    def data_type(self, attribute: str) -> str | None:
        """Return the one type that all values fit; None where no value was seen."""
        return one_type(self.kinds.get(attribute, set()))

    def inside(self, attribute: str, data_type: str) -> list[str]:
        """Return what is inside of an attribute, as paths: of an array of records the fields of its elements, of a map its values, or their fields
        where all are records. Nothing of any other, as an object may be a record or a map.

        Args:
            attribute: its name
            data_type: its type, as it is known or as its values show it
        """
        each = {RECORDS: f"{attribute}{ELEMENTS}", MAP: f"{attribute}{VALUES}"}.get(data_type)
        fields = [one for one in self.kinds if each and one.startswith(f"{each}.")]
        if data_type == MAP and self.kinds.get(f"{attribute}{VALUES}") not in (None, {"jsonb"}):
            return [f"{attribute}{VALUES}"]
        return fields


def seen_values(folder: Path, schemas: Iterable[str]) -> dict[str, Seen]:
    """Look at the after images of some schemas' events, at 500 of each.

    Args:
        folder: where landing.change_event lies
        schemas: which

    Raises:
        EnvironmentProblemError: the table cannot be read here
    """
    found = {schema: Seen(0, {}) for schema in schemas}
    if not found or not (folder / "_delta_log").is_dir():
        return found
    listed = ", ".join("'" + schema.replace("'", "''") + "'" for schema in found)
    missing = set(found)
    wanted = rows(folder, ("schema_name", "after"), f'"after" is not null and schema_name in ({listed})')
    for number, (schema, image) in enumerate(wanted):
        if not missing or number >= MOST_ROWS:
            break
        if schema in missing:
            look_at(found[schema], image)
            if found[schema].events >= ENOUGH:
                missing.discard(schema)
    return found


def look_at(seen: Seen, image: str) -> None:
    """Add what an image, a JSON object, says of its attributes."""
    seen.events += 1
    for name, value in json.loads(image).items():
        if value is not None and value != PLACEHOLDER:
            _look_into(seen, quoted(name), value)


def _look_into(seen: Seen, attribute: str, value: object) -> None:
    """Add what a value says of its attribute, of an array of records each field of its elements, and of an object, which may be a map, its values."""
    kinds = seen.kinds.setdefault(attribute, set())
    elements = [one for one in value if one is not None] if isinstance(value, list) else []
    are_records = bool(elements) and all(isinstance(one, dict) for one in elements)
    kinds.add(RECORDS if are_records else NO_ELEMENT if value == [] else kind_of(value))
    for one in elements if are_records else ():
        _look_at_fields(seen, f"{attribute}{ELEMENTS}", one)
    for one in value.values() if isinstance(value, dict) else ():
        inside = f"{attribute}{VALUES}"
        seen.kinds.setdefault(inside, set()).update([] if one is None else [kind_of(one)])
        if isinstance(one, dict):
            _look_at_fields(seen, inside, one)


def _look_at_fields(seen: Seen, record: str, fields: Mapping[str, object]) -> None:
    for name, value in fields.items():
        seen.kinds.setdefault(f"{record}.{quoted(name)}", set()).update([] if value is None else [kind_of(value)])


def kind_of(value: object) -> str:
    """Return the PostgreSQL type that a value of JSON could be of.

    >>> [kind_of(one) for one in (True, 1, 1.5, "x", "2026-01-05T08:00:00.25Z", {"a": 1}, [1])]
    ['boolean', 'bigint', 'double precision', 'text', 'timestamptz', 'jsonb', 'text[]']
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "bigint" if -(2**63) <= value < 2**63 else "numeric"
    if isinstance(value, float):
        return "double precision"
    if isinstance(value, dict):
        return "jsonb"
    if isinstance(value, list):
        return "text[]"
    return "timestamptz" if ZONED.fullmatch(str(value)) else "text"


def one_type(kinds: set[str]) -> str | None:
    """Return the type that takes values of several; None where there are none.

    >>> one_type({"bigint"}), one_type({"bigint", "double precision"}), one_type({"text", "timestamptz"}), one_type({"jsonb", "text"})
    ('bigint', 'double precision', 'text', 'jsonb')
    >>> one_type({"[]"}), one_type({"[]", "struct[]"}), one_type({"text[]", "struct[]"})
    ('text[]', 'struct[]', 'jsonb')
    """
    if not kinds:
        return None
    kinds = kinds - {NO_ELEMENT} or {"text[]"}
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds <= {"bigint", "numeric"}:
        return "numeric"
    if kinds <= {"bigint", "numeric", "double precision"}:
        return "double precision"
    # what may be an object is kept digit for digit
    return "text" if kinds <= {"text", "timestamptz"} else "jsonb"
