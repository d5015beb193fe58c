"""How rows are found to belong to scopes: by a list of keys where they are at hand, else by a join."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from entrepot.analysis import Computed
from entrepot.rules.affected import Affected
from entrepot.rules.inputs import Listed
from entrepot.rules.reading import Reading

SCOPES = "(select distinct * from (select a as a, b as b from v))"
ROWS = Listed(("int", "string"), (("1", "x"), ("1", "it's"), ("2", "x")))


def reading() -> Reading:
    return Reading(cast(Any, SimpleNamespace(kept={})), cast(Any, None))


def test_keys_at_hand_are_listed_and_kept_out_of_the_books() -> None:
    noted = reading()
    found = Affected(("a", "b"), SCOPES, ROWS).within(noted, {"a": "x", "b": "`b-c`"})
    assert found == "where (_row.x = 1 and _row.`b-c` in ('x', 'it\\'s')\n  or _row.x = 2 and _row.`b-c` in ('x'))"
    condition = found.removeprefix("where (").removesuffix(")")
    assert noted.listed == {condition: "(a, b) in (… 3 keys)"}


def test_some_columns_of_scopes_are_listed_once_each() -> None:
    affected = Affected(("a", "b"), SCOPES, ROWS)
    assert affected.within(reading(), {"a": Computed(("year(", "day", ")"))}) == "where (year(_row.`day`) in (1, 2))"
    assert (
        affected.within(reading(), {"b": "b"}, "op = 't' or c") == "where (_row.b in ('x', 'it\\'s')) or op = 't' or c"
    )


@pytest.mark.parametrize(
    "listed",
    [
        None,
        Listed(("int", "string"), (("1", None),)),
        Listed(("double", "string"), (("1.0", "x"),)),
        Listed(("int", "string"), ()),
    ],
)
def test_what_cannot_be_listed_is_joined(listed: Listed | None) -> None:
    noted, affected = reading(), Affected(("a", "b"), SCOPES, listed)
    assert (
        affected.within(noted, {"a": "x", "b": "y"})
        == f"left semi join {SCOPES} as _scope on _row.x <=> _scope.a and _row.y <=> _scope.b"
    )
    assert affected.within(noted, {"a": "x", "b": "y"}, "z").endswith("where _scope._affected or z")
    assert noted.listed == {}
