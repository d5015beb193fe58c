"""Which outboxes a warehouse feeds: a small file for each in its folder `outboxes`, so that maintenance keeps what they have not read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from entrepot.outbox.folder import Outbox, OutboxError, Position
from entrepot.target import Place

FOLDER = "outboxes"


@dataclass(frozen=True, slots=True)
class KnownOutbox:
    """A folder that messages are published into, and how far."""

    folder: Path
    position: Position


def note_outbox(place: Place, folder: Path) -> None:
    """Note that messages of a target are published into a folder; where the warehouse cannot be written, nobody knows of it."""
    path = str(folder.resolve())
    noted = place.warehouse / FOLDER / place.schema / f"{hashlib.sha256(path.encode()).hexdigest()[:16]}.json"
    if noted.exists():
        return
    try:
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.write_text(json.dumps({"folder": path}))
    except OSError:
        return


def known_outboxes(place: Place) -> list[KnownOutbox]:
    """Return the outboxes of a target that are still there, by their folders."""
    found = []
    for noted in sorted((place.warehouse / FOLDER / place.schema).glob("*.json")):
        try:
            folder = Path(json.loads(noted.read_text())["folder"])
            position = Outbox(folder).position()
        except (OSError, ValueError, KeyError, OutboxError):
            continue
        if position is not None:
            found.append(KnownOutbox(folder, position))
    return found
