"""Outgoing messages of published tables, written to folders exactly once (METL: what leaves the mapping; transactional outbox)."""

from entrepot.outbox.folder import Outbox, Position
from entrepot.outbox.known import KnownOutbox, known_outboxes, note_outbox
from entrepot.outbox.sync import refuse_older_messages

__all__ = [
    "KnownOutbox",
    "Outbox",
    "Position",
    "known_outboxes",
    "note_outbox",
    "refuse_older_messages",
]
