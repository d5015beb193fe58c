"""What macros are told of a stored verdict: the rule, the warning, and the error of a strict model; no Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError

from dbt.adapters.entrepot.analysis import Analysis
from entrepot.analysis import Findings

PRICE = "price(), which is not a function of Spark's own and may give something else each time"
FOUND = Findings(None, unvouched=PRICE)
TIED = replace(FOUND, unvouched=None, untold="limit over an order in which rows may be equal")


def told(findings: Findings, **settings: Any) -> dict[str, Any]:
    """What `analysis_verdict` says of a model with stored findings."""
    given = {"unique_key": ["id"], **settings}
    verdict: dict[str, Any] = Analysis.__new__(Analysis).analysis_verdict(
        "amounts", given, [], "select 1 as id", findings.to_json()
    )
    return verdict


@pytest.mark.parametrize(("findings", "word"), [(FOUND, "deterministic"), (TIED, "total_order")])
def test_a_word_of_the_authors_or_a_warning(findings: Findings, word: str) -> None:
    verdict = told(findings)
    assert (verdict["rule"], verdict["verdict"].is_fixed) == ("full", False)
    assert verdict["reason"] in verdict["warning"]
    verdict = told(findings, **{word: True})
    assert (verdict["rule"], verdict["verdict"].is_fixed, verdict["warning"]) == ("join", True, None)
    verdict = told(findings, rule="full")
    assert (verdict["rule"], verdict["verdict"].is_fixed, verdict["reason"]) == ("full", True, "delta_rule is full")


@pytest.mark.parametrize("findings", [FOUND, TIED])
def test_a_strict_model_is_refused(findings: Findings) -> None:
    with pytest.raises(CompilationError, match="Model amounts uses "):
        told(findings, strict=True)
