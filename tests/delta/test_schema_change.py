"""Config `on_schema_change`: what happens to a model whose SELECT gives other columns than its table has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models

SQL = "{{ config(delta_rule='join'<policy>) }} select id, <columns> from {{ source('raw', 't') }}"
READER = "{{ config(delta_rule='join') }} select id, v from {{ ref('<model>') }}"
POLICIES = {
    "ignored": "",
    "added": ", on_schema_change='append_new_columns'",
    "synced": ", on_schema_change='sync_all_columns'",
    "refused": ", on_schema_change='fail'",
}


class Models:
    """A model for each value, all with the same SELECT on one table, and a reader of the one whose table is kept."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.raw = case.source("t", "id int, v int, w int", "select id, id * 10, if(id = 1, null, id) from range(1, 4)")
        case.put("models/reader.sql", READER.replace("<model>", "added"))
        self.build("v")

    def build(self, columns: str) -> Outcome:
        for name, policy in POLICIES.items():
            self.case.put(f"models/{name}.sql", SQL.replace("<policy>", policy).replace("<columns>", columns))
        return self.case.dbt("build")

    def operations(self, name: str) -> list[str]:
        """The operations on a model's table, newest first."""
        return [commit["operation"] for commit in self.case.spark.history(self.case.table("marts", name))]

    def compare(self, *names: str) -> None:
        for name in names:
            difference = self.case.difference_from_recompute("marts", name)
            assert not difference, f"{name}: {difference}"


@pytest.fixture(scope="module")
def models(module_case: Callable[..., DbtCase]) -> Models:
    return Models(module_case(project=delta_models(unique_key="id")))


def test_the_four_values(models: Models) -> None:
    outcome = models.build("w as first, v, w, 'x' as last")
    assert outcome.messages["ignored"].startswith("create: ")
    for name in ("added", "synced"):
        assert outcome.messages[name] == "full: +0 ~3 -0"
        assert models.operations(name)[:2] == ["MERGE", "ADD COLUMNS"], "the table is kept"
    assert outcome.messages["reader"] == "full: +0 ~0 -0", "the columns of added changed"
    assert (
        "on_schema_change 'fail', and its SQL changed, and with it its columns (+ first int, + w int, + last string)"
        in outcome.text
    )
    assert "dbt build --select refused --full-refresh" in outcome.text
    models.compare("ignored", "added", "synced", "reader")
    models.case.spark.change(f"insert into {models.raw} values (4, 40, 4)")
    outcome = models.case.dbt("build", "--exclude", "refused")
    assert set(outcome.messages.values()) == {"join: 1 in +1 ~0 -0"}, "and then as before"
    models.compare("ignored", "added", "synced", "reader")
    outcome = models.build("v")
    assert outcome.messages["refused"] == "join: 1 in +1 ~0 -0", "the SQL that its table was made with"
    assert outcome.messages["synced"].startswith("create: ")
    assert "on_schema_change 'append_new_columns'" in outcome.text
    assert "(- first int, - w int, - last string)" in outcome.text
    models.compare("ignored", "synced", "refused")


@pytest.mark.long
def test_new_columns_without_values(models: Models) -> None:
    models.build("v")
    models.case.build("--full-refresh", "--select", "added")
    outcome = models.build("v, cast(null as int) as nothing")
    assert outcome.messages["added"] == "full: +0 ~0 -0"
    models.compare("added", "synced", "ignored")


def test_unknown_value(models: Models) -> None:
    models.case.put("models/odd.sql", SQL.replace("<policy>", ", on_schema_change='merge'").replace("<columns>", "v"))
    outcome = models.case.dbt("build", "--select", "odd")
    assert not outcome.success
    assert (
        "on_schema_change 'merge': ignore, fail, append_new_columns and sync_all_columns are accepted" in outcome.text
    )
