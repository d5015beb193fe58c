"""Outgoing messages of published tables, written to folders exactly once (METL: what leaves the mapping; transactional outbox)."""

from entrepot.outbox.folder import Outbox, Position
from entrepot.outbox.messages import Outgoing, outgoing_of
from entrepot.outbox.sync import refuse_older_messages

__all__ = ["Outbox", "Outgoing", "Position", "outgoing_of", "refuse_older_messages"]
