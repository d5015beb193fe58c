"""Messages of another state of the mapping than the mapped rows of the snapshot are not published; no Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.ledger.records import PublishedRelation
from tests.support.books import NOON, Shop

CUSTOMER = {"customer": {"1": [{"name": "customer_id"}]}}
MESSAGES, MAPPED, BLOCKS = "outgoing.customer_messages", "mapped.customer", "mapping.balanced_set"


def mapping(state: str, **attributes: str) -> str:
    """The mapping in a state: which attribute of which source becomes the entity's one."""
    blocks = {
        entity: {"1": [{"schema": f"shop.{entity}", "versions": [1, 2], "first_version": 1, "elements": [attribute]}]}
        for entity, attribute in attributes.items()
    }
    return json.dumps({"state": state, "entities": CUSTOMER, "newest": {"customer": "1"}, "blocks": blocks})


FIRST = mapping("1111aaaabbbb", customer="id", item="code")
OF_ITEM = mapping("2222aaaabbbb", customer="id", item="number")
OF_CUSTOMER = mapping("3333aaaabbbb", customer="number", item="number")


def row(number: int, relation: str, detail: str | None, reads: Mapping[str, int] | None = None) -> PublishedRelation:
    return PublishedRelation(
        "j", number, relation, 3, location="file:/nowhere", detail=detail, reads=json.dumps(reads), published_at=NOON
    )


def rows(number: int, blocks: str, mapped: str, messages: str | None) -> list[PublishedRelation]:
    """A snapshot: the mapping, mapped rows in a state, and messages in one; without messages where none are said."""
    found = [row(number, BLOCKS, blocks), row(number, MAPPED, json.loads(mapped)["state"], {BLOCKS: 1})]
    if messages:
        found.append(row(number, MESSAGES, f"{json.loads(messages)['state']} 1 customer", {MAPPED: 3}))
    return found


def says(shop: Shop, *arguments: str) -> tuple[int, str]:
    """How publishing ends, and what it says."""
    place = ["--project-dir", str(shop.path), "--profiles-dir", str(shop.path)]
    result = CliRunner().invoke(main, [*place, "publish-events", "--out", str(shop.path / "out"), *arguments])
    return result.exit_code, " ".join(result.output.split())


# the second snapshot: the mapping, mapped rows, messages; then whether that is out of sync
CASES: dict[str, tuple[Any, ...]] = {
    "one state": (OF_CUSTOMER, OF_CUSTOMER, OF_CUSTOMER, False),
    "another entity is mapped otherwise": (OF_ITEM, OF_ITEM, FIRST, False),
    "another entity is mapped otherwise, and the messages were not built": (OF_ITEM, OF_ITEM, None, False),
    "mapped again, and the messages were not built": (OF_CUSTOMER, OF_CUSTOMER, None, True),
    "mapped again, and the messages have stayed": (OF_CUSTOMER, OF_CUSTOMER, FIRST, True),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("arguments", [(), ("customer_messages",)])
def test_messages_of_another_state_are_refused(tmp_path: Path, name: str, arguments: tuple[str, ...]) -> None:
    blocks, mapped, messages, refused = CASES[name]
    shop = Shop(tmp_path).job(1, *rows(1, FIRST, FIRST, FIRST)).job(2, *rows(2, blocks, mapped, messages))
    code, said = says(shop, *arguments)
    assert code != 0, "there is no such table in the end"
    assert ("out of sync" in said) == refused, said
    if refused:
        assert "the messages of outgoing.customer_messages about customer are of state 1111aaaa" in said
        assert (
            "the rows of mapped.customer are in state 3333aaaa (shop.customer version 1 to customer version 1, " in said
        )
        assert "Run dbt build" in said
        assert not (tmp_path / "out").exists()


def test_a_state_that_no_book_has_is_told(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(2, *rows(2, OF_CUSTOMER, OF_CUSTOMER, FIRST))
    assert "(what that state was is not in the books)" in says(shop)[1]


def test_messages_of_an_older_entrepot_have_no_state(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1, *rows(1, FIRST, FIRST, None), row(1, MESSAGES, None, {MAPPED: 3}))
    assert "out of sync" not in says(shop)[1]
