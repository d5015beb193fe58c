"""The fuzzer's parts, without Spark: what is drawn is determined and sound, and the shrinker finds the small case."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fuzz.case import Case, Failure
from tests.fuzz.case_generator import random_case
from tests.fuzz.change_stream import SOURCES, Change, Contents, apply
from tests.fuzz.duckdb_oracle import DuckDbOracle
from tests.fuzz.render import model_file
from tests.fuzz.reproduction import write_reproduction
from tests.fuzz.runner import operator_name
from tests.fuzz.shrink import is_sound, shrink
from tests.fuzz.sql_types import LARGEST, literal, normal
from tests.fuzz.tree import Model


class InnerJoinsAreLeftJoins(DuckDbOracle):
    """A fault for the shrinker to find."""

    def sql(self, model: Model) -> str:
        return super().sql(model).replace("inner join", "left join")


def test_the_same_seed_gives_the_same_case() -> None:
    one, other = random_case(5, models=5, jobs=4), random_case(5, models=5, jobs=4)
    assert [model_file(model) for model in one.models] == [model_file(model) for model in other.models]
    assert repr((one.contents, one.jobs)) == repr((other.contents, other.jobs))
    assert model_file(random_case(6, models=1, jobs=0).models[0]) != model_file(one.models[0])


def test_keys_are_unique_and_every_construct_is_drawn() -> None:
    seen: Counter[str] = Counter()
    for seed in range(25):
        case = random_case(seed, models=12, jobs=2)
        assert is_sound(case), f"seed {seed}"
        seen.update(operator_name(node) for model in case.models for node in model.root.walk())
        seen.update(model.materialized for model in case.models)
    joins = {
        f"{kind} join"
        for kind in ("inner", "left", "right", "full", "semi", "anti", "exists", "not exists", "in", "not in")
    }
    operators = {
        "select",
        "distinct",
        "group by",
        "having",
        "global aggregate",
        "window",
        "explode",
        "union",
        "union all",
    }
    assert joins | operators | {"delta", "view", "ephemeral", "table"} <= set(seen)


def test_only_join_only_models_are_configured_with_rule_join() -> None:
    rules = {
        model.rule: operator_name(node)
        for seed in range(5)
        for model in random_case(seed, models=8, jobs=0, force_join=True).models
        for node in model.root.walk()
        if model.rule
    }
    assert set(rules) == {"join"}


def test_a_change_that_would_break_a_key_is_left_out() -> None:
    contents: Contents = {source.name: () for source in SOURCES}
    row = (1, None, LARGEST, "it's", None, [1, None])
    insert = Change("orders", "insert", (row,))
    statement, after = apply(insert, contents, "s")
    assert statement is not None and "it\\'s" in statement
    assert after["orders"] == (row,)
    assert apply(insert, after, "s") == (None, after)
    moved = apply(Change("orders", "update", (), ((1,),), 0, 2), after, "s")
    assert moved[0] == "update s.orders set id = cast(2 as bigint) where (id <=> cast(1 as bigint))"
    assert [values[0] for values in moved[1]["orders"]] == [2]


def test_equal_values_are_equal_whatever_the_engine_calls_them() -> None:
    assert normal(float("nan")) == normal(float("nan"))
    assert repr(normal(-0.0)) == "0.0"
    assert normal({"x": 1, "y": None}) == normal((1, None))
    assert (
        literal((1, "a"), "struct", "duckdb")
        == "cast({'x': cast(1 as bigint), 'y': 'a'} as struct(x bigint, y varchar))"
    )


@pytest.mark.long
def test_the_shrinker_finds_the_small_case(tmp_path: Path) -> None:
    """The planted fault: an oracle that takes inner joins for left joins. Here the right one plays Spark's part."""

    def run(case: Case) -> list[Failure]:
        right, wrong, contents = DuckDbOracle(), InnerJoinsAreLeftJoins(), case.contents
        for number, job in enumerate(((), *case.jobs)):
            for change in job:
                _, contents = apply(change, contents, "s")
            for source in SOURCES:
                right.load(source, contents[source.name])
                wrong.load(source, contents[source.name])
            right.compute(case.models)
            wrong.compute(case.models)
            for model in case.models:
                stored, expected = right.rows(model), wrong.rows(model)
                if stored != expected:
                    missing = tuple(sorted((expected - stored).elements(), key=repr))
                    return [Failure("oracle", model.name, number, "full: +1 ~0 -0", missing)]
        return []

    case, failures = next(
        (case, failures)
        for case in (random_case(seed, models=3, jobs=4) for seed in range(1000))
        if (failures := run(case)) and failures[0].job > 0
    )
    small, failure = shrink(case, failures[0], run, attempts=400, say=lambda text: None)
    assert failure.missing
    operators = Counter(operator_name(node) for model in small.models for node in model.root.walk())
    assert operators["inner join"] == 1
    assert not small.variables
    assert sum(operators.values()) <= 6
    assert sum(map(len, small.contents.values())) + sum(len(change.rows) for job in small.jobs for change in job) <= 3
    folder = write_reproduction(small, failure, ROOT, tmp_path)
    assert failure.model in (folder / "README.md").read_text()
    assert (folder / f"models/{failure.model}.sql").read_text() == model_file(small.model(failure.model))
    assert len(list((folder / "macros/changes").glob("*.sql"))) == len(small.jobs) + 1


def test_a_failure_that_cannot_be_repeated_stays_as_it_was() -> None:
    case = replace(random_case(1, models=2, jobs=1), jobs=())
    failure = Failure("oracle", "model_2", 0, "create")
    assert shrink(case, failure, lambda smaller: [], attempts=3, say=pytest.fail) == (case, failure)
