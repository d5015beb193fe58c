"""Verdicts of a job: the rule, the warning and the error of a strict model, and what is stored of them; no Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from entrepot.analysis import Findings, Verdict
from entrepot.errors import ModelError
from entrepot.jobs import Engine, Node, settings_of
from entrepot.jobs import verdicts as module
from entrepot.jobs.verdicts import Verdicts
from entrepot.ledger import Ledger, ModelVerdict

PRICE = "price(), which is not a function of Spark's own and may give something else each time"
FOUND = Findings(None, unvouched=PRICE)
TIED = replace(FOUND, unvouched=None, untold="limit over an order in which rows may be equal")
MODEL = Node("model.shop.amounts", "model", "amounts", "marts", "amounts")
BODY = "select 1 as id"


class Analyst:
    """Stands for Spark's analysis: gives the findings, and counts how often it was asked."""

    def __init__(self, findings: Findings) -> None:
        self.asked = 0
        self._findings = findings

    def findings(self, *_about: Any) -> Findings:
        self.asked += 1
        return self._findings


class Books:
    """Stands for books in which verdicts are stored."""

    def __init__(self, rows: Sequence[ModelVerdict]) -> None:
        self._rows = list(rows)

    def verdicts(self) -> list[ModelVerdict]:
        return self._rows


def judged(verdicts: Verdicts, **config: Any) -> Verdict:
    settings = settings_of("amounts", {"unique_key": "id", "file_format": "delta"} | config)
    return verdicts.of(MODEL, settings, [], BODY)


def verdicts_of(analyst: Analyst) -> Verdicts:
    return Verdicts(cast("Engine", analyst))


@pytest.mark.parametrize(("findings", "word"), [(FOUND, "deterministic"), (TIED, "total_order")])
def test_a_word_of_the_authors_or_a_warning(findings: Findings, word: str) -> None:
    verdicts = verdicts_of(Analyst(findings))
    verdict = judged(verdicts)
    assert (verdict.rule, verdict.is_fixed) == ("full", False)
    warning = verdicts.warning(MODEL, verdict)
    assert warning is not None and verdict.reason in warning
    assert verdicts.warning(MODEL, verdict) is None, "the author is told once in a job"
    verdict = judged(verdicts, **{word: True})
    assert (verdict.rule, verdict.is_fixed) == ("join", True)
    verdict = judged(verdicts, delta_rule="full")
    assert (verdict.rule, verdict.is_fixed, verdict.reason) == ("full", True, "delta_rule is full")


@pytest.mark.parametrize("findings", [FOUND, TIED])
def test_a_strict_model_is_refused(findings: Findings) -> None:
    with pytest.raises(ModelError, match="Model amounts uses "):
        judged(verdicts_of(Analyst(findings)), strict=True)


def test_what_is_stored_is_not_found_out_again() -> None:
    first, second = Analyst(FOUND), Analyst(FOUND)
    verdicts = verdicts_of(first)
    judged(verdicts)
    judged(verdicts)
    assert first.asked == 1
    stored = verdicts.found("job", 7)
    assert [(row.relation, row.rule, row.sql, row.number) for row in stored] == [("marts.amounts", "full", BODY, 7)]

    again = verdicts_of(second)
    again.open(cast("Ledger", Books(stored)))
    judged(again)
    assert second.asked == 0 and again.found("job", 8) == []
    again.forget(MODEL, [], BODY)
    judged(again)
    assert second.asked == 1, "columns of upstreams may have changed, which the checksum does not tell"


def test_whether_rule_join_is_known_to_be_right_for_an_earlier_text() -> None:
    first = verdicts_of(Analyst(replace(FOUND, unvouched=None)))
    judged(first)
    verdicts = verdicts_of(Analyst(FOUND))
    verdicts.open(cast("Ledger", Books(first.found("job", 7))))
    assert verdicts.is_join(MODEL, [], BODY)
    assert not verdicts.is_join(MODEL, [], f"{BODY}, 2 as n"), "nothing is known of it"
    verdicts.forget(MODEL, [], BODY)
    assert judged(verdicts, deterministic=True).rule == "join"
    assert not verdicts.is_join(MODEL, [], BODY), "by the author's word, which he may take back"
    judged(verdicts, delta_rule="full")
    assert not verdicts.is_join(MODEL, [], BODY)


def test_branches_of_a_join_have_its_rule_and_their_own_namings() -> None:
    upstreams = [Node(f"model.shop.{name}", "model", name, "marts", name) for name in ("a", "b")]
    whole = Verdict("join", "select", mentions=("0", "1", "2"), stems={"id": "0"}, columns=("id",), types=("int",))
    found = Verdicts.of_branches(whole, upstreams, "select id from marts.b union all select id from marts.a, marts.b")
    assert [(one.number, one.upstream) for one in found.occurrences] == [("0", "a"), ("1", "b"), ("2", "b")]
    assert (found.rule, found.mentions, found.columns, found.types) == ("join", ("0", "1", "2"), ("id",), ("int",))
    assert not found.stems, "they are of other namings"


def test_what_is_found_while_another_model_is_stored_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are judged side by side; the checksum of a long SQL lets another thread go on."""
    verdicts = verdicts_of(Analyst(FOUND))
    plain = module.checksum_of

    def slow(text: str) -> str:
        verdicts.store("marts.other", "job", 7)
        return plain(text)

    monkeypatch.setattr(module, "checksum_of", slow)
    judged(verdicts)
    assert [row.relation for row in verdicts.found("job", 7)] == ["marts.amounts"]
