"""What macros ask of the schemas that have been pulled from a registry (see `entrepot.registry`)."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.registry.kept import FOLDER, VERSIONS, read_kept
from entrepot.registry.wire import WireSchema, wire_schemas


class WireSchemas(metaclass=AdapterMeta):
    """The schemas of messages in the registry's wire format, as macros need them."""

    def registry_folder(self) -> Path:
        """Return where the project keeps them."""
        return Path(self.config.project_root) / FOLDER  # type: ignore[attr-defined]

    @for_macros
    def landing_wire_schemas(self) -> list[dict[str, Any]]:
        """Each schema as a dict: `number`, `is_key`, `is_value`, `avro` and `embedded` (see `entrepot.registry.wire.WireSchema`)."""
        folder = self.registry_folder()
        path = folder / VERSIONS
        return [asdict(one) for one in _read(folder, path.stat().st_mtime_ns)] if path.exists() else []


@lru_cache(maxsize=4)
def _read(folder: Path, _changed: int) -> tuple[WireSchema, ...]:
    """The schemas of a folder, read once for each time that it has changed."""
    return tuple(wire_schemas(read_kept(folder)))
