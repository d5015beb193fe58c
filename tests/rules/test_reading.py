"""`body_at` as text: what is put in place of one upstream may name others, and stays as it is."""

from __future__ import annotations

from entrepot.rules import Upstream, body_at
from entrepot.sql import TableName


def at(body: str, names: list[str], places: dict[str, list[str | None]], kept: dict[str, str] | None = None) -> str:
    upstreams = [Upstream(TableName.of(name.split(".")), name, 7) for name in names]
    return body_at(body, upstreams, kept or {}, places)


def test_a_replacement_that_names_another_upstream() -> None:
    rows = "(select * from s.b version as of 7)"
    for names in (["s.a", "s.b"], ["s.b", "s.a"]):
        found = at("select * from s.a join s.b on s.a.k = s.b.k", names, {"s.a": [rows]})
        assert found == f"select * from {rows} as a join s.b version as of 7 as b on a.k = b.k"


def test_each_occurrence_has_its_own() -> None:
    found = at("select * from s.a as one, s.a as two, s.a as three", ["s.a"], {"s.a": ["x", None]})
    assert found == "select * from x as one, s.a version as of 7 as two, s.a version as of 7 as three"


def test_what_is_in_memory_is_read_there() -> None:
    found = at("select * from s.a as one", ["s.a"], {}, {"s.a@7": "kept_a", "s.a@6": "older"})
    assert found == "select * from kept_a as one"
