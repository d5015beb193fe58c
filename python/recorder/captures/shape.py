"""What a table's rows look like: its columns with their types, and its key; images of rows as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recorder.captures.wire import Wire, unquoted, wire_of

Texts = Mapping[str, "str | None"]  # the values of a row by column, as PostgreSQL writes them
UNSENT = "unsent"  # names, in a key, the text of a value that no record can carry


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its type, as PostgreSQL's ``format_type`` writes it."""

    name: str
    type: str

    @property
    def wire(self) -> Wire:
        """How its values travel."""
        return wire_of(self.type)


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a table at one moment, and those of its key in the key's order (none: a table without a key)."""

    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    def to_text(self) -> str:
        """JSON that :func:`shape_of` reads."""
        return compact({"columns": [[column.name, column.type] for column in self.columns], "key": self.key})

    def texts(self, row: str) -> Texts:
        """The values of a row that is a JSON object of the JSON texts of its values; columns of other shapes are left out."""
        values: dict[str, str] = json.loads(row)
        return {
            column.name: unquoted(values[column.name], column.wire) for column in self.columns if column.name in values
        }

    def image(self, texts: Texts) -> str:
        """The JSON of a row's image; columns that ``texts`` does not have are left out.

        :raises ValueError: a text is no value of its column's type; the sentence names the column.
        """
        values: dict[str, Any] = {}
        for column in self.columns:
            if column.name in texts:
                values[column.name] = _value(column, texts[column.name])
        return compact(values)

    def key_of(self, texts: Texts) -> str | None:
        """The JSON of a row's key; None for a table without one.

        It tells rows apart: a part that no record can carry, and that an image has as null (NaN and the infinities of numeric,
        JSON's null), is ``{"unsent": "NaN"}``. :func:`sent_key` is what records have.

        :raises ValueError: as :meth:`image`, or a part of the key is null or missing.
        """
        if not self.key:
            return None
        values: dict[str, Any] = {}
        for column in self.columns:
            if column.name in self.key:
                text = texts.get(column.name)
                value = _value(column, text)
                if value is None and text is None and not (column.wire.is_json and column.name in texts):
                    raise ValueError(f"column {column.name!r} belongs to the key and is null")
                values[column.name] = {UNSENT: text or "null"} if value is None else value
        return compact({name: values[name] for name in self.key})

    def fields(self, names: tuple[str, ...] | None = None) -> list[dict[str, Any]]:
        """Kafka Connect's fields of all columns, or of some."""
        chosen = self.columns if names is None else [self.column(name) for name in names]
        return [
            {**column.wire.schema, "optional": column.name not in self.key, "field": column.name} for column in chosen
        ]

    def column(self, name: str) -> Column:
        """A column by its name."""
        return next(column for column in self.columns if column.name == name)

    def kept_of(self, earlier: Shape, image: str) -> str:
        """An image of an earlier shape, without the columns that travel in another way today."""
        if earlier == self:
            return image
        now = {column.name: column.wire.schema for column in self.columns}
        then = {column.name: column.wire.schema for column in earlier.columns}
        return compact({name: value for name, value in parsed(image).items() if now.get(name) == then[name]})


@lru_cache(maxsize=1024)
def shape_of(text: str) -> Shape:
    """The shape that a JSON text describes: ``columns``, an array of names and types, and ``key``, an array of names."""
    described = json.loads(text)
    return Shape(tuple(Column(name, type_) for name, type_ in described["columns"]), tuple(described["key"]))


def sent_key(key: str) -> str:
    """A key as records have it: null where a part cannot be sent."""
    lacking = unsent(key)
    return (
        compact({name: None if name in lacking else value for name, value in parsed(key).items()}) if lacking else key
    )


def unsent(key: str) -> dict[str, str]:
    """The parts of a key that no record can carry, and what they are."""
    if f'"{UNSENT}"' not in key:
        return {}
    return {name: value[UNSENT] for name, value in parsed(key).items() if isinstance(value, dict) and UNSENT in value}


def compact(value: Any) -> str:
    """ASCII JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def parsed(image: str) -> dict[str, Any]:
    """The values of an image."""
    values: dict[str, Any] = json.loads(image)
    return values


def _value(column: Column, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return column.wire.value(text)
    except ValueError as error:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise ValueError(f"column {column.name!r} holds {shown!r}, which is no {column.type} ({error})") from error
