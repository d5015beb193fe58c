"""`delta_at` as text: what is put in place of one upstream may name others, and stays as it is."""

from __future__ import annotations

from typing import Any

from tests.support.render import Renderer


class Relation:
    """What the macros need of dbt's relation."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.schema, self.identifier = name.split(".")

    def __str__(self) -> str:
        return self.name


def at(body: str, names: list[str], replacements: dict[str, list[str | None]]) -> str:
    state: dict[str, Any] = {"kept": {}}
    renderer = Renderer(jobs_pin=lambda relation: 7, jobs_state=lambda: state)
    upstreams = [{"relation": Relation(name)} for name in names]
    return str(renderer.call("delta_at", body, upstreams, {}, replacements))


def test_a_replacement_that_names_another_upstream() -> None:
    rows = "(select * from s.b version as of 7)"
    for names in (["s.a", "s.b"], ["s.b", "s.a"]):
        found = at("select * from s.a join s.b on s.a.k = s.b.k", names, {"s.a": [rows]})
        assert found == f"select * from {rows} as a join s.b version as of 7 as b on a.k = b.k"


def test_each_occurrence_has_its_own() -> None:
    found = at("select * from s.a as one, s.a as two, s.a as three", ["s.a"], {"s.a": ["x", None]})
    assert found == "select * from x as one, s.a version as of 7 as two, s.a version as of 7 as three"
