"""What macros ask about types of the mapping (see `entrepot.mapping.types` and `conversions`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.mapping.compiled import Element, converted
from entrepot.mapping.connect import WORDS
from entrepot.mapping.conversions import Conversion
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
