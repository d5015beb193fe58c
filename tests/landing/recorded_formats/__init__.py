"""One story of a small table, as a real Debezium sent it in four forms at once: `README.md`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from entrepot.registry.definitions import AVRO, Definition
from entrepot.registry.kept import Kept, files_of

FOLDER = Path(__file__).parent


def lines(form: str) -> list[str]:
    """The lines of a recording."""
    return gzip.decompress((FOLDER / f"{form}.jsonl.gz").read_bytes()).decode().splitlines()


def subjects() -> list[dict[str, Any]]:
    """The versions of the registry's subjects, as it answers."""
    found: list[dict[str, Any]] = json.loads((FOLDER / "subjects.json").read_text())
    return found


def pulled(*more: dict[str, Any]) -> dict[str, bytes]:
    """What `entrepot registry pull` keeps of them in the folder `registry`, and of more versions."""
    told = (*subjects(), *more)
    return files_of(Kept(Definition(one["subject"], one["version"], one["id"], AVRO, one["schema"])) for one in told)


def put(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files into a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
