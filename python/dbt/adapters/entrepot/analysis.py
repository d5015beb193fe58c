"""What macros ask of the analysis of a model's plan, as methods of the adapter (see `entrepot.analysis`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.sql_methods import table_of
from entrepot.analysis import (
    Findings,
    Occurrence,
    Settings,
    analysis_checksum,
    check_strict,
    configured_verdict,
    findings_by_session,
    findings_by_text,
    verdict_of,
)
from entrepot.sql import code_only, mark_mentions, numbered_mentions, union_branches

TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}


class Analysis(Asking):
    """Which rule maintains a model."""

    @for_macros
    def analysis_checksum(self, body: str, upstreams: Sequence[Mapping[str, Any]]) -> str:
        """The checksum of all that findings depend on but the columns of upstreams."""
        return analysis_checksum(body, [(str(one["relation"]), one["unique_key"]) for one in upstreams])

    @for_macros
    def analysis_verdict(
        self,
        model: str,
        settings: Mapping[str, Any],
        upstreams: Sequence[Mapping[str, Any]],
        body: str,
        stored: str | None,
    ) -> dict[str, Any]:
        """Which rule maintains a model: the `verdict` for the rules, its `rule` and `reason`, and the `findings` that are to be stored.

        Args:
            model: its name
            settings: what `delta_settings` gives
            upstreams: what `delta_upstreams` gives, those that the SQL names
            body: its SQL with views inlined
            stored: findings of an earlier job on the same text; none where there are none
        """
        judged = settings_told(model, settings)
        by_table = {table_of(one["relation"]): one for one in upstreams}
        tables = numbered_mentions(body, list(by_table))
        named = [_occurrence(str(number), by_table[table]) for number, table in enumerate(tables)]
        found: Findings | None = None
        verdict = configured_verdict(judged, named)
        if verdict is None:
            found = (Findings.from_json(stored) if stored else None) or self._analyzed(body, named, upstreams)
            branches = union_branches(body)
            verdict = verdict_of(judged, named, found, None if branches is None else len(branches))
        check_strict(judged, verdict)
        return {
            "verdict": verdict,
            "rule": verdict.rule,
            "reason": verdict.reason,
            "warning": verdict.warning,
            "findings": found.to_json() if found else "{}",
        }

    def _analyzed(self, body: str, named: Sequence[Occurrence], upstreams: Sequence[Mapping[str, Any]]) -> Findings:
        """Return the findings on Spark's plan, in which every occurrence of an upstream has an alias that the plan repeats."""
        relations = {str(one["relation"]): one["relation"] for one in upstreams}
        columns = {name: self._columns(relation) for name, relation in relations.items()}
        known = [replace(one, columns=columns[one.relation]) for one in named]
        marked = mark_mentions(body, [table_of(relation) for relation in relations.values()])
        if self.is_embedded():
            analyzed = self.handle.analyzed(marked)
            return findings_by_session(analyzed, body, code_only(body), known)
        printed = self.ask(f"explain extended\n{marked}")[0]["plan"]
        return findings_by_text(printed, body, code_only(body), known)

    def _columns(self, relation: Any) -> dict[str, str]:
        """Return the columns of a relation, {name: type in Spark's words}."""
        if self.is_embedded():
            found: dict[str, str] = self.handle.columns(str(relation))
            return found
        columns = self.get_columns_in_relation(relation)
        return {column.name: TYPES.get(column.dtype, column.dtype) for column in columns}


def settings_told(model: str, given: Mapping[str, Any]) -> Settings:
    """Return a model's settings from what `delta_settings` gives."""
    return Settings(
        model,
        tuple(given["unique_key"]),
        given.get("rule"),
        given.get("scope") or {},
        tuple(given.get("scope_key") or ()),
        bool(given.get("strict")),
        bool(given.get("total_order")),
        bool(given.get("deterministic")),
    )


def _occurrence(number: str, upstream: Mapping[str, Any]) -> Occurrence:
    return Occurrence(
        number, str(upstream["relation"]), upstream["name"], unique_key=tuple(upstream["unique_key"] or ())
    )
