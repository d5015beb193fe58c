"""Which rule maintains a model, and what is said where none does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from entrepot.analysis.findings import Findings
from entrepot.analysis.grouping import Aggregate
from entrepot.analysis.rows import Measure, Occurrence
from entrepot.analysis.scopes import check_strict
from entrepot.analysis.verdict import Settings, analysis_checksum, configured_verdict, verdict_of
from entrepot.errors import ModelError

ORDERS = Occurrence("0", "shop.orders", "orders")
LINE = Occurrence("1", "shop.line", "line")
OCCURRENCES = (ORDERS, LINE)
SETTINGS = Settings("amounts", ("order_id",))
STRICT = replace(SETTINGS, strict=True)
FOUND = Findings(None, scopes={"order_id": {"0": "order_id", "1": "order_id"}}, mentions=("0", "1"))
AGGREGATE = Aggregate(("order_id",), False, {"n": Measure("count", "1", "bigint")})


@pytest.mark.parametrize(
    ("findings", "branches", "rule", "reason"),
    [
        (FOUND, 1, "join", "select, where, inner join, union all"),
        (FOUND, None, "scope", "a set operator inside a subquery or under a sort, which rule join cannot take apart"),
        (replace(FOUND, has_with=True), 2, "scope", "a WITH clause over a union, which rule join cannot take apart"),
        (
            replace(FOUND, mentions=("0", "1/3", "1/5")), 1, "scope",
            "a CTE over line that is not read exactly once, which rule join cannot take apart",
        ),
        (replace(FOUND, join="distinct"), 1, "scope", "uses distinct"),
        (replace(FOUND, join="an aggregate or group by", aggregate=AGGREGATE), 1, "aggregate", "group by with count, sum, min, max, avg"),
        (
            replace(FOUND, join="distinct", scopes={}), 1, "full",
            "uses distinct, and no column of the result is one of an upstream",
        ),
        (
            replace(FOUND, join="Expand", scopes={}, unknown="Expand"), 1, "full",
            "uses Expand, and Expand cannot be followed",
        ),
    ],
)  # fmt: skip
def test_the_rule_that_fits(findings: Findings, branches: int | None, rule: str, reason: str) -> None:
    verdict = verdict_of(SETTINGS, OCCURRENCES, findings, branches)
    assert (verdict.rule, verdict.reason) == (rule, reason)
    assert verdict.scope_key is None


def test_the_configuration_may_say_all() -> None:
    full = configured_verdict(replace(SETTINGS, rule="full"), OCCURRENCES)
    assert full is not None and (full.rule, full.reason, full.mentions) == ("full", "delta_rule is full", ())
    settings = replace(SETTINGS, scope={"line": ["order_number"]}, scope_key=("order_id",))
    scope = configured_verdict(settings, OCCURRENCES)
    assert scope is not None and scope.scopes == {"order_id": {"1": "order_number"}}
    assert scope.mentions == ("0", "1") and scope.scope_key == ("order_id",)
    assert configured_verdict(SETTINGS, OCCURRENCES) is None
    assert configured_verdict(replace(settings, rule="join"), OCCURRENCES) is None


RAND = "rand(), which gives something else each time"
FOREIGN = "price(), which is not a function of Spark's own and may give something else each time"
LIMIT = "limit over an order in which rows may be equal"


@pytest.mark.parametrize(
    ("findings", "reason", "warning"),
    [
        (
            replace(FOUND, refused=RAND), f"uses {RAND}",
            "Model amounts uses rand(), which gives something else each time. It is computed in full in each job in which an upstream has "
            "changed. To make it incremental: a column or var in its place. To keep it as it is without this warning: "
            "config(delta_rule='full'). See docs/delta-rules.md.",
        ),
        (
            replace(FOUND, untold=LIMIT), f"uses {LIMIT}",
            "Model amounts uses limit over an order in which rows may be equal. It is computed in full in each job in which an upstream has "
            "changed. To make it incremental: order by … and last a unique key (unique_key of the model that is read, meta of a source); or "
            "config(total_order=true) where you know that it does. To keep it as it is without this warning: config(delta_rule='full'). "
            "See docs/delta-rules.md.",
        ),
        (
            replace(FOUND, unvouched=FOREIGN), f"uses {FOREIGN}",
            "Model amounts uses price(), which is not a function of Spark's own and may give something else each time. It is computed in full "
            "in each job in which an upstream has changed. To make it incremental: Spark's own functions in its place; or "
            "config(deterministic=true) where you know that the same values always give the same. To keep it as it is without this "
            "warning: config(delta_rule='full'). See docs/delta-rules.md.",
        ),
    ],
)  # fmt: skip
def test_what_has_no_one_right_result_is_computed_in_full_with_a_warning(
    findings: Findings, reason: str, warning: str
) -> None:
    verdict = verdict_of(SETTINGS, OCCURRENCES, findings, 1)
    assert (verdict.rule, verdict.reason, verdict.warning) == ("full", reason, warning)
    assert not verdict.is_fixed


def test_the_unique_key_is_of_columns_of_the_select() -> None:
    found = replace(FOUND, columns=("Id", "amount"))
    assert verdict_of(replace(SETTINGS, unique_key=("id", "`Amount`")), OCCURRENCES, found, 1).rule
    with pytest.raises(
        ModelError, match="has unique_key id, day, but no column day: columns of its SELECT are accepted: Id, amount"
    ):
        verdict_of(replace(SETTINGS, unique_key=("id", "day")), OCCURRENCES, found, 1)
    assert (
        verdict_of(replace(SETTINGS, unique_key=("id", "day")), OCCURRENCES, Findings.nothing("maps"), 1).rule == "full"
    )


def test_chance_comes_before_order_in_the_warning() -> None:
    both = verdict_of(replace(SETTINGS, total_order=True), OCCURRENCES, replace(FOUND, refused=RAND, untold=LIMIT), 1)
    assert both.rule == "full" and both.reason == f"uses {RAND}"
    # a model of maps is computed in full for two reasons; the one that changes its rows is told
    assert verdict_of(SETTINGS, OCCURRENCES, replace(Findings.nothing("maps"), untold=LIMIT), None).warning


def test_other_full_computations_are_fixed() -> None:
    full = configured_verdict(replace(SETTINGS, rule="full"), OCCURRENCES)
    assert full is not None and full.is_fixed and full.warning is None
    ranked = verdict_of(SETTINGS, OCCURRENCES, replace(FOUND, join="a window", scopes={}), 1)
    assert ranked.rule == "full" and ranked.is_fixed and ranked.warning is None


@pytest.mark.parametrize(
    ("settings", "findings", "sentence"),
    [
        (
            STRICT, replace(FOUND, refused="rand(), which gives something else each time"),
            "Model amounts uses rand(), which gives something else each time: a model is a SELECT with one right result. For example: "
            "a column or var in its place; or config(delta_rule='full'), which takes what each run gives. See docs/delta-rules.md.",
        ),
        (
            STRICT, replace(FOUND, untold="limit over an order in which rows may be equal"),
            "Model amounts uses limit over an order in which rows may be equal: the order has to tell all rows apart. For example: order by … "
            "and last a unique key (unique_key of the model that is read, meta of a source); or config(total_order=true) where you know that "
            "it does. See docs/delta-rules.md.",
        ),
        (
            STRICT, replace(FOUND, unvouched="price(), which is not a function of Spark's own and may give something else each time"),
            "Model amounts uses price(), which is not a function of Spark's own and may give something else each time: a model is a SELECT "
            "with one right result. For example: Spark's own functions in its place; or config(deterministic=true) where you know that the "
            "same values always give the same. See docs/delta-rules.md.",
        ),
        (
            replace(SETTINGS, rule="join"), replace(FOUND, join="distinct"),
            "Model amounts has delta_rule 'join' and uses distinct: the rule is right for select, where, inner join and union all. "
            "For example: config() without delta_rule, which takes the rule that fits. See docs/delta-rules.md.",
        ),
        (
            replace(SETTINGS, rule="scope"), replace(FOUND, scopes={}, unknown="Expand"),
            "Model amounts has delta_rule 'scope' without scope: no column of the result could be followed to a column of an upstream (Expand). "
            "For example: config(scope={'order_line': ['item_code']}, scope_key='item_code'). See docs/delta-rules.md.",
        ),
        (
            replace(SETTINGS, rule="aggregate"), FOUND,
            "Model amounts has delta_rule 'aggregate': the rule is right for one group by over select, where and inner join, with count, "
            "sum of integers and decimals, min, max, and avg beside sum and count of the same. "
            "For example: config() without delta_rule, which takes the rule that fits. See docs/delta-rules.md.",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(settings: Settings, findings: Findings, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        verdict_of(settings, OCCURRENCES, findings, 1)
    assert error.value.message == sentence


def test_the_author_may_know_better() -> None:
    ordered = verdict_of(replace(SETTINGS, total_order=True), OCCURRENCES, replace(FOUND, untold=LIMIT), 1)
    forced = verdict_of(replace(SETTINGS, rule="join"), OCCURRENCES, replace(FOUND, refused=RAND), 1)
    assert [(verdict.rule, verdict.warning) for verdict in (ordered, forced)] == [("join", None), ("join", None)]
    vouched = verdict_of(replace(STRICT, deterministic=True), OCCURRENCES, replace(FOUND, unvouched=FOREIGN), 1)
    assert (vouched.rule, vouched.warning) == ("join", None)
    assert verdict_of(replace(STRICT, total_order=True), OCCURRENCES, replace(FOUND, untold=LIMIT), 1).rule == "join"


def test_a_scope_over_a_table_that_is_not_read() -> None:
    settings = replace(SETTINGS, scope={"customer": ["id"]}, scope_key=("order_id",))
    with pytest.raises(
        ModelError, match=r"has scope customer: tables that the model reads are accepted: orders, line\."
    ):
        configured_verdict(settings, OCCURRENCES)


def test_strict() -> None:
    settings = replace(SETTINGS, strict=True)
    partly = replace(FOUND, join="distinct", scopes={"order_id": {"0": "order_id"}})
    with pytest.raises(ModelError, match="is strict and would be computed in full when line changes"):
        check_strict(settings, verdict_of(settings, OCCURRENCES, partly, 1))
    nothing = replace(partly, scopes={})
    with pytest.raises(ModelError, match=r"is strict and would be computed in full \(uses distinct, and no column"):
        check_strict(settings, verdict_of(settings, OCCURRENCES, nothing, 1))
    check_strict(SETTINGS, verdict_of(SETTINGS, OCCURRENCES, nothing, 1))
    check_strict(settings, verdict_of(settings, OCCURRENCES, FOUND, 1))


def test_the_checksum_has_the_text_the_analysis_version_and_the_keys() -> None:
    keys = [("`a`.`t`", ["x", "y"]), ("`a`.`u`", [])]
    # md5 of "select 1\n11\n`a`.`t`=x,y\n`a`.`u`="
    assert analysis_checksum("select 1", keys) == "faa56c7f10b842b345a8244a952e96f3"
