"""What macros ask about types of the mapping (see `entrepot.mapping.types`)."""

from __future__ import annotations

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.mapping.types import spark_type


class MappingTypes(metaclass=AdapterMeta):
    """Types of the range tree, as macros need them."""

    @for_macros
    def mapping_spark_type(self, data_type: str) -> str:
        """Return the Spark type of a canonical type."""
        return spark_type(data_type)
