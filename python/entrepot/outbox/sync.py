"""Whether messages and the mapped rows that they are made from are in one state of the mapping; what is not is out of sync (METL 3.4)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from entrepot.ledger import Ledger
from entrepot.ledger.records import PublishedRelation
from entrepot.mapping.sync import SHORT, differing, listed, out_of_sync, recorded

BLOCKS = "balanced_set"


def refuse_older_messages(ledger: Ledger, relations: Sequence[str]) -> None:
    """Refuse messages of another state than the mapped rows that have been published last.

    Messages that no state has been kept with, which an older entrepot has published, are not refused.

    Args:
        ledger: the books
        relations: tables of messages, as they are published

    Raises:
        EntrepotError: the mapping of an entity differs between the two states
    """
    published = ledger.published()
    for relation in relations:
        messages = published.get(relation)
        if messages is not None and messages.detail and messages.reads:
            state, _, entity = messages.detail.split(maxsplit=2)
            for upstream in json.loads(messages.reads):
                mapped = published.get(upstream)
                if mapped is not None and mapped.detail and mapped.detail != state:
                    _compare(ledger, messages, state, mapped, mapped.detail, entity, list(published))


def _compare(
    ledger: Ledger, messages: PublishedRelation, state: str, mapped: PublishedRelation, newer: str, entity: str, published: Sequence[str]
) -> None:  # fmt: skip
    """Refuse messages and mapped rows of two states where these differ in their entity, or one is not known any more."""
    blocks = next((name for name in published if name.rpartition(".")[2] == BLOCKS), None)
    details = ledger.details(blocks) if blocks else []
    before, after = recorded(details, state), recorded(details, newer)
    other = differing(before, after, entity) if before and after else ["what that state was is not in the books"]
    if other:
        raise out_of_sync(
            f"the messages of {messages.relation} about {entity} are of state {state[:SHORT]}, "
            f"and the rows of {mapped.relation} are in state {newer[:SHORT]} ({listed(other)})",
            "dbt build; a table that no model makes any more is left out where the others are named",
        )
