"""Whether an image carries a field inside of a column: absent is not null, at every depth (decision 39)."""

from __future__ import annotations

from entrepot.mapping.paths import is_path, steps_of
from entrepot.sql import literal


def carried(attribute: str, json: str) -> str | None:
    """Return SQL of whether JSON carries a field inside of a column; None of a column.

    A field is carried where it is there, and where a record above it is null, which makes a null of all that is inside. Where a record above it is
    absent, or is none, it is not. A text with JSON in it is read as what is in it.

    >>> carried("doc", "json") is None, carried("doc.tag", "json").startswith("exists(array(from_json(json, 'map<string,string>')), keys_1 -> ")
    (True, True)
    """
    steps = steps_of(attribute)
    if not is_path(attribute):
        return None
    inside = ""
    for place in range(len(steps), 0, -1):
        keys, name = f"keys_{place}", literal(steps[place - 1].name)
        text = f"keys_{place - 1}[{literal(steps[place - 2].name)}]" if place > 1 else json
        there = f"map_contains_key({keys}, {name})"
        if inside:
            there = f"{there} and (coalesce(trim({keys}[{name}]), 'null') = 'null' or {inside})"
        inside = f"exists(array(from_json({text}, 'map<string,string>')), {keys} -> {there})"
    return inside
