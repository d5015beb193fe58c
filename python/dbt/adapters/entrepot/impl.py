"""The adapter: dbt-spark's, with Delta as the file format that need not be named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.spark.impl import SparkConfig

from dbt.adapters.entrepot.connections import EntrepotConnectionManager
from dbt.adapters.entrepot.seeds import Seeds
from dbt.adapters.entrepot.sql_methods import SqlMethods
from dbt.adapters.entrepot.states import States


@dataclass
class EntrepotConfig(SparkConfig):
    """What a model's config may say besides dbt's own keys."""

    file_format: str = "delta"

    @classmethod
    def _merge_dicts(cls, src: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Merge one more layer of a node's config; the first one brings the default, which later ones may replace.

        dbt merges adapters' keys here, but never asks for their defaults.
        """
        merged: dict[str, Any] = super()._merge_dicts(src, data)
        if "file_format" not in src:
            merged.setdefault("file_format", cls.file_format)
        return merged


class EntrepotAdapter(Seeds, States, SqlMethods):
    """What dbt and macros ask of the warehouse."""

    ConnectionManager = EntrepotConnectionManager
    AdapterSpecificConfigs = EntrepotConfig
