"""What macros ask about types of the mapping (see `entrepot.mapping.types` and `conversions`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot import sql as text
from entrepot.mapping.carried import carried
from entrepot.mapping.compiled import Element, converted
from entrepot.mapping.connect import WORDS
from entrepot.mapping.conversions import Conversion
from entrepot.mapping.parsing import Leaf, Parsing, Place, Within, within
from entrepot.mapping.paths import array_of, is_path
from entrepot.mapping.reached import Level, reached
from entrepot.mapping.repeated import Inside, columns_of
from entrepot.mapping.trees import EntityAttribute
from entrepot.mapping.types import spark_type


class MappingTypes(metaclass=AdapterMeta):
    """Types of the range tree, as macros need them."""

    @for_macros
    def mapping_spark_type(self, data_type: str) -> str:
        """Return the Spark type of a canonical type."""
        return spark_type(data_type)

    @for_macros
    def mapping_type_words(self, words: str) -> dict[str, str]:
        """PostgreSQL's words for types of others, see `entrepot.mapping.connect`: `semantic`, `physical` or `written`."""
        return dict(WORDS[words])

    @for_macros
    def mapping_conversions(self, mapping: Mapping[str, Any], conversion: Conversion) -> list[Element]:
        """Elements of the mapping (see macro `mapping_read`) whose values are converted so: `none` or `narrowing`."""
        return list(converted(mapping, conversion))

    @for_macros
    def mapping_within(self, attribute: str, parents: Sequence[Mapping[str, str]]) -> Within:
        """What an attribute of a source is read from, see `entrepot.mapping.parsing`; `parents` are those that have a type, as elements have them."""
        return within(attribute, _types(parents))[1]

    @for_macros
    def mapping_field_name(self, attribute: str, place: int) -> str:
        """What the parsed field is called that an attribute of an entity is made of; a name with `_` in front may be one that parsing adds."""
        return text.quoted_if_needed(f"_attribute_{place + 1}" if attribute.startswith("_") else attribute)

    @for_macros
    def mapping_parsing(self, leaves: Sequence[Mapping[str, Any]], elements: Sequence[str]) -> dict[str, Any]:
        """How the images of a block are parsed (see macro `mapping_parsing`), of attributes in the order of the entity, and in that of the block."""
        parsing = Parsing([Leaf(**{**leaf, "parents": _types(leaf["parents"])}) for leaf in leaves], elements)
        return {
            "structs": {
                name: {
                    "schema": parsing.schema(name),
                    "names": parsing.names(name),
                    "marked": parsing.marked[name],
                    "misfits": parsing.misfits(name),
                    "typed": parsing.typed(name),
                }
                for name, node in parsing.structs.items()
                if node.fields or name == "image"
            },
            "misfit": parsing.misfit,
            "places": {attribute: asdict(place) for attribute, place in parsing.places.items()},
            "documents": [
                {"column": one.column, **asdict(one.place), "structs": list(one.structs)} for one in parsing.documents
            ],
            "paths": any(map(is_path, parsing.places)),
        }

    @for_macros
    def mapping_columns(self, attributes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Columns of an entity's images: its attributes, but that those of an array or a map are what is `inside` of one, see `Inside`."""
        told = {one["name"]: one for one in attributes}
        columns = columns_of(EntityAttribute(one["name"], one["data_type"], one["is_key"], "") for one in attributes)
        return [
            {
                "name": one.attribute.name,
                "data_type": one.attribute.data_type,
                "is_key": one.attribute.is_key,
                "inside": _inside(one.inside, told) if one.inside else None,
            }
            for one in columns
        ]

    @for_macros
    def mapping_array_of(self, attribute: str) -> str:
        """The outermost array or map that an attribute is inside of: its path."""
        return array_of(attribute)

    @for_macros
    def mapping_reached(self, place: Mapping[str, Any], levels: Sequence[Mapping[str, Any]], image: str) -> str:
        """SQL of what is at a place (see macro `mapping_parsing`) within the lambdas of `levels`, each {'struct', 'repeats'}."""
        found = Place(place["struct"], place["field"], tuple(place["inside"]))
        return reached(found, _levels(levels), image)

    @for_macros
    def mapping_level(self, levels: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """The variables of the innermost of some levels: `element`, `index`, and SQL of the `value`."""
        level = _levels(levels)[-1]
        return {"element": level.element, "index": level.index, "value": level.value}

    @for_macros
    def mapping_carried(self, attribute: str, json: str) -> str | None:
        """SQL of whether an image in `json` carries a field inside of a column; none of a column, which every image of its version carries."""
        return carried(attribute, json)


def _levels(levels: Sequence[Mapping[str, Any]]) -> list[Level]:
    return [Level(one["struct"], one["repeats"], number) for number, one in enumerate(levels, 1)]


def _inside(inside: Inside, told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What a column holds, as macros read it: `attributes` are those of the entity in it, `type` is that of it all."""
    return {
        "name": inside.name,
        "repeats": inside.repeats,
        "type": inside.spark,
        "value": _inside(inside.value, told) if inside.value else None,
        "fields": {name: _inside(one, told) for name, one in inside.fields.items()},
        "attributes": [dict(told[one.name]) for one in inside.attributes],
    }


def _types(parents: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {one["attribute"]: one["data_type"] for one in parents}
